"""The elementary functions by the names they have in a program, in either precision."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dalembert.kernel.backends.llvm.elementary import single
from dalembert.kernel.backends.llvm.elementary.asin import acos, asin
from dalembert.kernel.backends.llvm.elementary.atan import atan2
from dalembert.kernel.backends.llvm.elementary.exp import exp
from dalembert.kernel.backends.llvm.elementary.log import log
from dalembert.kernel.backends.llvm.elementary.power import power as power_of_doubles
from dalembert.kernel.backends.llvm.elementary.sign import sign
from dalembert.kernel.backends.llvm.elementary.sincos import sincos as sincos_of_doubles
from dalembert.kernel.backends.llvm.elementary.tan import tan
from dalembert.kernel.backends.llvm.elementary.tanh import tanh
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import DOUBLE


def sincos(lanes: Lanes, x: str) -> tuple[str, str]:
    """Return sin x and cos x; NaN for |x| > 1.6e6, of floats for |x| > 2⁴⁰."""
    return (sincos_of_doubles if lanes.real is DOUBLE else single.sincos)(lanes, x)


def sin(lanes: Lanes, x: str) -> str:
    """Return sin x alone; LLVM drops what only the cosine needs."""
    return sincos(lanes, x)[0]


def cos(lanes: Lanes, x: str) -> str:
    """Return cos x alone."""
    return sincos(lanes, x)[1]


def power(lanes: Lanes, x: str, exponent: Fraction) -> str:
    """Return x^exponent for an exponent that is no integer."""

    def function(own: Lanes, a: str) -> str:
        return power_of_doubles(own, a, exponent)

    return _either(function)(lanes, x)


def _either(function: Callable[..., str]) -> Callable[..., str]:
    """Return a function of doubles for either precision."""
    of_floats = single.rounded(function)

    def either(lanes: Lanes, *operands: str) -> str:
        return (function if lanes.real is DOUBLE else of_floats)(lanes, *operands)

    return either


FUNCTIONS: dict[str, Callable[..., str]] = {
    "sqrt": Lanes.sqrt,
    "sin": sin,
    "cos": cos,
    "tan": _either(tan),
    "asin": _either(asin),
    "acos": _either(acos),
    "atan2": _either(atan2),
    "exp": _either(exp),
    "log": _either(log),
    "tanh": _either(tanh),
    "abs": Lanes.abs,
    "sign": sign,
}
"""Operation -> ``f(lanes, *operands)``; ``sincos`` has two results, ``power`` a constant."""
