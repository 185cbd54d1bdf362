"""Split a quotient by the products of velocities in its numerator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint

from dalembert.expr import Kind, Symbol
from dalembert.ring.ring import Element, Ring
from dalembert.ring.sparse import Word, sparse_terms

MAX_TERMS = 200


def by_rates(element: Element, order: Sequence[Symbol] = ()) -> list[Element]:
    """Return fractions with the element, itself one, as their sum: one for each product of rates.

    Products with proportional coefficients stay together. They come as an equation is read:
    accelerations, products of velocities in the ``order`` of the coordinates, what has no rates.
    """
    ring = element.ring
    rates = _rates(ring, order)
    ((below, p),) = element.parts()
    if len(element) > MAX_TERMS or not ring.denominators.used(below).isdisjoint(rates):
        return [element]
    coefficients: dict[Word, dict[Word, Any]] = {}
    for word, k in sparse_terms(p):
        key = tuple(x for x in word if x[0] in rates)
        coefficients.setdefault(key, {})[word] = k
    alike: dict[tuple, list[Word]] = {}
    for key, terms in coefficients.items():
        alike.setdefault((_shape(key, terms), not key), []).append(key)

    def place(keys: list[Word]) -> tuple:
        return min((-sum(n for _, n in key), sorted(rates[i] for i, _ in key)) for key in keys)

    return [
        ring.polynomial(_polynomial(ring, [coefficients[key] for key in keys])).over(below)
        for keys in sorted(alike.values(), key=place)
    ]


def _rates(ring: Ring, order: Sequence[Symbol]) -> dict[int, tuple]:
    """Return the places of velocities and accelerations, and where they are read."""
    names = [s.name for s in order]
    found = {}
    for i, g in enumerate(ring.generators):
        s = g.symbol
        if s is not None and s.kind is Kind.COORDINATE and s.order:
            known = s.name in names
            found[i] = (-s.order, not known, names.index(s.name) if known else i)
    return found


def _shape(key: Word, terms: dict[Word, Any]) -> tuple:
    """Return the terms without the key, up to a number."""
    rest = sorted((tuple(x for x in word if x not in key), k) for word, k in terms.items())
    return tuple((word, k / rest[0][1]) for word, k in rest)


def _polynomial(ring: Ring, parts: Sequence[dict[Word, Any]]) -> flint.fmpq_mpoly:
    total = ring.zero_poly
    for terms in parts:
        for word, k in terms.items():
            product = ring.one_poly * k
            for i, n in word:
                product = product * ring.element_at(i).polynomial ** n
            total = total + product
    return total
