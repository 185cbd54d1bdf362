"""Write URDF; what the format cannot express is refused, not dropped."""

from __future__ import annotations

import os
from collections.abc import Iterator

from dalembert.errors import InvalidMechanism
from dalembert.files import write_whole
from dalembert.mechanism.io.urdf.joint import RESISTANCE, UNLIMITED
from dalembert.mechanism.io.urdf.write_shape import origin, shape_lines
from dalembert.mechanism.io.xml.write import distinct, indented, numbers, require_numbers, tag
from dalembert.mechanism.mechanism import STANDARD_GRAVITY, Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.variants.lock import without_reference
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Vec, cross, unrotate

KINDS = {
    *(JointKind.FIXED, JointKind.REVOLUTE, JointKind.CONTINUOUS),
    *(JointKind.PRISMATIC, JointKind.FLOATING),
}


def save_urdf(mechanism: Mechanism, path: str | os.PathLike[str] | None = None) -> str:
    """Return the mechanism as URDF, and write it to ``path`` when there is one.

    Numbers are written so that reading them gives the same doubles. URDF has the child's frame at
    the joint: where a mechanism places it elsewhere, a link without mass and a fixed joint are put
    between, and every link keeps its name. Named frames become links without mass, a hinge without
    limits a continuous joint; a reference position goes into the placement.

    Shapes are written as far as the format has them: a capsule becomes a cylinder and two balls, an
    ellipsoid is left out; `da.save` returns a note for each.

    Raises:
        InvalidMechanism: the mechanism has something that URDF cannot express: loops, couplings,
            parameters, helical or spherical joints, armature, springs, or its own gravity.

    >>> from dalembert.mechanism import Builder
    >>> arm = Builder("arm").link("a", mass=2, com=(0, 0, 1)).continuous("j", "a").build()
    >>> print(save_urdf(arm), end="")
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="arm">
      <link name="world"/>
      <link name="a">
        <inertial>
          <origin xyz="0 0 1"/>
          <mass value="2"/>
          <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>
        </inertial>
      </link>
      <joint name="j" type="continuous">
        <parent link="world"/>
        <child link="a"/>
        <axis xyz="0 0 1"/>
      </joint>
    </robot>
    """
    _check(mechanism)
    parts = (*mechanism.links, *mechanism.joints, *mechanism.frames)
    taken = {part.name for part in parts}
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        tag("robot", {"name": mechanism.name}, open=True),
    ]
    body: list[str] = []
    for link in mechanism.links:
        lines += _link(link)
    for joint in map(without_reference, mechanism.joints):
        body += _joint(joint, taken, lines)
    for frame in mechanism.frames:
        lines += _link(Link(frame.name))
        fixed = Joint(
            distinct(f"{frame.name}_fixed", taken), JointKind.FIXED, frame.link, frame.name
        )
        body += _single_joint(fixed, frame.placement, fixed.axis)
    text = "\n".join([*lines, *body, "</robot>"]) + "\n"
    if path is not None:
        write_whole(path, text.encode())
    return text


def _check(mechanism: Mechanism) -> None:
    """Refuse what URDF cannot express."""
    require_numbers(mechanism, "URDF")
    where = f"mechanism {mechanism.name!r}"
    for what, found in (("loops", mechanism.loops), ("couplings", mechanism.couplings)):
        if found:
            _refuse(f"a tree without {what} in {where}", repr(found[0].name), "write JSON or MJCF")
    for what, found in (("actuators", mechanism.actuators), ("springs", mechanism.springs)):
        if found:
            _refuse(f"a tree without {what} in {where}", repr(found[0].name), "write JSON")
    if mechanism.gravity != STANDARD_GRAVITY:
        gravity = tuple(map(float, mechanism.gravity))
        _refuse(f"standard gravity in {where}", str(gravity), "URDF has none; write JSON or MJCF")
    for joint in mechanism.joints:
        if joint.kind not in KINDS:
            _refuse(
                "a joint that URDF knows", f"{joint.kind.value} joint {joint.name!r}", "write JSON"
            )
        own = {**joint.numbers, "reference": 0, **joint.resistance.given}
        own |= {"spins": joint.spins, "passive": joint.passive}
        for key, value in own.items():
            if value and key not in RESISTANCE:
                got = f"{key} = {value} of joint {joint.name!r}"
                _refuse("a joint that URDF can describe", got, "set it to 0, or write JSON")
    frames = [frame.name for frame in mechanism.frames]
    links = {link.name for link in mechanism.links}
    for i, name in enumerate(frames):
        if name in links or name in frames[:i]:
            _refuse(
                "frame names that differ from each other and from links", repr(name), "rename it"
            )


def _refuse(expected: str, got: str, remedy: str) -> None:
    raise InvalidMechanism(f"expected {expected} to write URDF, got {got}: {remedy}")


def _link(link: Link) -> Iterator[str]:
    inside = [*_inertial(link), *shape_lines(link)]
    if not inside:
        yield "  " + tag("link", {"name": link.name})
        return
    yield from indented([tag("link", {"name": link.name}, open=True), *indented(inside), "</link>"])


def _inertial(link: Link) -> list[str]:
    if not link.has_inertia and link.is_massless:
        return []
    m, h, _ = link.inertia
    if m == 0 and h != ZERO:
        _refuse(f"a mass of link {link.name!r}", f"0 with the first moment {h}", "give it a mass")
    com, tensor = (
        (link.inertia.com(), link.inertia.about_com()) if m else (ZERO, link.inertia.tensor)
    )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    moments = {"ixx": xx, "iyy": yy, "izz": zz, "ixy": xy, "ixz": xz, "iyz": yz}
    inertial = [*origin(Pose(p=com)), tag("mass", {"value": m}), tag("inertia", moments)]
    return ["<inertial>", *indented(inertial), "</inertial>"]


def _joint(joint: Joint, taken: set[str], links: list[str]) -> Iterator[str]:
    """Write placement · motion · after as placement · after · motion, where that is the same.

    motion(a) · after = after · motion(Rᵀ a) when the turn R_after leaves the axis through the
    child's origin: always for sliders, for hinges when p_after lies on the axis.
    """
    R, p = joint.after
    folds = joint.kind in (JointKind.FIXED, JointKind.PRISMATIC) or (
        joint.is_scalar and cross(p, joint.axis) == ZERO
    )
    if joint.after.is_identity or folds:
        yield from _single_joint(joint, joint.placement @ joint.after, unrotate(R, joint.axis))
        return
    middle = Link(distinct(f"{joint.child}_joint_frame", taken))
    links += _link(middle)
    moving = Joint(
        joint.name,
        joint.kind,
        joint.parent,
        middle.name,
        limits=joint.limits,
        mimic=joint.mimic,
        resistance=joint.resistance,
    )
    yield from _single_joint(moving, joint.placement, joint.axis)
    weld = Joint(distinct(f"{joint.child}_weld", taken), JointKind.FIXED, middle.name, joint.child)
    yield from _single_joint(weld, joint.after, weld.axis)


def _single_joint(joint: Joint, X_PC: Pose, axis: Vec) -> Iterator[str]:
    """Write a joint whose child's frame is at the joint, X_PC at rest, moving about ``axis``."""
    limits, bounded = joint.limits, joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC)
    kind = joint.kind.value
    if joint.kind is JointKind.REVOLUTE and limits.lower is None and limits.upper is None:
        kind, bounded = "continuous", False
    inside = [tag("parent", {"link": joint.parent}), tag("child", {"link": joint.child})]
    inside = [*origin(X_PC), *inside]
    if joint.is_scalar:
        inside += [tag("axis", {"xyz": numbers(axis)}), *_limit(joint, bounded)]
    if not joint.resistance.is_none:
        inside.append(tag("dynamics", {key: joint.resistance.numbers[key] for key in RESISTANCE}))
    if joint.mimic:
        inside.append(tag("mimic", joint.mimic._asdict()))
    start = tag("joint", {"name": joint.name, "type": kind}, open=True)
    yield from indented([start, *indented(inside), "</joint>"])


def _limit(joint: Joint, bounded: bool) -> list[str]:
    """Return the limits; the largest double stands for one that the format wants and is absent."""
    lower, upper, velocity, effort = joint.limits
    if not bounded and velocity is None and effort is None:
        return []
    position = {"lower": (lower, -UNLIMITED), "upper": (upper, UNLIMITED)} if bounded else {}
    bounds = {**position, "effort": (effort, UNLIMITED), "velocity": (velocity, UNLIMITED)}
    values = {k: absent if value is None else value for k, (value, absent) in bounds.items()}
    return [tag("limit", values)]
