"""Decide whether a sum of fractions is zero: exactly, and never by comparing its form.

1. Roots below the line are brought above it, r⁻¹ = r/r².
2. Numerators are split by products of generators that stand in no denominator: each product is by
   itself. Of n bodies every distance is one.
3. Denominators that have nothing in common cannot cancel each other: a sum of fractions over each
   group that has must be a polynomial by itself. Only such a group is put over one denominator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.ring.budget import check_terms, product
from dalembert.ring.elements.denominators import divided
from dalembert.ring.sparse import Word, sparse_terms

if TYPE_CHECKING:
    from dalembert.ring.elements.denominators import Denominator
    from dalembert.ring.elements.element import Element
    from dalembert.ring.ring import Ring

Poly = flint.fmpq_mpoly


class _Part(NamedTuple):
    """numerator / Π factor ** exponent, each factor by its text."""

    num: Poly
    below: dict[str, int]


def vanishes(x: Element) -> bool:
    """Tell whether the relations of the ring make an element zero.

    Where the ring knows all relations of the generators, it is zero if and only if they do.

    Raises:
        TooLarge: the fractions are too many to be multiplied out.
    """
    ring = x.ring
    if not x.fractions:
        return ring.vanishes(x.whole)
    if not x.whole and len(x.fractions) == 1:
        ((_, p),) = x.fractions.items()
        return ring.vanishes(p)
    # a point where it is certainly not zero saves the work
    return not ring.samples.is_nonzero_somewhere(x) and _Sum(x).vanishes()


def is_nonzero(x: Element) -> bool:
    """Tell whether it is certain that an element, not known to be zero, is none.

    Where all relations of its generators are known one point shows it, else it may be zero on one
    side of a modulus: then every point has to.
    """
    ring = x.ring
    if not x.fractions:
        return ring.is_nonzero(x.whole)
    if not x.whole and len(x.fractions) == 1:
        ((_, p),) = x.fractions.items()
        return ring.is_nonzero(p)
    if ring.unsure.isdisjoint(x.used()):
        return ring.samples.is_nonzero_somewhere(x) or not _Sum(x).vanishes()
    return ring.samples.exclude_zero(x)


def linked(x: Element) -> list[Element]:
    """Return elements with x as their sum: a polynomial, and fractions that may cancel each other.

    Those of one element share a factor, or generators with relations.
    """
    ring = x.ring
    groups: list[tuple[set[int], dict[Denominator, Poly]]] = []
    related = set(ring.wild) | {j for r in ring.relations for j in (r.place, *r.value.used())}
    for key, p in (x.fractions or {}).items():
        marks = {-1 - number for number, _ in key}
        marks |= ring.denominators.used(key) & related
        members = {key: p}
        for other in [g for g in groups if not g[0].isdisjoint(marks)]:
            groups.remove(other)
            marks, members = marks | other[0], other[1] | members
        groups.append((marks, members))
    parts = [ring.element_from(members) for _, members in groups]
    return [ring.polynomial(x.whole), *parts] if x.whole else parts


class _Sum:
    """An element as parts whose denominators contain no lone roots."""

    def __init__(self, x: Element) -> None:
        self.ring: Ring = x.ring
        self.factors: dict[str, Poly] = {}
        self.parts = [part for key, p in x.parts() for part in self._without_roots(key, p)]
        self.relations = {r.place: r.value for r in self.ring.relations}
        self._closures: dict[str, frozenset[int]] = {}

    def vanishes(self) -> bool:
        """Tell whether the sum is zero."""
        below = {text for part in self.parts for text in part.below}
        fixed = set(self.ring.wild).union(*(self._closure(text) for text in below))
        classes: dict[Word, list[_Part]] = {}
        for part in self.parts:
            for word, p in self._split(part.num, fixed):
                classes.setdefault(word, []).append(_Part(p, part.below))
        return all(map(self._class_vanishes, classes.values()))

    def _without_roots(self, key: Denominator, p: Poly) -> Iterator[_Part]:
        """Yield parts with r⁻ᵉ as r to a power over a power of rⁿ."""
        ring, below = self.ring, {}
        quotients = {r.place: r for r in ring.relations if not r.value.is_polynomial}

        def add(f: Poly, e: int) -> None:
            text = str(f)
            self.factors[text] = f
            below[text] = below.get(text, 0) + e

        for number, e in key:
            f = ring.denominators.factors[number]
            place = f.place
            if place is None and len(f.poly) == 1 and f.poly.total_degree() == 1:
                place = next((i for i, n in enumerate(f.poly.degrees()) if n), None)
                place = place if place in quotients else None
            if f.power is not None:
                m = -(-e // f.degree)
                p = p * f.poly ** (f.degree * m - e)
                add(f.power, m)
            elif place is not None:
                # rⁿ = a/b
                n, value = quotients[place].degree, quotients[place].value
                a, b = value.over_one()
                m = -(-e // n)
                p = product(p * f.poly ** (n * m - e), b**m)
                add(a, m)
            else:
                add(f.poly, e)
        whole = ring.polynomial(p)
        for more, q in whole.parts():
            if more:
                yield from (
                    _Part(part.num, _joined(below, part.below))
                    for part in self._without_roots(more, q)
                )
            else:
                yield _Part(q, below)

    def _split(self, p: Poly, fixed: set[int]) -> Iterator[tuple[Word, Poly]]:
        """Yield (product of generators that are not fixed, what stands with it)."""
        degrees = p.degrees()
        if all(i in fixed for i, n in enumerate(degrees) if n):
            yield (), p
            return
        context, parts = self.ring.context, {}
        size = len(degrees)
        for word, k in sparse_terms(p):
            outside = tuple([x for x in word if x[0] not in fixed])
            exponents = [0] * size
            for i, n in word:
                if i in fixed:
                    exponents[i] = n
            parts.setdefault(outside, {})[tuple(exponents)] = k
        for word, terms in parts.items():
            yield word, context.from_dict(terms)

    def _class_vanishes(self, parts: Sequence[_Part]) -> bool:
        whole = self.ring.zero_poly
        special: list[_Part] = []
        for group in self._groups(parts):
            if any(self._is_special(text) for part in group for text in part.below):
                special += group
                continue
            num, den = self._over_one(group)
            # coprime to all others: it must be a polynomial
            q = num and divided(num, den)
            if q is None:
                return False
            whole = whole + q if num else whole
        num, _ = self._over_one([*special, _Part(whole, {})])
        found = self.ring.polynomial(num)
        return vanishes(found)

    def _groups(self, parts: Sequence[_Part]) -> list[list[_Part]]:
        """Return the parts by denominators that have something in common."""
        groups: list[tuple[set[str], list[_Part]]] = []
        for part in parts:
            texts, members = set(part.below), [part]
            for group in [g for g in groups if self._are_linked(g[0], texts)]:
                groups.remove(group)
                texts, members = texts | group[0], [*group[1], *members]
            groups.append((texts, members))
        return [members for _, members in groups]

    def _are_linked(self, left: set[str], right: set[str]) -> bool:
        return not left.isdisjoint(right) or any(
            self._have_common(a, b) for a in left for b in right
        )

    def _have_common(self, a: str, b: str) -> bool:
        if self._closure(a).isdisjoint(self._closure(b)):
            return False
        if self._is_special(a) or self._is_special(b):
            return True
        return not self.factors[a].gcd(self.factors[b]).is_constant()

    def _is_special(self, text: str) -> bool:
        """Tell whether a factor has generators with relations: other factors may divide it, too."""
        return any(
            n and (i in self.relations or i in self.ring.wild)
            for i, n in enumerate(self.factors[text].degrees())
        )

    def _closure(self, text: str) -> frozenset[int]:
        """Return the generators of a factor, and those that their relations bring in."""
        if text not in self._closures:
            found = {i for i, n in enumerate(self.factors[text].degrees()) if n}
            stack = list(found)
            while stack:
                value = self.relations.get(stack.pop())
                if value is not None:
                    stack += value.used() - found
                    found |= value.used()
            self._closures[text] = frozenset(found)
        return self._closures[text]

    def _over_one(self, parts: Sequence[_Part]) -> tuple[Poly, Poly]:
        """Return (numerator, denominator) of the sum of parts."""
        top: dict[str, int] = {}
        for part in parts:
            for text, e in part.below.items():
                top[text] = max(top.get(text, 0), e)
        total = self.ring.zero_poly
        for part in parts:
            p = part.num
            for text, e in top.items():
                for _ in range(e - part.below.get(text, 0)):
                    p = self.ring.reduce(product(p, self.factors[text]))
            total = total + p
            check_terms(len(total))
        den = self.ring.one_poly
        for text, e in top.items():
            for _ in range(e):
                den = self.ring.reduce(product(den, self.factors[text]))
        return total, den


def _joined(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return {text: a.get(text, 0) + b.get(text, 0) for text in {**a, **b}}
