"""What can be shown over a robot: frames, centre of mass, ellipsoids, forces of constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis import ellipsoid
from dalembert.studio.scene.arrows import force_arrows
from dalembert.studio.scene.geometry import matrix, quaternion, trimesh
from dalembert.studio.scene.robot import Robot

if TYPE_CHECKING:
    import viser

    from dalembert.model import Model
    from dalembert.studio.state import Moment
    from dalembert.types import Array

NAMES = ("frames", "centre of mass", "velocity ellipsoid", "force ellipsoid", "constraint forces")
"""What can be switched on."""
ELLIPSOIDS = {"velocity": (66, 135, 245), "force": (235, 87, 87)}
ELLIPSOID_UNITS = {
    "velocity": "Velocity ellipsoid: half axes {} (m/s where the rates of joints have length 1).",
    "force": "Force ellipsoid: half axes {} (N where the forces of joints have length 1).",
}
THINNEST = 1e-3
"""Of the longest half axis: a flat ellipsoid stays visible."""


class Overlays:
    """Things that follow a robot while they are switched on.

    Attributes:
        shown: What is switched on, of `NAMES`.
        frame: Where the ellipsoids are.
        said: The half axes of those that are shown, in words.
    """

    def __init__(self, scene: viser.SceneApi, robot: Robot, frame: str) -> None:
        self.robot, self.model, self.size, self.frame = robot, robot.model, robot.size, frame
        self.shown: set[str] = set()
        self.said: dict[str, str] = {}
        size = self.size
        self._centre = scene.add_icosphere(
            "/centre", radius=size / 40, color=(245, 200, 66), visible=False
        )
        ball = trimesh().creation.icosphere(subdivisions=3)
        self._ellipsoids = {
            kind: scene.add_mesh_simple(
                f"/ellipsoid/{kind}",
                np.asarray(ball.vertices, np.float32),
                np.asarray(ball.faces, np.uint32),
                color=colour,
                opacity=0.35,
                visible=False,
            )
            for kind, colour in ELLIPSOIDS.items()
        }
        self._arrows = force_arrows(scene, "/forces", (200, 40, 160), size)

    def show(self, moment: Moment) -> None:
        """Move all that is switched on."""
        self.robot.show_axes("frames" in self.shown)
        self._show_centre(moment)
        for kind in ELLIPSOIDS:
            self._show_ellipsoid(kind, moment)
        self._show_forces(moment)

    def _show_centre(self, moment: Moment) -> None:
        self._centre.visible = "centre of mass" in self.shown
        if self._centre.visible:
            self._centre.position = np.asarray(self.model.center_of_mass(moment.q))

    def _show_ellipsoid(self, kind: str, moment: Moment) -> None:
        mesh = self._ellipsoids[kind]
        mesh.visible = f"{kind} ellipsoid" in self.shown
        if not mesh.visible:
            self.said.pop(kind, None)
            return
        J = np.asarray(self.model.jacobian(moment.q, self.frame))[:3]
        found = ellipsoid(J, kind)  # type: ignore[arg-type]
        self.said[kind] = ELLIPSOID_UNITS[kind].format(_numbers(found.lengths))
        half, axes = scaled(found.lengths, self.size / 4), np.array(found.axes)
        if np.linalg.det(axes) < 0:
            axes[:, 2] *= -1
        X = np.asarray(self.model.forward_kinematics(moment.q, self.frame))
        mesh.scale = tuple(half)
        mesh.position, mesh.wxyz = X[:3, 3], quaternion(axes)

    def _show_forces(self, moment: Moment) -> None:
        self._arrows.visible = "constraint forces" in self.shown
        if self._arrows.visible:
            arrows = loop_forces(self.model, moment)
            largest = max(np.linalg.norm(arrows[:, 1], axis=-1).max(initial=0.0), 1e-12)
            ends = arrows[:, 0] + arrows[:, 1] * (self.size / 3 / largest)
            self._arrows.points = np.stack([arrows[:, 0], ends], axis=1)


def scaled(half: Array, longest: float) -> Array:
    """Return half axes as long as they shall be shown: the longest of that length."""
    half = np.asarray(half, float)
    finite = half[np.isfinite(half)]
    top = finite.max() if len(finite) and finite.max() > 0 else 1.0
    shown = np.where(np.isfinite(half), half / top, 3.0) * longest
    return np.maximum(shown, THINNEST * longest)


def _numbers(lengths: Array) -> str:
    return ", ".join(f"{x:.3g}" if np.isfinite(x) else "∞" for x in lengths)


def loop_forces(model: Model, moment: Moment) -> Array:
    """Return point and force of every loop, ``(n, 2, 3)`` in m and N, on its first link."""
    mechanism = model.mechanism
    links = {link.name: k for k, link in enumerate(mechanism.links)}
    names = model.description.constraint_names
    found = []
    poses = np.asarray(model.forward_kinematics(moment.q))
    for loop in mechanism.loops:
        force = np.zeros(3)
        for k, axis in enumerate("xyz"):
            name = f"loop {loop.name} {axis}"
            if name in names:
                force[k] = moment.lam[names.index(name)]
        X = poses[links[loop.first.link]] @ matrix(loop.first.placement)
        found.append([X[:3, 3], force])
    return np.array(found).reshape(-1, 2, 3)
