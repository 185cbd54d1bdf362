"""The nearest points of two shapes."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.spatial.scalar import square_root
from dalembert.spatial.vectors import Scalar, Vec, add, dot, scale, sub

TINY = 1e-30
"""Added to lengths in m, so that a direction that is none divides by no zero."""


class Closest(NamedTuple):
    """Where two shapes come closest.

    Attributes:
        distance: Signed distance in m; negative where they overlap.
        first: The point of the first shape, (3,), in m.
        second: The point of the second, ``first + distance normal``.
        normal: Unit vector from the first shape to the second, (3,). It is zero where the shapes
            have no direction to each other, as spheres with one centre.
    """

    distance: Scalar
    first: Vec
    second: Vec
    normal: Vec


def between_spheres(a: Vec, r_a: Scalar, b: Vec, r_b: Scalar) -> Closest:
    """Return the nearest points of spheres of radii r_a and r_b about the points a and b."""
    # d = |b - a|, n = (b - a)/d
    apart = sub(b, a)
    length = square_root(dot(apart, apart))
    normal = scale(1 / (length + TINY), apart)
    return Closest(
        length - r_a - r_b, add(a, scale(r_a, normal)), sub(b, scale(r_b, normal)), normal
    )
