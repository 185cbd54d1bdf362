"""A robot: its links by their shapes, and by its picture where they have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.model.pictures.place import PictureFunction
from dalembert.picture import Line
from dalembert.studio.scene.geometry import colour_of, matrix, quaternion, triangles
from dalembert.studio.scene.pieces import Colour, Piece, Place, piece

if TYPE_CHECKING:
    import viser

    from dalembert.mechanism import Link
    from dalembert.model import Model
    from dalembert.picture import Part
    from dalembert.studio.state import Moment
    from dalembert.types import Array

PALETTE = ((76, 114, 176), (221, 132, 82), (85, 168, 104), (196, 78, 82), (129, 114, 179))
STILL = 1e-9
"""In m, and of unit quaternions: rounding, which is no motion."""


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
        self._places = places
        self._moving: list[tuple[list[int], Piece]] = []
        links = enumerate(mechanism.links)
        has_shapes = [self._draw(scene, k, link, places[k]) for k, link in links]
        if not all(has_shapes):
            self._draw_picture(scene, model, q, has_shapes, name)

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
        if self._moving:
            at = self._points(np.array([moment.t]), moment.q[None])[0]
            for ends, made in self._moving:
                made.show(at[ends])

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
        for _, made in self._moving:
            made.remove()

    def _draw(self, scene: viser.SceneApi, k: int, link: Link, name: str) -> bool:
        """Draw the shapes of a link, and tell whether it has any."""
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
        return bool(count)

    def _draw_picture(
        self, scene: viser.SceneApi, model: Model, q: Array, has_shapes: Sequence[bool], name: str
    ) -> None:
        """Draw what the picture of the mechanism has of links without shapes.

        What keeps its place in a link is below its frame and moves with it; the rest follows the
        points of the picture.
        """
        function = PictureFunction(model, model.description.picture())
        links = {link.name: k for k, link in enumerate(model.mechanism.links)}
        bare = {link for link, k in links.items() if not has_shapes[k]}
        # what begins at a link with shapes, as a joint or a rod of it, is seen already
        parts = [x for x in function.picture.parts if self._is_bare(x, links, bare)]
        self._numbers = {x: k for k, x in enumerate(function.names)}
        # the end of a rod belongs to the link at its start
        rods = [x.ends for x in function.picture.parts if isinstance(x, Line)]
        owner = {b: a for a, b in rods if a in links and b not in links} | {x: x for x in links}
        self._points = function.positions
        other = model.configuration.integrate(q, np.linspace(0.3, 0.9, model.nv))
        starts = [(x, function.positions(np.zeros(1), x[None])[0]) for x in (q, other)]
        for k, part in enumerate(parts):
            ends = [self._numbers[end] for end in part.ends]
            link = links.get(owner.get(part.ends[0], ""))
            local = self._local(model, link, [(x, at[ends]) for x, at in starts])
            home = name if link is None or local is None else self._places[link]
            below = f"{home}/part{k}"
            place = Place(scene, below, self._tint, self._opacity)
            at = starts[0][1][ends] if local is None else local
            made = piece(part, place, at, self.size)
            if made is None:
                continue
            made.show(at)
            if local is None:
                self._moving.append((ends, made))

    @staticmethod
    def _is_bare(part: Part, links: Mapping[str, int], bare: set[str]) -> bool:
        first = part.ends[0]
        return first in bare if first in links else True

    @staticmethod
    def _local(
        model: Model, link: int | None, starts: Sequence[tuple[Array, Array]]
    ) -> Array | None:
        """Return points in the frame of a link where they keep their places in it, else None."""
        if link is None:
            return None
        found = []
        for q, at in starts:
            X = np.asarray(model.forward_kinematics(q))[link]
            found.append((at - X[:3, 3]) @ X[:3, :3])
        return found[0] if np.abs(found[0] - found[1]).max() < STILL else None

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


def _centre(mechanism: Mechanism, link: str) -> Array | None:
    m, h, _ = mechanism.link(link).inertia
    return np.array([float(x) / float(m) for x in h]) if m != 0 else None
