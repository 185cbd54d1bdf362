"""A system of coordinates as the subject of a report."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import symbol_text
from dalembert.mechanics import BaseParameters, System
from dalembert.mechanics.proofs.proof import Proof
from dalembert.model.pictures.gauges import SOURCE as GAUGES
from dalembert.model.pictures.gauges import gauges
from dalembert.model.pictures.place import PictureFunction
from dalembert.model.pictures.samples import angles
from dalembert.picture import Picture
from dalembert.report.about.subject import MAX_ROWS, START, Options, Subject
from dalembert.report.content import Table

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
        centres = Picture({f"{i}": tuple(body.r) for i, body in enumerate(self._system.bodies, 1)})
        shown = PictureFunction(self.model, centres, self.values)
        places = shown.positions(self.motion.t[:1], self.motion.q[:1])[0]
        rows = [
            (name, str(body.mass), ", ".join(f"{x:.3g}" for x in place))
            for name, body, place in zip(shown.names, self._system.bodies, places, strict=True)
        ]
        caption = "Bodies, and where their centres of mass are when the simulation starts"
        return Table(caption, ("body", "mass", "x, y, z in m"), tuple(rows[:MAX_ROWS]))

    @cached_property
    def picture(self) -> PictureFunction:
        """The points that were given, else what the system shows, gauges as long as they move."""
        picture = self.model.description.picture(self._points or None)
        if picture.source == GAUGES:
            picture = gauges(self._system, np.abs(self.motion.q).max(axis=0).tolist())
        return PictureFunction(self.model, picture, self.values)

    @property
    def units(self) -> tuple[str, ...]:
        """Angles stand inside sines and cosines; of others a system does not say what they are."""
        turned = angles(self._system)
        return tuple("rad" if x in turned else "" for x in self._system.coordinates)

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
