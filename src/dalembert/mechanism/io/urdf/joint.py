"""URDF's <joint>: kind, placement, axis, limits, mimic and resistance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from dalembert.mechanism.io.urdf.link import DYNAMIC_TAGS, read_origin
from dalembert.mechanism.io.xml.attributes import (
    check_attributes,
    check_children,
    only_child,
    read_name,
    read_numbers,
)
from dalembert.mechanism.io.xml.decimals import Number
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, Mimic, unit_axis
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
SCALAR = ("revolute", "continuous", "prismatic")
CHILDREN = (
    *("origin", "parent", "child", "axis", "limit", "mimic", "dynamics"),
    *("safety_controller", "calibration"),
)
# the attributes of <dynamics>, which are named as the numbers of a resistance
RESISTANCE = ("damping", "friction")
DEFAULT_AXIS: Vec = (1, 0, 0)
UNIT_TOLERANCE = 1e-3
# the largest double: what our writer puts where the format asks for a bound and there is none
UNLIMITED = 1.7976931348623157e308

# for the normal n of a planar joint two axes with first × second = n
PLANES: dict[Vec, tuple[str, str]] = {
    (1, 0, 0): ("y", "z"),
    (0, 1, 0): ("z", "x"),
    (0, 0, 1): ("x", "y"),
    (-1, 0, 0): ("z", "y"),
    (0, -1, 0): ("x", "z"),
    (0, 0, -1): ("y", "x"),
}
UNITS: dict[str, Vec] = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@dataclass(frozen=True)
class JointElement:
    """A <joint> as it was read, with its place for the checks of the whole tree."""

    element: Element
    name: str
    type: str
    parent: str
    child: str
    placement: Pose
    axis: Vec
    limits: Limits
    mimic: Mimic | None
    resistance: Resistance


class Parts(NamedTuple):
    """What a joint becomes: a planar joint is three joints with two links between them."""

    joints: list[Joint]
    links: list[Link]


def read_joint(report: Report, element: Element) -> JointElement | None:
    """Return the joint, or None when it cannot take its place in the tree."""
    name = read_name(report, element)
    owner = f"joint {shown(name)}" if name else "a joint"
    kind = _read_type(report, element)
    check_attributes(report, element, "", ("name", "type"))
    check_children(report, element, owner, CHILDREN, DYNAMIC_TAGS)
    for ignored in ("safety_controller", "calibration"):
        for child in element.all(ignored):
            report.tally(f"<{ignored}>", child.line)
    parent = _read_end(report, element, "parent", owner)
    child = _read_end(report, element, "child", owner)
    placement = read_origin(report, element, owner)
    axis = _read_axis(report, element, kind, owner)
    limits = _read_limits(report, element, kind, owner)
    mimic = _read_mimic(report, element, kind, owner)
    resistance = _read_dynamics(report, element, owner)
    if name is None or parent is None or child is None:
        return None
    return JointElement(
        element,
        name,
        kind or "fixed",
        parent,
        child,
        placement,
        axis,
        limits,
        mimic,
        resistance,
    )


def _read_type(report: Report, element: Element) -> str | None:
    kind = element.attributes.get("type")
    if kind in TYPES:
        return kind
    got = "none" if kind is None else shown(kind)
    message = f"expected a joint type, got {got}"
    remedy = f"write one of {', '.join(TYPES)}"
    name = element.attributes.get("name")
    report.error(element, f"joint {shown(name)}" if name else "", message, remedy, "type")
    return None


def _read_end(report: Report, element: Element, tag: str, owner: str) -> str | None:
    end = only_child(report, element, tag, owner)
    if end is None:
        report.error(element, "", f"expected a <{tag}>, got none", f'add <{tag} link="…"/>')
        return None
    check_attributes(report, end, owner, ("link",))
    return read_name(report, end, "link", owner)


def _read_axis(report: Report, element: Element, kind: str | None, owner: str) -> Vec:
    axis = only_child(report, element, "axis", owner)
    if axis is None:
        return DEFAULT_AXIS
    check_attributes(report, axis, owner, ("xyz",))
    if "xyz" not in axis.attributes:
        message = "expected the attribute xyz, got none"
        report.error(axis, owner, message, 'write <axis xyz="0 0 1"/>')
        return DEFAULT_AXIS
    values = read_numbers(report, axis, "xyz", owner, 3)
    if values is None or kind in ("fixed", "floating"):
        return DEFAULT_AXIS
    if not any(values):
        message = "expected an axis with a direction, got zero"
        report.error(axis, owner, message, "give the axis of motion, 0 0 1 for z", "xyz")
        return DEFAULT_AXIS
    # scaled by its largest component, so that squares neither overflow nor vanish
    largest = max(map(abs, values))
    x, y, z = (Fraction(k) / largest for k in values)
    length = float(largest) * float(x * x + y * y + z * z) ** 0.5
    if abs(length - 1) > UNIT_TOLERANCE:
        message = f"expected an axis of length 1, got {length:.6g}"
        report.warn(axis, owner, message, "only its direction is used", "xyz")
    if 1e-100 < largest < 1e100:
        return values[0], values[1], values[2]
    return exact(x), exact(y), exact(z)


def _read_limits(report: Report, element: Element, kind: str | None, owner: str) -> Limits:
    limit = only_child(report, element, "limit", owner)
    bounded = kind in ("revolute", "prismatic")
    if limit is None:
        if bounded:
            message = f"expected a <limit> for a {kind} joint, got none"
            remedy = 'add <limit lower="…" upper="…" effort="…" velocity="…"/>'
            report.fault("limits", element, "", message, remedy, "unlimited")
        return Limits()
    check_attributes(report, limit, owner, ("lower", "upper", "velocity", "effort"))
    if kind in ("fixed", "floating", "planar"):
        report.tally(f"<limit> of a {kind} joint", limit.line)
        return Limits()
    velocity = _read_bound(report, limit, "velocity", owner)
    effort = _read_bound(report, limit, "effort", owner)
    lower, upper = (read_numbers(report, limit, key, owner) for key in ("lower", "upper"))
    if not bounded:
        return Limits(None, None, velocity, effort)
    if "lower" not in limit.attributes and "upper" not in limit.attributes:
        # the default 0 of the format would lock the joint, which nobody means
        report.tally("the default 0 of absent lower and upper of <limit>", limit.line)
        return Limits(None, None, velocity, effort)
    # one bound alone: the format says that the other is 0
    low, high = (lower or [0])[0], (upper or [0])[0]
    if low > high:
        message = f"expected lower ≤ upper, got {float(low):g} > {float(high):g}"
        report.fault(
            "limits", limit, owner, message, "exchange or correct them", "unlimited", "lower"
        )
        return Limits(None, None, velocity, effort)
    return Limits(_bound(low), _bound(high), velocity, effort)


def _read_bound(report: Report, limit: Element, key: str, owner: str) -> float | None:
    """Return the largest speed or effort; a bound of nothing at all is none."""
    if key not in limit.attributes:
        message = f"expected the attribute {key}, got none"
        report.fault("limits", limit, owner, message, f'write {key}="…"', "unlimited")
        return None
    values = read_numbers(report, limit, key, owner)
    if values and values[0] < 0:
        message = f"expected {key} that is not negative, got {float(values[0]):g}"
        report.fault("limits", limit, owner, message, "give its magnitude", "unlimited", key)
        return None
    return _bound(values[0]) if values else None


def _bound(value: Number) -> float | None:
    return float(value) if abs(float(value)) < UNLIMITED else None


def _read_mimic(report: Report, element: Element, kind: str | None, owner: str) -> Mimic | None:
    mimic = only_child(report, element, "mimic", owner)
    if mimic is None:
        return None
    check_attributes(report, mimic, owner, ("joint", "multiplier", "offset"))
    joint = read_name(report, mimic, "joint", owner)
    multiplier = read_numbers(report, mimic, "multiplier", owner) or [1]
    offset = read_numbers(report, mimic, "offset", owner) or [0]
    if kind == "fixed":
        report.tally("<mimic> of a fixed joint", mimic.line)
        return None
    if kind in ("floating", "planar"):
        message = f"expected a joint with one freedom to mimic another, got a {kind} joint"
        report.error(mimic, owner, message, "remove the <mimic>", "joint")
        return None
    if not multiplier[0]:
        message = "expected a multiplier that is not zero, got 0"
        report.warn(mimic, owner, message, "the joint does not move; make it fixed", "multiplier")
    return Mimic(joint, multiplier[0], offset[0]) if joint else None


def _read_dynamics(report: Report, element: Element, owner: str) -> Resistance:
    dynamics = only_child(report, element, "dynamics", owner)
    if dynamics is None:
        return Resistance()
    check_attributes(report, dynamics, owner, RESISTANCE)
    found: dict[str, Number] = {}
    for key in RESISTANCE:
        values = read_numbers(report, dynamics, key, owner) or [0]
        if values[0] < 0:
            message = f"expected {key} that is not negative, got {float(values[0]):g}"
            report.error(
                dynamics, owner, message, "it would drive the joint; give its magnitude", key
            )
        found[key] = values[0]
    return Resistance(**found)


def parts_of(joint: JointElement) -> Parts:
    """Return the elementary joints and the links between them."""
    axis, placement, after = unit_axis(joint.axis, joint.placement, Pose(), f"joint {joint.name!r}")
    if joint.type == "planar":
        return _planar(joint, axis, placement, after)
    if joint.type not in SCALAR:
        axis, placement, after = (0, 0, 1), joint.placement, Pose()
    kind = JointKind(joint.type)
    whole = Joint(
        joint.name,
        kind,
        joint.parent,
        joint.child,
        placement=placement,
        axis=axis,
        after=after,
        limits=joint.limits,
        mimic=joint.mimic,
        resistance=joint.resistance,
    )
    return Parts([whole], [])


def _planar(joint: JointElement, axis: Vec, placement: Pose, after: Pose) -> Parts:
    """Expand as `Builder.planar` does: two sliders across the axis, then a turn about it."""
    name = joint.name
    first, second = PLANES[axis]
    middle, last = f"{name}_slide1", f"{name}_slide2"
    ends = [
        (
            f"{name}_{first}",
            JointKind.PRISMATIC,
            joint.parent,
            middle,
            placement,
            UNITS[first],
            Pose(),
        ),
        (f"{name}_{second}", JointKind.PRISMATIC, middle, last, Pose(), UNITS[second], Pose()),
        (f"{name}_turn", JointKind.CONTINUOUS, last, joint.child, Pose(), axis, after),
    ]
    joints = [
        Joint(
            key,
            kind,
            parent,
            child,
            placement=at,
            axis=along,
            after=behind,
            resistance=joint.resistance,
        )
        for key, kind, parent, child, at, along, behind in ends
    ]
    return Parts(joints, [Link(middle), Link(last)])
