"""Sketches with angles in degrees, as the gallery writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

from dalembert.expr import Scalar
from dalembert.picture import sketch

Point = tuple[float, float]


def polar(origin: Point, length: float, degrees: float) -> Point:
    """Return the point at a distance and an angle from another."""
    return sketch.polar(origin, length, math.radians(degrees))


def between(a: Point, b: Point, part: float = 0.5) -> Point:
    """Return a point of the line from a to b."""
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])


class Sketch(sketch.Sketch):
    """A picture of fixed places whose angles are given in degrees."""

    def mass(self, p: sketch.Point, label: str = "", side: float = 0.0) -> Self:
        """Draw a particle, its label on the side of an angle."""
        super().mass(p, label, math.radians(side))
        return self

    def block(
        self, p: Sequence[Any], width: Any, height: Any, turn: Scalar = 0.0, label: str = ""
    ) -> Self:
        """Draw a block about its centre."""
        super().block(p, width, height, math.radians(float(turn)), label)  # type: ignore[arg-type]
        return self

    def turn(self, p: Sequence[Any], radius: Any, start: Any, end: Any, label: str = "") -> Self:
        """Draw an arc from one angle to another with an arrow head: an angle or a turn."""
        first, last = (math.radians(float(x)) for x in (start, end))  # type: ignore[arg-type]
        super().turn(p, radius, first, last, label)
        return self
