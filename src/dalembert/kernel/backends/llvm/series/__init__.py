"""Power series of the solution of a differential equation, as LLVM text."""

from dalembert.kernel.backends.llvm.series.kernel import TaylorKernel

__all__ = ["TaylorKernel"]
