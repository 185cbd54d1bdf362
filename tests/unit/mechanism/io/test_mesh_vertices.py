"""Vertices of mesh files that are written here by hand, and damaged ones."""

from __future__ import annotations

import struct
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dalembert.errors import InvalidMechanism, ParseError
from dalembert.mechanism.io import mesh_vertices as module
from dalembert.mechanism.io.mesh_vertices import mesh_vertices
from dalembert.mechanism.parts.shape import Mesh

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
TRIANGLES = [(0, 1, 2), (1, 3, 2), (4, 6, 5), (5, 6, 7), (0, 4, 1), (1, 4, 5), (2, 3, 6), (3, 7, 6)]


def write_obj(path: Path, points: np.ndarray) -> None:
    lines = ["# cube", *(f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()), "vn 0 0 1"]
    path.write_text("\n".join([*lines, "f 1 2 3"]))


def write_binary(path: Path, points: np.ndarray, head: bytes = b"solid made of bytes") -> None:
    body = b"".join(struct.pack("<12fH", 0, 0, 1, *points[list(t)].ravel(), 0) for t in TRIANGLES)
    path.write_bytes(head.ljust(80, b" ") + struct.pack("<I", len(TRIANGLES)) + body)


def write_text(path: Path, points: np.ndarray) -> None:
    lines = ["solid cube"]
    for t in TRIANGLES:
        lines += ["facet normal 0 0 1", "outer loop"]
        lines += [f"vertex {x:e} {y:e} {z:e}" for x, y, z in points[list(t)].tolist()]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid"]))


@pytest.mark.parametrize(
    ("name", "write"), [("a.obj", write_obj), ("a.STL", write_binary), ("b.stl", write_text)]
)
def test_vertices_of_every_format(name: str, write, tmp_path: Path) -> None:
    points = CUBE * [0.5, 0.25, 2]
    write(tmp_path / name, points)
    mesh = Mesh(name, scale=(2, 1, 1), path=str(tmp_path / name))
    found = {tuple(x) for x in mesh_vertices(mesh, "link").tolist()}
    assert found == {(2 * x, y, z) for x, y, z in points.tolist()}


def test_damaged_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_binary(tmp_path / "short.stl", CUBE, b"binary")
    data = (tmp_path / "short.stl").read_bytes()
    cases = {
        "short.stl": data[:-7],
        "empty.stl": b"",
        "word.obj": b"v 1 2 three\n",
        "two.obj": b"v 1 2\n",
        "none.obj": b"f 1 2 3\n",
        "nan.obj": b"v nan 0 0\n",
        "inf.stl": b"solid\nvertex 1e999 0 0\n",
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ParseError, match=f"'{name}' at arm"):
            mesh_vertices(Mesh(name, path=str(tmp_path / name)), "arm")
    (tmp_path / "a.dae").write_bytes(b"<xml/>")
    with pytest.raises(InvalidMechanism, match=r"in STL or OBJ at arm, got 'a\.dae'"):
        mesh_vertices(Mesh("a.dae", path=str(tmp_path / "a.dae")), "arm")
    with pytest.raises(InvalidMechanism, match="whose file is known at arm"):
        mesh_vertices(Mesh("a.stl"), "arm")
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    with pytest.raises(InvalidMechanism, match="make it coarser"):
        mesh_vertices(Mesh("short.stl", path=str(tmp_path / "short.stl")), "arm")
