"""Shapes as the solids that distances are computed between, and which formula each pair has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Sphere,
)
from dalembert.model.distances.mesh_points import mesh_points
from dalembert.spatial.distance import (
    Closest,
    box_to_box,
    capsule_to_box,
    capsule_to_capsule,
    capsule_to_cylinder,
    sphere_to_box,
    sphere_to_capsule,
    sphere_to_cylinder,
    sphere_to_sphere,
)
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import square_root
from dalembert.spatial.vectors import ZERO, Scalar, Vec, neg, ratio, rotate

if TYPE_CHECKING:
    from dalembert.types import Array

AXES: tuple[Vec, Vec, Vec] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


class Pill(NamedTuple):
    """A capsule: its radius, from its middle to the centre of one half ball, its middle, in m."""

    radius: Scalar
    half: Vec
    middle: Vec = ZERO


Formula = Callable[[Any, Pose, Any, Pose], Closest]


def has_formula(a: Geometry, b: Geometry) -> bool:
    """Tell whether the distance of two kinds of shapes is exact in closed form."""
    return (type(a), type(b)) in FORMULAS or (type(b), type(a)) in FORMULAS


def meet_in_a_point(a: Geometry, b: Geometry) -> bool:
    """Tell whether convex shapes touch in one point wherever they meet: edges and faces do not."""
    return isinstance(a, Sphere) or isinstance(b, Sphere) or type(a) is type(b) is Capsule


def pill_about(geometry: Geometry, where: str) -> Pill:
    """Return the capsule about a shape; of a sphere and a capsule, itself.

    Raises:
        InvalidMechanism: the shape is a mesh whose file was not found.
    """
    if isinstance(geometry, Sphere):
        return Pill(geometry.radius, (0, 0, 0))
    if isinstance(geometry, Capsule | Cylinder):
        # the half balls lie beyond the ends of a cylinder
        return Pill(geometry.radius, (0, 0, ratio(geometry.length, 2)))
    if isinstance(geometry, Box):
        edges = geometry.size
        k = _longest(edges)
        y, z = (ratio(edge, 2) for i, edge in enumerate(edges) if i != k)
        # through the corners of both ends
        return Pill(square_root(y * y + z * z), _along(k, ratio(edges[k], 2)))
    if isinstance(geometry, Ellipsoid):
        k = _longest(geometry.radii)
        others = [r for i, r in enumerate(geometry.radii) if i != k]
        radius = others[_longest(others)]
        # half balls that touch the tips from outside: their curvature is less than the tips'
        return Pill(radius, _along(k, geometry.radii[k] - radius))
    assert isinstance(geometry, Mesh)
    return _about_points(corners_of(geometry, where))


def corners_of(mesh: Mesh, where: str) -> Array:
    """Return the corners of a mesh.

    Raises:
        InvalidMechanism: its file was not found.
    """
    points = mesh_points(mesh)
    if points is not None:
        return points
    raise InvalidMechanism(
        f"expected shapes for distances, got a mesh without its file at {where}: find it with "
        "locate_meshes, name other links in pairs=, or give the link other shapes"
    )


def closest(a: Geometry, X_a: Pose, b: Geometry, X_b: Pose, where: str) -> Closest:
    """Return the nearest points of two shapes at their poses."""
    formula = FORMULAS.get((type(a), type(b)))
    if formula is not None:
        return formula(a, X_a, b, X_b)
    formula = FORMULAS.get((type(b), type(a)))
    if formula is not None:
        distance, first, second, normal = formula(b, X_b, a, X_a)
        return Closest(distance, second, first, neg(normal))
    p, q = pill_about(a, where), pill_about(b, where)
    half_a, half_b = rotate(X_a.R, p.half), rotate(X_b.R, q.half)
    middle_a, middle_b = X_a.point(p.middle), X_b.point(q.middle)
    return capsule_to_capsule(middle_a, half_a, p.radius, middle_b, half_b, q.radius)


def _half(shape: Any, X: Pose) -> Vec:
    """Return the half axis of a capsule in the world."""
    return rotate(X.R, (0, 0, ratio(shape.length, 2)))


def _capsules(a: Any, X: Pose, b: Any, Y: Pose) -> Closest:
    return capsule_to_capsule(X.p, _half(a, X), a.radius, Y.p, _half(b, Y), b.radius)


def _capsule_cylinder(a: Any, X: Pose, b: Any, Y: Pose) -> Closest:
    return capsule_to_cylinder(X.p, _half(a, X), a.radius, Y, b.radius, b.length)


def _capsule_box(a: Any, X: Pose, b: Any, Y: Pose) -> Closest:
    return capsule_to_box(X, a.radius, a.length, Y, b.size)


def _sphere_capsule(a: Any, X: Pose, b: Any, Y: Pose) -> Closest:
    return sphere_to_capsule(X.p, a.radius, Y.p, _half(b, Y), b.radius)


def _sphere_cylinder(a: Any, X: Pose, b: Any, Y: Pose) -> Closest:
    return sphere_to_cylinder(X.p, a.radius, Y, b.radius, b.length)


FORMULAS: dict[tuple[type[Geometry], type[Geometry]], Formula] = {
    (Sphere, Sphere): lambda a, X, b, Y: sphere_to_sphere(X.p, a.radius, Y.p, b.radius),
    (Sphere, Capsule): _sphere_capsule,
    (Sphere, Box): lambda a, X, b, Y: sphere_to_box(X.p, a.radius, Y, b.size),
    (Sphere, Cylinder): _sphere_cylinder,
    (Capsule, Capsule): _capsules,
    (Capsule, Box): _capsule_box,
    (Capsule, Cylinder): _capsule_cylinder,
    (Box, Box): lambda a, X, b, Y: box_to_box(X, a.size, Y, b.size),
}
"""The exact formulas, by the kinds of both shapes in one of their orders."""


def _about_points(points: Array) -> Pill:
    """Return a capsule about points: along their principal axis, as short as its radius allows."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    _, _, axes = np.linalg.svd(points - middle, full_matrices=False)
    along = (points - middle) @ axes[0]
    across = np.linalg.norm(points - middle - along[:, None] * axes[0], axis=1)
    radius = float(across.max())
    # each point lies below the half ball of its end; the capsule stays about the middle
    need = np.abs(along) - np.sqrt(np.maximum(radius**2 - across**2, 0.0))
    half = axes[0] * max(0.0, float(need.max()))
    return Pill(radius, tuple(half.tolist()), tuple(middle.tolist()))


def _longest(values: Vec | list[Scalar]) -> int:
    """Return the place of the largest number; symbols have no order, and the last is taken."""
    try:
        return max(range(len(values)), key=lambda k: float(values[k]))
    except (TypeError, ValueError, ArithmeticError):
        raise InvalidMechanism(
            "expected numbers for the sizes of boxes and ellipsoids in distances, got symbols: "
            "bind their values"
        ) from None


def _along(k: int, length: Scalar) -> Vec:
    x, y, z = AXES[k]
    return (x * length, y * length, z * length)
