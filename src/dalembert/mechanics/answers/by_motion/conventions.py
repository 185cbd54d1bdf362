"""Recognise an answer that is right for coordinates measured otherwise: θ from the other side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr import (
    PI,
    Expr,
    Kind,
    constant,
    free_symbols,
    is_kind,
    parameters,
    postorder,
    substitute,
    symbol_text,
)
from dalembert.mechanics.answers.at_a_point import Values, motion_points, with_definitions
from dalembert.mechanics.answers.by_motion.consequences import extent, follows
from dalembert.mechanics.answers.terms import in_one_ring
from dalembert.ring import canonical_all, partials, rebuild, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_TOGETHER = 2
"""Coordinates that are measured otherwise at the same time."""
SMALL = 1e-7
"""Residual at points with values of about 1 that is worth a proof."""


class Measured(NamedTuple):
    """The answer's coordinate is ``sign`` times ours plus ``offset``."""

    q: Expr
    sign: int
    offset: Expr

    @property
    def value(self) -> Expr:
        """What the answer calls q, in our coordinate."""
        return self.sign * self.q + self.offset

    def __str__(self) -> str:
        q = symbol_text(self.q)
        if self.offset is constant(0):
            return f"your {q} is positive the other way, yours = {self.value}"
        words = {
            PI: "from the opposite direction",
            PI / 2: "from a direction at right angles",
            -PI / 2: "from a direction at right angles",
        }.get(self.offset, "from another origin")
        return f"your {q} is measured {words}, yours = {self.value}"


def other_convention(eq: Equations, mine: Sequence[Expr]) -> str:
    """Return how the coordinates of an answer are measured if it is right then, else nothing."""
    for choice in _choices(eq):
        flips = (False, True) if _has_inputs(mine) else (False,)
        for flip in flips:
            values = {x.q: x.value for x in choice}
            if flip:
                values |= {x: -x for x in free_symbols(mine) if is_kind(x, Kind.INPUT)}
            if _may_hold(eq, mine, choice, flip) and _holds(eq, substitute(list(mine), values)):
                return " and ".join(map(str, choice)) + (", forces too" if flip else "")
    return _other_origin(eq, mine)


def _choices(eq: Equations) -> Iterator[tuple[Measured, ...]]:
    """Yield ways to measure one coordinate otherwise, then two."""
    angles = _angles(eq)
    ways = {
        q: [
            Measured(q, sign, offset)
            for offset in ((constant(0), PI, PI / 2, -PI / 2) if q in angles else (constant(0),))
            for sign in (1, -1)
            if (sign, offset) != (1, constant(0))
        ]
        for q in eq.coordinates
    }
    for num in range(1, MAX_TOGETHER + 1):
        for together in combinations(eq.coordinates, num):
            yield from product(*(ways[q] for q in together))


def _angles(eq: Equations) -> set[Expr]:
    """Return the coordinates that stand in sines and cosines."""
    inside = [x.args[0] for x in postorder(eq.system.expressions()) if x.op in ("sin", "cos")]
    return {x for x in free_symbols(inside) if is_kind(x, Kind.COORDINATE, 0)}


def _has_inputs(mine: Sequence[Expr]) -> bool:
    return any(is_kind(x, Kind.INPUT) for x in free_symbols(mine))


def _may_hold(eq: Equations, mine: Sequence[Expr], choice: Sequence[Measured], flip: bool) -> bool:
    """Tell whether the answer holds to rounding at points on motions, measured that way."""
    points, mine = motion_points(eq), with_definitions(mine)
    try:
        return bool(points) and all(
            abs(e.evaluate(_values(values, e, choice, flip))) < SMALL
            for values in points
            for e in mine
        )
    except EvaluationError:
        return False


def _values(values: Values, e: Expr, choice: Sequence[Measured], flip: bool) -> Values:
    found = {x: values[x] * (-1 if flip and is_kind(x, Kind.INPUT) else 1) for x in e.symbols}
    for x in choice:
        offset = x.offset.evaluate({})
        for y, shift in ((x.q, offset), (x.q.dot, 0.0), (x.q.ddot, 0.0)):
            if y in found:
                found[y] = x.sign * values[y] + shift
    return found


def _holds(eq: Equations, mine: Sequence[Expr]) -> bool:
    try:
        _, given, rows = in_one_ring(eq, mine, list(eq.residual_form))
        known = all(follows(eq, rows, x) is not False for x in given) and extent(eq, given)
        return bool(known and known.said)
    except DalembertError:
        # a guess that cannot be followed up explains nothing
        return False


def _other_origin(eq: Equations, mine: Sequence[Expr]) -> str:
    """Recognise x + c for x, such as a way measured from the place of rest."""
    (c,) = parameters("another_origin")
    for q in eq.coordinates:
        try:
            offset = _offset(eq, mine, q, c)
            if offset is not None and _holds(eq, substitute(list(mine), {q: q + offset})):
                return str(Measured(q, 1, offset))
        except DalembertError:
            continue
    return ""


def _offset(eq: Equations, mine: Sequence[Expr], q: Expr, c: Expr) -> Expr | None:
    """Return the constant c with which the first equation may follow for q + c."""
    (moved,) = substitute([mine[0]], {q: q + c})
    if c not in free_symbols([moved]):
        return None
    ring = ring_of([*eq.system.expressions(), moved], [c, *eq.system.accelerations, *eq.lam])
    (x, *rows) = canonical_all(ring, [moved, *eq.residual.entries])
    (by_c,) = partials(ring, [c])
    by_q2 = partials(ring, eq.system.accelerations)
    for row in rows:
        for d in by_q2:
            if d(row).is_surely_zero or d(x).is_surely_zero:
                continue
            # x = (…) row + slope c: zero for one c
            rest = x - d(x) / d(row) * row
            slope = by_c(rest)
            if slope.is_surely_zero:
                continue
            value = rebuild((ring.element_of(c) - rest / slope).as_one())
            kinds = {s.symbol.kind for s in free_symbols([value]) if s.symbol is not None}
            if kinds <= {Kind.PARAMETER} and c not in free_symbols([value]):
                return value
    return None
