"""Exact roots of rational numbers."""

from __future__ import annotations

import math
from fractions import Fraction


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
