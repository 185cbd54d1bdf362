"""The floating-point types of generated C and CUDA text."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from dalembert.errors import InvalidExpression
from dalembert.kernel.backends.base import checked_dtype


class Real(NamedTuple):
    """A type by its C name, the ending of its literals and functions, and its bytes."""

    type: str
    suffix: str
    size: int


REALS = {"float64": Real("double", "", 8), "float32": Real("float", "f", 4)}
"""The type in C for each dtype."""


def real_type(dtype: str) -> Real:
    """Return the type of a dtype.

    Raises:
        UnknownName: there is none.
    """
    return REALS[checked_dtype(dtype)]


def literal(value: Fraction | float, real: Real) -> str:
    """Return the shortest decimal that reads back as the nearest number.

    Raises:
        InvalidExpression: a constant that the type cannot hold.

    >>> literal(Fraction(1, 3), REALS["float64"]), literal(Fraction(1, 3), REALS["float32"])
    ('0.3333333333333333', '0.33333334f')
    """
    try:
        x = float(value)
    except OverflowError:
        x = math.inf
    if real.size == 8:
        text = repr(x)
    else:
        import numpy as np

        with np.errstate(over="ignore", under="ignore"):
            single = np.float32(x)
        x = float(single)
        text = f"{str(single) if math.isfinite(x) else x}{real.suffix}"
    if not math.isfinite(x):
        raise InvalidExpression(
            f"expected constants that fit into a C {real.type}, got one near 2^"
            f"{_magnitude(value)}: rescale the expression"
        )
    return text


def _magnitude(value: Fraction | float) -> str:
    if isinstance(value, Fraction):
        return str(value.numerator.bit_length() - value.denominator.bit_length())
    return "1024" if not math.isfinite(value) else str(math.frexp(value)[1])
