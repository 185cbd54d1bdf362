"""Rational points of a ring: values of the generators that satisfy its relations exactly."""

from __future__ import annotations

import random
from typing import Any

import flint

from dalembert.expr import Matrix
from dalembert.ring.ring import Element, Ring


def sample(ring: Ring, rng: random.Random) -> list[Any] | None:
    """Return a rational value for every generator, or None when an atom has no rational ones.

    An angle gets a rational point of the circle, s = 2t/(1+t²), c = (1-t²)/(1+t²).
    """
    if any(g.op not in ("symbol", "sin", "cos", "pi") for g in ring.generators):
        return None
    values = [flint.fmpq(rng.randint(1, 97), rng.randint(1, 23)) for _ in ring.generators]
    for angle in ring.angles:
        t = flint.fmpq(rng.randint(1, 40), rng.randint(1, 40))
        values[angle.sin], values[angle.cos] = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
    return values


def value_at(x: Element, values: list[Any]) -> Any:
    """Return the rational value of an element, or None where its denominator vanishes."""
    den = flint.fmpq(1) if x.is_polynomial else _call(x.den, values)
    return None if den == 0 else _call(x.num, values) / den


def _call(p: Any, values: list[Any]) -> Any:
    return p(*values) if values else p.leading_coefficient() if p else flint.fmpq(0)


def rank_at_a_point(ring: Ring, a: Matrix, tries: int = 2) -> int:
    """Return the rank at random rational points: a certain lower bound of the generic rank."""
    rng = random.Random(1788)
    best = 0
    if not len(a):
        return 0
    for _ in range(tries):
        values = sample(ring, rng)
        if values is None:
            return 0
        rows = [[value_at(x, values) for x in row] for row in a.rows]
        if all(x is not None for row in rows for x in row):
            best = max(best, flint.fmpq_mat(rows).rank())
    return best
