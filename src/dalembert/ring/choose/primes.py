"""Numbers as powers of primes, in bounded time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import flint

# full factorisation takes milliseconds up to here, hours for twice as many bits
MAX_BITS = 110
TRIAL_PRIMES = 2000


def powers_of_primes(k: Fraction) -> list[tuple[int, int]]:
    """Return [(base, exponent), …] with Π base ** exponent = k > 0.

    The bases are primes; of large numbers what trial division leaves stays one base.

    >>> powers_of_primes(Fraction(12, 25))
    [(2, 2), (3, 1), (5, -2)]
    """
    found: dict[int, int] = {}
    for number, direction in ((k.numerator, 1), (k.denominator, -1)):
        for base, times in _factors(number):
            found[base] = found.get(base, 0) + direction * times
    return [(base, times) for base, times in sorted(found.items()) if times]


def _factors(n: int) -> Iterator[tuple[int, int]]:
    if n == 1:
        return
    limit = None if n.bit_length() <= MAX_BITS else TRIAL_PRIMES
    for base, times in flint.fmpz(n).factor(trial_limit=limit):
        # a large cofactor may be a power
        root, degree = _root(int(base)) if limit else (int(base), 1)
        yield root, int(times) * degree


def _root(n: int) -> tuple[int, int]:
    """Return (root, degree) with root ** degree = n and the largest degree."""
    for degree in range(n.bit_length() // 11, 1, -1):
        root = int(flint.fmpz(n).root(degree))
        if root**degree == n:
            return root, degree
    return n, 1


def is_prime(n: int) -> bool:
    """Tell whether n is certainly prime; False also for numbers too large to tell soon."""
    return n.bit_length() <= 4 * MAX_BITS and bool(flint.fmpz(n).is_prime())
