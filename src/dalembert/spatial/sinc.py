"""The even functions of an angle in exp and log of rotations, accurate to rounding down to zero.

Their closed forms cancel near zero. There, numbers and arrays take the Taylor series, which holds
to rounding up to |x| = 2; expressions and ring elements keep the closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from dalembert.spatial.scalar import is_symbolic, is_zero, sincos
from dalembert.spatial.vectors import Scalar, ratio

# 4¹⁴ / 31! ≈ 3e-26: what the series leaves out at |x| = 2
TERMS = 14
SERIES_RADIUS = 2.0


def sinc(x: Scalar) -> Scalar:
    """Return sin x / x.

    >>> sinc(0), sinc(1e-9)
    (1, 1.0)
    """
    return _even(x, _SINC, lambda x: sincos(x)[0] / x)


def cosc(x: Scalar) -> Scalar:
    """Return (1 - cos x) / x²; numbers by ½ sinc²(x/2), which does not cancel.

    >>> cosc(1e-9)
    0.5
    """
    if is_symbolic(x):
        return _even(x, _COSC, lambda x: (1 - sincos(x)[1]) / (x * x))
    k = sinc(ratio(x, 2))
    return ratio(k * k, 2)


def sinc3(x: Scalar) -> Scalar:
    """Return (x - sin x) / x³.

    >>> sinc3(1e-9) == 1 / 6
    True
    """
    return _even(x, _SINC3, lambda x: (x - sincos(x)[0]) / (x * x * x))


def cotc(x: Scalar) -> Scalar:
    """Return (1 - (x/2) cot(x/2)) / x², with poles at the multiples of 2π other than zero.

    Numbers take (sin h - h cos h) / h³ / (4 sinc h) with h = x/2: from its series up to |x| = 4.

    >>> cotc(1e-9) == 1 / 12
    True
    """
    if is_symbolic(x):
        # cot(x/2) = (1 + cos x) / sin x
        def closed(x: Scalar) -> Scalar:
            s, c = sincos(x)
            return 1 / (x * x) - (1 + c) / (2 * x * s)

        return _even(x, [Fraction(1, 12)], closed)

    def closed_half(h: Scalar) -> Scalar:
        s, c = sincos(h)
        return (s - h * c) / (h * h * h)

    h = ratio(x, 2)
    return ratio(_even(h, _SINCOS3, closed_half), 4 * sinc(h))


def _even(x: Scalar, series: Sequence[Fraction], closed: Callable[[Scalar], Scalar]) -> Scalar:
    """Return the closed form, or the power series in x² where it is more accurate."""
    if is_zero(x):
        k = series[0]
        return int(k) if k.denominator == 1 else k
    if is_symbolic(x):
        return closed(x)
    coefficients = [float(k) for k in series]
    if isinstance(x, int | float | Fraction):
        x = float(x)
        return _horner(coefficients, x * x) if abs(x) < SERIES_RADIUS else closed(x)
    import numpy as np

    x = np.asarray(x, dtype=float)
    near = abs(x) < SERIES_RADIUS
    # each form sees only arguments that it can bear
    t = np.where(near, x, 0.0)
    return np.where(near, _horner(coefficients, t * t), closed(np.where(near, SERIES_RADIUS, x)))


def _horner(coefficients: Sequence[float], t: Scalar) -> Scalar:
    value = coefficients[-1]
    for k in coefficients[-2::-1]:
        value = k + t * value
    return value


def _alternating(term: Callable[[int], Fraction]) -> list[Fraction]:
    return [(-1) ** k * term(k) for k in range(TERMS)]


_SINC = _alternating(lambda k: Fraction(1, math.factorial(2 * k + 1)))
_COSC = _alternating(lambda k: Fraction(1, math.factorial(2 * k + 2)))
_SINC3 = _alternating(lambda k: Fraction(1, math.factorial(2 * k + 3)))
_SINCOS3 = _alternating(lambda k: Fraction(2 * k + 2, math.factorial(2 * k + 3)))
