"""Where labels stand in a drawing: beside what they name, and not over each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.picture.outline import across
from dalembert.picture.parts import Label

if TYPE_CHECKING:
    from dalembert.types import Array

FONT_SIZE = 15.0
"""Height of letters in pixels."""
LETTER_WIDTH = 0.56
"""Usual width of a letter in heights."""
NEAR = 9.0
"""Pixels between points up to which their labels are one."""
CLEAR = 1.15
"""From a point to the nearest side of a label, in heights of letters."""
RINGS = (1.0, 2.0, 3.0, 4.0)
"""How far from its point a label is tried, nearest first, in usual distances."""
DIRECTIONS = (45, 0, -45, 90, -90, 135, 180, -135)
"""Sides of a point in degrees on which a label is tried, in this order; up is positive."""


class Words(NamedTuple):
    """A text and the middle of its place in pixels; y is down."""

    text: str
    middle: tuple[float, float]

    @property
    def half(self) -> tuple[float, float]:
        """Half its width and height in pixels."""
        return 0.5 * LETTER_WIDTH * FONT_SIZE * len(self.text), 0.5 * FONT_SIZE

    @property
    def corners(self) -> Array:
        """Two opposite corners, ``(2, 2)``."""
        (x, y), (w, h) = self.middle, self.half
        return np.array([[x - w, y - h], [x + w, y + h]])

    def overlap(self, other: Words) -> float:
        """Return the area in which two texts stand over each other, in square pixels."""
        low = np.maximum(self.corners[0], other.corners[0])
        high = np.minimum(self.corners[1], other.corners[1])
        return float(np.prod(np.maximum(high - low, 0.0)))


def spread(
    labels: Sequence[Label], ends: Sequence[Array], marks: Sequence[tuple[float, float]]
) -> list[Words]:
    """Return labels with their places.

    Args:
        labels: What is written.
        ends: The points of each in pixels, ``(1, 2)`` or ``(2, 2)``; y is down.
        marks: Places of joints and masses, which labels do not cover.
    """
    fixed = [
        Words(x.text, _place(x, at)) for x, at in zip(labels, ends, strict=True) if _is_fixed(x)
    ]
    free = [(x.text, at[0]) for x, at in zip(labels, ends, strict=True) if not _is_fixed(x)]
    placed = list(fixed)
    for text, at in _joined(free):
        tried = [_beside(text, at, math.radians(a), far) for far in RINGS for a in DIRECTIONS]
        placed.append(min(tried, key=lambda words: _crowding(words, placed, marks)))
    return placed


def _is_fixed(label: Label) -> bool:
    return label.shift is not None or len(label.ends) == 2


def _joined(free: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    """Return labels with those of points that are drawn in one place as one."""
    found: list[tuple[str, Array]] = []
    for text, at in free:
        near = [k for k, (_, p) in enumerate(found) if float(np.abs(p - at).max()) < NEAR]
        if near:
            found[near[0]] = (f"{found[near[0]][0]}, {text}", found[near[0]][1])
        else:
            found.append((text, at))
    return found


def _crowding(words: Words, placed: Sequence[Words], marks: Sequence[tuple[float, float]]) -> float:
    """Return how much a label would cover, in square pixels."""
    low, high = words.corners
    covered = sum(FONT_SIZE for mark in marks if bool(np.all((low - 4 < mark) & (mark < high + 4))))
    return covered + sum(map(words.overlap, placed))


def _beside(text: str, at: Array, angle: float, far: float) -> Words:
    half, _ = Words(text, (0.0, 0.0)).half
    x = float(at[0]) + math.cos(angle) * (half + 0.6 * FONT_SIZE * far)
    return Words(text, (x, float(at[1]) - math.sin(angle) * CLEAR * FONT_SIZE * far))


def _place(label: Label, at: Array) -> tuple[float, float]:
    first, last = at[0], at[-1]
    if len(label.ends) == 1:
        dx, dy = label.shift or (0.0, 0.0)
        return float(first[0] + FONT_SIZE * dx), float(first[1] - FONT_SIZE * dy)
    way = last - first
    unit = way / max(float(np.linalg.norm(way)), 1e-12)
    if label.shift is not None:
        x, y = last + unit * FONT_SIZE * label.shift[0]
    else:
        # on the left of the way as a person sees it
        x, y = (first + last) / 2 - across(unit) * FONT_SIZE * CLEAR
    return float(x), float(y)
