"""The parts of a picture as things in a scene: each knows its points and moves with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.picture import outline
from dalembert.picture.parts import (
    Area,
    Arrow,
    Disc,
    Ground,
    Line,
    Mass,
    Part,
    Pin,
    Rail,
    Spring,
    Support,
)
from dalembert.studio.scene.geometry import quaternion, quaternion_from_z, trimesh

if TYPE_CHECKING:
    import viser

    from dalembert.types import Array

Colour = tuple[int, int, int]
"""Red, green and blue from 0 to 255."""

ROD, MASS, SPRING, GROUND, BLUE = (
    (110, 116, 126),
    (209, 87, 42),
    (45, 164, 78),
    (140, 146, 156),
    (47, 129, 247),
)
THICKNESS = {"rod": 1 / 90, "thin": 1 / 260, "rope": 1 / 260, "dashed": 1 / 300, "edge": 1 / 170}
"""Radius of a line as a share of the size of the figure."""
BALL, JOINT, COIL, PLATE = 1 / 26, 1 / 45, 1 / 40, 1 / 40
"""Radius of a mass, a joint and a coil, and thickness of a plate, as shares of the size."""
LONG = 3.0
"""Length of a track beside the size of the figure."""


class Piece(ABC):
    """Something in the scene that stands for a part."""

    handles: list[Any]

    @abstractmethod
    def show(self, at: Array) -> None:
        """Move it to where its points are, ``(k, 3)`` in m."""

    def remove(self) -> None:
        """Take it out of the scene."""
        for handle in self.handles:
            handle.remove()


class Rods(Piece):
    """Cylinders from point to point."""

    def __init__(self, place: Place, count: int, radius: float, colour: Colour) -> None:
        mesh = trimesh().creation.cylinder(radius=1.0, height=1.0, sections=16)
        self._radius = radius
        self.handles = [place.mesh(f"rod{k}", mesh, colour) for k in range(count)]

    def show(self, at: Array) -> None:
        for handle, a, b in zip(self.handles, at[:-1], at[1:], strict=True):
            length = float(np.linalg.norm(b - a))
            handle.visible = length > 1e-9
            if handle.visible:
                handle.position, handle.scale = (a + b) / 2, (self._radius, self._radius, length)
                handle.wxyz = quaternion_from_z((b - a) / length)


class Ball(Piece):
    """A ball at a point."""

    def __init__(self, place: Place, radius: float, colour: Colour) -> None:
        self.handles = [place.ball("ball", radius, colour)]

    def show(self, at: Array) -> None:
        self.handles[0].position = at[0]


class Coil(Piece):
    """A spring: a coil about its axis, stretched."""

    def __init__(self, place: Place, size: float) -> None:
        turns = np.linspace(0, 2 * np.pi * outline.COILS, 12 * outline.COILS)
        z = np.linspace(outline.STRAIGHT, 1 - outline.STRAIGHT, len(turns))
        width = COIL * size
        path = np.stack([width * np.cos(turns), width * np.sin(turns), z], axis=1)
        path = np.concatenate([[[0, 0, 0], [0, 0, z[0]]], path, [[0, 0, z[-1]], [0, 0, 1]]])
        self.handles = [place.path("coil", path, SPRING)]

    def show(self, at: Array) -> None:
        way = at[1] - at[0]
        length = float(np.linalg.norm(way))
        handle = self.handles[0]
        handle.visible = length > 1e-9
        if handle.visible:
            handle.position, handle.scale = at[0], (1.0, 1.0, length)
            handle.wxyz = quaternion_from_z(way / length)


class Solid(Piece):
    """A stiff thing: triangles that turn with three or more of their points."""

    def __init__(self, place: Place, at: Array, mesh: Any, colour: Colour) -> None:
        self._start = at
        self.handles = [place.mesh("solid", mesh, colour)]

    def show(self, at: Array) -> None:
        R, p = rigid_motion(self._start, at)
        self.handles[0].position, self.handles[0].wxyz = p, quaternion(R)


class Place:
    """A name in a scene, below which parts are added in one look.

    Args:
        scene: Where they are.
        name: What their names begin with.
        tint: One colour for all, unless None.
        opacity: From 0 to 1; None for 1.
    """

    def __init__(
        self, scene: viser.SceneApi, name: str, tint: Colour | None, opacity: float | None
    ) -> None:
        self._scene, self._name, self._tint, self._opacity = scene, name, tint, opacity

    def below(self, name: str) -> Place:
        """Return a place below this one."""
        return Place(self._scene, f"{self._name}/{name}", self._tint, self._opacity)

    def mesh(self, name: str, mesh: Any, colour: Colour) -> Any:
        """Add triangles."""
        return self._scene.add_mesh_simple(
            f"{self._name}/{name}",
            np.asarray(mesh.vertices, np.float32),
            np.asarray(mesh.faces, np.uint32),
            color=self._tint or colour,
            opacity=self._opacity,
            side="double",
        )

    def ball(self, name: str, radius: float, colour: Colour) -> Any:
        """Add a ball."""
        return self._scene.add_icosphere(
            f"{self._name}/{name}",
            radius=radius,
            color=self._tint or colour,
            opacity=self._opacity,
        )

    def path(self, name: str, path: Array, colour: Colour) -> Any:
        """Add lines from point to point."""
        segments = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)
        return self._scene.add_line_segments(
            f"{self._name}/{name}",
            segments,
            colors=self._tint or colour,
            thickness=3.0,
            thickness_units="screen",
        )


def piece(part: Part, place: Place, at: Array, size: float) -> Piece | None:
    """Return what stands for a part in the scene; None for labels.

    Args:
        part: What is drawn.
        place: Where it is added.
        at: Where its points are at first, ``(k, 3)`` in m.
        size: Of the whole figure, in m.
    """
    if isinstance(part, Line):
        return Rods(place, len(at) - 1, THICKNESS.get(part.style, 1 / 260) * size, ROD)
    if isinstance(part, Arrow):
        return Rods(place, len(at) - 1, size / 220, BLUE)
    if isinstance(part, Spring):
        return Coil(place, size)
    if isinstance(part, Mass):
        return Ball(place, BALL * size, MASS)
    if isinstance(part, Pin | Support):
        return Ball(place, JOINT * size, GROUND if isinstance(part, Support) else (235, 235, 240))
    if isinstance(part, Disc):
        return Solid(place, at, _plate(outline.circle(*at)[:-1], size), MASS)
    if isinstance(part, Area):
        return Solid(place, at, _plate(at, size), ROD)
    if isinstance(part, Ground):
        return Rods(place, 1, size / 120, GROUND)
    if isinstance(part, Rail):
        return _Track(place, size)
    return None


class _Track(Piece):
    """A rail, as long as the figure is large, about where it began."""

    def __init__(self, place: Place, size: float) -> None:
        self._rods = Rods(place, 1, size / 120, GROUND)
        self._size, self.handles = size, self._rods.handles
        self._middle: Array | None = None

    def show(self, at: Array) -> None:
        way = (at[1] - at[0]) / max(float(np.linalg.norm(at[1] - at[0])), 1e-12)
        if self._middle is None:
            self._middle = at[0]
        # it lies still while something moves along it
        foot = at[0] + way * float(way @ (self._middle - at[0]))
        reach = LONG * self._size * way
        self._rods.show(np.stack([foot - reach, foot + reach]))


def _plate(corners: Array, size: float) -> Any:
    """Return a thin prism over a planar outline, as triangles."""
    middle = corners.mean(axis=0)
    normal = np.linalg.svd(corners - middle)[2][2]
    half = PLATE * size / 2 * normal
    count = len(corners)
    vertices = np.concatenate([corners + half, corners - half, [middle + half, middle - half]])
    faces = []
    for i in range(count):
        j = (i + 1) % count
        faces += [[i, j, 2 * count], [j + count, i + count, 2 * count + 1]]
        faces += [[i, i + count, j], [j, i + count, j + count]]
    return trimesh().Trimesh(vertices, faces, process=False)


def rigid_motion(start: Array, end: Array) -> tuple[Array, Array]:
    """Return R and p of the stiff motion that takes points ``(k, 3)`` best to others.

    By the singular values of the covariance (Kabsch 1976); R is a rotation, never a reflection.
    """
    a, b = start.mean(axis=0), end.mean(axis=0)
    U, _, Vt = np.linalg.svd((start - a).T @ (end - b))
    sign = np.sign(np.linalg.det(Vt.T @ U.T)) or 1.0
    R = Vt.T @ np.diag([1.0, 1.0, sign]) @ U.T
    return R, b - R @ a
