"""How likely it is that programs which differ agree at random points of prime fields."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.kernel.program.program import Program
from dalembert.model.certificates.degrees import degree_bound, height_bound

POINTS = 2
"""Random points at which programs are compared."""
MIN_BITS = 127
"""Bits of a prime, at least: a product of two fits in four machine words."""


class ErrorBound(NamedTuple):
    """How large a field must be, and how likely equality at random points of it is an accident."""

    degree: int
    height: int
    unit: int

    @classmethod
    def of(cls, programs: Sequence[Program], unit: int) -> ErrorBound:
        """Return the bounds for what is made of these programs, angles in fractions of a unit."""
        degree = sum(degree_bound(x, unit) for x in programs)
        return cls(degree, sum(height_bound(x, unit) for x in programs), unit)

    @property
    def bits(self) -> int:
        """Bits of the prime: the bounds must be small beside it."""
        return max(MIN_BITS, 80 + max(self.degree, self.height).bit_length())

    @property
    def chance(self) -> Fraction:
        """Bound on the chance that two functions which differ agree at one random point.

        The point is a zero of the difference, or the prime divides all its coefficients: of the
        primes p = 3 mod 4 with b bits, more than 2^(b-2) / b, at most height / (b - 1) do.
        """
        b = self.bits
        zero = Fraction(self.degree, 1 << (b - 1))
        divisor = Fraction(self.height, b - 1) + 1
        # twice, because poles are left out
        return 2 * (zero + divisor * Fraction(b, 1 << (b - 2)))

    def __str__(self) -> str:
        exponent = POINTS * (math.floor(1 / self.chance).bit_length() - 1)
        return (
            f"at {POINTS} random points of random prime fields of {self.bits} bits; degree at most "
            f"{self.degree:,}, coefficients of at most {self.height:,} bits: the chance of error "
            f"is below 2^-{exponent} (Schwartz–Zippel)"
        )
