"""The points of boxes, cylinders and ellipsoids that touch a plane first."""

from __future__ import annotations

import math
from itertools import product

from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import square_root
from dalembert.spatial.vectors import Scalar, Vec, add, dot, ratio, scale, sub, unrotate

UPRIGHT = 1e-6
"""Sine of an angle between an axis and the vertical below which it is vertical."""


def box_corners(X: Pose, size: Vec) -> tuple[Vec, ...]:
    """Return the 8 corners of a box with whole edges ``size`` at the pose X."""
    x, y, z = (ratio(edge, 2) for edge in size)
    return tuple(X.point((a * x, b * y, c * z)) for a, b, c in product((-1, 1), repeat=3))


def rim_corners(X: Pose, radius: Scalar, length: Scalar, count: int) -> tuple[Vec, ...]:
    """Return ``count`` points on each of the two rims of a cylinder along z at the pose X."""
    angles = [2 * math.pi * k / count for k in range(count)]
    return tuple(
        X.point((radius * math.cos(a), radius * math.sin(a), side * ratio(length, 2)))
        for side in (-1, 1)
        for a in angles
    )


def lowest_on_circle(centre: Vec, axis: Vec, radius: Scalar, down: Vec) -> Vec:
    """Return the point of a circle that is farthest along the unit vector ``down``.

    Wheels roll on this point. Where the axis is along ``down`` to `UPRIGHT`, all points of the
    circle are as far, and it is the centre.
    """
    # down without its part along the axis
    across = sub(down, scale(dot(down, axis), axis))
    sine = square_root(dot(across, across) + UPRIGHT * UPRIGHT)
    return add(centre, scale(radius / sine, across))


def lowest_of_ellipsoid(X: Pose, radii: Vec, down: Vec) -> Vec:
    """Return the point of an ellipsoid at the pose X that is farthest along ``down``.

    With D of its half axes: p + R D² Rᵀ d / |D Rᵀ d|.
    """
    along = unrotate(X.R, down)
    x, y, z = (r * k for r, k in zip(radii, along, strict=True))
    size = square_root(x * x + y * y + z * z)
    return X.point((radii[0] * x / size, radii[1] * y / size, radii[2] * z / size))
