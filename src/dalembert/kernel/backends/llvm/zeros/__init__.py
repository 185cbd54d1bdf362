"""The sign changes of a quantity along polynomials, in machine code."""

from dalembert.kernel.backends.llvm.zeros.kernel import BoundsKernel

__all__ = ["BoundsKernel"]
