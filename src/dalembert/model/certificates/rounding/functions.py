"""How functions carry errors on, and what they add themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dalembert.model.certificates.rounding import intervals
from dalembert.model.certificates.rounding.intervals import INF, Interval, distance, size
from dalembert.model.certificates.rounding.values import TINY, UP, U, Value, plain

ULPS = {"llvm": 1.0, "c": 2.0, "numpy": 4.0}
"""Units in the last place by which a backend's functions may be off, at most: ours are tested to
less, those of C libraries and of NumPy are documented so."""
FARTHEST = 1.6e6
"""Angles beyond have no sine on every backend."""


class NoBound(ArithmeticError):
    """An operation has no bound over the box: the reason in words."""


def relative_error(backend: str) -> float:
    """Return the relative error of a function; the last place is at most 2u of a number."""
    return ULPS[backend] * 2 * U


def quotient(a: Value, b: Value) -> Value:
    """Return a / b, rounded once: â/b̂ - a/b = (δa - (a/b) δb) / b̂."""
    nearest = distance(b.x) - b.err
    if not nearest > 0:
        raise NoBound("divides by a number that may be zero")
    x = intervals.div(a.x, b.x)
    err = (a.err + size(x) * b.err) / nearest * UP
    is_nonnegative = a.is_nonnegative and b.is_nonnegative
    return _rounded(x, err, U, is_nonnegative)


def root(a: Value) -> Value:
    """Return √a, rounded once: the error is δ / (√a + √â), and at most √δ."""
    if not (a.is_nonnegative or a.x[0] - a.err >= 0):
        raise NoBound("takes the root of a number that may be negative")
    x = intervals.root((max(0.0, a.x[0]), a.x[1]))
    err = math.sqrt(a.err)
    if x[0] > 0:
        err = min(err, a.err / (x[0] + math.sqrt(max(0.0, a.x[0] - a.err))) * UP)
    return _rounded(x, err * UP, U, True)


def sign(a: Value) -> Value:
    """Return sign(a): exact, or anything where an error may change it."""
    if distance(a.x) > a.err:
        s = math.copysign(1.0, a.x[0])
        return plain((s, s), 0.0, s > 0)
    if a.err:
        raise NoBound("takes the sign of a number that rounding may change")
    lower, upper = (float((end > 0) - (end < 0)) for end in a.x)
    return plain((lower, upper))


def absolute(a: Value) -> Value:
    """Return |a|, which is not rounded."""
    return plain(intervals.absolute(a.x), a.err, True)


def function(name: str, a: Value, relative: float) -> Value:
    """Return a function of one variable, with its relative error."""
    return _rounded(*FUNCTIONS[name](a), relative, name == "exp")


def _reach(a: Value) -> Interval:
    """Return an interval that encloses the float."""
    return intervals.outward(a.x[0] - a.err, a.x[1] + a.err)


def _tan(a: Value) -> tuple[Interval, float]:
    lower, upper = _reach(a)
    k = round((lower + upper) / 2 / math.pi)
    if size((lower, upper)) > FARTHEST or not (
        (k - 0.5) * math.pi + 1e-9 < lower and upper < (k + 0.5) * math.pi - 1e-9
    ):
        raise NoBound("takes the tangent of an angle that may be a right one")
    x = intervals.increasing("tan", (lower, upper))
    return x, (1 + size(x) ** 2) * a.err * UP


def _asin(a: Value) -> tuple[Interval, float]:
    return intervals.increasing("asin", a.x), a.err / _steepness(a) * UP


def _acos(a: Value) -> tuple[Interval, float]:
    lower, upper = intervals.increasing("asin", a.x)
    quarter = math.pi / 2
    x = intervals.sub(intervals.outward(quarter, quarter), (lower, upper))
    return x, a.err / _steepness(a) * UP


def _steepness(a: Value) -> float:
    """Return the least √(1 - a²), one over the slope of arcs."""
    far = size(_reach(a))
    if far > 1 - 1e-9:
        raise NoBound("takes the arc of a number near or beyond 1")
    # 1 - a is exact for a near 1
    return math.sqrt((1 - far) * (1 + far))


def _exp(a: Value) -> tuple[Interval, float]:
    x = intervals.increasing("exp", a.x)
    if not (a.err < 1 and a.x[1] + a.err < 709):
        raise NoBound("takes the exponential of a number that may overflow")
    return (max(0.0, x[0]), x[1]), x[1] * math.expm1(a.err) * UP


def _log(a: Value) -> tuple[Interval, float]:
    lower = _reach(a)[0]
    if not lower > 0:
        raise NoBound("takes the logarithm of a number that may be zero")
    return intervals.increasing("log", a.x), a.err / lower * UP


def _tanh(a: Value) -> tuple[Interval, float]:
    return intervals.increasing("tanh", a.x), a.err


FUNCTIONS: dict[str, Callable[[Value], tuple[Interval, float]]] = {
    "tan": _tan,
    "asin": _asin,
    "acos": _acos,
    "exp": _exp,
    "log": _log,
    "tanh": _tanh,
}
"""Enclosure of the value, and what becomes of the error of the argument."""


def power(a: Value, exponent: Fraction, relative: float) -> Value:
    """Return a^exponent of a positive number: the error is |r| a^(r-1) δ."""
    reach = _reach(a)
    if not reach[0] > 0:
        raise NoBound("takes a power of a number that may be zero")
    steepest = size(intervals.power(reach, exponent - 1))
    err = abs(float(exponent)) * steepest * a.err * UP
    return _rounded(intervals.power(a.x, exponent), err, relative, True)


def angle(y: Value, x: Value, relative: float) -> Value:
    """Return atan2(y, x): the slope is 1 over the distance from the origin."""
    reach_x, reach_y = _reach(x), _reach(y)
    nearest = math.hypot(distance(reach_x), distance(reach_y)) * (1 - 1e-15)
    if not nearest > 0 or (reach_x[0] <= 0 and reach_y[0] <= 0 <= reach_y[1]):
        raise NoBound("takes the angle of a point that may be the origin or behind it")
    err = math.hypot(x.err, y.err) / nearest * UP
    corners = [math.atan2(b, a) for a in x.x for b in y.x]
    # atan2 of the C library is good to a few units in the last place
    span = (min(corners) - 1e-14, max(corners) + 1e-14)
    return _rounded(span, err, relative, False)


def _rounded(x: Interval, err: float, relative: float, is_nonnegative: bool) -> Value:
    """Return a value with the rounding of its float."""
    if not err < INF:
        raise NoBound("grows beyond all floats")
    rounding = (relative * (size(x) + err) + TINY) * UP
    return plain(x, (err + rounding) * UP, is_nonnegative)
