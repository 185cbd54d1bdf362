"""Numbers as unevaluated sums of two doubles, for the steps where one double is not enough.

Dekker, *A floating-point technique for extending the available precision* (1971).
"""

from __future__ import annotations

from dalembert.kernel.backends.llvm.lanes import Lanes

Pair = tuple[str, str]
"""High and low part; the number is their exact sum."""


def exact_sum(lanes: Lanes, a: str, b: str) -> Pair:
    """Return a + b rounded, with the rounding error; needs |a| ≥ |b|, or a = 0."""
    s = lanes.add(a, b)
    return s, lanes.add(lanes.sub(a, s), b)


def exact_sum_of_any(lanes: Lanes, a: str, b: str) -> Pair:
    """Return a + b rounded, with the rounding error: Knuth's theorem B."""
    s = lanes.add(a, b)
    b_in_s = lanes.sub(s, a)
    return s, lanes.add(lanes.sub(a, lanes.sub(s, b_in_s)), lanes.sub(b, b_in_s))


def exact_product(lanes: Lanes, a: str, b: str) -> Pair:
    """Return a·b rounded, with the rounding error."""
    p = lanes.mul(a, b)
    return p, lanes.fma(a, b, lanes.neg(p))


def quotient(lanes: Lanes, numerator: Pair, denominator: Pair) -> Pair:
    """Return the quotient of two pairs: about 2⁻¹⁰⁰ relative, one division.

    The remainder of a first quotient, which need not be correctly rounded, gives the low part.
    """
    (a, a_low), (b, b_low) = numerator, denominator
    inverse = lanes.div(lanes.const(1.0), b)
    q = lanes.mul(a, inverse)
    minus_q = lanes.neg(q)
    remainder = lanes.fma(minus_q, b, a)
    remainder = lanes.add(remainder, lanes.fma(minus_q, b_low, a_low))
    return q, lanes.mul(remainder, inverse)
