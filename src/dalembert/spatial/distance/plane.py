"""Spheres and capsules above a plane."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.spatial.distance.closest import Closest
from dalembert.spatial.vectors import Scalar, Vec, add, dot, neg, scale, sub


class Plane(NamedTuple):
    """The points p with n · p = height; what is below is solid.

    Attributes:
        normal: Unit vector n out of the solid, (3,).
        height: Distance of the plane from the origin along n, in m.
    """

    normal: Vec = (0, 0, 1)
    height: Scalar = 0

    def gap(self, point: Vec) -> Scalar:
        """Return the distance of a point, negative below the plane."""
        return dot(self.normal, point) - self.height


def sphere_to_plane(centre: Vec, radius: Scalar, plane: Plane) -> Closest:
    """Return the nearest points of a sphere and a plane.

    >>> sphere_to_plane((0, 0, 3), 1, Plane()).distance
    2
    """
    gap = plane.gap(centre)
    lowest = sub(centre, scale(radius, plane.normal))
    foot = sub(centre, scale(gap, plane.normal))
    return Closest(gap - radius, lowest, foot, neg(plane.normal))


def capsule_to_plane(
    centre: Vec, half: Vec, radius: Scalar, plane: Plane
) -> tuple[Closest, Closest]:
    """Return the nearest points of the two ends of a capsule and a plane.

    Args:
        centre: The middle of the capsule, (3,).
        half: From the middle to the centre of one of its half balls, (3,).
        radius: In m.
        plane: What is below it.
    """
    ends = add(centre, half), sub(centre, half)
    first, second = (sphere_to_plane(end, radius, plane) for end in ends)
    return first, second
