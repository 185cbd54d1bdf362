"""SDF's <joint>: kind, ends, axes, limits, mimic and resistance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.mechanism.io.sdf.values import (
    child_bound,
    child_flag,
    child_number,
    child_text,
    numbers_of,
)
from dalembert.mechanism.io.xml.attributes import check_attributes, check_children, only_child
from dalembert.mechanism.io.xml.decimals import Number
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.joint import JointKind, Limits, Mimic
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.spatial.exact import exact
from dalembert.spatial.vectors import Vec

KINDS = {
    "fixed": JointKind.FIXED,
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.CONTINUOUS,
    "prismatic": JointKind.PRISMATIC,
    "screw": JointKind.HELICAL,
    "ball": JointKind.SPHERICAL,
}
# two hinges about axes that cross
CROSSES = ("universal", "revolute2")
TYPES = (*KINDS, *CROSSES)
CHILDREN = (
    *("pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch"),
    *("physics", "sensor", "gearbox_ratio", "gearbox_reference_body"),
)
DYNAMIC = ("xyz", "limit", "dynamics", "mimic", "link", "joint", "inertial")


@dataclass(frozen=True)
class Axis:
    """An <axis>: a direction in the frame ``expressed_in``, that of the joint where it is empty."""

    element: Element
    xyz: Vec
    expressed_in: str
    limits: Limits
    resistance: Resistance
    mimic: Mimic | None


@dataclass(frozen=True)
class JointElement:
    """A <joint> as it was read; names of ends and frames as the model wrote them in its scope."""

    element: Element
    name: str
    scope: str
    type: str
    parent: str
    child: str
    axes: tuple[Axis, ...]
    pitch: Any

    @property
    def owner(self) -> str:
        return f"joint {shown(self.name)}"


def read_joint(report: Report, element: Element, name: str, scope: str) -> JointElement | None:
    """Return the joint, or None when it cannot take its place in the model."""
    owner, kind = f"joint {shown(name)}", element.attributes.get("type")
    check_children(report, element, owner, CHILDREN, DYNAMIC)
    if kind not in TYPES:
        got = "none" if kind is None else shown(kind)
        remedy = f"write one of {', '.join(TYPES)}"
        report.error(element, owner, f"expected a joint type, got {got}", remedy, "type")
        return None
    parent, child = (child_text(report, element, tag, owner) for tag in ("parent", "child"))
    if parent is None or child is None:
        message = "expected a <parent> and a <child>, got less"
        report.error(element, owner, message, "name two links")
        return None
    wanted = {"fixed": (), "ball": (), **dict.fromkeys(CROSSES, ("axis", "axis2"))}
    axes = [
        _read_axis(report, axis, owner)
        for tag in wanted.get(kind, ("axis",))
        if (axis := _axis_element(report, element, tag, owner)) is not None
    ]
    pitch = _read_pitch(report, element, owner) if kind == "screw" else 0
    return JointElement(element, name, scope, kind, parent, child, tuple(axes), pitch)


def _axis_element(report: Report, element: Element, tag: str, owner: str) -> Element | None:
    axis = only_child(report, element, tag, owner)
    if axis is None:
        message = f"expected an <{tag}> of this joint, got none"
        report.error(element, "", message, f"add <{tag}><xyz>0 0 1</xyz></{tag}>")
    return axis


def _read_axis(report: Report, element: Element, owner: str) -> Axis:
    known = ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position")
    check_children(report, element, owner, known, ())
    xyz = only_child(report, element, "xyz", owner)
    values = (numbers_of(report, xyz, owner, 3) if xyz is not None else None) or [0, 0, 1]
    if not any(values):
        message = "expected an axis with a direction, got zero"
        report.error(xyz or element, owner, message, "give the axis of motion, 0 0 1 for z")
        values = [0, 0, 1]
    expressed_in = xyz.attributes.get("expressed_in", "") if xyz is not None else ""
    # up to SDF 1.6
    if child_flag(report, element, "use_parent_model_frame", owner, False):
        expressed_in = "__model__"
    limits = only_child(report, element, "limit", owner)
    direction = (values[0], values[1], values[2])
    return Axis(
        element,
        direction,
        expressed_in,
        _read_limits(report, limits, owner) if limits is not None else Limits(),
        _read_dynamics(report, element, owner),
        _read_mimic(report, element, owner),
    )


def _read_limits(report: Report, element: Element, owner: str) -> Limits:
    """Return the limits; a negative effort or velocity is how SDF writes that there is none."""
    known = ("lower", "upper", "effort", "velocity", "stiffness", "dissipation")
    check_children(report, element, owner, known, ())
    for ignored in ("stiffness", "dissipation"):
        for child in element.all(ignored):
            report.tally(f"<{ignored}> of <limit>", child.line)
    lower, upper, velocity, effort = (
        child_bound(report, element, key, owner) for key in ("lower", "upper", "velocity", "effort")
    )
    if lower is not None and upper is not None and lower > upper:
        message = f"expected lower ≤ upper, got {lower:g} > {upper:g}"
        report.fault("limits", element, owner, message, "exchange them", "unlimited")
        lower = upper = None
    velocity, effort = (None if x is not None and x < 0 else x for x in (velocity, effort))
    return Limits(lower, upper, velocity, effort)


def _read_dynamics(report: Report, axis: Element, owner: str) -> Resistance:
    dynamics = only_child(report, axis, "dynamics", owner)
    if dynamics is None:
        return Resistance()
    names = {
        "damping": "damping",
        "friction": "friction",
        "spring_stiffness": "stiffness",
        "spring_reference": "rest",
    }
    check_children(report, dynamics, owner, tuple(names), ())
    found: dict[str, Number] = {}
    for key, name in names.items():
        found[name] = child_number(report, dynamics, key, owner)
        if found[name] < 0 and name != "rest":
            message = f"expected {key} that is not negative, got {float(found[name]):g}"
            remedy = "it would drive the joint; give its magnitude"
            report.error(dynamics.all(key)[0], owner, message, remedy)
            found[name] = 0
    return Resistance(**found)


def _read_mimic(report: Report, axis: Element, owner: str) -> Mimic | None:
    """Return q = multiplier · (q(joint) - reference) + offset, as SDF 1.11 has it."""
    mimic = only_child(report, axis, "mimic", owner)
    if mimic is None:
        return None
    check_attributes(report, mimic, owner, ("joint", "axis"))
    check_children(report, mimic, owner, ("multiplier", "offset", "reference"), ())
    leader = mimic.attributes.get("joint", "")
    if not leader or mimic.attributes.get("axis", "axis") != "axis":
        message = "expected a joint with one <axis> to follow, got another"
        report.error(mimic, owner, message, 'write <mimic joint="…">', "joint")
        return None
    k = child_number(report, mimic, "multiplier", owner, 1)
    c = child_number(report, mimic, "offset", owner)
    return Mimic(leader, k, exact(c - k * child_number(report, mimic, "reference", owner)))


def _read_pitch(report: Report, element: Element, owner: str) -> Any:
    """Return how far a screw slides for each radian.

    ``screw_thread_pitch`` is in metres for each turn, right-handed; the old ``thread_pitch`` in
    radians for each metre, left-handed.
    """
    if element.all("screw_thread_pitch"):
        pitch = child_number(report, element, "screw_thread_pitch", owner)
        return exact(float(pitch) / (2 * math.pi))
    turns = child_number(report, element, "thread_pitch", owner, 1)
    if not turns:
        message = "expected a <thread_pitch> that is not zero, got 0"
        report.error(element.all("thread_pitch")[0], owner, message, "use a revolute joint")
        return 0
    return exact(-1 / Fraction(turns))
