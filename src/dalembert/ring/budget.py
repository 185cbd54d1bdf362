"""How much exact work one step may do: terms, products, digits, bytes.

FLINT neither stops for Ctrl-C nor gives memory back when there is none, so each call of it is
bounded before it starts. A bound that is passed raises `TooLarge`, which names it.
"""

from __future__ import annotations

import flint

from dalembert.errors import TooLarge

MAX_TERMS = 2_000_000
# pairs of terms in one product, weighed by the digits of their coefficients: about a second
MAX_PRODUCTS = 60_000_000
# bytes of one polynomial
MAX_BYTES = 500_000_000
# terms in one greatest common divisor, weighed by digits, and pairs of them by generators, too
MAX_GCD_TERMS = 1_000_000
MAX_GCD = 2_000_000_000
# terms of one polynomial to factor
MAX_FACTOR = 2_000
# terms of one expression, or of the entries of one matrix
MAX_REBUILT = 100_000

SMALL = 20_000
WORD = 64

Poly = flint.fmpq_mpoly


def check_terms(count: int, most: int = MAX_TERMS) -> None:
    """Refuse an expanded form of too many terms."""
    if count > most:
        raise TooLarge(
            f"expected an expanded form of at most {most:,} terms, got {count:,}: "
            "evaluate numerically instead of expanding"
        )


def product(a: Poly, b: Poly) -> Poly:
    """Return a b, unless it would take long or fill the memory."""
    pairs = len(a) * len(b)
    if pairs > SMALL:
        _check_product(a, b, pairs)
    return a * b


def _check_product(a: Poly, b: Poly, pairs: int) -> None:
    words = 1 + (coefficient_bits(a) + coefficient_bits(b)) // WORD
    if pairs * words > MAX_PRODUCTS:
        raise TooLarge(
            f"expected a product of at most {MAX_PRODUCTS:,} pairs of terms (times words of their "
            f"coefficients), got {len(a):,} by {len(b):,} terms with {words} words: "
            "evaluate numerically instead of expanding"
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
            "evaluate numerically instead of expanding"
        )


def check_gcd(a: Poly, b: Poly) -> None:
    """Refuse a greatest common divisor that could take long."""
    pairs = len(a) * len(b)
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
    if len(p) > MAX_FACTOR:
        raise TooLarge(
            f"expected a polynomial of at most {MAX_FACTOR:,} terms to factor, got {len(p):,}: "
            "give numbers for some parameters, or search numerically"
        )


def check_rebuilt(count: int) -> None:
    """Refuse an expression of too many terms."""
    if count > MAX_REBUILT:
        raise TooLarge(
            f"expected expressions of at most {MAX_REBUILT:,} terms together, got {count:,}: "
            "give numbers for some symbols, or compile the system and evaluate it"
        )


def coefficient_bits(p: Poly) -> int:
    """Return the size of the largest coefficient, judged by some of them."""
    n = len(p)
    bits = 0
    for i in range(0, n, max(1, n // 8)):
        k = p.coefficient(i)
        bits = max(bits, k.p.bit_length() + k.q.bit_length())
    return int(bits)
