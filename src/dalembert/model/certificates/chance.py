"""How likely it is that programs which differ agree at random points of prime fields."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.kernel.program.program import Program
from dalembert.model.certificates.degrees import (
    count_opaque,
    count_roots,
    degree_bound,
    height_bound,
)
from dalembert.ring.prime_point import error_chance

POINTS = 2
"""Random points at which programs are compared."""
TRIES = 20
"""Points that are tried for it: poles are left out, and points at which a root does not exist."""
MAX_ROOTS = 6
"""Each root halves the points at which all exist: up to here, more are tried for it."""
MIN_BITS = 127
"""Bits of a prime, at least: a product of two fits in four machine words."""


class ErrorBound(NamedTuple):
    """How large a field must be, and how likely equality at random points of it is an accident.

    Attributes:
        degree: Of what is compared, over its common denominator.
        height: Bits of its integer coefficients.
        roots: Square roots in it: the product over all signs of the roots is free of them.
        opaque: Functions that are looked up by the values of their arguments.
        unit: Angles are multiples of 1/unit.
    """

    degree: int
    height: int
    roots: int
    opaque: int
    unit: int

    @classmethod
    def of(cls, programs: Sequence[Program], unit: int, on_spheres: bool = False) -> ErrorBound:
        """Return the bounds for what is made of these programs, angles in fractions of a unit.

        ``on_spheres`` says that symbols are (1 - t·t, 2t) / (1 + t·t): a symbol has degree 2 in t,
        and at most four bits.
        """
        degree = sum(degree_bound(x, unit) for x in programs)
        height = sum(height_bound(x, unit) for x in programs)
        if on_spheres:
            degree, height = 2 * degree, height + 4 * degree
        roots = sum(count_roots(x) for x in programs)
        opaque = sum(count_opaque(x) for x in programs)
        return cls(degree << roots, height << roots, roots, opaque, unit)

    @property
    def bits(self) -> int:
        """Bits of the prime: the bounds must be small beside it."""
        return max(MIN_BITS, 80 + max(self._zeros, self.height).bit_length())

    @property
    def tries(self) -> int:
        """How many points to draw for `POINTS` good ones."""
        return TRIES << min(self.roots, MAX_ROOTS)

    @property
    def _zeros(self) -> int:
        """A bound on the degree of a product that vanishes at every unlucky point.

        The point is a zero of the difference, or two different arguments of functions that are
        looked up have the same value there.
        """
        return self.degree * (1 + self.opaque * (self.opaque - 1) // 2)

    @property
    def chance(self) -> Fraction:
        """Bound on the chance that two functions which differ agree at one random point."""
        return error_chance(self._zeros, self.height, self.bits)

    @property
    def exponent(self) -> int:
        """k such that the chance of a wrong verdict is below 2^-k.

        It is wrong if some `POINTS` of the points that are drawn are all unlucky; the points are
        drawn independently of each other, with the randomness of the system.
        """
        chance = math.comb(self.tries, POINTS) * self.chance**POINTS
        return math.floor(1 / chance).bit_length() - 1

    def __str__(self) -> str:
        return (
            f"at {POINTS} random points of random prime fields of {self.bits} bits; degree at most "
            f"{_size(self.degree)}, coefficients of at most {_size(self.height)} bits: the chance "
            f"of error is below 2^-{self.exponent} (Schwartz–Zippel)"
        )


def _size(n: int) -> str:
    """Return a number in digits, or as a power of two where it has too many."""
    return f"{n:,}" if n < 10**12 else f"2^{n.bit_length()}"
