"""Elementary functions as pure instructions: no calls into a C library, equal bits everywhere."""

from dalembert.kernel.backends.llvm.elementary.table import FUNCTIONS, power, sincos

__all__ = ["FUNCTIONS", "power", "sincos"]
