"""Coordinates as gauges: what a system without bodies or points is drawn by.

A coordinate inside a sine or cosine is an angle and turns a hand; any other moves a mark on a rail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import free_symbols, postorder, symbol_text
from dalembert.mechanics import System
from dalembert.report.figures.skeleton import Skeleton

if TYPE_CHECKING:
    from dalembert.types import Array

APART = 2.6
"""From the middle of a gauge to the next; a hand has length 1."""
ACROSS = 4
"""Gauges in a row."""
ORIGIN = "its coordinates, angles as hands and others as marks on rails"


def of_coordinates(system: System, q: Array) -> Skeleton:
    """Return gauges of coordinates at configurations ``(N, nq)``.

    The largest value of a coordinate among them is at the end of its rail.
    """
    turned = _angles(system)
    points: list[Array] = []
    lines, marks, hubs = [], [], []
    for k, name in enumerate(map(symbol_text, system.coordinates)):
        centre = np.array([k % ACROSS * APART, -(k // ACROSS) * APART, 0.0])
        is_angle = name in turned
        parts = _dial(q[:, k]) if is_angle else _rail(q[:, k])
        hubs += [len(points)] if is_angle else []
        lines.append((len(points), len(points) + 1))
        points += [centre + part for part in parts]
        marks.append(len(points) - 1)
    labels = dict(zip(marks, map(str, system.coordinates), strict=True))
    places = np.stack(points, axis=1)
    drawn = tuple(marks)
    return Skeleton(places, tuple(lines), (), drawn, tuple(hubs), labels, marks[-1], ORIGIN)


def _dial(angle: Array) -> list[Array]:
    """Return the hub and the end of a hand, ``(N, 3)`` each."""
    zero = np.zeros_like(angle)
    return [np.stack([zero, zero, zero], -1), np.stack([np.cos(angle), np.sin(angle), zero], -1)]


def _rail(value: Array) -> list[Array]:
    """Return both ends of a rail and the mark on it, ``(N, 3)`` each."""
    largest = float(np.abs(value).max())
    x, zero = value / largest if largest > 0 else value, np.zeros_like(value)
    return [np.stack([at, zero, zero], -1) for at in (zero - 1, zero + 1, x)]


def _angles(system: System) -> set[str]:
    """Return the names of coordinates that are inside a sine, cosine or tangent."""
    roots = [system.lagrangian, *system.constraints, *system.velocity_constraints]
    inside = [x for node in postorder(roots) if node.op in ("sin", "cos", "tan") for x in node.args]
    return {symbol_text(x) for x in free_symbols(inside)}
