"""Write shapes and placements as URDF."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from dalembert.mechanism.io.xml.write import indented, numbers, tag
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Mat, ratio


def shape_lines(link: Link) -> list[str]:
    """Return <visual> and <collision> of a link; what URDF does not have is left out."""
    return [
        line
        for name, shapes in (("visual", link.visuals), ("collision", link.collisions))
        for shape in shapes
        for part in _parts(shape)
        for line in _shape(name, part)
    ]


def _parts(shape: Shape) -> Iterator[Shape]:
    """Yield what a shape is in URDF: a capsule is a cylinder with two balls at its ends."""
    geometry = shape.geometry
    if not isinstance(geometry, Capsule):
        yield shape
        return
    yield replace(shape, geometry=Cylinder(geometry.radius, geometry.length))
    for sign in (-1, 1):
        end = Pose(p=(0, 0, sign * ratio(geometry.length, 2)))
        ball = replace(shape, geometry=Sphere(geometry.radius), name="")
        yield replace(ball, placement=shape.placement @ end)


def _shape(name: str, shape: Shape) -> Iterator[str]:
    geometry = _geometry(shape.geometry)
    if geometry is None:
        return
    inside = [*origin(shape.placement), "<geometry>", *indented([geometry]), "</geometry>"]
    if shape.colour is not None and name == "visual":
        # the name tells equal colours from others, as materials are shared by their names
        colour = numbers(shape.colour)
        start = tag("material", {"name": f"rgba {colour}"}, open=True)
        inside += [start, *indented([tag("color", {"rgba": colour})]), "</material>"]
    start = tag(name, {"name": shape.name} if shape.name else {}, open=True)
    yield from (start, *indented(inside), f"</{name}>")


def _geometry(geometry: Geometry) -> str | None:
    match geometry:
        case Box(size):
            return tag("box", {"size": numbers(size)})
        case Sphere(radius):
            return tag("sphere", {"radius": radius})
        case Cylinder(radius, length):
            return tag("cylinder", {"radius": radius, "length": length})
        case Mesh(file, scale):
            scaled = {} if scale == (1, 1, 1) else {"scale": numbers(scale)}
            return tag("mesh", {"filename": file, **scaled})
    return None


def origin(X: Pose) -> list[str]:
    """Return <origin>, nothing for the identity."""
    if X.is_identity:
        return []
    rpy = rpy_from_rotation(X.R)
    turn = {"rpy": numbers(rpy)} if any(rpy) else {}
    return [tag("origin", {"xyz": numbers(X.p), **turn})]


def rpy_from_rotation(R: Mat) -> tuple[float, float, float]:
    """Return roll, pitch, yaw with R = R_z(yaw) R_y(pitch) R_x(roll).

    The roll is measured after yaw is taken off, so the product is accurate at pitch = ±π/2 too.

    >>> rpy_from_rotation(((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    (0.0, 0.0, 1.5707963267948966)
    """
    (a, b, c), (d, e, f), (g, _, _) = [[float(x) for x in row] for row in R]
    yaw = math.atan2(d, a) if a or d else 0.0
    pitch = math.atan2(-g, math.hypot(a, d))
    cy, sy = math.cos(yaw), math.sin(yaw)
    # row y of R_zᵀ R is (…, cos roll, -sin roll)
    roll = math.atan2(sy * c - cy * f, cy * e - sy * b)
    return roll + 0.0, pitch + 0.0, yaw + 0.0
