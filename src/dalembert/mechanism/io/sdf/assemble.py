"""From the elements of an SDF model to links, joints, loops and frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.mechanism.io.sdf.joint import CROSSES, KINDS, Axis, JointElement
from dalembert.mechanism.io.sdf.places import WORLD, Places, short
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.write import distinct
from dalembert.mechanism.parts.closure import Loop
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, unit_axis
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec, rotate

FIXED_ROOT = "{}_fixed"
"""The name of the joint that fixes a root of this name to the world."""


@dataclass
class Parts:
    """What a model becomes; the first link is the world."""

    links: list[Link] = field(default_factory=lambda: [Link(WORLD)])
    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)


@dataclass(frozen=True)
class _End:
    """An end of a joint: the link, and the joint's frame in it."""

    link: str
    X_LJ: Pose


def assemble(
    report: Report,
    places: Places,
    links: Mapping[str, Link],
    joints: Mapping[str, JointElement],
    *,
    static: bool,
) -> Parts:
    """Return the parts of a model; faults are in the report.

    Joints make a tree in their order; one that would close a ring becomes a loop. A link that no
    joint holds floats, or is fixed to the world in a static model.
    """
    parts = Parts()
    parts.links += links.values()
    above: dict[str, str] = {}
    taken = {WORLD, *links, *joints}
    for joint in joints.values():
        ends = _ends(report, places, joint)
        if ends is None:
            continue
        parent, child = ends
        if child.link == WORLD or parent.link == child.link:
            message = f"expected two different links, got {shown(child.link)} as the child"
            report.error(joint.element, joint.owner, message, "name the link that moves")
        elif child.link in above or _is_above(above, child.link, parent.link):
            parts.loops += _loops(report, places, joint, parent, child)
        else:
            above[child.link] = parent.link
            _add_joint(report, places, parts, joint, parent, child, taken)
    roots = [name for name in links if name not in above]
    for name in roots:
        _hold(parts, places, name, static, taken, alone=len(roots) == 1)
    return parts


def _hold(
    parts: Parts, places: Places, link: str, static: bool, taken: set[str], *, alone: bool
) -> None:
    """Join a link that no joint holds to the world."""
    X = places.in_world(link)
    if static:
        name = distinct(FIXED_ROOT.format(link), taken)
        parts.joints.append(Joint(name, JointKind.FIXED, WORLD, link, X))
        return
    name = distinct("floating_base" if alone else f"{link}_floating", taken)
    parts.joints.append(Joint(name, JointKind.FLOATING, WORLD, link, X))


def _ends(report: Report, places: Places, joint: JointElement) -> tuple[_End, _End] | None:
    links = []
    for tag, name in (("parent", joint.parent), ("child", joint.child)):
        place = next(iter(joint.element.all(tag)), joint.element)
        full = places.full_name(name, joint.scope, place, joint.owner)
        link = places.link_of(full) if full is not None else None
        if link is not None:
            links.append(link)
    if len(links) < 2:
        return None
    X_WJ = places.in_world(joint.name)
    parent, child = (_End(x, short(places.in_world(x).inverse() @ X_WJ)) for x in links)
    return parent, child


def _is_above(above: Mapping[str, str], link: str, other: str) -> bool:
    """Tell whether a link is, or carries, another one."""
    at: str | None = other
    while at is not None:
        if at == link:
            return True
        at = above.get(at)
    return False


def _direction(report: Report, places: Places, joint: JointElement, axis: Axis) -> Vec:
    """Return an axis in the frame of its joint."""
    if not axis.expressed_in:
        return axis.xyz
    frame = places.full_name(axis.expressed_in, joint.scope, axis.element, joint.owner)
    if frame is None:
        return axis.xyz
    turn = short(places.in_world(joint.name).inverse() @ places.in_world(frame))
    return rotate(turn.R, axis.xyz)


def _add_joint(
    report: Report,
    places: Places,
    parts: Parts,
    joint: JointElement,
    parent: _End,
    child: _End,
    taken: set[str],
) -> None:
    after = child.X_LJ.inverse()
    if joint.type in CROSSES and len(joint.axes) == 2:
        middle = distinct(f"{joint.name}_cross", taken)
        parts.links.append(Link(middle))
        one, two = joint.axes
        first = _moving(report, places, joint, one, f"{joint.name}_1", parent.X_LJ, Pose())
        second = _moving(report, places, joint, two, f"{joint.name}_2", Pose(), after)
        parts.joints.append(Joint(parent=parent.link, child=middle, **first))
        parts.joints.append(Joint(parent=middle, child=child.link, **second))
    elif joint.axes:
        own = _moving(report, places, joint, joint.axes[0], joint.name, parent.X_LJ, after)
        parts.joints.append(Joint(parent=parent.link, child=child.link, **own))
    elif joint.type in KINDS:
        kind = KINDS[joint.type]
        placement = parent.X_LJ
        if kind is JointKind.FIXED:
            placement, after = short(placement @ after), Pose()
        new = Joint(joint.name, kind, parent.link, child.link, placement, after=after)
        parts.joints.append(new)


def _moving(
    report: Report,
    places: Places,
    joint: JointElement,
    axis: Axis,
    name: str,
    placement: Pose,
    after: Pose,
) -> dict[str, Any]:
    """Return the fields of a joint with one axis, but for its ends."""
    direction = _direction(report, places, joint, axis)
    direction, placement, after = unit_axis(direction, placement, after, joint.owner)
    mimic = axis.mimic
    if mimic is not None:
        full = joint.scope + mimic.joint
        mimic = mimic._replace(joint=full)
    return {
        "name": name,
        "kind": KINDS.get(joint.type, JointKind.REVOLUTE),
        "placement": placement,
        "axis": direction,
        "after": after,
        "pitch": joint.pitch,
        "limits": axis.limits,
        "mimic": mimic,
        "resistance": axis.resistance,
    }


def _loops(
    report: Report, places: Places, joint: JointElement, parent: _End, child: _End
) -> list[Loop]:
    """Return the loops that a joint is which closes a ring.

    A hinge keeps two points of its axis together, 1 m apart.
    """

    def loop(name: str, kind: str, offset: Vec) -> Loop:
        first, second = (
            Frame(f"{name}/{i}", end.link, end.X_LJ @ Pose(p=offset))
            for i, end in enumerate((parent, child), 1)
        )
        return Loop(name, kind, first, second)

    if joint.type in ("ball", "fixed"):
        kind = "point" if joint.type == "ball" else "frame"
        return [loop(joint.name, kind, (0, 0, 0))]
    if joint.type not in ("revolute", "continuous") or not joint.axes:
        message = f"expected a ball, fixed or revolute joint to close a ring, got {joint.type}"
        report.error(joint.element, joint.owner, message, "open the ring at another joint")
        return []
    axis = joint.axes[0]
    if not axis.resistance.is_none or axis.limits != Limits() or axis.mimic:
        report.tally("limits and dynamics of a joint that closes a ring", axis.element.line)
    a, turn, _ = unit_axis(_direction(report, places, joint, axis), Pose(), Pose(), joint.owner)
    end = rotate(turn.R, a)
    return [
        loop(joint.name, "point", (0, 0, 0)),
        loop(f"{joint.name}/axis", "point", end),
    ]


def without_world(parts: Parts) -> Parts:
    """Return the parts with a fixed root of their own, if our writer has fixed it to the world.

    Such a joint is called after the root, and holds it where the world is.
    """
    held = [joint for joint in parts.joints if joint.parent == WORLD]
    closed = any(WORLD in (x.first.link, x.second.link) for x in parts.loops)
    framed = any(frame.link == WORLD for frame in parts.frames)
    if closed or framed or len(held) != 1 or held[0].kind is not JointKind.FIXED:
        return parts
    if held[0].name != FIXED_ROOT.format(held[0].child) or not held[0].placement.is_identity:
        return parts
    root = held[0].child
    links = [link for link in parts.links[1:] if link.name == root]
    links += [link for link in parts.links[1:] if link.name != root]
    return Parts(links, [x for x in parts.joints if x is not held[0]], parts.frames, parts.loops)
