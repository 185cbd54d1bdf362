"""Choose the shorter trigonometric form of a polynomial of the ring."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import flint

from dalembert.expr import Expr
from dalembert.ring.ring import Ring
from dalembert.typeset.fold.angle_basis import AngleBasis, best_basis
from dalembert.typeset.fold.trig_poly import (
    COS,
    Factor,
    Monomial,
    TrigPoly,
    fold_pairs,
    fourier,
    join_pairs,
    monomial,
    reading_cost,
    with_sines,
)

MAX_TERMS_TO_FOLD = 60
MAX_TERMS_TO_REWRITE = 400

Rest = tuple[tuple[int, int], ...]
"""The part of a monomial without sines: (generator number, exponent) pairs."""


class Folded:
    """A polynomial as Σ coefficient · rest · trig, with the coordinates its angles are made of."""

    def __init__(self, coordinates: list[Expr], units: list[Fraction]) -> None:
        self.coordinates, self.units = coordinates, units
        self.terms: list[tuple[Fraction, Rest, Monomial]] = []

    def angle(self, factor: Factor) -> list[tuple[Expr, Fraction]]:
        """Return the angle of a factor as (coordinate, multiple) pairs."""
        triples = zip(self.coordinates, self.units, factor[0], strict=True)
        return [(x, unit * k) for x, unit, k in triples if k]


def fold(ring: Ring, p: flint.fmpq_mpoly, key: Callable[[Expr], Any]) -> Folded:
    """Return the polynomial with the shortest trigonometric form of each group of terms.

    Terms that share everything but sines and cosines form a group. ``key`` orders coordinates.
    """
    coordinates = sorted(dict.fromkeys(x for a in ring.angles for x in a.form), key=key)
    units = [_unit([a.form.get(x, Fraction(0)) for a in ring.angles]) for x in coordinates]
    folded = Folded(coordinates, units)
    vectors = [
        tuple(int(a.form.get(x, 0) / unit) for x, unit in zip(coordinates, units, strict=True))
        for a in ring.angles
    ]
    given = AngleBasis(vectors, [(a.sin, a.cos) for a in ring.angles])
    groups = _shortest_groups(given.holding(p))
    # a group of one term cannot be shorter over other angles
    if not ring.wild and any(len(group) > 1 for group in groups.values()):
        groups = _shortest_groups(best_basis(p, given))
    for rest, group in groups.items():
        folded.terms += [(k, rest, m) for m, k in group.items()]
    return folded


def _shortest_groups(basis: AngleBasis) -> dict[Rest, TrigPoly]:
    """Return the shortest form of the terms that share everything but sines and cosines."""
    groups: dict[Rest, TrigPoly] = {}
    for word, k in basis.terms():
        sign, rest, factors = basis.split(word)
        groups.setdefault(rest, {})[monomial(factors)] = sign * k
    cache: dict[tuple, TrigPoly] = {}
    return {rest: _shortest_cached(group, cache) for rest, group in groups.items()}


def _unit(multiples: list[Fraction]) -> Fraction:
    """Return the largest rational of which all the numbers are whole multiples."""
    bottom = lcm(*(k.denominator for k in multiples))
    return Fraction(gcd(*(int(k * bottom) for k in multiples)), bottom)


def _shortest_cached(p: TrigPoly, cache: dict[tuple, TrigPoly]) -> TrigPoly:
    if len(p) == 1 and not _has_even_power(p):
        return p
    # groups that differ by a factor share their form
    items = sorted(p.items())
    lead = items[0][1]
    key = tuple((m, k / lead) for m, k in items)
    if key not in cache:
        cache[key] = shortest({m: k / lead for m, k in items})
    return {m: k * lead for m, k in cache[key].items()}


def _has_even_power(p: TrigPoly) -> bool:
    return any(n > 1 for m in p for _, n in m)


def shortest(p: TrigPoly) -> TrigPoly:
    """Return the shortest of the product, square, multi-angle and mixed forms.

    >>> q = ((1,), COS)
    >>> shortest({(): Fraction(1), ((q, 2),): Fraction(-1)})
    {((((1,), 1), 2),): Fraction(1, 1)}
    """
    squares = _rewrite_squares(p) if len(p) <= MAX_TERMS_TO_REWRITE else p
    forms = [p, squares]
    if len(p) <= MAX_TERMS_TO_FOLD:
        forms += [fold_pairs(p), fold_pairs(squares)]
        single = fourier(p)
        if single is not None:
            joined = join_pairs(single) if len(single) <= MAX_TERMS_TO_FOLD else single
            forms += [joined, _rewrite_squares(joined), single]
    return min(forms, key=reading_cost)


def _rewrite_squares(p: TrigPoly) -> TrigPoly:
    """Prefer s² to 1 - c², angle by angle, where that is shorter."""
    vectors = sorted({v for m in p for (v, f), n in m if f == COS and n > 1})
    for vector in vectors:
        other = with_sines(p, vector)
        if reading_cost(other) < reading_cost(p):
            p = other
    return p
