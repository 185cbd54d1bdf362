"""A robot: its links by their shapes, or as rods between their joints where they have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.mechanism import JointKind, Mechanism
from dalembert.studio.scene.geometry import (
    between,
    colour_of,
    matrix,
    quaternion,
    triangles,
    trimesh,
)

if TYPE_CHECKING:
    import viser

    from dalembert.mechanism import Joint, Link
    from dalembert.model import Model
    from dalembert.spatial.pose import Pose
    from dalembert.studio.state import Moment
    from dalembert.types import Array

PALETTE = ((76, 114, 176), (221, 132, 82), (85, 168, 104), (196, 78, 82), (129, 114, 179))
JOINT_COLOUR = (60, 60, 66)
STILL = 1e-9
"""In m, and of unit quaternions: rounding, which is no motion."""
Colour = tuple[int, int, int]
"""Red, green and blue from 0 to 255."""


class Robot:
    """The links of a model in a scene, below one name; ``show`` moves them.

    Attributes:
        size: A length to measure other things by, in m.
        low, centre: The lowest corner and the middle of the robot as it stands at first, in m.
        num_missing: Meshes that are not drawn.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        model: Model,
        q: Array,
        *,
        name: str = "/robot",
        opacity: float | None = None,
        tint: Colour | None = None,
    ) -> None:
        self.model = model
        mechanism = model.mechanism
        low, high = extent_of(model, q)
        size = float(np.linalg.norm(high - low))
        self.low, self.centre, self.size = low, (low + high) / 2, size if size > 1e-6 else 1.0
        self._opacity, self._tint = opacity, tint
        self._radius = _thickness(mechanism, self.size)
        self.num_missing = 0
        self._parents, places = _tree(mechanism, name)
        # parents before their children
        made = {place: self._frame(scene, place) for place in sorted(places, key=len)}
        self._frames = [made[place] for place in places]
        self._has_axes = False
        self._shown = np.full((len(places), 7), np.nan)
        for k, link in enumerate(mechanism.links):
            self._draw(scene, mechanism, k, link, places[k])

    def _frame(self, scene: viser.SceneApi, place: str) -> viser.FrameHandle:
        """Return the frame of a link, its axes hidden."""
        length, radius = 5 * self._radius, self._radius / 5
        return scene.add_frame(place, show_axes=False, axes_length=length, axes_radius=radius)

    def show(self, moment: Moment) -> None:
        """Move the links to a configuration, each below its parent: what a joint keeps is kept."""
        X_W = np.asarray(self.model.forward_kinematics(moment.q))
        # X_PL = X_WP⁻¹ X_WL
        R_P, p_P = X_W[self._parents, :3, :3], X_W[self._parents, :3, 3]
        p = np.einsum("kji,kj->ki", R_P, X_W[:, :3, 3] - p_P)
        R = np.einsum("kji,kjl->kil", R_P, X_W[:, :3, :3])
        p[0], R[0] = X_W[0, :3, 3], X_W[0, :3, :3]
        poses = np.hstack([p, quaternion(R)])
        has_moved = ~(np.abs(poses - self._shown) <= STILL)
        self._shown = np.where(has_moved, poses, self._shown)
        for k in np.flatnonzero(has_moved[:, :3].any(axis=1)):
            self._frames[k].position = poses[k, :3]
        for k in np.flatnonzero(has_moved[:, 3:].any(axis=1)):
            self._frames[k].wxyz = poses[k, 3:]

    def show_axes(self, is_shown: bool) -> None:
        """Show or hide the axes of the frames of links."""
        if is_shown != self._has_axes:
            self._has_axes = is_shown
            for frame in self._frames:
                frame.show_axes = is_shown

    @property
    def names(self) -> list[str]:
        """Links and frames."""
        mechanism = self.model.mechanism
        return [x.name for x in (*mechanism.links, *mechanism.frames)]

    def place(self, name: str, moment: Moment) -> tuple[Array, Array]:
        """Return where a link or frame is, in m, and its Jacobian ``(3, nv)``."""
        X = np.asarray(self.model.forward_kinematics(moment.q, name))
        return X[:3, 3], np.asarray(self.model.jacobian(moment.q, name))[:3]

    def remove(self) -> None:
        """Take the robot out of the scene."""
        # with all that is below it
        self._frames[0].remove()

    def _draw(
        self, scene: viser.SceneApi, mechanism: Mechanism, k: int, link: Link, name: str
    ) -> None:
        default = self._tint or PALETTE[k % len(PALETTE)]
        count = 0
        for shape in link.visuals or link.collisions:
            mesh = triangles(shape.geometry)
            if mesh is None:
                self.num_missing += 1
                continue
            mesh.apply_transform(matrix(shape.placement))
            self._add(scene, f"{name}/shape{count}", mesh, self._tint or colour_of(shape, default))
            count += 1
        if not count:
            self._draw_rods(scene, mechanism, link.name, name, default)

    def _draw_rods(
        self,
        scene: viser.SceneApi,
        mechanism: Mechanism,
        link: str,
        name: str,
        colour: Colour,
    ) -> None:
        """Draw rods from the link's origin to its joints and frames, and its own joint."""
        radius = self._radius
        ends = [matrix(x.placement)[:3, 3] for x in mechanism.joints if x.parent == link]
        ends += [matrix(x.placement)[:3, 3] for x in mechanism.frames if x.link == link]
        ends += [matrix(x)[:3, 3] for x in _loop_frames(mechanism, link)]
        ends += [_own_joint(x)[:3, 3] for x in mechanism.joints if x.child == link]
        com = _centre(mechanism, link)
        if not any(np.linalg.norm(end) > 1e-6 for end in ends) and com is not None:
            ends = [com]
        for k, end in enumerate(ends):
            rod = between(np.zeros(3), end, radius)
            if rod is not None:
                self._add(scene, f"{name}/rod{k}", rod, colour)
        for joint in mechanism.joints:
            if joint.child == link and joint.kind is not JointKind.FIXED:
                X = _own_joint(joint)
                axis = X[:3, :3] @ [float(x) for x in joint.axis] * radius * 2
                p = X[:3, 3]
                shaft = between(p - axis, p + axis, radius * 1.6)
                if joint.kind is JointKind.SPHERICAL or shaft is None:
                    shaft = trimesh().creation.icosphere(radius=radius * 1.8)
                if joint.kind is JointKind.FLOATING:
                    shaft = trimesh().creation.box(extents=[radius * 4] * 3)
                self._add(scene, f"{name}/joint", shaft, self._tint or JOINT_COLOUR)

    def _add(self, scene: viser.SceneApi, name: str, mesh: Any, colour: Colour) -> None:
        scene.add_mesh_simple(
            name,
            np.asarray(mesh.vertices, np.float32),
            np.asarray(mesh.faces, np.uint32),
            color=colour,
            opacity=self._opacity,
            flat_shading=False,
            side="double",
        )


def extent_of(model: Model, q: Array) -> tuple[Array, Array]:
    """Return the corners of the box around all joints, frames and centres of mass, in m."""
    mechanism = model.mechanism
    poses = np.asarray(model.forward_kinematics(q))
    points = [X[:3, 3] for X in poses]
    places = {link.name: X for link, X in zip(mechanism.links, poses, strict=True)}
    points += [(places[x.link] @ matrix(x.placement))[:3, 3] for x in mechanism.frames]
    for link in mechanism.links:
        com = _centre(mechanism, link.name)
        if com is not None:
            points.append((places[link.name] @ np.append(com, 1))[:3])
    return np.min(points, axis=0), np.max(points, axis=0)


def _tree(mechanism: Mechanism, name: str) -> tuple[list[int], list[str]]:
    """Return the parent of every link, 0 of the root, and its place in the scene."""
    numbers = {link.name: k for k, link in enumerate(mechanism.links)}
    parents, places = [0] * len(numbers), [f"{name}/0"] * len(numbers)
    for joint in mechanism.joints:
        parent, child = numbers[joint.parent], numbers[joint.child]
        # names of a file are no names of a scene: they may hold slashes
        parents[child], places[child] = parent, f"{places[parent]}/{child}"
    return parents, places


def _thickness(mechanism: Mechanism, size: float) -> float:
    """Return the radius of rods, in m: thin beside most links, but not beside the robot."""
    lengths = [float(np.linalg.norm(matrix(x.placement)[:3, 3])) for x in mechanism.joints]
    long = [x for x in lengths if x > 1e-6]
    return float(np.clip(np.median(long) / 4, size / 200, size / 50)) if long else size / 50


def _own_joint(joint: Joint) -> Array:
    """Return the frame of a link's own joint, seen from the link: X_CJ = X_JC⁻¹."""
    return np.linalg.inv(matrix(joint.after))


def _centre(mechanism: Mechanism, link: str) -> Array | None:
    m, h, _ = mechanism.link(link).inertia
    return np.array([float(x) / float(m) for x in h]) if m != 0 else None


def _loop_frames(mechanism: Mechanism, link: str) -> list[Pose]:
    """Return where loops take hold of a link."""
    frames = [frame for loop in mechanism.loops for frame in (loop.first, loop.second)]
    return [frame.placement for frame in frames if frame.link == link]
