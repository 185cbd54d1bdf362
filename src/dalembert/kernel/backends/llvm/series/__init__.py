"""Power series of the solution of a differential equation, as LLVM text."""
