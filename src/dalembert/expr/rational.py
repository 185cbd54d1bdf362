"""Exact rational numbers: from numbers of any type, and their roots."""

from __future__ import annotations

import math
import numbers
import warnings
from decimal import Decimal
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.expr.mixing.strangers import what

MAX_EXPONENT = 10_000

# a float that fills its places is recognised as a fraction with one of these denominators, which
# occur in inertias; 1/60 is left alone: it rather is the step of a clock
LONG_DENOMINATOR = 10**11
RECOGNISED = (3, 6, 9, 12, 18, 24, 36, 48)

PI_PARTS = 360
"""A float is a multiple of π over a divisor of this number: half degrees, and eighths of a turn."""
MAX_HALF_DEGREES = 100_000
PI_RTOL = 4e-16
"""Relative rounding errors of what people compute, such as 2*math.pi/3: two operations."""


def as_rational(x: object) -> Fraction:
    """Convert a number to an exact rational; a float keeps its decimal meaning.

    >>> as_rational(9.81)
    Fraction(981, 100)

    Raises:
        InvalidExpression: a truth value, NaN, an infinity, or no number at all.
    """
    if isinstance(x, bool):
        raise InvalidExpression(f"expected a number or an expression, got the truth value {x}")
    if isinstance(x, numbers.Rational):
        return Fraction(int(x.numerator), int(x.denominator))
    if isinstance(x, numbers.Real):
        try:
            return Fraction(str(x) if type(x).__module__ == "numpy" else repr(float(x)))
        except ValueError:
            raise InvalidExpression(
                f"expected a finite number, got {float(x)}: exact expressions have no NaN or "
                "infinity; check the value that was passed in"
            ) from None
    if isinstance(x, Decimal) and x.is_finite() and abs(x.adjusted()) <= MAX_EXPONENT:
        return Fraction(x)
    raise InvalidExpression(f"expected a number or an expression, got {what(x)}")


def as_typed(x: float) -> Fraction:
    """Convert a float that multiplies an expression: 1/3, with a warning, for 0.3333333333333333.

    The digits of such a float fill all places, and the fraction rounds to it.
    """
    value = as_rational(x)
    if value.denominator < LONG_DENOMINATOR:
        return value
    fraction = value.limit_denominator(max(RECOGNISED))
    if fraction.denominator not in RECOGNISED or float(fraction) != x:
        return value
    warnings.warn(
        f"took the float {x} for {fraction}: write Fraction({fraction.numerator}, "
        f"{fraction.denominator}), or divide an expression, as in m/3 instead of 1/3*m",
        stacklevel=4,
    )
    return fraction


def multiple_of_pi(x: float) -> Fraction | None:
    """Return r if a float is r π to its last digits, of a simple r; None for any other float.

    >>> multiple_of_pi(2 * math.pi / 3), multiple_of_pi(3.1416), multiple_of_pi(math.radians(35))
    (Fraction(2, 3), None, Fraction(7, 36))
    """
    parts = x / math.pi * PI_PARTS
    if not abs(parts) <= MAX_HALF_DEGREES:
        return None
    n = round(parts)
    is_near = n and abs(parts - n) <= PI_RTOL * abs(parts)
    return Fraction(n, PI_PARTS) if is_near else None


def exact_root(value: Fraction, n: int) -> Fraction | None:
    """Return the rational n-th root of a nonnegative rational, or None when it is irrational.

    >>> exact_root(Fraction(8, 27), 3)
    Fraction(2, 3)
    """
    top, bottom = _integer_root(value.numerator, n), _integer_root(value.denominator, n)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _integer_root(value: int, n: int) -> int | None:
    if value < 2:
        return value
    if n == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    # start from the leading bits, just above the root: Newton's method then falls onto it
    log2 = math.log2(value) / n
    shift = max(int(log2) - 50, 0)
    root = (int(2 ** (log2 - shift) * (1 + 1e-9)) + 1) << shift
    while True:
        lower = ((n - 1) * root + value // root ** (n - 1)) // n
        if lower >= root:
            return root if root**n == value else None
        root = lower
