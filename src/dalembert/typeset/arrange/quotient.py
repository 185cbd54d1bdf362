"""Put a numerator over a denominator and gather what cancels."""

from __future__ import annotations

from fractions import Fraction

from dalembert.ring.elements.element import Quotient
from dalembert.ring.ring import Ring
from dalembert.typeset.arrange.letters import base_rank
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    Power,
    Product,
    RootLeaf,
    Sum,
    TrigLeaf,
    number,
    sum_tree,
    times,
)

MAX_TERMS = 200


def over(top: Product, bottom: Product) -> Product:
    """Return top/bottom."""
    return Product(
        top.coefficient / bottom.coefficient,
        (*top.factors, *bottom.under),
        (*top.under, *bottom.factors),
    )


def finish(p: Product) -> Product:
    """Gather equal factors, cancel, and write s/c as tan, √2 √3 as √6, eˣ eʸ as eˣ⁺ʸ.

    The sums inside are finished too.
    """
    k = p.coefficient
    exponents: dict[Leaf | Sum, int] = {}
    for powers, sign in ((p.factors, 1), (p.under, -1)):
        for x in powers:
            base = x.base
            if isinstance(base, Sum):
                done = sum_tree([finish(term) for term in base.terms])
                lone = done.factors[0].base if len(done.factors) == 1 else None
                if isinstance(lone, Sum) and not done.under:
                    base, k = lone, k * done.coefficient ** (sign * x.exponent)
            exponents[base] = exponents.get(base, 0) + sign * x.exponent
    _write_tangents(exponents)
    k = _open_roots(exponents, _gather_roots(exponents, k))
    _gather_exponentials(exponents)
    ranked = sorted((b for b, n in exponents.items() if n), key=base_rank)
    return Product(
        k,
        tuple(Power(b, exponents[b]) for b in ranked if exponents[b] > 0),
        tuple(Power(b, -exponents[b]) for b in ranked if exponents[b] < 0),
    )


def _write_tangents(exponents: dict[Leaf | Sum, int]) -> None:
    """Replace sinⁿ/cosⁿ of one angle by tanⁿ, sinhⁿ/coshⁿ by tanhⁿ."""
    for base, n in list(exponents.items()):
        if isinstance(base, TrigLeaf) and base.function.startswith("sin") and n > 0:
            ending = base.function[3:]
            cosine = TrigLeaf(f"cos{ending}", base.angle)
            if exponents.get(cosine) == -n:
                exponents[base] = exponents[cosine] = 0
                tangent = TrigLeaf("tan", base.angle)
                if ending:
                    tangent = CallLeaf("tanh", (sum_tree([*base.angle]),))
                exponents[tangent] = exponents.get(tangent, 0) + n


def _gather_roots(exponents: dict[Leaf | Sum, int], k: Fraction) -> Fraction:
    """Multiply square roots of whole numbers; none stays below the line."""
    inside = Fraction(1)
    for base, n in list(exponents.items()):
        is_number = isinstance(base, RootLeaf) and not base.arg.factors and not base.arg.under
        if isinstance(base, RootLeaf) and is_number and base.degree == 2 and n:
            value = base.arg.coefficient
            # √aⁿ = a^(n//2) √a
            k *= value ** (n // 2)
            inside *= value ** (n % 2)
            exponents[base] = 0
    if inside == 1:
        return k
    lone = [b for b, n in exponents.items() if isinstance(b, RootLeaf) and b.degree == 2 and n % 2]
    if len(lone) == 1:
        # √2 rⁿ is 2^((1-n)/2) (√2 r)ⁿ: √(2 g h), not √2 √(g h)
        n = exponents.pop(lone[0])
        exponents[RootLeaf(times(lone[0].arg, inside), 2)] = n
        return k * inside ** ((1 - n) // 2)
    exponents[RootLeaf(number(inside), 2)] = 1
    return k


def _open_roots(exponents: dict[Leaf | Sum, int], k: Fraction) -> Fraction:
    """Write a root to a multiple of its degree as what stands under it: r² is x² + y²."""
    for base, n in list(exponents.items()):
        if isinstance(base, RootLeaf) and n and n % base.degree == 0:
            exponents[base] = 0
            times_inside = n // base.degree
            k *= base.arg.coefficient**times_inside
            for powers, sign in ((base.arg.factors, 1), (base.arg.under, -1)):
                for x in powers:
                    more = sign * x.exponent * times_inside
                    exponents[x.base] = exponents.get(x.base, 0) + more
    return k


def _gather_exponentials(exponents: dict[Leaf | Sum, int]) -> None:
    calls = [b for b, n in exponents.items() if isinstance(b, CallLeaf) and n]
    found = [b for b in calls if b.function == "exp"]
    if not found:
        return
    total = [times(b.args[0], Fraction(exponents[b])) for b in sorted(found, key=base_rank)]
    for b in found:
        exponents[b] = 0
    if total[0].coefficient < 0:
        positive = next((t for t in total if t.coefficient > 0), total[0])
        total.remove(positive)
        total.insert(0, positive)
    exponents[CallLeaf("exp", (sum_tree(total),))] = 1


def shorter_quotient(ring: Ring, q: Quotient) -> Quotient:
    """Multiply numerator and denominator by a sine, cosine or root when that shortens them."""
    if _terms(q) > MAX_TERMS:
        return q
    candidates = [i for a in ring.angles for i in (a.sin, a.cos)]
    candidates += [r.place for r in ring.relations if r.place not in candidates]
    best = q
    for i in candidates:
        if any(p.degrees()[i] for p in q if p):
            x = ring.element_at(i).polynomial
            other = ring.lowest_terms(q.num * x, q.den * x)
            if _terms(other) < _terms(best):
                best = other
    return best


def _terms(q: Quotient) -> int:
    return len(q.num) + (0 if q.den.is_one() else len(q.den))
