"""The corners of a convex hull, and of one with fewer corners inside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.errors import InvalidMechanism


class Hull(NamedTuple):
    """Corners of a convex body.

    Attributes:
        corners: ``(n, 3)`` in m.
        depth: How far the points that it was made of are outside, at most, in m.
    """

    corners: np.ndarray
    depth: float


def convex_hull(points: np.ndarray, most: int, where: str) -> Hull:
    """Return the hull of points, with corners left out if there are more than ``most``.

    Those that stick out farthest of the hull of the others come first.

    Raises:
        InvalidMechanism: the points lie in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise InvalidMechanism(
            f"expected a body with a volume at {where}, got points in a plane: give it a shape"
        ) from None
    corners = points[hull.vertices]
    if len(corners) <= most:
        return Hull(corners, 0.0)
    chosen = _first_corners(corners)
    while True:
        planes = ConvexHull(corners[chosen]).equations
        outside = (corners @ planes[:, :3].T + planes[:, 3]).max(axis=1)
        outside[chosen] = 0.0
        if len(chosen) >= most or outside.max() <= 0:
            return Hull(corners[chosen], _depth(corners, corners[chosen]))
        chosen.append(int(outside.argmax()))


def _depth(points: np.ndarray, corners: np.ndarray) -> float:
    """Return the largest distance of points from a hull: the least |Σ λₖ cₖ - p|, Σ λₖ = 1."""
    from scipy.optimize import nnls

    size = np.ptp(points, axis=0).max()
    # the sum counts as much as a thousand times the size of the body
    sum_row = np.full((1, len(corners)), 1e3)
    target = np.array([0.0, 0.0, 0.0, 1e3])
    largest = 0.0
    for p in points:
        A = np.vstack([(corners - p).T / size, sum_row])
        _, distance = nnls(A, target)
        largest = max(largest, float(distance) * size)
    return largest


def _first_corners(corners: np.ndarray) -> list[int]:
    """Return four corners that span a volume, far from each other."""
    centre = corners.mean(axis=0)
    first = int(np.linalg.norm(corners - centre, axis=1).argmax())
    chosen = [first]
    span = np.empty((0, 3))
    for _ in range(3):
        rest = corners - corners[first]
        rest = rest - rest @ span.T @ span
        far = int(np.linalg.norm(rest, axis=1).argmax())
        chosen.append(far)
        span = np.vstack([span, rest[far] / np.linalg.norm(rest[far])])
    return chosen
