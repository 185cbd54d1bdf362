"""Two segments, and capsules about them."""

from __future__ import annotations

from dalembert.spatial.distance.closest import Closest, between_spheres
from dalembert.spatial.scalar import clamped
from dalembert.spatial.vectors import Scalar, Vec, add, dot, scale, sub

THIN = 1e-30
"""Added to squares of lengths in m², and to products of two of them in m⁴, so that a segment of no
length divides by no zero."""

PARALLEL = 1e-15
"""Square of the sine of an angle below which lines are parallel: it is rounding."""


def nearest_on_segments(a: Vec, half_a: Vec, b: Vec, half_b: Vec) -> tuple[Scalar, Scalar]:
    """Return s and t from -1 to 1: the nearest points are a + s half_a and b + t half_b.

    The lines' nearest points, each clamped to its segment in turn, s twice (Ericson 2005, 5.1.9).
    Of parallel segments, whose nearest points are many, it is a pair of them.

    >>> nearest_on_segments((0, 0, 0), (1, 0, 0), (2.0, 3, 0), (0, 1, 0))
    (1.0, -1.0)
    """
    # |d + s u - t v|² with d = a - b
    apart = sub(a, b)
    uu, uv, vv = dot(half_a, half_a) + THIN, dot(half_a, half_b), dot(half_b, half_b) + THIN
    du, dv = dot(apart, half_a), dot(apart, half_b)
    # of lines: s = (uv dv - du vv) / (uu vv - uv²); parallel ones have any s
    sine = (1 + PARALLEL) * uu * vv - uv * uv + THIN
    s = clamped((uv * dv - du * vv) / sine, -1, 1)
    # of s the best t = (dv + s uv) / vv, and of that the best s
    t = clamped((dv + s * uv) / vv, -1, 1)
    return clamped((t * uv - du) / uu, -1, 1), t


def capsule_to_capsule(
    a: Vec, half_a: Vec, r_a: Scalar, b: Vec, half_b: Vec, r_b: Scalar
) -> Closest:
    """Return the nearest points of two capsules, by their middles and half axes."""
    s, t = nearest_on_segments(a, half_a, b, half_b)
    return between_spheres(add(a, scale(s, half_a)), r_a, add(b, scale(t, half_b)), r_b)
