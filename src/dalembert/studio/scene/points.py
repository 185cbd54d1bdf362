"""A system of coordinates: its points as balls, joined in the order in which they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import (
    Expr,
    Kind,
    Scalar,
    as_expr,
    free_symbols,
    is_kind,
    jacobian,
    substitute,
    symbol_text,
    time,
)
from dalembert.mechanics import System
from dalembert.studio.scene.geometry import quaternion_from_z, trimesh

if TYPE_CHECKING:
    import viser

    from dalembert.model import Model
    from dalembert.studio.state import Moment
    from dalembert.types import Array

COLOURS = ((221, 132, 82), (76, 114, 176), (85, 168, 104), (196, 78, 82))
ROD_COLOUR = (110, 110, 118)


class Points:
    """Balls at positions of a system, with rods between those that follow each other.

    Attributes:
        size: A length to measure other things by, in m.
        low, centre: The lowest corner and the middle of the points as they stand at first, in m.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        model: Model,
        points: Mapping[str, Sequence[Expr]],
        q: Array,
        *,
        name: str = "/points",
        opacity: float | None = None,
    ) -> None:
        self.model, self.names = model, list(points)
        self._points = [_three(point) for point in points.values()]
        self._inputs = {"q": model.symbols.q, "t": [time]}
        self._kernel = model.compile({"points": self._points}, self._inputs, name="points")
        at = self.positions(0.0, q)
        spread = float(np.linalg.norm(np.ptp(np.vstack([at, np.zeros((1, 3))]), axis=0)))
        self.size = spread if spread > 1e-6 else 1.0
        self.low = at.min(axis=0)
        self.centre = (self.low + at.max(axis=0)) / 2
        self._balls = [
            scene.add_icosphere(
                f"{name}/{k}",
                radius=self.size / 25,
                color=COLOURS[k % len(COLOURS)],
                opacity=opacity,
            )
            for k in range(len(points))
        ]
        rod = trimesh().creation.cylinder(radius=1.0, height=1.0, sections=16)
        self._rods = [
            scene.add_mesh_simple(
                f"{name}/rod{k}",
                np.asarray(rod.vertices, np.float32),
                np.asarray(rod.faces, np.uint32),
                color=ROD_COLOUR,
                opacity=opacity,
            )
            for k in range(len(self._segments(at)))
        ]

    def positions(self, t: float, q: Array) -> Array:
        """Return the points at a configuration, ``(n, 3)``, in m."""
        return np.asarray(self._kernel(q, [t]))

    def show(self, moment: Moment) -> None:
        """Move the points to a configuration."""
        at = self.positions(moment.t, moment.q)
        for ball, p in zip(self._balls, at, strict=True):
            ball.position = p
        for rod, (a, b) in zip(self._rods, self._segments(at), strict=True):
            length = float(np.linalg.norm(b - a))
            rod.visible = length > 1e-9
            rod.position, rod.scale = (a + b) / 2, (self.size / 90, self.size / 90, length)
            if rod.visible:
                rod.wxyz = quaternion_from_z((b - a) / length)

    @cached_property
    def _jacobians(self) -> Callable[..., Array]:
        flat = [x for point in self._points for x in point]
        J = jacobian(flat, list(self.model.symbols.q))
        return self.model.compile({"jacobians": J}, self._inputs, name="point_jacobians")

    def place(self, name: str, moment: Moment) -> tuple[Array, Array]:
        """Return where a point is, in m, and its Jacobian ``(3, nv)``."""
        k = self.names.index(name)
        J = np.asarray(self._jacobians(moment.q, [moment.t]))
        return self.positions(moment.t, moment.q)[k], J[3 * k : 3 * k + 3]

    def remove(self) -> None:
        """Take the points out of the scene."""
        for part in (*self._balls, *self._rods):
            part.remove()

    @staticmethod
    def _segments(at: Array) -> Array:
        chain = np.vstack([np.zeros((1, 3)), at]) if len(at) == 1 else at
        return np.stack([chain[:-1], chain[1:]], axis=1)


def bound_points(
    system: System,
    points: Mapping[str, Sequence[Expr]],
    values: Mapping[str, Scalar],
) -> dict[str, Sequence[Expr]]:
    """Return the points of a system, numbers for its parameters put in."""
    found = _points_of(system, points)
    symbols = free_symbols([x for point in found.values() for x in point])
    known = [x for x in symbols if is_kind(x, Kind.PARAMETER)]
    numbers = {x: as_expr(values[name]) for x in known if (name := symbol_text(x)) in values}
    return {name: substitute(list(point), numbers) for name, point in found.items()}


def _points_of(system: System, given: Mapping[str, Sequence[Expr]]) -> dict[str, tuple[Expr, ...]]:
    """Return the points that were given, or the centres of mass of the bodies."""
    if given:
        return {name: tuple(map(as_expr, point)) for name, point in given.items()}
    return {f"body {k}": tuple(body.r) for k, body in enumerate(system.bodies, 1)}


def _three(point: Sequence[Expr]) -> list[Expr]:
    return [*point, *[as_expr(0)] * (3 - len(point))]
