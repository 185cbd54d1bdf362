"""Shapes and keyframes as a file format can hold them, and a note for each that it cannot.

No motion depends on them: they are left out where other things are refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from dalembert.mechanism.io.xml.write import distinct
from dalembert.mechanism.mechanism import Loop, Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.shape import Capsule, Ellipsoid, Geometry, Mesh, Shape

# what MuJoCo opens
MJCF_MESHES = (".stl", ".obj", ".msh")

Written = tuple[Mechanism, list[str]]


def urdf_extras(mechanism: Mechanism, folder: Path) -> Written:
    """Return the mechanism, and notes on what its URDF will lack."""
    notes = [f"keyframe {x.name!r} is not written: URDF has none" for x in mechanism.keyframes]
    for kind, what in (
        (Capsule, "capsules are written as a cylinder and two balls each"),
        (Ellipsoid, "ellipsoids are not written"),
    ):
        if links := _having(mechanism, lambda shape, kind=kind: isinstance(shape.geometry, kind)):
            notes.append(f"{what}: URDF has none ({links})")
    if lacking := [repr(x.name) for x in mechanism.joints if _lacks_wanted_limits(x)]:
        names = ", ".join(lacking[:4]) + ", …" * (len(lacking) > 4)
        notes.append(
            f"limits that joints do not have are written as 1.8e308, since URDF wants numbers: "
            f"{names}"
        )
    return mechanism, notes


def _lacks_wanted_limits(joint: Joint) -> bool:
    """Tell whether URDF wants a number for a limit that a joint does not have."""
    lower, upper, *others = joint.limits
    is_turning = joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS)
    wanted = others if is_turning and lower is None and upper is None else joint.limits
    has_none = wanted is others and all(x is None for x in others)
    return joint.is_scalar and not has_none and any(x is None for x in wanted)


def mjcf_extras(mechanism: Mechanism, folder: Path) -> Written:
    """Return the mechanism with meshes named as seen from ``folder``, without those not found.

    A mesh is found by its ``path``, or else by its name below ``folder``. MuJoCo refuses sizes of
    zero, and has no body for a massless link between two joints, nor for what is fixed to it.
    """
    notes: dict[str, None] = {}

    def named(shape: Shape) -> Shape | None:
        mesh = shape.geometry
        if not isinstance(mesh, Mesh):
            if not _is_flat(mesh):
                return shape
            notes["shapes with a size of zero are not written: MuJoCo refuses them"] = None
            return None
        path = Path(mesh.path) if mesh.path else _beside(folder, mesh.file)
        if path is None or path.suffix.lower() not in MJCF_MESHES:
            notes[
                f"mesh {mesh.file!r} is not written: MuJoCo opens {', '.join(MJCF_MESHES)} files "
                "that are there; load with packages= or root= to find them"
            ] = None
            return None
        try:
            name = Path(os.path.relpath(path, folder)).as_posix()
        except ValueError:
            # another drive: no relative name leads there
            name = path.as_posix()
        return replace(shape, geometry=replace(mesh, file=name, path=str(path)))

    root = mechanism.links[0]
    if root.name == "world" and not root.is_massless:
        notes["inertia of link 'world' is not written: MuJoCo's world has none"] = None
    _note_limits(mechanism, notes)
    links = [link.with_shapes(named) for link in mechanism.links]
    light = {link.name for link in links if link.is_massless}
    frames = list(mechanism.frames)
    if any(x.shapes for x in links if x.name in light) or any(x.link in light for x in frames):
        # it needs NumPy, which loading the package does not
        from dalembert.mechanism.io.mjcf.write import merged_links

        merged = merged_links(replace(mechanism, frames=()))
        for i, link in enumerate(links):
            if link.shapes and link.name in merged:
                notes[f"shapes of link {link.name!r} are not written: it has no mass"] = None
                links[i] = link.with_shapes(lambda shape: None)
        for frame in [x for x in frames if x.link in merged]:
            notes[f"frame {frame.name!r} is not written: its link has no mass"] = None
            frames.remove(frame)
    return replace(mechanism, links=tuple(links), frames=tuple(frames)), [*notes]


def _note_limits(mechanism: Mechanism, notes: dict[str, None]) -> None:
    """Note limits that MJCF does not have: of speed, on one side alone, and without any room."""
    for joint in mechanism.joints:
        lower, upper, velocity, effort = joint.limits
        if velocity is not None:
            notes["limits of speed are not written: MJCF has none"] = None
        if (lower is None) != (upper is None):
            notes[f"the limit of joint {joint.name!r} is not written: MJCF has two or none"] = None
        if (lower is not None and lower == upper) or effort == 0:
            notes[
                f"limits of joint {joint.name!r} without room are not written: MuJoCo refuses"
            ] = None


def sdf_extras(mechanism: Mechanism, folder: Path) -> Written:
    """Return the mechanism with names that SDF can hold, and notes on what it will lack."""
    from dalembert.mechanism.io.sdf.write import bad_names

    notes = [f"keyframe {x.name!r} is not written: SDF has none" for x in mechanism.keyframes]
    for kind in ("joints", "loops", "frames", "links"):
        bad = bad_names(mechanism)
        taken = {part.name for part in _named(mechanism)}
        own = {part.name for part in getattr(mechanism, kind)}
        new = {
            name: distinct(name.replace("::", ".").strip("_") + f"_{kind[:-1]}", taken)
            for name in bad
            if name in own and not (kind == "links" and name == mechanism.root)
        }
        notes += [f"{kind[:-1]} {x!r} is written as {y!r}: {bad[x]}" for x, y in new.items()]
        mechanism = mechanism.rename(new, of=kind) if new else mechanism
    mechanism = _with_world(mechanism, notes)
    root = mechanism.links[0]
    if root.name == "world" and (root.shapes or not root.is_massless):
        notes.append("shapes and inertia of link 'world' are not written: SDF's world has none")
    light = [link.name for link in mechanism.links[1:] if link.is_massless]
    if light:
        names = ", ".join(map(repr, light[:4])) + ", …" * (len(light) > 4)
        notes.append(f"links without mass are written with mass 0, which Gazebo refuses: {names}")
    return mechanism, notes


def _with_world(mechanism: Mechanism, notes: list[str]) -> Mechanism:
    """Call a root that only lets others float the world, as SDF does."""
    root = mechanism.links[0]
    floats = any(j.parent == root.name and j.kind is JointKind.FLOATING for j in mechanism.joints)
    if root.name == "world" or not floats or root.shapes or not root.is_massless:
        return mechanism
    notes.append(f"link {root.name!r} is written as 'world'")
    return mechanism.rename({root.name: "world"}, of="links")


def _named(mechanism: Mechanism) -> Iterator[Link | Joint | Loop | Frame]:
    """Yield the parts that share one space of names in SDF."""
    yield from (*mechanism.links, *mechanism.joints, *mechanism.loops, *mechanism.frames)


def _is_flat(geometry: Geometry) -> bool:
    values = geometry.numbers.values()
    return any(x == 0 for value in values for x in (value if isinstance(value, tuple) else [value]))


def _beside(folder: Path, name: str) -> Path | None:
    """Return the file of a plain relative name; names are not followed out of the folder."""
    if "://" in name or "\\" in name or "\0" in name or os.path.isabs(name):
        return None
    path = folder / name
    return path if ".." not in path.parts and path.is_file() else None


def _having(mechanism: Mechanism, holds: Callable[[Shape], bool]) -> str:
    """Return the names of links with such a shape, the first few of them."""
    names = [link.name for link in mechanism.links if any(map(holds, link.shapes))]
    return ", ".join(map(repr, names[:4])) + ", …" * (len(names) > 4)


EXTRAS: dict[str, Callable[[Mechanism, Path], Written]] = {
    ".urdf": urdf_extras,
    ".xml": mjcf_extras,
    ".mjcf": mjcf_extras,
    ".sdf": sdf_extras,
}
"""By the ending of the file; formats that are not here hold all of them."""
