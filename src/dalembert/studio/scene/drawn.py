"""A picture in a scene: the figure of a system, and what a robot without shapes is drawn by."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import jacobian, time
from dalembert.model.pictures.place import PictureFunction
from dalembert.studio.scene.pieces import Colour, Piece, Place, piece

if TYPE_CHECKING:
    import viser

    from dalembert.model import Model
    from dalembert.studio.state import Moment
    from dalembert.types import Array


class Drawn:
    """All parts of a picture, moved by the coordinates.

    Attributes:
        size: A length to measure other things by, in m.
        low, centre: The lowest corner and the middle of the points as they stand at first, in m.
        names: Of the points.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        model: Model,
        shown: PictureFunction,
        q: Array,
        *,
        name: str = "/points",
        opacity: float | None = None,
        tint: Colour | None = None,
    ) -> None:
        self.model, self._shown, self.names = model, shown, list(shown.names)
        at = self.positions(0.0, q)
        placed = shown.placed(np.zeros(1), q[None])
        seen = placed.shown[0]
        spread = float(np.linalg.norm(np.ptp(np.vstack([seen, np.zeros((1, 3))]), axis=0)))
        self.size = spread if spread > 1e-6 else 1.0
        self.low = seen.min(axis=0)
        self.centre = (self.low + seen.max(axis=0)) / 2
        place = Place(scene, name, tint, opacity)
        self._pieces: list[tuple[list[int], Piece]] = []
        for k, part in enumerate(placed.parts):
            ends = placed.ends(part)
            made = piece(part, place.below(str(k)), at[ends], self.size)
            if made is not None:
                self._pieces.append((ends, made))

    def positions(self, t: float, q: Array) -> Array:
        """Return the points at a configuration, ``(n, 3)``, in m."""
        return self._shown.positions(np.array([t]), np.asarray(q, float)[None])[0]

    def show(self, moment: Moment) -> None:
        """Move the parts to a configuration."""
        at = self.positions(moment.t, moment.q)
        for ends, made in self._pieces:
            made.show(at[ends])

    @cached_property
    def _jacobians(self) -> Callable[..., Array]:
        rows = self._shown.picture.expressions()
        J = jacobian(rows, list(self.model.symbols.q))
        inputs = {"q": self.model.symbols.q, "t": [time]}
        return self.model.compile({"jacobians": J}, inputs, name="point_jacobians")

    def place(self, name: str, moment: Moment) -> tuple[Array, Array]:
        """Return where a point is, in m, and its Jacobian ``(3, nv)``."""
        k = self.names.index(name)
        J = np.asarray(self._jacobians(moment.q, [moment.t]))
        return self.positions(moment.t, moment.q)[k], J[3 * k : 3 * k + 3]

    def remove(self) -> None:
        """Take the parts out of the scene."""
        for _, made in self._pieces:
            made.remove()
