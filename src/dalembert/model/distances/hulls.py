"""Distances of shapes that have no formula here, by MuJoCo: cylinders, ellipsoids, convex hulls."""

from __future__ import annotations

from collections.abc import Sequence
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
    Shape,
    Sphere,
)
from dalembert.model.distances.solids import corners_of
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.model.distances.pairs import ShapePair
    from dalembert.model.model import Model
    from dalembert.types import Array

OLDEST = 4
"""The first major version of MuJoCo whose distances of hulls can be relied on."""

FARTHEST = 1e3
"""Distance in m beyond which MuJoCo says no more than that."""

NONE = 1e-12
"""Distance in m below which nearest points have no direction."""


def find_engine() -> Any | None:
    """Return MuJoCo, or None where it is not installed or too old."""
    try:
        mujoco = require("mujoco", "distances of hulls")
    except MissingDependency:
        return None
    return mujoco if int(mujoco.__version__.split(".")[0]) >= OLDEST else None


class Hulls:
    """Some pairs of shapes in a scene of MuJoCo, in which they are moved to where they are.

    Args:
        model: The robot.
        pairs: Which shapes.
    """

    def __init__(self, model: Model, pairs: Sequence[ShapePair]) -> None:
        self._mujoco: Any = find_engine()
        self._model, self._pairs = model, pairs
        links = {link.name: link for link in model.mechanism.links}
        ends = [end for pair in pairs for end in pair.ends]
        self._shapes = {end: links[end[0]].collisions[end[1]] for end in dict.fromkeys(ends)}
        self._frames = tuple(dict.fromkeys(link for link, _ in self._shapes))
        scene = self._mujoco.MjSpec()
        for number, shape in enumerate(self._shapes.values()):
            _add(self._mujoco, scene, shape.geometry, number)
        self._scene = scene.compile()
        self._data = self._mujoco.MjData(self._scene)
        # meshes are turned to their principal axes when they are compiled
        self._mujoco.mj_forward(self._scene, self._data)
        at, turn = np.array(self._data.geom_xpos), np.array(self._data.geom_xmat)
        self._own = _poses(turn.reshape(-1, 3, 3), at)
        self._radii = np.array(self._scene.geom_rbound)

    def distances(self, q: Array, within: float = np.inf) -> tuple[Array, ...]:
        """Return d, both nearest points, normals and Jacobians of all pairs; see `Distances`.

        Beyond ``within`` the spheres about the shapes count.
        """
        model, nv = self._model, self._model.nv
        rows = q.reshape(-1, q.shape[-1])
        X_WL = model.forward_kinematics(rows, frame=self._frames)
        J = model.jacobian(rows, frame=self._frames)
        number = {name: k for k, name in enumerate(self._frames)}
        places = {end: k for k, end in enumerate(self._shapes)}
        own = np.stack([_pose(shape) for shape in self._shapes.values()]) @ self._own
        X_WS = X_WL[:, [number[link] for link, _ in self._shapes]] @ own
        ends = np.zeros((len(rows), len(self._pairs), 2, 3))
        d = np.zeros(ends.shape[:2])
        for i, X in enumerate(X_WS):
            self._data.geom_xpos[:] = X[:, :3, 3]
            self._data.geom_xmat[:] = X[:, :3, :3].reshape(-1, 9)
            for k, pair in enumerate(self._pairs):
                a, b = (places[end] for end in pair.ends)
                d[i, k] = self._distance(a, b, X, within, ends[i, k])
        way = ends[:, :, 1] - ends[:, :, 0]
        length = np.linalg.norm(way, axis=-1, keepdims=True)
        normal = way * np.where(length > NONE, np.sign(d)[..., None] / np.maximum(length, NONE), 0)
        slopes = np.zeros((*d.shape, nv))
        for k, pair in enumerate(self._pairs):
            for side, (link, _) in enumerate(pair.ends):
                frame = number[link]
                arm = ends[:, k, side] - X_WL[:, frame, :3, 3]
                # n · (u + ω × r) = n · u + (r × n) · ω
                moment = np.cross(arm, normal[:, k])
                row = np.concatenate([normal[:, k], moment], axis=-1)
                sign = 1 if side else -1
                slopes[:, k] += sign * np.einsum("ni,niv->nv", row, J[:, frame])
        parts = d, ends[:, :, 0], ends[:, :, 1], normal, slopes
        return tuple(x.reshape(*q.shape[:-1], *x.shape[1:]) for x in parts)

    def _distance(self, a: int, b: int, X: Array, within: float, ends: Array) -> float:
        way = X[b, :3, 3] - X[a, :3, 3]
        length = float(np.linalg.norm(way))
        gap = length - self._radii[a] - self._radii[b]
        if gap > within:
            n = way / length
            ends[0] = X[a, :3, 3] + self._radii[a] * n
            ends[1] = X[b, :3, 3] - self._radii[b] * n
            return gap
        flat = ends.reshape(6)
        return self._mujoco.mj_geomDistance(self._scene, self._data, a, b, FARTHEST, flat)


def _add(mujoco: Any, scene: Any, geometry: Geometry, number: int) -> None:
    """Add a shape to a scene, at its origin."""
    kinds = mujoco.mjtGeom
    geom = scene.worldbody.add_geom(name=f"shape{number}")
    match geometry:
        case Sphere():
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [float(geometry.radius), 0, 0]
        case Capsule():
            size = [float(geometry.radius), float(geometry.length) / 2, 0]
            geom.type, geom.size = kinds.mjGEOM_CAPSULE, size
        case Cylinder():
            size = [float(geometry.radius), float(geometry.length) / 2, 0]
            geom.type, geom.size = kinds.mjGEOM_CYLINDER, size
        case Box():
            geom.type, geom.size = kinds.mjGEOM_BOX, [float(x) / 2 for x in geometry.size]
        case Ellipsoid():
            geom.type, geom.size = kinds.mjGEOM_ELLIPSOID, [float(x) for x in geometry.radii]
        case Mesh():
            points = corners_of(geometry, "a link")
            scene.add_mesh(name=f"mesh{number}", uservert=points.ravel().tolist())
            geom.type, geom.meshname = kinds.mjGEOM_MESH, f"mesh{number}"


def _pose(shape: Shape) -> Array:
    R = np.array([[float(x) for x in row] for row in shape.placement.R])
    return _poses(R, np.array([float(x) for x in shape.placement.p]))


def _poses(R: Array, p: Array) -> Array:
    """Return homogeneous matrices."""
    X = np.zeros((*R.shape[:-2], 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = R, p, 1
    return X
