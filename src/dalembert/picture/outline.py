"""What parts look like: the lines of coils, discs, hatching and arrow heads, in any dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.types import Array

COILS = 8
STRAIGHT = 0.14
"""Share of a spring at either end that is straight."""
CORNERS = 48
"""Of a disc."""
HEAD = np.radians(24.0)
"""Half the angle of an arrow head."""


def coil(start: Array, end: Array, width: float) -> Array:
    """Return the zigzag of a spring between two points, ``(k, d)``, to ``width`` on either side."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0:
        return np.stack([start, end])
    part = STRAIGHT + (1 - 2 * STRAIGHT) * (np.arange(2 * COILS) + 0.5) / (2 * COILS)
    side = np.where(np.arange(2 * COILS) % 2, -width, width)
    middle = start + part[:, None] * along + side[:, None] * across(along / length)
    knees = start + np.array([[STRAIGHT], [1 - STRAIGHT]]) * along
    return np.concatenate([start[None], knees[:1], middle, knees[1:], end[None]])


def across(unit: Array) -> Array:
    """Return a unit vector at right angles to one: in the x-y plane where that is possible."""
    found = np.zeros(len(unit))
    found[:2] = -unit[1], unit[0]
    length = float(np.linalg.norm(found))
    if length < 1e-9:
        found[:2], length = (1.0, 0.0), 1.0
    return found / length


def circle(centre: Array, rim: Array, side: Array) -> Array:
    """Return the closed outline of a disc from three of its points, ``(k, d)``."""
    angles = np.linspace(0.0, 2 * np.pi, CORNERS + 1)[:, None]
    return centre + np.cos(angles) * (rim - centre) + np.sin(angles) * (side - centre)


def hatching(start: Array, end: Array, size: float) -> Array:
    """Return strokes on the right of the way between two points of a drawing, ``(k, 2, 2)``.

    ``size`` is the distance between the strokes; y points up.
    """
    along = np.asarray(end, float) - start
    length = float(np.linalg.norm(along))
    unit = along / length if length else np.array([1.0, 0.0])
    at = start + np.arange(0.0, length + 1e-9, size)[:, None] * unit
    back = 0.72 * size * np.array([unit[1] - unit[0], -unit[0] - unit[1]])
    return np.stack([at, at + back], axis=1)


def arrow_head(tip: Array, before: Array, size: float) -> Array:
    """Return the two strokes of an arrow head as one line, ``(3, 2)``."""
    back = np.asarray(before, float) - tip
    back = size * back / max(float(np.linalg.norm(back)), 1e-12)
    turned = [
        [back[0] * np.cos(a) - back[1] * np.sin(a), back[0] * np.sin(a) + back[1] * np.cos(a)]
        for a in (HEAD, -HEAD)
    ]
    return np.stack([tip + turned[0], tip, tip + turned[1]])
