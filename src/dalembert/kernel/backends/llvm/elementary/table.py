"""The elementary functions by the names they have in a program."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.kernel.backends.llvm.elementary.asin import acos, asin
from dalembert.kernel.backends.llvm.elementary.atan import atan2
from dalembert.kernel.backends.llvm.elementary.exp import exp
from dalembert.kernel.backends.llvm.elementary.log import log
from dalembert.kernel.backends.llvm.elementary.sign import sign
from dalembert.kernel.backends.llvm.elementary.sincos import cos, sin
from dalembert.kernel.backends.llvm.elementary.tan import tan
from dalembert.kernel.backends.llvm.elementary.tanh import tanh
from dalembert.kernel.backends.llvm.lanes import Lanes

FUNCTIONS: dict[str, Callable[..., str]] = {
    "sqrt": Lanes.sqrt,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan2": atan2,
    "exp": exp,
    "log": log,
    "tanh": tanh,
    "abs": Lanes.abs,
    "sign": sign,
}
"""Operation -> ``f(lanes, *operands)``; ``sincos`` has two results, ``power`` a constant."""
