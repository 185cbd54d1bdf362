"""Shapes of links as triangles, and poses as viser writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import MissingDependency
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Sphere,
)

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
    try:
        import trimesh as package
    except ImportError:
        raise MissingDependency(
            'expected trimesh for the studio, got none: pip install "dalembert[view]"'
        ) from None
    return package


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
    """Return (w, x, y, z) of a rotation matrix."""
    # the largest of the four is found first, and the others from it
    trace = np.trace(R)
    four = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    k = int(np.argmax(four))
    if k == 0:
        w = np.sqrt(max(1 + trace, 0)) / 2
        rest = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
        q = np.array([w, *(x / (4 * w) for x in rest)])
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        s = np.sqrt(max(1 + R[i, i] - R[j, j] - R[l, l], 0)) * 2
        q = np.empty(4)
        q[0] = (R[l, j] - R[j, l]) / s
        q[1 + i] = s / 4
        q[1 + j] = (R[j, i] + R[i, j]) / s
        q[1 + l] = (R[l, i] + R[i, l]) / s
    return q / np.linalg.norm(q)


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


def between(a: Array, b: Array, radius: float) -> Any | None:
    """Return a rod from a to b; None where they are the same point."""
    if np.linalg.norm(np.subtract(b, a)) < 1e-6:
        return None
    return trimesh().creation.cylinder(radius=radius, segment=[a, b], sections=20)
