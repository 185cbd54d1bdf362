"""Elements of a ring whose sign can be read off their terms, for positive parameters."""

from __future__ import annotations

from collections.abc import Collection

import flint

from dalembert.errors import TooLarge
from dalembert.expr import Kind, is_kind
from dalembert.ring import Element, Ring


def is_manifestly_nonnegative(x: Element) -> bool:
    """Tell whether all terms are products of positive generators and even powers.

    Each angle is tried with s² = 1 - c² and with c² = 1 - s²; both parts of a quotient must pass.
    """
    return _has_sign(x, None)


def is_manifestly_positive(x: Element) -> bool:
    """Tell whether, besides, one term of each part is a product of positive parameters alone."""
    return _has_sign(x, _parameters(x.ring))


def _has_sign(x: Element, strictly: Collection[int] | None) -> bool:
    ring, positive = x.ring, _nowhere_negative(x.ring)
    angles = list(range(len(ring.angles)))
    factors = ring.denominators.factors
    if all(
        _is_nonnegative_sum(ring, p, positive, strictly, angles)
        for key, top in x.parts()
        for p in (top, *(factors[i].poly for i, e in key if e % 2))
    ):
        return strictly is None or not x.is_empty
    try:
        num, den = x.over_one()
    except TooLarge:
        return False
    return all(_is_nonnegative_sum(ring, p, positive, strictly, angles) for p in (num, den))


def _parameters(ring: Ring) -> set[int]:
    return {i for i, g in enumerate(ring.generators) if is_kind(g, Kind.PARAMETER)}


def _nowhere_negative(ring: Ring) -> set[int]:
    """Return the generators that are nowhere negative: parameters, even roots, moduli, eˣ, π."""
    found = _parameters(ring)
    for i, g in enumerate(ring.generators):
        even_root = g.op == "pow" and g.value.denominator % 2 == 0
        if even_root or g.op in ("abs", "exp", "pi"):
            found.add(i)
    return found


def _is_nonnegative_sum(
    ring: Ring,
    p: flint.fmpq_mpoly,
    positive: Collection[int],
    strictly: Collection[int] | None,
    angles: list[int],
) -> bool:
    if _are_terms_nonnegative(p, positive):
        # products of parameters are positive; a root, a modulus or a square may be zero
        return strictly is None or any(_is_product(e, strictly) for e in p.to_dict())
    for position, i in enumerate(angles):
        a = ring.angles[i]
        if p.degrees()[a.cos] < 2:
            continue
        swapped = _swap_cosine(ring, p, a.sin, a.cos)
        if _is_nonnegative_sum(ring, swapped, positive, strictly, angles[position + 1 :]):
            return True
    return False


def _is_product(exponents: tuple[int, ...], allowed: Collection[int]) -> bool:
    return all(not n or i in allowed for i, n in enumerate(exponents))


def _are_terms_nonnegative(p: flint.fmpq_mpoly, positive: Collection[int]) -> bool:
    for exponents, k in p.to_dict().items():
        if k < 0:
            return False
        if any(int(n) % 2 for i, n in enumerate(exponents) if i not in positive):
            return False
    return True


def _swap_cosine(ring: Ring, p: flint.fmpq_mpoly, s: int, c: int) -> flint.fmpq_mpoly:
    """Write even powers of one cosine as powers of 1 - s²."""
    result = ring.context.constant(0)
    for exponents, k in p.to_dict().items():
        e = [int(n) for n in exponents]
        pairs, e[c] = divmod(e[c], 2)
        term = ring.context.from_dict({tuple(e): k})
        result = result + term * (1 - ring.element_at(s).polynomial ** 2) ** pairs
    return result
