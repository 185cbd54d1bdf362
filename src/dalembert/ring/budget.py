"""How much exact work one step may do: terms, products, digits, bytes.

FLINT neither stops for Ctrl-C nor gives memory back when there is none, so each call of it is
bounded before it starts. A bound that is passed raises `TooLarge`, which names it.
"""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import flint

from dalembert.errors import TooLarge

MAX_TERMS = 2_000_000
# pairs of terms in one product, weighed by the digits of their coefficients: about a second
MAX_PRODUCTS = 60_000_000
# bytes of one polynomial
MAX_BYTES = 500_000_000
# bytes of all large elements of a ring together, while they live
MAX_BYTES_HELD = 1_000_000_000
# terms of an element that counts as large: about a megabyte
MIN_HELD_TERMS = 10_000
# terms in one greatest common divisor, weighed by digits, and pairs of them by generators, too
MAX_GCD_TERMS = 1_000_000
MAX_GCD = 400_000_000
# fractions in one sum, each with a denominator of its own
MAX_FRACTIONS = 20_000
# terms of one polynomial to factor
MAX_FACTOR = 2_000
# terms of one expression, or of the entries of one matrix
MAX_REBUILT = 100_000
# sines and cosines of sums of angles that one product of them may become
MAX_WAVES = 20_000
# of those of all products in one polynomial: some seconds
MAX_WAVES_TOGETHER = 2_000_000

INSTEAD = "evaluate numerically instead; compile and simulate work, they expand nothing"
"""What a refusal recommends."""

SMALL = 20_000
WORD = 64
WORD_BYTES = 8

Poly = flint.fmpq_mpoly


_LEFT: ContextVar[list[int] | None] = ContextVar("_LEFT", default=None)
"""Work that is left of the allowance in force."""


@contextmanager
def allowance(work: int) -> Iterator[None]:
    """Bound all that is done inside: pairs of terms that are multiplied, divided or compared.

    Many steps, each within its own bound, may still take minutes together.
    """
    token = _LEFT.set([work])
    try:
        yield
    finally:
        _LEFT.reset(token)


def spend(pairs: int) -> None:
    """Count work against the allowance in force, if there is one."""
    left = _LEFT.get()
    if left is not None:
        left[0] -= pairs
        if left[0] < 0:
            raise TooLarge(
                "expected an answer by a bounded number of products of terms, got none: "
                "give numbers for some symbols, or evaluate numerically"
            )


def check_terms(count: int, most: int = MAX_TERMS) -> None:
    """Refuse an expanded form of too many terms."""
    if count > most:
        raise TooLarge(
            f"expected an expanded form of at most {most:,} terms, got {count:,}: {INSTEAD}"
        )


def product(a: Poly, b: Poly) -> Poly:
    """Return a b, unless it would take long or fill the memory."""
    pairs = len(a) * len(b)
    spend(pairs)
    if pairs > SMALL:
        _check_product(a, b, pairs)
    return a * b


def _check_product(a: Poly, b: Poly, pairs: int) -> None:
    words = 1 + (coefficient_bits(a) + coefficient_bits(b)) // WORD
    if pairs * words > MAX_PRODUCTS:
        raise TooLarge(
            f"expected a product of at most {MAX_PRODUCTS:,} pairs of terms (times words of their "
            f"coefficients), got {len(a):,} by {len(b):,} terms with {words} words: "
            f"{INSTEAD}"
        )
    degrees = a.degrees(), b.degrees()
    # the product has a term for each pair, or for each monomial up to its degrees
    count = 1
    for m, n in zip(*degrees, strict=True):
        count *= int(m) + int(n) + 1
        if count > pairs:
            count = pairs
            break
    size = count * 8 * (2 + words + len(degrees[0]) // 4)
    if size > MAX_BYTES:
        raise TooLarge(
            f"expected a polynomial of at most {MAX_BYTES:,} bytes, got one of about {size:,}: "
            f"{INSTEAD}"
        )


class Meter:
    """The bytes of the large elements of a ring that live; they come and go in any thread."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._numbers = itertools.count()

    @property
    def held(self) -> int:
        """Bytes of all of them together."""
        return sum(list(self._sizes.values()))

    def hold(self, owner: object, polynomials: Iterable[Poly]) -> None:
        """Count the bytes of polynomials while their owner lives; refuse them beyond the bound."""
        size = sum(map(num_bytes, polynomials))
        if size + self.held > MAX_BYTES_HELD:
            # what only a cycle keeps alive is given back first
            gc.collect()
            if size + self.held > MAX_BYTES_HELD:
                raise TooLarge(
                    f"expected expanded forms of at most {MAX_BYTES_HELD:,} bytes together, got "
                    f"{size + self.held:,}: {INSTEAD}"
                )
        number = next(self._numbers)
        self._sizes[number] = size
        weakref.finalize(owner, self._sizes.pop, number).atexit = False


def num_bytes(p: Poly) -> int:
    """Return about how many bytes a polynomial takes.

    Each term has a byte for the exponent of every generator, in whole words, and a coefficient of
    one word, or a word that points to a number with a head of two.
    """
    words = 1 + -(-p.context().nvars() // WORD_BYTES)
    bits = coefficient_bits(p)
    if bits >= WORD - 2:
        words += 2 + bits // WORD
    return len(p) * WORD_BYTES * words


def check_gcd(a: Poly, b: Poly) -> None:
    """Refuse a greatest common divisor that could take long."""
    pairs = len(a) * len(b)
    spend(pairs)
    if pairs <= SMALL:
        return
    used = sum(1 for m, n in zip(a.degrees(), b.degrees(), strict=True) if m and n)
    words = 1 + max(coefficient_bits(a), coefficient_bits(b)) // WORD
    if (len(a) + len(b)) * words > MAX_GCD_TERMS or pairs * used * words > MAX_GCD:
        raise TooLarge(
            f"expected quotients of at most {MAX_GCD_TERMS:,} terms (times words of their "
            f"coefficients) and {MAX_GCD:,} pairs of them (times generators), got {len(a):,} by "
            f"{len(b):,} terms with {words} words in {used} generators: give numbers for some "
            "symbols"
        )


def check_factor(p: Poly) -> None:
    """Refuse a factorisation that could take long."""
    spend(len(p) ** 2)
    if len(p) > MAX_FACTOR:
        raise TooLarge(
            f"expected a polynomial of at most {MAX_FACTOR:,} terms to factor, got {len(p):,}: "
            "give numbers for some parameters, or search numerically"
        )


def check_fractions(count: int) -> None:
    """Refuse a sum of too many fractions."""
    if count > MAX_FRACTIONS:
        raise TooLarge(
            f"expected sums of at most {MAX_FRACTIONS:,} fractions, got {count:,}: {INSTEAD}"
        )


def check_rebuilt(count: int) -> None:
    """Refuse an expression of too many terms."""
    if count > MAX_REBUILT:
        raise TooLarge(
            f"expected expressions of at most {MAX_REBUILT:,} terms together, got {count:,}: "
            "give numbers for some symbols, or compile the system and evaluate it"
        )


def check_waves(count: int) -> None:
    """Refuse a product of sines and cosines that becomes too many of sums of angles."""
    if count > MAX_WAVES:
        raise TooLarge(
            f"expected products of sines and cosines that become at most {MAX_WAVES:,} of sums of "
            f"angles, got one of {count:,}: rescale the coordinates or evaluate numerically"
        )


def check_waves_together(count: int) -> None:
    """Refuse a polynomial whose products become too many sines and cosines of sums of angles."""
    if count > MAX_WAVES_TOGETHER:
        raise TooLarge(
            f"expected at most {MAX_WAVES_TOGETHER:,} sines and cosines of sums of angles in the "
            f"products of a polynomial, got {count:,}: rescale the coordinates or evaluate "
            "numerically"
        )


def coefficient_bits(p: Poly) -> int:
    """Return the size of the largest coefficient, judged by some of them."""
    n = len(p)
    bits = 0
    for i in range(0, n, max(1, n // 8)):
        k = p.coefficient(i)
        bits = max(bits, k.p.bit_length() + k.q.bit_length())
    return int(bits)
