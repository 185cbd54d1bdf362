"""Elementary functions as pure instructions: no calls into a C library, equal bits everywhere."""

from dalembert.kernel.backends.llvm.elementary.power import power
from dalembert.kernel.backends.llvm.elementary.sincos import sincos
from dalembert.kernel.backends.llvm.elementary.table import FUNCTIONS

__all__ = ["FUNCTIONS", "power", "sincos"]
