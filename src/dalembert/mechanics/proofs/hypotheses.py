"""What a proof assumes: that matrices are positive semidefinite, and whether they can be.

A hypothesis about numbers is decided. One about symbols is an assumption, and a proof may use it
only if a point is known where all its assumptions hold: from a contradiction everything follows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from dalembert.expr import ZERO, Expr, Kind, Matrix, Scalar, free_symbols, is_kind
from dalembert.mechanics.proofs.nonnegative import is_manifestly_nonnegative
from dalembert.ring import (
    Element,
    Point,
    ball,
    canonical_matrix,
    determinant,
    random_point,
    rebuild,
    ring_of,
)

TRIES = 400
MAX_SHOWN_TENSOR = 60
"""Characters of an inertia tensor that is written out."""
SCALES = (Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(10), Fraction(100))


class Hypothesis(NamedTuple):
    """The symmetric matrix is positive semidefinite; ``text`` says so."""

    text: str
    matrix: Matrix


class Assumptions(NamedTuple):
    """What has to be assumed, with a point where it holds, or why it cannot be.

    ``witness`` is None when the hypotheses were not found to hold anywhere; then ``fault`` says
    which, and ``are_false`` tells whether one about numbers is certainly false.
    """

    texts: tuple[str, ...]
    witness: Point | None
    fault: str = ""
    are_false: bool = False


def nonnegative(weight: Expr) -> Hypothesis:
    """Return the hypothesis weight ≥ 0."""
    return Hypothesis(f"{weight} ≥ 0", Matrix([[weight]]))


def nonnegative_inertia(
    inertia: Scalar | Matrix | None, name: str = "inertia tensor"
) -> Hypothesis:
    """Return the hypothesis on an inertia in body axes: R I Rᵀ ⪰ 0 for every R if I ⪰ 0."""
    if not isinstance(inertia, Matrix):
        assert isinstance(inertia, Expr)
        return nonnegative(inertia)
    n = inertia.shape[0]
    if all(inertia[i, j] is ZERO for i in range(n) for j in range(n) if i != j):
        moments = dict.fromkeys(str(inertia[i, i]) for i in range(n))
        named = [x for x in moments if x != "0"] or ["0"]
        return Hypothesis(f"{', '.join(named)} ≥ 0", inertia)
    rows = "; ".join(", ".join(map(str, row)) for row in inertia.rows)
    shown = f" [{rows}]" if len(rows) <= MAX_SHOWN_TENSOR else ""
    return Hypothesis(f"{name}{shown} ⪰ 0", inertia)


def examine(hypotheses: Sequence[Hypothesis]) -> Assumptions:
    """Decide the hypotheses about numbers, and find a point where the others hold together."""
    texts: dict[str, None] = {}
    needed: list[tuple[str, Expr]] = []
    for h in hypotheses:
        minors = _principal_minors(h.matrix)
        needed += [(h.text, rebuild(x)) for x in minors if not is_manifestly_nonnegative(x)]
        # J + m l² - m l² - J ≥ 0 is no assumption
        if free_symbols([rebuild(x) for x in minors]):
            texts[h.text] = None
    for text, e in needed:
        if any(not is_kind(x, Kind.PARAMETER) for x in e.symbols):
            return Assumptions((), None, f"{text} is not known for every motion")
    witness: Point = {}
    for group in _linked(needed):
        exprs = [e for _, e in group]
        point = _point_with(exprs)
        if point is None:
            names = " and ".join(dict.fromkeys(text for text, _ in group))
            if any(_is_negative_number(e) for e in exprs):
                return Assumptions((), None, f"{names} is false", are_false=True)
            return Assumptions((), None, f"{names} was found to hold at no point")
        witness |= point
    return Assumptions(tuple(texts), witness)


def _principal_minors(A: Matrix) -> list[Element]:
    """Return all principal minors: A ⪰ 0 if and only if none is negative."""
    ring = ring_of(A.entries)
    a, n = canonical_matrix(ring, A), A.shape[0]
    blocks = [rows for k in range(1, n + 1) for rows in combinations(range(n), k)]
    return [determinant(ring, Matrix([[a[i, j] for j in rows] for i in rows])) for rows in blocks]


def _linked(needed: Sequence[tuple[str, Expr]]) -> list[list[tuple[str, Expr]]]:
    """Return groups that share no symbols with each other; numbers stand alone."""
    groups: list[tuple[set[Expr], list[tuple[str, Expr]]]] = []
    for text, e in needed:
        symbols, members = set(e.symbols), [(text, e)]
        for other in [g for g in groups if g[0] & symbols]:
            symbols, members = symbols | other[0], other[1] + members
            groups.remove(other)
        groups.append((symbols, members))
    return [members for _, members in groups]


def _point_with(exprs: Sequence[Expr]) -> Point | None:
    """Return a point where no expression is negative, for certain, or None when none was found."""
    rng = random.Random(1829)
    symbols = free_symbols(exprs)
    for _ in range(TRIES if symbols else 1):
        point = {x: k * rng.choice(SCALES) for x, k in random_point(symbols, rng).items()}
        if all(_is_nonnegative_at(e, point) for e in exprs):
            return point
    return None


def _is_nonnegative_at(e: Expr, point: Point) -> bool:
    value = ball(e, point)
    return value is not None and bool(value >= 0)


def _is_negative_number(e: Expr) -> bool:
    value = None if e.symbols else ball(e, {})
    return value is not None and bool(value < 0)
