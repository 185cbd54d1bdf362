"""Random points of prime fields, where identities too large to expand are tried.

Two polynomials of degree d that differ agree at a random point of a field of p elements with a
chance of at most d/p (Schwartz 1980, Zippel 1979). The sine and cosine of an angle are a random
point of the circle s² + c² = 1; sums and multiples of angles are products there.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from fractions import Fraction

import flint


class Pole(ZeroDivisionError):
    """Something is divided by zero at the point: take another."""


def random_prime(rng: random.Random, bits: int, last_bits: int = 1) -> int:
    """Return a random prime of so many bits that ends with the given bits; 3 is 3 modulo 4.

    >>> random_prime(random.Random(0), 8, 3) % 4
    3
    """
    while True:
        p = rng.getrandbits(bits) | 1 << (bits - 1) | last_bits
        if flint.fmpz(p).is_prime():
            return p


def error_chance(zeros: int, height: int, bits: int) -> Fraction:
    """Bound on the chance that a polynomial which is not zero vanishes at a random point.

    Either the point is one of its zeros, ``zeros`` bounds their degree; or the prime divides all
    its coefficients, which have at most ``height`` bits: of the primes with b bits that end with
    given two bits, more than 2^(b-2) / b, at most height / (b - 1) do.
    """
    divisors = Fraction(height, bits - 1) + 1
    return Fraction(zeros, 1 << (bits - 1)) + divisors * Fraction(bits, 1 << (bits - 2))


class PrimePoint:
    """A random point of the field of ``p`` elements: values as they are asked for."""

    def __init__(self, rng: random.Random, p: int) -> None:
        self.rng = rng
        self.p = p
        self.values_of: dict[Hashable, int] = {}
        self._circle: dict[Hashable, tuple[int, int]] = {}

    def value(self, key: Hashable) -> int:
        """Return the value of a symbol, or of a function at a value."""
        if key not in self.values_of:
            self.values_of[key] = self.rng.randrange(1, self.p)
        return self.values_of[key]

    def inverse(self, x: int) -> int:
        """Return 1/x.

        Raises:
            Pole: x is zero.
        """
        if not x % self.p:
            raise Pole
        return pow(x, -1, self.p)

    def turned(self, pair: tuple[int, int], term: Hashable, n: int) -> tuple[int, int]:
        """Return sine and cosine of an angle, given by its own, plus n times that of a term."""
        p, (s, c), (x, y) = self.p, pair, self._angle(term)
        x, n = (x, n) if n > 0 else (-x, -n)
        while n:
            if n & 1:
                s, c = (s * y + c * x) % p, (c * y - s * x) % p
            x, y, n = 2 * x * y % p, (y * y - x * x) % p, n >> 1
        return s, c

    def _angle(self, term: Hashable) -> tuple[int, int]:
        """Return a random point of the circle for the angle of a term."""
        while term not in self._circle:
            t = self.rng.randrange(1, self.p)
            if (1 + t * t) % self.p:
                k = self.inverse(1 + t * t)
                self._circle[term] = 2 * t * k % self.p, (1 - t * t) * k % self.p
        return self._circle[term]
