"""A picture along a motion: where its points are at every time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.picture.parts import Part
from dalembert.picture.picture import Picture

if TYPE_CHECKING:
    from dalembert.types import Array

FLAT = 1e-6
"""Share of the largest extent up to which a direction counts as none."""


@dataclass(frozen=True, eq=False)
class Placed:
    """The points of a picture in numbers.

    Attributes:
        t: Times in s, ``(N,)``.
        names: Of the points.
        positions: Of the points in m, ``(N, points, 3)``.
        parts: What is drawn between them.
        source: Where the points come from, in words.
    """

    t: Array
    names: tuple[str, ...]
    positions: Array
    parts: tuple[Part, ...]
    source: str = ""

    @classmethod
    def at_rest(cls, picture: Picture) -> Placed:
        """Return a picture whose points are numbers.

        Raises:
            TypeError: a place depends on a symbol.
        """
        rows = [[float(x) for x in place] for place in picture.points.values()]  # type: ignore[arg-type]
        at = np.array(rows).reshape(1, -1, 3)
        return cls(np.zeros(1), tuple(picture.points), at, picture.parts, picture.source)

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every point by its name."""
        return {name: i for i, name in enumerate(self.names)}

    def ends(self, part: Part) -> list[int]:
        """Return the numbers of the points of a part."""
        return [self.numbers[name] for name in part.ends]

    def cut(self, first: int, last: int) -> Placed:
        """Return the picture at the times from ``first`` to ``last``, without the latter."""
        return replace(self, t=self.t[first:last], positions=self.positions[first:last])

    @property
    def shown(self) -> Array:
        """The positions of the points that a part is drawn at, ``(N, K, 3)``."""
        used = sorted({i for part in self.parts for i in self.ends(part)})
        return self.positions[:, used]

    @property
    def is_planar(self) -> bool:
        """Whether all points stay in the x-y plane."""
        return bool(np.abs(self.positions[..., 2]).max(initial=0.0) < 1e-12)

    @property
    def box(self) -> tuple[Array, float]:
        """The middle of all positions, ``(3,)``, and half the edge of a cube around them."""
        places = self.shown
        low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
        return (low + high) / 2, max(float((high - low).max()) / 2, 1e-9)

    @cached_property
    def view(self) -> Array:
        """Right and up of the usual view, unit vectors ``(2, 3)``.

        A planar machine is seen along the direction in which it does not extend, another one at an
        angle from above.
        """
        spans = np.ptp(self.shown.reshape(-1, 3), axis=0)
        flat = spans <= FLAT * max(float(spans.max()), 1e-12)
        for axis, (right, up) in ((2, (0, 1)), (1, (0, 2)), (0, (1, 2))):
            if flat[axis]:
                return np.eye(3)[[right, up]]
        return seen_from(AZIMUTH, ELEVATION)


AZIMUTH, ELEVATION = np.radians(-60.0), np.radians(22.0)
"""From where a machine in space is looked at."""


def seen_from(azimuth: float, elevation: float) -> Array:
    """Return right and up ``(2, 3)`` of a view from a direction, z being above."""
    s, c = np.sin(azimuth), np.cos(azimuth)
    right = [-s, c, 0.0]
    up = [-c * np.sin(elevation), -s * np.sin(elevation), np.cos(elevation)]
    return np.array([right, up])
