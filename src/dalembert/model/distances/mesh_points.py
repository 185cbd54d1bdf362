"""The corners of a mesh, read from its file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import FileError, InvalidMechanism
from dalembert.files import read_regular

if TYPE_CHECKING:
    from dalembert.mechanism.parts.shape import Mesh
    from dalembert.types import Array

MAX_BYTES = 64 << 20
"""Of a mesh file."""

STL_HEADER = 84
"""Bytes before the triangles of a binary STL: 80 of text, and their number."""

STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])


def mesh_points(mesh: Mesh) -> Array | None:
    """Return the corners of a mesh in its own frame, ``(k, 3)`` in m; None if no file was found.

    Raises:
        InvalidMechanism: the file is neither STL nor OBJ, or has fewer than four corners.
    """
    if mesh.path is None:
        return None
    scale = np.array([float(x) for x in mesh.scale])
    return _corners(mesh.path) * scale


@lru_cache(maxsize=256)
def _corners(path: str) -> Array:
    ending = Path(path).suffix.lower()
    readers = {".stl": _stl, ".obj": _obj}
    name = Path(path).name
    if ending not in readers:
        raise InvalidMechanism(
            f"expected meshes in STL or OBJ files for distances, got {name!r}: convert the file, "
            "or give the link another collision shape"
        )
    try:
        points = readers[ending](read_regular(path, MAX_BYTES))
    except (FileError, ValueError, IndexError) as error:
        raise InvalidMechanism(f"cannot read the mesh {name!r}: {error}") from None
    points = np.unique(points, axis=0)
    if len(points) < 4 or not np.isfinite(points).all():
        raise InvalidMechanism(
            f"expected at least four corners in the mesh {name!r}, got {len(points)}"
        )
    return points


def _stl(data: bytes) -> Array:
    count = int.from_bytes(data[STL_HEADER - 4 : STL_HEADER], "little")
    if len(data) == STL_HEADER + count * STL_TRIANGLE.itemsize:
        triangles = np.frombuffer(data, STL_TRIANGLE, count, STL_HEADER)
        return triangles["corners"].reshape(-1, 3).astype(float)
    # as text: "vertex x y z"
    return _numbers(data, b"vertex")


def _obj(data: bytes) -> Array:
    return _numbers(data, b"v")


def _numbers(data: bytes, keyword: bytes) -> Array:
    """Return three numbers from each line that begins with a keyword."""
    lines = (line.split() for line in data.splitlines())
    found = [[float(x) for x in words[1:4]] for words in lines if words[:1] == [keyword]]
    return np.array(found, float).reshape(-1, 3)
