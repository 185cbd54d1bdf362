"""A skeleton drawn in the plane: from the front if it is planar, else at an angle from above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.report.content import Animation, Figure
from dalembert.report.figures.skeleton import Skeleton
from dalembert.report.figures.svg import COLORS, canvas, joint_name, label, number, path

if TYPE_CHECKING:
    from dalembert.types import Array

SIZE = 460.0
MARGIN = 30.0
NEAR = 9.0
# from a joint to its name; the script of the page knows it too
ASIDE = 10.0
LETTER = 9.0
# directions of view of a spatial mechanism, in radians
AZIMUTH, ELEVATION = math.radians(-60), math.radians(25)


def projected(points: Array) -> Array:
    """Return x to the right and y up, ``(..., 2)``, of points ``(..., 3)``."""
    flat = points.reshape(-1, 3)
    spans = np.ptp(flat, axis=0)
    # the thinnest direction is looked along; x-y first, then x-z
    for axis, kept in ((2, (0, 1)), (1, (0, 2)), (0, (1, 2))):
        if spans[axis] <= 1e-6 * max(float(spans.max()), 1e-12):
            return points[..., kept]
    s, c = math.sin(AZIMUTH), math.cos(AZIMUTH)
    right = np.array([-s, c, 0.0])
    up = np.array([-c * math.sin(ELEVATION), -s * math.sin(ELEVATION), math.cos(ELEVATION)])
    return np.stack([points @ right, points @ up], axis=-1)


def placed(plane: Array) -> tuple[Array, float, float]:
    """Return points in units of the drawing, y down, and its width and height."""
    flat = plane.reshape(-1, 2)
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    k = (SIZE - 2 * MARGIN) / size
    width, height = (float(x) for x in np.maximum((high - low) * k, 120) + 2 * MARGIN)
    middle = (low + high) / 2
    x = width / 2 + (plane[..., 0] - middle[0]) * k
    y = height / 2 - (plane[..., 1] - middle[1]) * k
    return np.stack([x, y], axis=-1), width, height


def still(skeleton: Skeleton, caption: str) -> Figure:
    """Return a drawing of the first configuration."""
    plane, width, height = placed(projected(skeleton.points[:1]))
    width = max(width, _right(skeleton, plane))
    return Figure(canvas(width, height, caption, _parts(skeleton, plane[0])), caption)


def moving(skeleton: Skeleton, times: Array, trace: Array, caption: str) -> Animation:
    """Return an animation of all configurations, with a path ``(K, 3)`` behind them."""
    points = skeleton.points.reshape(-1, 3)
    flat, width, height = placed(projected(np.concatenate([points, trace])))
    plane = flat[: len(points)].reshape(*skeleton.points.shape[:2], 2)
    width = max(width, _right(skeleton, plane))
    line = [(float(x), float(y)) for x, y in flat[len(points) :]]
    parts = [path(line, COLORS[1], 1.0), *_parts(skeleton, plane[0])]
    figure = Figure(canvas(width, height, caption, parts), caption)
    frames = tuple(tuple(round(float(x), 1) for x in frame.ravel()) for frame in plane)
    return Animation(figure, frames, tuple(round(float(t), 4) for t in times))


def _parts(skeleton: Skeleton, plane: Array) -> list[str]:
    """Return lines, then marks, then names, in units of the drawing."""
    parts = [_line(plane, i, j) for i, j in skeleton.lines]
    marked = dict.fromkeys(skeleton.joints, 4.5) | dict.fromkeys(skeleton.masses, 6.0)
    for i, radius in marked.items():
        fill = COLORS[0] if i in skeleton.masses else "#ffffff"
        parts.append(
            f'<circle data-at="{i}" cx="{number(plane[i, 0])}" cy="{number(plane[i, 1])}" '
            f'r="{radius}" fill="{fill}" stroke="#666666" stroke-width="1.5"/>'
        )
    parts += [_ground(plane[i]) for i in skeleton.fixed]
    for i, name in _together(skeleton.labels, plane).items():
        x, y = plane[i, 0] + ASIDE, plane[i, 1] - ASIDE
        parts.append(label(x, y, name, "start", f' font-size="14" data-label="{i}"'))
    return parts


def _right(skeleton: Skeleton, plane: Array) -> float:
    """Return where the names end, at the farthest of all configurations."""
    names = _together(skeleton.labels, plane[0])
    ends = [float(plane[:, i, 0].max()) + ASIDE + LETTER * len(name) for i, name in names.items()]
    return max(ends, default=0.0)


def _together(labels: Mapping[int, str], plane: Array) -> dict[int, str]:
    """Return the names by point; those of points that are drawn in one place are one label."""
    found: dict[int, str] = {}
    for i, name in labels.items():
        near = [j for j in found if float(np.abs(plane[i] - plane[j]).max()) < NEAR]
        if near:
            found[near[0]] += f", {joint_name(name)}"
        else:
            found[i] = joint_name(name)
    return found


def _line(plane: Array, i: int, j: int) -> str:
    (x1, y1), (x2, y2) = plane[i], plane[j]
    return (
        f'<line data-ends="{i} {j}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" '
        f'y2="{number(y2)}" stroke="#7a8694" stroke-width="4" stroke-linecap="round"/>'
    )


def _ground(at: Sequence[float]) -> str:
    x, y = at
    return (
        f'<path d="M{number(x - 12)} {number(y + 10)}h24M{number(x)} {number(y)}v10" '
        'fill="none" stroke="currentColor" stroke-width="2"/>'
    )
