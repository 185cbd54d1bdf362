"""Guaranteed bounds on the eigenvalues of the mass matrix over a range of configurations."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Kind, free_symbols, is_kind, symbol_text
from dalembert.mechanics.results.spectrum import eigenvalue_reached, smallest_eigenvalue_bound
from dalembert.ring import ball_all

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

Interval = tuple[Fraction, Fraction]
Box = tuple[Interval, ...]

FULL_TURN = (Fraction(-355, 113), Fraction(355, 113))  # encloses [-π, π]
PRECISION = 128


class EigenvalueBounds(NamedTuple):
    """``lower`` I ⪯ M ⪯ ``upper`` I at every point of the range.

    Somewhere in the range an eigenvalue is at most ``reached[0]``, and somewhere one is at least
    ``reached[1]``: the best possible bounds lie between these and the guaranteed ones.
    """

    lower: float
    upper: float
    reached: tuple[float, float]


def eigenvalue_bounds(
    eq: Equations,
    values: Mapping[Expr, float],
    ranges: Mapping[Expr, tuple[float, float]] | None = None,
    *,
    tolerance: float = 0.01,
    max_boxes: int = 2000,
) -> EigenvalueBounds:
    """Enclose the spectrum of M by subdividing the range of what M depends on.

    Every symbol of M has one of ``values`` or one of ``ranges``; a coordinate with neither ranges
    over a full turn if M repeats itself after one. On a box, ball arithmetic encloses M, and
    `results.spectrum` its eigenvalues, rounding included. Boxes with the worst bounds are halved
    until the bounds are within ``tolerance`` of what is reached, or ``max_boxes`` times.

    Raises:
        InvalidSystem: a symbol without value or range, a number that is not finite, a matrix that
            is not symmetric, or one that has no finite bound on the boxes.
    """
    if not (tolerance >= 0 and max_boxes >= 0):
        raise InvalidSystem(
            "expected a tolerance and a number of boxes that are not negative, got "
            f"tolerance={tolerance}, max_boxes={max_boxes}"
        )
    if any(not x.is_surely_zero for x in eq.forms.M - eq.forms.M.T):
        raise InvalidSystem(
            "expected a symmetric M, got one that is not shown to be: its eigenvalues may not be "
            "real; correct it"
        )
    fixed, moving = _domain(eq, values, ranges or {})
    search = _Search(eq, fixed, list(moving))
    start = tuple(moving.values())
    lower, low = search.smallest(start, 1, tolerance, max_boxes)
    upper, high = search.smallest(start, -1, tolerance, max_boxes)
    if not all(map(math.isfinite, (lower, upper, low, high))):
        raise InvalidSystem(
            f"expected M to be bounded over the range, got no finite bound with {max_boxes} boxes: "
            "leave out the points where M is undefined, or allow more boxes"
        )
    return EigenvalueBounds(lower, -upper, (low, -high))


class _Search:
    """Best-first subdivision for the smallest eigenvalue of ±M."""

    def __init__(self, eq: Equations, fixed: dict[Expr, Fraction], moving: list[Expr]) -> None:
        self.M, self.fixed, self.moving = eq.M, fixed, moving

    def smallest(
        self, start: Box, sign: int, tolerance: float, max_boxes: int
    ) -> tuple[float, float]:
        """Return (guaranteed lower bound, value reached) of the eigenvalues of sign·M."""
        order = count()
        bound, reached = self._bounds(start, sign)
        queue = [(bound, next(order), start)]
        for _ in range(max_boxes):
            worst, _, box = queue[0]
            wide = [b - a for a, b in box]
            if not any(wide) or reached - worst <= tolerance * abs(reached):
                break
            heapq.heappop(queue)
            for half in _halves(box, wide.index(max(wide))):
                bound, value = self._bounds(half, sign)
                reached = min(reached, value)
                heapq.heappush(queue, (bound, next(order), half))
        return queue[0][0], reached

    def _bounds(self, box: Box, sign: int) -> tuple[float, float]:
        """Return a lower bound on the box, and a value reached at its centre."""
        import numpy as np

        with flint.ctx.workprec(PRECISION):
            whole = self._matrix({x: _enclosure(*r) for x, r in zip(self.moving, box, strict=True)})
            bound = -math.inf if whole is None else smallest_eigenvalue_bound(whole * sign)
            middle = self._matrix(
                {x: (a + b) / 2 for x, (a, b) in zip(self.moving, box, strict=True)}
            )
            if middle is None:
                return bound, math.inf
            n = middle.nrows()
            rounded = np.array([float(x.mid()) for x in middle.entries()]).reshape(n, n) * sign
            if not np.isfinite(rounded).all():
                return bound, math.inf
            return bound, eigenvalue_reached(middle * sign, np.linalg.eigh(rounded)[1][:, 0])

    def _matrix(self, at: Mapping[Expr, Fraction | flint.arb]) -> flint.arb_mat | None:
        """Return balls around the entries of M, or None where one is undefined."""
        try:
            entries = ball_all(self.M.entries, {**self.fixed, **at}, PRECISION)
        except ZeroDivisionError:
            return None
        if not all(x.is_finite() for x in entries):
            return None
        n = self.M.shape[0]
        # equal in the ring: each ball above the diagonal is that of its mirror image
        lower = [entries[n * max(i, j) + min(i, j)] for i in range(n) for j in range(n)]
        return flint.arb_mat(n, n, lower)


def _halves(box: Box, i: int) -> tuple[Box, Box]:
    """Return the box cut in the middle of its i-th side."""
    a, b = box[i]
    middle = (a + b) / 2
    return (*box[:i], (a, middle), *box[i + 1 :]), (*box[:i], (middle, b), *box[i + 1 :])


def _enclosure(a: Fraction, b: Fraction) -> flint.arb:
    return _ball(a).union(_ball(b))


def _ball(x: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def _domain(
    eq: Equations,
    values: Mapping[Expr, float],
    ranges: Mapping[Expr, tuple[float, float]],
) -> tuple[dict[Expr, Fraction], dict[Expr, Interval]]:
    """Return the exact value or interval of every symbol of M."""
    for x in [*values, *ranges]:
        if x not in eq.ring.index or (x in values and x in ranges):
            got = "both" if x in eq.ring.index else "one for a symbol that does not occur"
            raise InvalidSystem(
                f"expected a value or a range for symbols of the equations, got {got}: {x}"
            )
    fixed = {x: _exact(x, value) for x, value in values.items()}
    given = {x: _interval(x, r) for x, r in ranges.items()}
    moving: dict[Expr, Interval] = {}
    missing = []
    for x in sorted(free_symbols(eq.M.entries), key=symbol_text):
        if x in given:
            moving[x] = given[x]
        elif x in fixed:
            continue
        elif is_kind(x, Kind.COORDINATE, 0):
            _require_period(eq, x)
            moving[x] = FULL_TURN
        else:
            missing.append(symbol_text(x))
    if missing:
        raise InvalidSystem(
            f"expected a number for every parameter of M, got none for {', '.join(missing)}: add "
            "them to values, or give their ranges"
        )
    return fixed, moving


def _exact(x: Expr, value: float) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidSystem(
            f"expected finite real numbers for {symbol_text(x)}, got {value}"
        ) from None


def _interval(x: Expr, given: tuple[float, float]) -> Interval:
    try:
        low, high = given
    except (TypeError, ValueError):
        raise InvalidSystem(
            f"expected a range (low, high) for {symbol_text(x)}, got {given}"
        ) from None
    a, b = _exact(x, low), _exact(x, high)
    if a > b:
        raise InvalidSystem(f"expected a range (low, high) for {symbol_text(x)}, got {given}")
    return a, b


def _require_period(eq: Equations, x: Expr) -> None:
    """Refuse a coordinate unless M repeats itself after a full turn of it.

    It does if the coordinate stands in angles only, each a whole multiple of it plus terms without
    it: no power of the coordinate, no function of it that is not a sine or cosine.
    """
    ring = eq.ring
    turning = {i for a in ring.angles for i in (a.sin, a.cos) if _is_whole_multiple(a.form, x)}
    occurring = {i for e in eq.forms.M for i in range(len(ring.generators)) if e.involves(i)}
    if any(x in ring.generators[i].symbols for i in occurring - turning):
        raise InvalidSystem(
            f"expected a range for {symbol_text(x)}, got none: M does not repeat every full turn; "
            f"pass ranges={{{symbol_text(x)}: (low, high)}}"
        )


def _is_whole_multiple(form: Mapping[Expr, Fraction], x: Expr) -> bool:
    """Tell whether an angle is a whole multiple of x plus terms without x."""
    others = all(x not in term.symbols for term in form if term is not x)
    return others and form.get(x, Fraction(0)).denominator == 1
