"""The points of a robot that touch a surface first, by the collision shapes of its links."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.mesh_vertices import mesh_vertices
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    Shape,
    Sphere,
)
from dalembert.spatial.distance import (
    box_corners,
    lowest_of_ellipsoid,
    lowest_on_circle,
    rim_corners,
)
from dalembert.spatial.hull import Hull, convex_hull
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Scalar, Vec, add, ratio, rotate, scale

MESH_POINTS = 32
"""Corners of the convex hull of a mesh that touch, at most."""

Lowest = Callable[[Pose, Vec], Vec]
"""From the pose of the link and a unit vector: the point farthest along it, in the same axes."""


class TouchPoint(NamedTuple):
    """A part of a link that touches a plane in one point.

    Attributes:
        name: The link with the shape and what of it: "calf sphere", "trunk box corner 3".
        link: The link it belongs to.
        lowest: Which point of it touches.
    """

    name: str
    link: str
    lowest: Lowest


def touch_points(
    mechanism: Mechanism,
    links: Sequence[str] | None = None,
    rim_points: int | None = None,
    mesh_points: int = MESH_POINTS,
) -> tuple[TouchPoint, ...]:
    """Return what of the collision shapes of links can touch a plane.

    A sphere and an ellipsoid have one point, a capsule two, a box its 8 corners. A cylinder has the
    lowest point of each of its two rims, or ``rim_points`` fixed points on each. A mesh has the
    corners of its convex hull. If these are more than ``mesh_points``, those that stick out
    farthest are taken, and a warning says by how much the others do.

    Raises:
        UnknownName: there is no such link.
        InvalidMechanism: a mesh has no file in STL or OBJ, or a named link no collision shapes.
        ParseError: the file of a mesh is damaged.
    """
    by_name = {link.name: link for link in mechanism.links}
    found: list[TouchPoint] = []
    cut: dict[str, float] = {}
    for name in by_name if links is None else links:
        if name not in by_name:
            raise UnknownName(f"expected a link, got {name!r} ({nearest(name, by_name)})")
        link = by_name[name]
        if links is not None and not link.collisions:
            raise InvalidMechanism(f"expected collision shapes of link {name!r}, got none")
        for title, shape in zip(_titles(link), link.collisions, strict=True):
            if isinstance(shape.geometry, Mesh):
                hull = _hull(shape.geometry, mesh_points, title)
                points = [_corner(shape.placement.point(tuple(x))) for x in hull.corners.tolist()]
                cut |= {title: hull.depth} if hull.depth else {}
            else:
                points = list(_lowest(shape, rim_points))
            for number, lowest in enumerate(points, 1):
                which = f" {number}" if len(points) > 1 else ""
                found.append(TouchPoint(f"{title}{which}", name, lowest))
    if cut:
        worst = max(cut, key=cut.__getitem__)
        warnings.warn(
            f"{len(cut)} meshes touch with {mesh_points} corners of their hulls; others stick out "
            f"by {cut[worst]:.2g} m at most, at {worst}: mesh_points= takes more",
            stacklevel=4,
        )
    return tuple(found)


def _hull(mesh: Mesh, most: int, title: str) -> Hull:
    return convex_hull(mesh_vertices(mesh, title), most, title)


def _titles(link: Link) -> list[str]:
    """Return a name for each shape of a link, no two the same."""
    kinds = [shape.name or type(shape.geometry).__name__.lower() for shape in link.collisions]
    return [
        f"{link.name} {kind}" + (f" {kinds[: k + 1].count(kind)}" if kinds.count(kind) > 1 else "")
        for k, kind in enumerate(kinds)
    ]


def _lowest(shape: Shape, rim_points: int | None) -> Iterator[Lowest]:
    """Yield the points of a shape, each as a function of the pose of its link."""
    X, geometry = shape.placement, shape.geometry
    if isinstance(geometry, Sphere):
        yield _ball(X.p, geometry.radius)
    elif isinstance(geometry, Capsule):
        for end in _ends(X, geometry.length):
            yield _ball(end, geometry.radius)
    elif isinstance(geometry, Box):
        yield from (_corner(p) for p in box_corners(X, geometry.size))
    elif isinstance(geometry, Cylinder) and rim_points is not None:
        corners = rim_corners(X, geometry.radius, geometry.length, rim_points)
        yield from (_corner(p) for p in corners)
    elif isinstance(geometry, Cylinder):
        for end in _ends(X, geometry.length):
            yield _rim(end, (X.R[0][2], X.R[1][2], X.R[2][2]), geometry.radius)
    elif isinstance(geometry, Ellipsoid):
        yield _ellipsoid(X, geometry.radii)


def _ends(X: Pose, length: Scalar) -> tuple[Vec, Vec]:
    half = ratio(length, 2)
    return X.point((0, 0, half)), X.point((0, 0, -half))


def _corner(point: Vec) -> Lowest:
    return lambda X, down: X.point(point)


def _ball(centre: Vec, radius: Scalar) -> Lowest:
    return lambda X, down: add(X.point(centre), scale(radius, down))


def _rim(centre: Vec, axis: Vec, radius: Scalar) -> Lowest:
    return lambda X, down: lowest_on_circle(X.point(centre), rotate(X.R, axis), radius, down)


def _ellipsoid(placement: Pose, radii: Vec) -> Lowest:
    return lambda X, down: lowest_of_ellipsoid(X @ placement, radii, down)
