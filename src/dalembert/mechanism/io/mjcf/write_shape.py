"""Write shapes as geoms of MJCF."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.mechanism.io.xml.write import distinct, numbers, tag
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Shape,
    Sphere,
)
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.quaternion import from_matrix
from dalembert.spatial.vectors import IDENTITY, ZERO

# a shape that is only seen, as MuJoCo's own models have it, and one that only touches
SEEN = {"contype": 0, "conaffinity": 0, "group": 2}
TOUCHES = {"group": 3}


class GeomWriter:
    """Writes the shapes of links; equal meshes are one asset.

    A mesh is written where its file was found, since MuJoCo refuses a model without it.
    """

    def __init__(self, links: Iterable[Link]) -> None:
        self._taken: set[str] = set()
        self._meshes: dict[Mesh, str] = {}
        self._names: set[str] = set()
        for link in links:
            for shape in link.shapes:
                mesh = shape.geometry
                if isinstance(mesh, Mesh) and mesh.path and mesh not in self._meshes:
                    stem = mesh.file.rpartition("/")[2].rpartition(".")[0] or "mesh"
                    self._meshes[mesh] = distinct(stem, self._taken)

    def assets(self) -> list[str]:
        """Return the meshes; as shells they may be flat or open."""
        found = []
        for mesh, name in self._meshes.items():
            scale = {} if mesh.scale == (1, 1, 1) else {"scale": numbers(mesh.scale)}
            attributes = {"name": name, "file": mesh.file, **scale, "inertia": "shell"}
            found.append(tag("mesh", attributes))
        return found

    def geoms(self, link: Link) -> list[str]:
        """Return the geoms of a link; one that is seen and touches is written once."""
        both = [shape for shape in link.visuals if shape in link.collisions]
        seen = [(x, {} if x in both else SEEN) for x in link.visuals]
        touching = [(x, TOUCHES) for x in link.collisions if x not in both]
        lines = [self._geom(shape, role) for shape, role in (*seen, *touching)]
        return [line for line in lines if line]

    def _geom(self, shape: Shape, role: dict[str, int]) -> str:
        own = self._size(shape.geometry)
        if not own:
            return ""
        named = {"name": distinct(shape.name, self._names)} if shape.name else {}
        colour = {} if shape.colour is None else {"rgba": numbers(shape.colour)}
        return tag("geom", {**named, **own, **placed(shape.placement), **colour, **role})

    def _size(self, geometry: Geometry) -> dict[str, Any]:
        """Return type and size; MuJoCo's sizes are half lengths."""
        match geometry:
            case Box(size):
                return {"type": "box", "size": numbers(x / 2 for x in size)}
            case Sphere(radius):
                return {"type": "sphere", "size": radius}
            case Cylinder(radius, length) | Capsule(radius, length):
                kind = type(geometry).__name__.lower()
                return {"type": kind, "size": numbers((radius, length / 2))}
            case Ellipsoid(radii):
                return {"type": "ellipsoid", "size": numbers(radii)}
            case Mesh():
                name = self._meshes.get(geometry)
                return {"type": "mesh", "mesh": name} if name else {}
        return {}


def placed(X: Pose) -> dict[str, str]:
    """Return pos and quat of a placement, where it has them."""
    found = {}
    if X.p != ZERO:
        found["pos"] = numbers(X.p)
    if X.R != IDENTITY:
        found["quat"] = numbers(from_matrix(X.map(float).R))
    return found
