"""Handlers of XLA's foreign function interface, as LLVM text: kernels inside compiled JAX."""
