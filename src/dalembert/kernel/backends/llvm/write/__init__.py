"""LLVM text of programs and loops."""
