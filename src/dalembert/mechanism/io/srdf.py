"""Read SRDF, MoveIt's file beside a URDF: groups, named postures, collisions that do not count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dalembert.display import Printed
from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.xml.attributes import (
    check_attributes,
    check_children,
    counted_numbers,
    read_name,
)
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.source import Source, file_name, read_text
from dalembert.mechanism.io.xml.xml import Element, parse_xml
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind

CHILDREN = (
    *("group", "group_state", "end_effector", "virtual_joint", "passive_joint"),
    *("disable_collisions", "disable_default_collisions", "enable_collisions"),
)
IGNORED = ("link_sphere_approximation", "joint_property", "disable_default_collisions")
VIRTUAL = ("fixed", "floating", "planar")
MAX_GROUPS_IN_GROUPS = 20


@dataclass(frozen=True)
class EndEffector:
    """A group that works at the end of another: which link of the other carries it."""

    name: str
    group: str
    parent_link: str
    parent_group: str | None = None


@dataclass(frozen=True)
class VirtualJoint:
    """How the robot stands in the world: fixed, floating or planar."""

    name: str
    kind: str
    parent_frame: str
    child_link: str


@dataclass(frozen=True)
class Semantics(Printed):
    """What an SRDF says about a robot.

    Attributes:
        name: Of the robot in the file.
        groups: The joints of each group, in the order of the mechanism.
        states: Positions by group, by state, by joint; rad and m, in the order of q.
        end_effectors: Groups at the end of others.
        virtual_joints: How the robot stands in the world.
        passive_joints: Joints that nothing drives.
        disabled_collisions: Pairs of links that are not checked, each with the reason given.
        notes: What was ignored.
    """

    name: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, Mapping[str, tuple[Any, ...]]]] = field(default_factory=dict)
    end_effectors: tuple[EndEffector, ...] = ()
    virtual_joints: tuple[VirtualJoint, ...] = ()
    passive_joints: tuple[str, ...] = ()
    disabled_collisions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"semantics of {self.name}: {len(self.disabled_collisions)} pairs do not collide"]
        for name, joints in self.groups.items():
            states = ", ".join(self.states.get(name, ()))
            said = f"; states {states}" if states else ""
            lines.append(f"  group {name}: {len(joints)} joints{said}")
        lines += [
            f"  end effector {x.name}: {x.group} on {x.parent_link}" for x in self.end_effectors
        ]
        lines += [f"  {x.kind} joint {x.name} to {x.parent_frame}" for x in self.virtual_joints]
        return "\n".join(lines)

    def applied(self, mechanism: Mechanism) -> Mechanism:
        """Return the mechanism with the postures as keyframes, passive joints, and its base.

        A keyframe has the name of the state, or ``group/state`` where several groups have one of
        this name. A floating virtual joint sets the root free.

        Raises:
            InvalidMechanism: a planar virtual joint, or one that does not hold the root.
        """
        named = [(group, state) for group, x in self.states.items() for state in x]
        counts = [state for _, state in named]
        joints = [
            replace(x, passive=x.passive or x.name in self.passive_joints) for x in mechanism.joints
        ]
        mechanism = replace(mechanism, joints=tuple(joints))
        for group, state in named:
            name = state if counts.count(state) == 1 else f"{group}/{state}"
            mechanism = mechanism.add_keyframe(name, dict(self.states[group][state]))
        for virtual in self.virtual_joints:
            if virtual.kind == "fixed":
                continue
            if virtual.kind == "planar" or virtual.child_link != mechanism.root:
                raise InvalidMechanism(
                    f"expected virtual joints that fix or free the root {mechanism.root!r}, got "
                    f"the {virtual.kind} joint {virtual.name!r} to {virtual.child_link!r}: write "
                    "the joint into the URDF"
                )
            mechanism = mechanism.with_floating_base(virtual.name)
        return mechanism


def load_srdf(source: Source, mechanism: Mechanism) -> Semantics:
    """Read the SRDF of a robot, from a file or its text.

    Args:
        source: A path; or the text itself: bytes, or a string that starts with ``<``.
        mechanism: The robot that the file is about; its names are checked. Of collisions alone,
            links that it does not have are ignored, with a note.

    Raises:
        InvalidMechanism: the file is wrong; one line for each error, with its line.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.ur5e()
    >>> said = load_srdf(
    ...     '''<robot name="ur5e">
    ...   <group name="arm"><chain base_link="base" tip_link="link6"/></group>
    ...   <group_state name="up" group="arm"><joint name="joint2" value="-1.57"/></group_state>
    ...   <disable_collisions link1="link1" link2="link2" reason="Adjacent"/>
    ... </robot>''',
    ...     arm,
    ... )
    >>> print(said)
    semantics of ur5e: 1 pairs do not collide
      group arm: 6 joints; states up
    >>> da.compile(said.applied(arm)).keyframe("up").tolist()
    [0.0, -1.57, 0.0, 0.0, 0.0, 0.0]
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidMechanism(
            f"expected the robot that the SRDF is about, got {mechanism!r:.60}: give what da.load "
            "returns"
        )
    report = Report(file_name(source))
    text = read_text(source, report)
    robot = parse_xml(text, report) if text is not None else None
    if robot is not None and robot.tag != "robot":
        message = f"expected the root <robot>, got <{robot.tag[:40]}>"
        report.error(robot, "", message, "give an SRDF file; its outermost element is <robot>")
    report.raise_errors()
    assert robot is not None
    read = _Reader(report, mechanism, robot)
    found = read.semantics()
    report.raise_errors()
    return replace(found, notes=report.notes())


class _Reader:
    """Reads the elements of an SRDF; faults are in the report."""

    def __init__(self, report: Report, mechanism: Mechanism, robot: Element) -> None:
        self.report, self.mechanism, self.robot = report, mechanism, robot
        self.links = {link.name for link in mechanism.links}
        self.joints = {joint.name: joint for joint in mechanism.joints}
        self.above = {joint.child: joint for joint in mechanism.joints}
        self.virtual = [x for x in map(self._virtual, robot.all("virtual_joint")) if x]
        self.groups = {x.attributes.get("name", ""): x for x in robot.all("group")}

    def semantics(self) -> Semantics:
        report, robot = self.report, self.robot
        check_attributes(report, robot, "", ("name", "version"))
        check_children(report, robot, "", (*CHILDREN, *IGNORED), ())
        name = robot.attributes.get("name", self.mechanism.name)
        if name != self.mechanism.name:
            message = f"expected the robot {shown(self.mechanism.name)}, got {shown(name)}"
            report.warn(robot, "", message, "make sure that the file is about this robot", "name")
        for tag in IGNORED:
            for element in robot.all(tag):
                report.tally(f"<{tag}>", element.line)
        groups = {}
        for element in robot.all("group"):
            name = read_name(report, element)
            if name is not None and name in groups:
                message = f"expected distinct names of groups, got {shown(name)} twice"
                report.error(element, "", message, "rename one of them", "name")
            elif name is not None:
                held = dict.fromkeys(self._group(element, ()))
                groups[name] = tuple(joint for joint in self.joints if joint in held)
        states: dict[str, dict[str, dict[str, tuple[Any, ...]]]] = {}
        for element in robot.all("group_state"):
            self._state(element, groups, states)
        passive = [self._known(x, "name", self.joints) for x in robot.all("passive_joint")]
        return Semantics(
            robot.attributes.get("name", self.mechanism.name),
            groups,
            states,
            tuple(x for x in (self._effector(e, groups) for e in robot.all("end_effector")) if x),
            tuple(self.virtual),
            tuple(x for x in passive if x is not None),
            self._collisions(),
        )

    def _known(self, element: Element, key: str, known: Mapping[str, Any] | set[str]) -> str | None:
        """Return a name that the robot has, or None with the reason in the report."""
        name = read_name(self.report, element, key)
        if name is None or name in known:
            return name
        what = "group" if key == "group" else "joint" if known is self.joints else "link"
        message = f"expected a {what} of {self.mechanism.name}, got {shown(name)}"
        self.report.error(element, "", message, self.report.nearest(name, list(known)), key)
        return None

    # ---- groups

    def _group(self, element: Element, within: tuple[str, ...]) -> Iterator[str]:
        """Yield the joints of a group: of chains, links, joints and other groups."""
        owner = f"group {shown(element.attributes.get('name', ''))}"
        check_children(self.report, element, owner, ("chain", "link", "joint", "group"), CHILDREN)
        for child in element.children:
            if child.tag == "chain":
                yield from self._chain(child, owner)
            elif child.tag == "link":
                name = self._known(child, "name", self.links)
                if name in self.above:
                    yield self.above[name].name
            elif child.tag == "joint" and not self._is_virtual(child):
                if (name := self._known(child, "name", self.joints)) is not None:
                    yield name
            elif child.tag == "group":
                name = self._known(child, "name", self.groups)
                if name is None:
                    continue
                if name in within or len(within) > MAX_GROUPS_IN_GROUPS:
                    message = f"expected groups within groups to end, got {name!r:.60} in itself"
                    self.report.error(child, owner, message, "remove it", "name")
                    continue
                yield from self._group(self.groups[name], (*within, name))

    def _chain(self, element: Element, owner: str) -> Iterator[str]:
        base, tip = (self._known(element, x, self.links) for x in ("base_link", "tip_link"))
        if base is None or tip is None:
            return
        found: list[str] = []
        at = tip
        while at != base and at in self.above:
            found.append(self.above[at].name)
            at = self.above[at].parent
        if at != base:
            message = f"expected a chain from {base!r:.60} to a link behind it, got {tip!r:.60}"
            self.report.error(element, owner, message, "exchange them, or name other links")
            return
        yield from reversed(found)

    # ---- postures

    def _state(
        self,
        element: Element,
        groups: Mapping[str, tuple[str, ...]],
        states: dict[str, dict[str, dict[str, tuple[Any, ...]]]],
    ) -> None:
        name, group = read_name(self.report, element), self._known(element, "group", groups)
        if name is None or group is None:
            return
        owner = f"state {shown(name)}"
        positions: dict[str, tuple[Any, ...]] = {}
        for child in element.all("joint"):
            if self._is_virtual(child):
                self.report.tally("position of a virtual joint", child.line)
                continue
            joint = self._known(child, "name", self.joints)
            if joint is not None and joint not in groups[group]:
                self.report.tally("position of a joint that is not in the group", child.line)
                continue
            values = None if joint is None else self._position(child, self.joints[joint], owner)
            if joint is not None and values is not None:
                positions[joint] = values
        of_group = states.setdefault(group, {})
        if name in of_group:
            message = f"expected one state {shown(name)} of group {shown(group)}, got two"
            self.report.error(element, "", message, "rename one of them", "name")
        of_group[name] = positions

    def _position(self, element: Element, joint: Joint, owner: str) -> tuple[Any, ...] | None:
        if not joint.nq:
            what = "follows another" if joint.mimic else "does not move"
            self.report.tally(f"position of a joint that {what}", element.line)
            return None
        text = element.attributes.get("value", "")
        remedy = f'write value="{" ".join(["0"] * joint.nq)}"'
        values = counted_numbers(self.report, element, text, owner, joint.nq, remedy, "value")
        if values is None or joint.kind not in (JointKind.FLOATING, JointKind.SPHERICAL):
            if values is not None:
                self._check_limits(element, joint, values[0], owner)
            return None if values is None else tuple(values)
        # the quaternion is (x, y, z, w) there
        return (*values[:-4], values[-1], *values[-4:-1])

    def _check_limits(self, element: Element, joint: Joint, value: Any, owner: str) -> None:
        low, high = joint.limits.lower, joint.limits.upper
        if (low is not None and value < low) or (high is not None and value > high):
            message = f"expected {shown(joint.name)} within {low} and {high}, got {float(value):g}"
            self.report.warn(element, owner, message, "correct the posture or the limits", "value")

    # ---- the rest

    def _is_virtual(self, element: Element) -> bool:
        name = element.attributes.get("name")
        return name not in self.joints and any(x.name == name for x in self.virtual)

    def _virtual(self, element: Element) -> VirtualJoint | None:
        name, parent = (read_name(self.report, element, x) for x in ("name", "parent_frame"))
        child = self._known(element, "child_link", self.links)
        kind = element.attributes.get("type", "")
        if kind not in VIRTUAL:
            message = f"expected a virtual joint that is {', '.join(VIRTUAL)}, got {shown(kind)}"
            self.report.error(element, "", message, "write one of them", "type")
        if name is None or parent is None or child is None:
            return None
        return VirtualJoint(name, kind, parent, child)

    def _effector(self, element: Element, groups: Mapping[str, Any]) -> EndEffector | None:
        name, group = read_name(self.report, element), self._known(element, "group", groups)
        link = self._known(element, "parent_link", self.links)
        parent = element.attributes.get("parent_group")
        if parent:
            element.attributes["group"] = parent
            parent = self._known(element, "group", groups)
        if name is None or group is None or link is None:
            return None
        return EndEffector(name, group, link, parent or None)

    def _collisions(self) -> dict[tuple[str, str], str]:
        """Return the pairs that are switched off, and not on again, in the order of the links."""
        order = {link.name: k for k, link in enumerate(self.mechanism.links)}
        found: dict[tuple[str, str], str] = {}
        for tag in ("disable_collisions", "enable_collisions"):
            for element in self.robot.all(tag):
                ends = [read_name(self.report, element, x) for x in ("link1", "link2")]
                if None in ends:
                    continue
                if unknown := [x for x in ends if x not in order]:
                    self.report.tally(
                        f"{tag} of unknown links", element.line, owner=str(unknown[0])
                    )
                    continue
                first, second = sorted(map(str, ends), key=order.__getitem__)
                if tag == "enable_collisions":
                    found.pop((first, second), None)
                else:
                    found[first, second] = element.attributes.get("reason", "")
        return found
