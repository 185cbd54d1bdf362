"""Intervals of floats, rounded outward: (lower, upper) encloses every result of exact arithmetic.

IEEE 754 rounds sums, products, quotients and roots to the nearest float, so the next float outward
encloses the exact value. Values of functions come from ball arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction

import flint

from dalembert.kernel.program.program import PI

Interval = tuple[float, float]

INF = math.inf
WHOLE: Interval = (-INF, INF)


def outward(lower: float, upper: float) -> Interval:
    """Return the interval between the next floats; all numbers where an end is not a number."""
    if lower != lower or upper != upper:
        return WHOLE
    return math.nextafter(lower, -INF), math.nextafter(upper, INF)


def size(x: Interval) -> float:
    """Return max |x|."""
    return max(-x[0], x[1])


def distance(x: Interval) -> float:
    """Return min |x|."""
    return max(x[0], -x[1], 0.0)


def intersection(x: Interval, y: Interval) -> Interval:
    """Return what both enclose."""
    return max(x[0], y[0]), min(x[1], y[1])


def constant(value: Fraction | str) -> tuple[Interval, float]:
    """Return an enclosure of an exact number, and a bound on the error of its float."""
    if value == PI:
        # π - math.pi is so small that it is its own sine
        return outward(math.pi, math.pi), math.nextafter(math.sin(math.pi), INF)
    assert isinstance(value, Fraction)
    try:
        nearest = float(value)
    except OverflowError:
        return WHOLE, INF
    error = abs(Fraction(nearest) - value)
    if not error:
        return (nearest, nearest), 0.0
    return outward(nearest, nearest), math.nextafter(float(error), INF)


def add(x: Interval, y: Interval) -> Interval:
    """Return x + y."""
    return outward(x[0] + y[0], x[1] + y[1])


def sub(x: Interval, y: Interval) -> Interval:
    """Return x - y."""
    return outward(x[0] - y[1], x[1] - y[0])


def mul(x: Interval, y: Interval) -> Interval:
    """Return x y."""
    a, b, c, d = x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]
    if a != a or b != b or c != c or d != d:
        return WHOLE
    return outward(min(a, b, c, d), max(a, b, c, d))


def square(x: Interval) -> Interval:
    """Return x²."""
    a, b = distance(x), size(x)
    return max(0.0, math.nextafter(a * a, -INF)), math.nextafter(b * b, INF)


def div(x: Interval, y: Interval) -> Interval:
    """Return x / y, where y does not contain zero."""
    quotients = [a / b for a in x for b in y]
    if any(z != z for z in quotients):
        return WHOLE
    return outward(min(quotients), max(quotients))


def root(x: Interval) -> Interval:
    """Return √x of nonnegative numbers."""
    lower, upper = outward(math.sqrt(max(0.0, x[0])), math.sqrt(x[1]))
    return max(0.0, lower), upper


def absolute(x: Interval) -> Interval:
    """Return |x|."""
    return distance(x), size(x)


def increasing(name: str, x: Interval) -> Interval:
    """Return f(x) of an increasing function of one variable, such as exp."""
    if not (math.isfinite(x[0]) and math.isfinite(x[1])):
        return WHOLE
    lower, upper = (getattr(flint.arb(end), name)() for end in x)
    return _down(lower), _up(upper)


def power(x: Interval, exponent: Fraction) -> Interval:
    """Return x^exponent of positive numbers."""
    if not math.isfinite(x[1]):
        return WHOLE
    r = flint.arb(flint.fmpq(exponent.numerator, exponent.denominator))
    ends = [flint.arb(end) ** r for end in x]
    low, high = ends if exponent > 0 else ends[::-1]
    return _down(low), _up(high)


def sine(x: Interval) -> Interval:
    """Return sin x."""
    return _wave(x, "sin", Fraction(1, 2))


def cosine(x: Interval) -> Interval:
    """Return cos x."""
    return _wave(x, "cos", Fraction(0))


def _wave(x: Interval, name: str, peak: Fraction) -> Interval:
    """Return the range of sin or cos, which is 1 at (peak + 2k) π and -1 half a turn from there."""
    if not x[1] - x[0] < 6.0:
        return -1.0, 1.0
    ends = [getattr(flint.arb(end), name)() for end in x]
    lower, upper = min(map(_down, ends)), max(map(_up, ends))
    # in turns of π, with room for the rounding of the quotient
    room = 1e-9 * (1.0 + size(x))
    first, last = x[0] / math.pi - float(peak) - room, x[1] / math.pi - float(peak) + room
    for k in range(math.ceil(first), math.floor(last) + 1):
        lower, upper = (lower, 1.0) if k % 2 == 0 else (-1.0, upper)
    return max(-1.0, lower), min(1.0, upper)


def _down(x: flint.arb) -> float:
    value = float(x.lower())
    return math.nextafter(value, -INF) if value == value else -INF


def _up(x: flint.arb) -> float:
    value = float(x.upper())
    return math.nextafter(value, INF) if value == value else INF
