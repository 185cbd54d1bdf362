"""MuJoCo's geoms as shapes of links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dalembert.mechanism.io.mjcf.text import ModelText
from dalembert.mechanism.io.mjcf.view import View, counted, number, pose, vector
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Colour,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Shape,
    Sphere,
    is_colour,
)
from dalembert.spatial.pose import Pose

# MuJoCo's viewer hides groups from this one on
HIDDEN = 3
# the colour of a geom that gives none
GREY: Colour = (0.5, 0.5, 0.5, 1.0)


class GeomReader:
    """Turns geoms into shapes; what has none here is counted for the notes."""

    def __init__(self, view: View, text: ModelText) -> None:
        self.view, self.model, self.text = view, view.model, text
        # counts by what it is and why it is left out
        self.left_out: dict[tuple[str, str], int] = {}

    def with_shapes(self, link: Link, body: int) -> Link:
        """Return the link with the geoms of a body: those that touch, and those that are seen."""
        m, visuals, collisions = self.model, [], []
        first = int(m.body_geomadr[body])
        for geom in range(first, first + int(m.body_geomnum[body])):
            seen = int(m.geom_group[geom]) < HIDDEN
            touches = bool(m.geom_contype[geom] or m.geom_conaffinity[geom])
            if not (seen or touches):
                self.leave_out("geom", " neither seen nor touched:")
            elif shape := self.shape(geom):
                visuals += [shape] if seen else []
                collisions += [shape] if touches else []
        return replace(link, visuals=tuple(visuals), collisions=tuple(collisions))

    def notes(self) -> list[str]:
        return [
            f"{counted(count, what)}{why} not carried"
            for (what, why), count in self.left_out.items()
        ]

    def leave_out(self, what: str, why: str = "") -> None:
        self.left_out[what, why] = self.left_out.get((what, why), 0) + 1

    def shape(self, geom: int) -> Shape | None:
        m = self.model
        kind = self.view.mujoco.mjtGeom(int(m.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
        X = pose(m.geom_pos[geom], m.geom_quat[geom])
        geometry: Geometry | None
        if kind == "mesh":
            mesh = int(m.geom_dataid[geom])
            geometry = self.mesh(mesh)
            # the compiler moved the mesh to its centre and principal axes
            X = X @ pose(m.mesh_pos[mesh], m.mesh_quat[mesh]).inverse()
        elif kind in SOLIDS:
            geometry = SOLIDS[kind]([number(x) for x in m.geom_size[geom]])
        else:
            geometry = None
            self.leave_out(f"{kind} geom")
        if geometry is None:
            return None
        name = self.view.mujoco.mj_id2name(m, self.view.mujoco.mjtObj.mjOBJ_GEOM, geom)
        return Shape(geometry, _rounded(X) if kind == "mesh" else X, self.colour(geom), name or "")

    def colour(self, geom: int) -> Colour | None:
        m, material = self.model, int(self.model.geom_matid[geom])
        own: Any = tuple(round(float(x), 7) for x in m.geom_rgba[geom])
        if own == GREY:
            if material < 0:
                return None
            own = tuple(round(float(x), 7) for x in m.mat_rgba[material])
        if not is_colour(own):
            self.leave_out("colour", " outside 0 to 1")
            return None
        return own

    def mesh(self, mesh: int) -> Mesh | None:
        m, key = self.model, self.view.meshes[mesh]
        turned = key in self.text.turned
        if (start := int(m.mesh_pathadr[mesh])) >= 0:
            key = bytes(m.paths)[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
        file = self.text.files.get(key)
        if file is None or turned:
            why = " turned against the file:" if turned else " without a file:"
            self.leave_out("mesh geom", why)
            return None
        return Mesh(file, vector(m.mesh_scale[mesh]), self.text.names.get(key))


def _rounded(X: Pose) -> Pose:
    """Return a pose that was moved to the centre of a mesh and back: to twelve digits."""
    return Pose(X.R, tuple(number(round(float(x), 12)) for x in X.p))  # type: ignore[arg-type]


def _twice(x: int | Fraction) -> int | Fraction:
    return 2 * x


SOLIDS: dict[str, Callable[[list[Any]], Geometry]] = {
    "box": lambda s: Box((_twice(s[0]), _twice(s[1]), _twice(s[2]))),
    "sphere": lambda s: Sphere(s[0]),
    "cylinder": lambda s: Cylinder(s[0], _twice(s[1])),
    "capsule": lambda s: Capsule(s[0], _twice(s[1])),
    "ellipsoid": lambda s: Ellipsoid((s[0], s[1], s[2])),
}
"""Geometries by the name of MuJoCo's geom; its sizes are half lengths."""
