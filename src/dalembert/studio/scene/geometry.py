"""Shapes of links as triangles, and poses as viser writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Sphere,
)
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.mechanism.parts.shape import Shape
    from dalembert.spatial.pose import Pose
    from dalembert.types import Array

MAX_BYTES = 64 << 20
"""Of a mesh file."""


def trimesh() -> Any:
    """Return the package that makes triangles.

    Raises:
        MissingDependency: it is not installed.
    """
    return require("trimesh", "the studio")


def triangles(geometry: Geometry) -> Any | None:
    """Return the triangles of a geometry; None for a mesh whose file is not there."""
    make = trimesh().creation
    match geometry:
        case Box():
            return make.box(extents=[float(x) for x in geometry.size])
        case Sphere():
            return make.icosphere(subdivisions=3, radius=float(geometry.radius))
        case Ellipsoid():
            ball = make.icosphere(subdivisions=3)
            return ball.apply_scale([float(x) for x in geometry.radii])
        case Cylinder():
            return make.cylinder(radius=float(geometry.radius), height=float(geometry.length))
        case Capsule():
            return make.capsule(radius=float(geometry.radius), height=float(geometry.length))
        case Mesh():
            return _loaded(geometry)
    return None


def _loaded(mesh: Mesh) -> Any | None:
    """Return the triangles of a file that was found; only .stl and .obj without materials."""
    import io
    import os

    from dalembert.errors import FileError
    from dalembert.files import read_regular

    if mesh.path is None:
        return None
    ending = os.path.splitext(mesh.path)[1].lower().removeprefix(".")
    if ending not in ("stl", "obj"):
        return None
    try:
        data = read_regular(mesh.path, MAX_BYTES)
        # from bytes: nothing else is opened, whatever the file names
        found = trimesh().load(io.BytesIO(data), file_type=ending, force="mesh")
        return found.apply_scale([float(x) for x in mesh.scale]) if len(found.faces) else None
    except (FileError, ValueError, IndexError, KeyError, TypeError):
        return None


def matrix(pose: Pose) -> Array:
    """Return a pose as a 4×4 matrix of floats."""
    X = np.eye(4)
    X[:3, :3] = np.array([[float(x) for x in row] for row in pose.R])
    X[:3, 3] = [float(x) for x in pose.p]
    return X


def quaternion(R: Array) -> Array:
    """Return (w, x, y, z) of rotation matrices ``(..., 3, 3)``, as ``(..., 4)``."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    wx, wy, wz = (
        R[..., 2, 1] - R[..., 1, 2],
        R[..., 0, 2] - R[..., 2, 0],
        R[..., 1, 0] - R[..., 0, 1],
    )
    xy, xz, yz = (
        R[..., 0, 1] + R[..., 1, 0],
        R[..., 0, 2] + R[..., 2, 0],
        R[..., 1, 2] + R[..., 2, 1],
    )
    # 4 q qᵀ: each row is the quaternion times one of its entries
    rows = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], -1),
            np.stack([wx, 1 + xx - yy - zz, xy, xz], -1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], -1),
            np.stack([wz, xz, yz, 1 - xx - yy + zz], -1),
        ],
        -2,
    )
    # the row of the largest entry is the most accurate one
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), -1)
    q = np.take_along_axis(rows, largest[..., None, None], -2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def quaternion_from_z(direction: Array) -> Array:
    """Return (w, x, y, z) of the shortest turn of the z axis to a unit vector."""
    x, y, z = direction
    # opposite directions: half a turn about x
    if z < -1 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([1 + z, -y, x, 0.0])
    return q / np.linalg.norm(q)


def colour_of(shape: Shape, default: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return red, green and blue from 0 to 255."""
    if shape.colour is None:
        return default
    red, green, blue = (round(255 * x) for x in shape.colour[:3])
    return red, green, blue
