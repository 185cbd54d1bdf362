"""A system of coordinates as the subject of a report."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import Expr, as_expr, substitute, symbol_text, time
from dalembert.mechanics import BaseParameters, System
from dalembert.mechanics.proofs.proof import Proof
from dalembert.report.about.subject import MAX_ROWS, START, STILL, Options, Subject
from dalembert.report.content import Table
from dalembert.report.figures.gauges import of_coordinates
from dalembert.report.figures.skeleton import Skeleton, of_points

if TYPE_CHECKING:
    from dalembert.types import Array


class Lagrangian(Subject):
    """A system: drawn by its points, its bodies, or its coordinates."""

    def __init__(self, given: System, options: Options) -> None:
        self.given = given
        self._system = given
        self._points = options.points or {}
        super().__init__("System", options)

    @property
    def summary(self) -> str:
        """The coordinates, and where the equations come from."""
        names = ", ".join(map(str, self._system.coordinates))
        bodies = len(self._system.bodies)
        origin = f"{bodies} bodies" if bodies > 1 else "one body" if bodies else "its Lagrangian"
        return f"A system in the coordinates {names}, given by {origin}."

    def parts(self) -> Table:
        """Return the bodies and where they are at the start, or the coordinates there."""
        if self._system.bodies:
            return self._bodies()
        rows = [
            (str(x), symbol_text(x), f"{value:.5g}")
            for x, value in zip(self._system.coordinates, self.motion.q[0], strict=True)
        ]
        caption = "Coordinates, and their values when the simulation starts"
        return Table(caption, ("coordinate", "name", "at the start"), tuple(rows[:MAX_ROWS]))

    def _bodies(self) -> Table:
        places = self._placed(self._body_points, self.motion.q[:1], self.motion.t[:1])
        rows = [
            (f"{i}", str(body.mass), ", ".join(f"{x:.3g}" for x in place))
            for i, (body, place) in enumerate(zip(self._system.bodies, places[0], strict=True), 1)
        ]
        caption = "Bodies, and where their centres of mass are when the simulation starts"
        return Table(caption, ("body", "mass", "x, y, z in m"), tuple(rows[:MAX_ROWS]))

    def skeleton(self, q: Array, t: Array) -> Skeleton:
        """Return the points that were given, else the bodies, else a gauge for each coordinate."""
        given = {name: tuple(map(as_expr, point)) for name, point in self._points.items()}
        if given:
            return of_points(self._placed(given, q, t), list(given), "its points")
        bodies = self._body_points
        places = self._placed(bodies, q, t) if bodies else np.zeros((len(q), 0, 3))
        # of a body that only turns its centre of mass shows nothing
        if np.ptp(places, axis=0).max(initial=0.0) > STILL:
            return of_points(places, list(bodies), "its centres of mass")
        return of_coordinates(self._system, q)

    @property
    def _body_points(self) -> dict[str, tuple[Expr, ...]]:
        return {f"m{i}": tuple(body.r) for i, body in enumerate(self._system.bodies, 1)}

    def _placed(self, drawn: dict[str, tuple[Expr, ...]], q: Array, t: Array) -> Array:
        """Return where points are, ``(N, P, 3)`` in m."""
        s = self.model.symbols
        flat = substitute([x for point in drawn.values() for x in point], self._numbers)
        kernel = self.model.compile({"r": list(flat)}, {"q": s.q, "t": [time]}, name="points")
        rows = np.asarray(kernel(q, t[:, None]))
        sizes = np.cumsum([0, *(len(point) for point in drawn.values())])
        places = np.zeros((len(q), len(drawn), 3))
        for i, (first, last) in enumerate(pairwise(sizes)):
            places[:, i, : last - first] = rows[:, first:last]
        return places

    @cached_property
    def _numbers(self) -> dict[Expr, Expr]:
        return {x: as_expr(value) for x, value in self.values.items()}

    def prove(self) -> list[Proof]:
        """Prove the properties of Lagrange's equations."""
        return self.equations.prove()

    def base_parameters(self) -> BaseParameters:
        """Return combinations of products of parameters."""
        return self.equations.base_parameters()

    @property
    def start_step(self) -> Array:
        """Half a unit for every coordinate."""
        return np.full(self.model.nv, START)
