"""What a proof assumes: that matrices are positive semidefinite, and whether they can be.

A hypothesis about numbers is decided. One about symbols is an assumption, and a proof may use it
only if a point is known where all its assumptions hold: from a contradiction everything follows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dalembert.expr import ZERO, Expr, Kind, Matrix, Scalar, free_symbols, is_kind, postorder
from dalembert.expr.graph import by_name
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

if TYPE_CHECKING:
    from dalembert.mechanics.proofs.domain import Condition

T = TypeVar("T")

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
    for group in _linked(needed, lambda item: item[1].symbols):
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


def are_known_to_meet(conditions: Sequence[Condition]) -> bool:
    """Tell whether a point is known where all conditions hold together.

    A condition with a function that has no definition may hold anywhere.
    """
    known = [c for c in conditions if all(node.op != "apply" for node in postorder(c.args))]
    return all(map(_meet, _linked(known, lambda c: free_symbols(c.args))))


def _meet(conditions: Sequence[Condition]) -> bool:
    """Look for a point where conditions hold: symbols of one that does not are drawn again."""
    rng = random.Random(1829)
    symbols = by_name(free_symbols([e for c in conditions for e in c.args]))
    point = random_point(symbols, rng)
    broken = [c for c in conditions if not c.holds_at(point)]
    for _ in range(TRIES * len(conditions) if symbols else 0):
        if not broken:
            break
        own = by_name(free_symbols(rng.choice(broken).args))
        drawn = random_point(own, rng)
        # one of them, or all at once
        chosen = own if rng.random() < 0.5 else [rng.choice(own)]
        other = point | {x: drawn[x] * rng.choice(SCALES) for x in chosen}
        still = [c for c in conditions if not c.holds_at(other)]
        if len(still) <= len(broken):
            point, broken = other, still
    return not broken


def _linked(items: Sequence[T], symbols_of: Callable[[T], Iterable[Expr]]) -> list[list[T]]:
    """Return groups that share no symbols with each other; what has none stands alone."""
    groups: list[tuple[set[Expr], list[T]]] = []
    for item in items:
        symbols, members = set(symbols_of(item)), [item]
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
