"""Write SDF 1.11; what the format cannot express is refused, not dropped."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from dalembert.errors import InvalidMechanism
from dalembert.files import write_whole
from dalembert.mechanism.io.sdf.assemble import FIXED_ROOT
from dalembert.mechanism.io.sdf.places import WORLD, short
from dalembert.mechanism.io.sdf.write_link import element, link_lines, pose
from dalembert.mechanism.io.xml.write import distinct, indented, numbers, require_numbers, tag
from dalembert.mechanism.mechanism import STANDARD_GRAVITY, Mechanism
from dalembert.mechanism.parts.closure import Loop
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.variants.lock import without_reference
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY

VERSION = "1.11"
TYPES = {
    JointKind.FIXED: "fixed",
    JointKind.REVOLUTE: "revolute",
    JointKind.CONTINUOUS: "continuous",
    JointKind.PRISMATIC: "prismatic",
    JointKind.HELICAL: "screw",
    JointKind.SPHERICAL: "ball",
}
# elements of <dynamics> for the numbers of a resistance
RESISTANCE = {
    "damping": "damping",
    "friction": "friction",
    "rest": "spring_reference",
    "stiffness": "spring_stiffness",
}
# m and rad: how far apart the ends of a loop may be where SDF sees one joint
CLOSED_TOLERANCE = 1e-9


def save_sdf(mechanism: Mechanism, path: str | os.PathLike[str] | None = None) -> str:
    """Return the mechanism as SDF, and write it to ``path`` when there is one.

    A root called "world" is the world of SDF, another one is fixed to it; a floating joint on the
    world is a link that nothing holds. Loops that are closed at q = 0 become ball and fixed joints,
    frames frames. A model with its own gravity is put into a <world>. Poses are those of q = 0.

    Raises:
        InvalidMechanism: the mechanism has something that SDF cannot express: parameters, open
            loops, couplings, actuators, springs between parts, armature, Stribeck friction, other
            floating joints, resistance of a ball joint, names that it takes for something else.

    >>> from dalembert.mechanism import Builder
    >>> arm = Builder("arm").link("a", mass=2, com=(0, 0, 1)).continuous("j", "a").build()
    >>> print(save_sdf(arm), end="")
    <?xml version="1.0" encoding="utf-8"?>
    <sdf version="1.11">
      <model name="arm">
        <link name="a">
          <pose relative_to="j"/>
          <inertial>
            <pose>0 0 1 0 0 0</pose>
            <mass>2</mass>
            <inertia>
              <ixx>0</ixx>
              <iyy>0</iyy>
              <izz>0</izz>
              <ixy>0</ixy>
              <ixz>0</ixz>
              <iyz>0</iyz>
            </inertia>
          </inertial>
        </link>
        <joint name="j" type="continuous">
          <pose relative_to="__model__"/>
          <parent>world</parent>
          <child>a</child>
          <axis>
            <xyz>0 0 1</xyz>
          </axis>
        </joint>
      </model>
    </sdf>
    """
    _check(mechanism)
    lines = _block("model", {"name": mechanism.name}, _contents(mechanism))
    if mechanism.gravity != STANDARD_GRAVITY:
        gravity = element("gravity", numbers(mechanism.gravity))
        lines = _block("world", {"name": "default"}, [gravity, *lines])
    text = "\n".join(
        ['<?xml version="1.0" encoding="utf-8"?>', *_block("sdf", {"version": VERSION}, lines), ""]
    )
    if path is not None:
        write_whole(path, text.encode())
    return text


def _block(name: str, attributes: dict[str, str], lines: list[str]) -> list[str]:
    return [tag(name, attributes, open=True), *indented(lines), f"</{name}>"]


def _contents(mechanism: Mechanism) -> list[str]:
    above = {joint.child: without_reference(joint) for joint in mechanism.joints}
    lines: list[str] = []
    for link in mechanism.links:
        joint = above.get(link.name)
        if joint is None:
            place = []
        elif joint.kind is JointKind.FLOATING:
            place = pose(joint.placement, "__model__")
        else:
            place = pose(joint.after, joint.name)
        if link.name != WORLD:
            lines += _block("link", {"name": link.name}, [*place, *link_lines(link)])
    if mechanism.root != WORLD:
        names = (*mechanism.links, *mechanism.joints, *mechanism.frames, *mechanism.loops)
        name = distinct(FIXED_ROOT.format(mechanism.root), {part.name for part in names})
        ends = [element("parent", WORLD), element("child", mechanism.root)]
        lines += _block("joint", {"name": name, "type": "fixed"}, ends)
    for joint in above.values():
        if joint.kind is not JointKind.FLOATING:
            lines += _block("joint", {"name": joint.name, "type": TYPES[joint.kind]}, _joint(joint))
    for loop in mechanism.loops:
        lines += _loop(loop)
    for frame in mechanism.frames:
        attributes = {"name": frame.name, "attached_to": _frame_of(frame.link)}
        lines += _block("frame", attributes, pose(frame.placement))
    return lines


def _frame_of(link: str) -> str:
    """Return the frame of a link; the model's own is that of the world."""
    return "__model__" if link == WORLD else link


def _joint(joint: Joint) -> list[str]:
    lines = [
        *pose(joint.placement, _frame_of(joint.parent)),
        element("parent", joint.parent),
        element("child", joint.child),
    ]
    if joint.kind is JointKind.HELICAL:
        # metres for each turn
        pitch = 2 * math.pi * float(joint.pitch)
        lines.append(element("screw_thread_pitch", numbers([pitch])))
    return lines + (_block("axis", {}, [*_axis(joint)]) if joint.is_scalar else [])


def _axis(joint: Joint) -> Iterator[str]:
    yield element("xyz", numbers(joint.axis))
    if joint.mimic:
        leader, multiplier, offset = joint.mimic
        numbers_of = {"multiplier": multiplier, "offset": offset, "reference": 0}
        inside = [element(key, numbers([x])) for key, x in numbers_of.items()]
        yield from _block("mimic", {"joint": leader, "axis": "axis"}, inside)
    bounds = joint.limits._asdict()
    if given := [element(k, numbers([x])) for k, x in bounds.items() if x is not None]:
        yield from _block("limit", {}, given)
    own = joint.resistance
    if not own.is_none:
        values = {name: getattr(own, key) for key, name in RESISTANCE.items()}
        inside = [element(name, numbers([x])) for name, x in values.items() if x]
        yield from _block("dynamics", {}, inside)


def _loop(loop: Loop) -> list[str]:
    # the child is never the world
    first, second = loop.first, loop.second
    if second.link == WORLD:
        first, second = second, first
    kind = "ball" if loop.kind == "point" else "fixed"
    lines = [
        *pose(first.placement, _frame_of(first.link)),
        element("parent", first.link),
        element("child", second.link),
    ]
    return _block("joint", {"name": loop.name, "type": kind}, lines)


# ---- what SDF cannot express


def _check(mechanism: Mechanism) -> None:
    require_numbers(mechanism, "SDF")
    where = f"mechanism {mechanism.name!r}"
    for what in ("couplings", "actuators", "springs"):
        if found := getattr(mechanism, what):
            _refuse(f"no {what} in {where}", repr(found[0].name), "write JSON, or drop=True")
    if opened := open_loops(mechanism):
        _refuse(f"loops of {where} that are closed at q = 0", repr(opened[0]), "write JSON or MJCF")
    for joint in mechanism.joints:
        _check_joint(mechanism, joint)
    for name, why in bad_names(mechanism).items():
        _refuse(f"names that SDF can hold in {where}", f"{name!r}, {why}", "rename it")


def _check_joint(mechanism: Mechanism, joint: Joint) -> None:
    if joint.kind is JointKind.FLOATING and not floats_on_the_world(mechanism, joint):
        remedy = "SDF lets links float on the world alone; write JSON"
        _refuse("a joint that SDF knows", f"floating joint {joint.name!r}", remedy)
    own = {"armature": joint.armature, "spins": joint.spins, "passive": joint.passive}
    own["stribeck"] = joint.resistance.stribeck
    if not joint.is_scalar and not joint.resistance.is_none:
        own[joint.resistance.forces[0]] = True
    for key, value in own.items():
        if value:
            got = f"{key} of joint {joint.name!r}"
            _refuse("a joint that SDF can describe", got, "set it to 0, or write JSON")


def floats_on_the_world(mechanism: Mechanism, joint: Joint) -> bool:
    """Tell whether a floating joint is that of a link which nothing holds."""
    held = joint.parent == mechanism.root == WORLD
    return held and joint.after.is_identity and joint.resistance.is_none


def open_loops(mechanism: Mechanism) -> list[str]:
    """Return the names of the loops whose ends are apart at q = 0."""
    X_W = {mechanism.root: Pose()}
    for joint in map(without_reference, mechanism.joints):
        X_W[joint.child] = short(X_W[joint.parent] @ joint.placement @ joint.after)
    found = []
    for loop in mechanism.loops:
        one, two = (X_W[x.link] @ x.placement for x in (loop.first, loop.second))
        R, p = one.inverse() @ two
        gaps = [abs(x) for x in p]
        if loop.kind == "frame":
            gaps += [abs(R[i][j] - IDENTITY[i][j]) for i in range(3) for j in range(3)]
        if max(gaps) > CLOSED_TOLERANCE:
            found.append(loop.name)
    return found


def bad_names(mechanism: Mechanism) -> dict[str, str]:
    """Return names that SDF would take for something else, each with the reason."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    parts = (*mechanism.links, *mechanism.joints, *mechanism.loops, *mechanism.frames)
    for part in parts:
        name = part.name
        if "::" in name:
            found[name] = "which stands for a nested model"
        elif name.startswith("__") and name.endswith("__"):
            found[name] = "which is reserved"
        elif name == WORLD and part is not mechanism.links[0]:
            found[name] = "which is the world"
        elif name in seen:
            found[name] = "which two parts have"
        seen.add(name)
    return found


def _refuse(expected: str, got: str, remedy: str) -> None:
    raise InvalidMechanism(f"expected {expected} to write SDF, got {got}: {remedy}")
