"""The vertices of mesh files: STL in binary and text, and OBJ."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from dalembert.errors import InvalidMechanism, ParseError
from dalembert.mechanism.parts.shape import Mesh

MAX_BYTES = 1 << 28
"""Of a file: a quarter of a gigabyte, some five million triangles."""

STL_HEAD, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL file before its triangles, and of each: a normal, three corners, a word."""


def mesh_vertices(mesh: Mesh, where: str) -> np.ndarray:
    """Return the vertices of a mesh in its own frame, with its scale, ``(n, 3)`` in m.

    Args:
        mesh: Whose file was found.
        where: What messages name.

    Raises:
        InvalidMechanism: nobody knows where the file is, or it is of another kind or too large.
        ParseError: it is damaged.
    """
    if mesh.path is None:
        raise InvalidMechanism(
            f"expected a mesh whose file is known at {where}, got {mesh.file!r}: load the robot "
            "with root= or packages=, or name other links in links="
        )
    path = Path(mesh.path)
    readers = {".stl": _stl, ".obj": _obj}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InvalidMechanism(
            f"expected a mesh in STL or OBJ at {where}, got {path.name!r}: convert it, or name "
            "other links in links="
        )
    if path.stat().st_size > MAX_BYTES:
        raise InvalidMechanism(
            f"expected a mesh of at most {MAX_BYTES >> 20} MiB at {where}, got {path.name!r} with "
            f"{path.stat().st_size >> 20} MiB: make it coarser"
        )
    try:
        points = reader(path.read_bytes())
    except (ValueError, IndexError, struct.error) as error:
        raise ParseError(f"expected a mesh in {path.name!r} at {where}, got {error}") from None
    if len(points) == 0 or not np.isfinite(points).all():
        raise ParseError(f"expected finite vertices in {path.name!r} at {where}, got none")
    return points * np.array([float(x) for x in mesh.scale])


def _stl(data: bytes) -> np.ndarray:
    if len(data) >= STL_HEAD:
        (count,) = struct.unpack_from("<I", data, STL_HEAD - 4)
        # text begins with "solid", and so do some binary files: their length tells
        if len(data) == STL_HEAD + STL_TRIANGLE * count:
            body = np.frombuffer(data, np.uint8, offset=STL_HEAD).reshape(count, STL_TRIANGLE)
            corners = np.ascontiguousarray(body[:, 12:48]).view("<f4")
            return corners.astype(float).reshape(-1, 3)
    if not data.lstrip().startswith(b"solid"):
        raise ValueError("neither the length of a binary STL file nor the word solid")
    return _lines(data, b"vertex")


def _obj(data: bytes) -> np.ndarray:
    return _lines(data, b"v")


def _lines(data: bytes, word: bytes) -> np.ndarray:
    """Return the first three numbers of all lines that begin with a word."""
    rows = [line.split() for line in data.splitlines()]
    found = [[float(x) for x in row[1:4]] for row in rows if row and row[0] == word]
    if any(len(row) != 3 for row in found):
        raise ValueError("a vertex without three numbers")
    return np.array(found, float).reshape(-1, 3)
