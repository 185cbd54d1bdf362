"""A capsule beside a cylinder.

The distance of a point from a cylinder is a convex function of the point, negative inside. Along
the axis of a capsule it has its least where its slope changes its sign, which halving finds. Where
the axis itself enters the cylinder, the depth is that of its deepest point.
"""

from __future__ import annotations

from collections.abc import Callable

from dalembert.spatial.distance.closest import Closest
from dalembert.spatial.distance.cylinder import sphere_to_cylinder
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import clamped, step
from dalembert.spatial.vectors import Scalar, Vec, add, dot, scale

HALVINGS = 30
"""The place is found to 1e-9 of the axis; the distance, which is least there, to its square."""

BEYOND = 1.0009765625
"""Where the search ends, a little beyond the axis: so its ends are found exactly."""


def capsule_to_cylinder(
    a: Vec, half: Vec, radius: Scalar, X: Pose, r: Scalar, length: Scalar
) -> Closest:
    """Return the nearest points of a capsule, by its middle and half axis, and of a cylinder."""
    return _nearest(a, half, lambda p: sphere_to_cylinder(p, radius, X, r, length))


def _nearest(a: Vec, half: Vec, at: Callable[[Vec], Closest]) -> Closest:
    """Return the nearest of the spheres along an axis, from a - half to a + half."""
    low: Scalar = -BEYOND
    for k in range(HALVINGS):
        width = BEYOND * 0.5**k
        # n leads to the solid: on to the far end while it does so along the axis
        n = at(_on(a, half, low + width)).normal
        low = low + width * step(dot(n, half))
    return at(_on(a, half, low + BEYOND * 0.5**HALVINGS))


def _on(a: Vec, half: Vec, t: Scalar) -> Vec:
    """Return the point of an axis at t from -1 to 1, its ends beyond."""
    return add(a, scale(clamped(t, -1, 1), half))
