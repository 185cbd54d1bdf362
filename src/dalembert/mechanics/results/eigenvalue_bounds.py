"""Guaranteed bounds on the eigenvalues of the mass matrix over a range of configurations."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Kind, free_symbols, is_kind, symbol_text
from dalembert.ring import ball_all

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

Box = tuple[tuple[float, float], ...]

FULL_TURN = (-3.1415926535897936, 3.1415926535897936)  # encloses [-π, π]


class EigenvalueBounds(NamedTuple):
    """``lower`` I ⪯ M(q) ⪯ ``upper`` I for every q of the range.

    ``reached`` are the smallest and largest eigenvalue met at sampled points: the best possible
    bounds lie between them and the guaranteed ones.
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
    """Enclose the spectrum of M(q) by subdividing the range of q.

    On a box M lies within E of its value M₀ at the centre (ball arithmetic), so by Weyl's
    inequality its eigenvalues lie within ‖E‖ of those of M₀. Boxes with the worst bounds are
    halved until the bounds are within ``tolerance`` of values that are reached, or ``max_boxes``.
    Angles that occur only in sines and cosines range over a full turn unless given.
    """
    moving = [x for x in free_symbols(eq.M.entries) if is_kind(x, Kind.COORDINATE)]
    start = tuple(_range(eq, x, ranges or {}) for x in moving)
    missing = [x for x in free_symbols(eq.M.entries) if x not in moving and x not in values]
    if missing:
        names = ", ".join(sorted(map(symbol_text, missing)))
        raise InvalidSystem(f"expected a number for every parameter of M, got none for {names}")
    search = _Search(eq, moving, values)
    ends = [search.extreme(start, sign, tolerance, max_boxes) for sign in (1.0, -1.0)]
    (lower, low), (upper, high) = ends
    return EigenvalueBounds(lower, -upper, (low, -high))


class _Search:
    """Best-first subdivision for the smallest eigenvalue of ±M."""

    def __init__(self, eq: Equations, moving: list[Expr], values: Mapping[Expr, float]) -> None:
        self.eq, self.moving = eq, moving
        self.fixed = {x: flint.arb(float(v)) for x, v in values.items()}

    def extreme(
        self, start: Box, sign: float, tolerance: float, max_boxes: int
    ) -> tuple[float, float]:
        """Return (guaranteed lower bound, smallest value reached) of the eigenvalues of sign·M."""
        order = count()
        bound, reached = self._bound(start, sign)
        queue = [(bound, next(order), start)]
        for _ in range(max_boxes):
            worst, _, box = queue[0]
            if not box or reached - worst <= tolerance * abs(reached):
                break
            heapq.heappop(queue)
            for half in _halves(box):
                bound, value = self._bound(half, sign)
                reached = min(reached, value)
                heapq.heappush(queue, (bound, next(order), half))
        return queue[0][0], reached

    def _bound(self, box: Box, sign: float) -> tuple[float, float]:
        """Return a lower bound on the box and the value at its centre."""
        import numpy as np

        point: dict[Expr, Any] = dict(self.fixed)
        for x, (a, b) in zip(self.moving, box, strict=True):
            point[x] = flint.arb((a + b) / 2, (b - a) / 2)
        entries = ball_all(self.eq.M.entries, point)
        n = len(self.eq.coordinates)
        centre = np.array([float(e.mid()) for e in entries]).reshape(n, n)
        radius = np.array([float(e.rad()) for e in entries]).reshape(n, n)
        if not np.all(np.isfinite(radius)):
            return -np.inf, np.inf
        spectrum = np.linalg.eigvalsh(sign * centre)
        # rounding of the eigenvalues themselves: a few units of ‖M‖
        slack = np.linalg.norm(radius) + 8 * n * np.finfo(float).eps * np.linalg.norm(centre)
        sample = self._at_centre(box, sign)
        return float(spectrum[0] - slack), sample

    def _at_centre(self, box: Box, sign: float) -> float:
        import numpy as np

        point: dict[Expr, Any] = dict(self.fixed)
        for x, (a, b) in zip(self.moving, box, strict=True):
            point[x] = flint.arb((a + b) / 2)
        n = len(self.eq.coordinates)
        entries = [float(e.mid()) for e in ball_all(self.eq.M.entries, point)]
        return float(np.linalg.eigvalsh(sign * np.array(entries).reshape(n, n))[0])


def _halves(box: Box) -> tuple[Box, Box]:
    """Return the box cut in the middle of its longest side."""
    i = max(range(len(box)), key=lambda k: box[k][1] - box[k][0])
    a, b = box[i]
    middle = (a + b) / 2
    return (*box[:i], (a, middle), *box[i + 1 :]), (*box[:i], (middle, b), *box[i + 1 :])


def _range(
    eq: Equations, x: Expr, ranges: Mapping[Expr, tuple[float, float]]
) -> tuple[float, float]:
    if x in ranges:
        a, b = ranges[x]
        if not a <= b:
            raise InvalidSystem(f"expected a range (low, high) for {symbol_text(x)}, got {(a, b)}")
        return float(a), float(b)
    i = eq.ring.index[x]
    bare = any(e.involves(i) for e in eq.forms.M)
    halved = any(k.denominator != 1 for a in eq.ring.angles for t, k in a.form.items() if t is x)
    if bare or halved:
        raise InvalidSystem(
            f"expected a range for {symbol_text(x)}, got none: M does not repeat every full turn; "
            f"pass ranges={{{symbol_text(x)}: (low, high)}}"
        )
    return FULL_TURN
