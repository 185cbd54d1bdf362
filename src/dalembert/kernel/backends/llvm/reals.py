"""The floating-point types of machine code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.kernel.backends.base import checked_dtype


class Real(NamedTuple):
    """A type: its dtype, its names in LLVM and in intrinsics, in buffers of Python, its bytes."""

    dtype: str
    type: str
    suffix: str
    letter: str
    size: int

    @property
    def bits(self) -> int:
        """Bits of a number."""
        return 8 * self.size

    def rounded(self, x: float) -> float:
        """Return the nearest number of the type; infinite beyond its range."""
        if self.size == 8:
            return x
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float32(x))


DOUBLE = Real("float64", "double", "f64", "d", 8)
SINGLE = Real("float32", "float", "f32", "f", 4)
REALS = {real.dtype: real for real in (DOUBLE, SINGLE)}
"""The type for each dtype."""


def real_of(dtype: str) -> Real:
    """Return the type of a dtype.

    Raises:
        UnknownName: there is none.
    """
    return REALS[checked_dtype(dtype)]
