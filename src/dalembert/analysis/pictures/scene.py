"""What an animation draws: points over time, and the rods, springs and ropes between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError, InvalidSystem, UnknownName, nearest
from dalembert.expr import Expr, as_expr, time

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, Scalar

Place: TypeAlias = "Sequence[Scalar]"
"""Two or three numbers or expressions of the model's symbols, in m."""
End: TypeAlias = "str | int | Place"
"""The name or the number of a point, or a place."""

SAME_LENGTH = 1e-7


@dataclass(frozen=True, eq=False)
class Scene:
    """Points ``(times, points, 3)`` in m, and pairs of their numbers.

    Attributes:
        t: Times, ``(times,)``.
        names: Of the points; empty for places that were given without one.
        positions: Of the points.
        rods, springs, ropes: Pairs of points.
        is_planar: Whether all points stay in the x-y plane.
    """

    t: Array
    names: tuple[str, ...]
    positions: Array
    rods: tuple[tuple[int, int], ...]
    springs: tuple[tuple[int, int], ...]
    ropes: tuple[tuple[int, int], ...]

    @property
    def is_planar(self) -> bool:
        """Whether all points stay in the x-y plane."""
        return bool(np.abs(self.positions[..., 2]).max(initial=0) < 1e-12)

    @property
    def box(self) -> tuple[Array, float]:
        """The middle of all positions, ``(3,)``, and half the size of a cube around them."""
        low, high = self.positions.min(axis=(0, 1)), self.positions.max(axis=(0, 1))
        return (low + high) / 2, 0.58 * max(float((high - low).max()), 1e-9)


class _Points:
    """Collects points by name and hands out their numbers."""

    def __init__(self, given: Mapping[str, Place]) -> None:
        self.names: list[str] = []
        self.places: list[list[Expr]] = []
        for name, place in given.items():
            self.add(name, place)

    def add(self, name: str, place: Place) -> int:
        """Return the number of a new point."""
        if len(place) not in (2, 3):
            raise InvalidSystem(
                f"expected two or three numbers for the point {name or place}, got {len(place)}"
            )
        self.names.append(name)
        self.places.append([as_expr(x) for x in (*place, 0)][:3])
        return len(self.names) - 1

    def number(self, end: End) -> int:
        """Return the number of the point that an end names, or of a new one for a place."""
        if isinstance(end, str):
            if end not in self.names:
                raise UnknownName(f"expected a point, got {end!r} ({nearest(end, self.names)})")
            return self.names.index(end)
        if isinstance(end, int):
            if not 0 <= end < len(self.names):
                raise UnknownName(
                    f"expected a point from 0 to {len(self.names) - 1}, got {end}: "
                    f"{', '.join(self.names)}"
                )
            return end
        return self.add("", end)

    def pairs(self, ends: Sequence[tuple[End, End]]) -> tuple[tuple[int, int], ...]:
        """Return pairs of numbers."""
        return tuple((self.number(a), self.number(b)) for a, b in ends)


def scene(
    model: Model,
    t: Array,
    q: Array,
    *,
    points: Mapping[str, Place] | None = None,
    rods: Sequence[tuple[End, End]] | None = None,
    springs: Sequence[tuple[End, End]] = (),
    ropes: Sequence[tuple[End, End]] = (),
    values: Mapping[Expr, float] | None = None,
) -> Scene:
    """Return the bodies or links of a model along a motion, with what joins them.

    Without ``rods``, points that keep their distance are joined, those of a mechanism along its
    tree.

    Raises:
        InvalidSystem: the system has no bodies and no points are given.
    """
    picture = model.description.picture()
    collected = _Points({**picture.points, **(points or {})})
    if not collected.names:
        raise InvalidSystem(
            "expected bodies to draw, got a system of energies alone: make it with "
            "System.from_bodies or from_particles, or pass points={'bob': (x, y)}"
        )
    own = range(len(collected.names))
    pairs_of_rods = collected.pairs(picture.sticks if rods is None else rods)
    pairs_of_springs, pairs_of_ropes = collected.pairs(springs), collected.pairs(ropes)
    guess = rods is None and not picture.sticks
    origin = collected.add("", (0, 0, 0)) if guess else -1
    positions = _positions(model, collected.places, t, q, values or {})
    if guess:
        apart = {frozenset(p) for p in (*pairs_of_springs, *pairs_of_ropes)}
        pairs_of_rods = _rigid_pairs(model, collected, positions, own, origin, values or {}, apart)
        if not any(origin in pair for pair in pairs_of_rods):
            # nothing hangs at the origin: it is not drawn
            positions[:, origin] = positions[:, 0]
    return Scene(
        t, tuple(collected.names), positions, pairs_of_rods, pairs_of_springs, pairs_of_ropes
    )


def _positions(
    model: Model, places: list[list[Expr]], t: Array, q: Array, values: Mapping[Expr, float]
) -> Array:
    """Return places ``(times, points, 3)`` for configurations ``(times, nq)``."""
    known = {x: float(v) for x, v in values.items()}
    shown = [e.subs(known) for place in places for e in place]
    missing = {s for e in shown for s in e.symbols} - {*model.symbols.q, time}
    if missing:
        names = ", ".join(sorted(str(s) for s in missing))
        raise EvaluationError(
            f"expected values of all parameters for a picture, got none of {names}: compile the "
            "model with parameters="
        )
    run = model.compile(shown, {"q": model.symbols.q, "t": [time]}, name="picture")
    return np.asarray(run(q, np.asarray(t, float)[:, None])).reshape(len(q), len(places), 3)


def _rigid_pairs(
    model: Model,
    points: _Points,
    positions: Array,
    own: range,
    origin: int,
    values: Mapping[Expr, float],
    apart: set[frozenset[int]],
) -> tuple[tuple[int, int], ...]:
    """Return the pairs that keep their distance: for every q, or with constraints on this motion.

    The fixed origin joins those that turn about it. Of bodies that are all rigidly joined only
    neighbours in their order are drawn.
    """
    if model.description.has_constraints:
        there = positions
    else:
        q = np.random.default_rng(1).normal(size=(7, model.nq))
        there = _positions(model, points.places, np.full(7, 0.3), q, values)
    found = []
    for j in own:
        for i in (origin, *range(j)):
            length = np.linalg.norm(there[:, j] - there[:, i], axis=-1)
            if length.min() > 0 and np.ptp(length) <= SAME_LENGTH * length.max():
                found.append((i, j))
    found = [pair for pair in found if frozenset(pair) not in apart]
    if len(found) > 2 * len(own):
        found = [(i, j) for i, j in found if i == origin or j == i + 1]
    return tuple(found)
