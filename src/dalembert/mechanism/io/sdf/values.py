"""Values of SDF: the text inside elements."""

from __future__ import annotations

import math
import re

from dalembert.mechanism.io.xml.angles import read_angles
from dalembert.mechanism.io.xml.attributes import counted_numbers, only_child
from dalembert.mechanism.io.xml.decimals import Number
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import MAX_VALUE, Element
from dalembert.spatial.exact import rotation_from_quaternion, rotation_from_rpy
from dalembert.spatial.pose import Pose

# what SDF writes where there is no bound
UNBOUNDED = 1e16
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def child_text(report: Report, element: Element, tag: str, owner: str) -> str | None:
    """Return the text of a child, without blanks around it; None where there is no such child."""
    child = only_child(report, element, tag, owner)
    return None if child is None else text_of(report, child, owner)


def text_of(report: Report, element: Element, owner: str) -> str | None:
    """Return the text of an element, None with the reason in the report where there is none."""
    text = element.text.strip()
    if not text or len(text) > MAX_VALUE:
        message = f"expected text in <{element.tag}>, got {'too much' if text else 'none'}"
        report.error(element, owner, message, f"write <{element.tag}>…</{element.tag}>")
        return None
    return text


def numbers_of(report: Report, element: Element, owner: str, count: int = 1) -> list[Number] | None:
    """Return the numbers that an element holds, or None with the reason in the report."""
    text = text_of(report, element, owner)
    if text is None:
        return None
    return counted_numbers(report, element, text, owner, count, "separate them by blanks")


def child_numbers(
    report: Report, element: Element, tag: str, owner: str, count: int = 1
) -> list[Number] | None:
    """Return the numbers of a child; None where it is absent or wrong (then reported)."""
    child = only_child(report, element, tag, owner)
    return None if child is None else numbers_of(report, child, owner, count)


def child_number(
    report: Report, element: Element, tag: str, owner: str, default: Number = 0
) -> Number:
    """Return the one number of a child, or the default of the format."""
    values = child_numbers(report, element, tag, owner)
    return values[0] if values else default


def child_bound(report: Report, element: Element, tag: str, owner: str) -> float | None:
    """Return a bound; infinity and what is as large are none."""
    child = only_child(report, element, tag, owner)
    if child is None or INFINITE.fullmatch(child.text.strip()):
        return None
    values = numbers_of(report, child, owner)
    return float(values[0]) if values and abs(values[0]) < UNBOUNDED else None


def child_flag(report: Report, element: Element, tag: str, owner: str, default: bool) -> bool:
    """Return a truth value: true or 1, false or 0."""
    text = child_text(report, element, tag, owner)
    known = {"true": True, "1": True, "false": False, "0": False}
    if text is None:
        return default
    if text.lower() not in known:
        place = element.all(tag)[0]
        report.error(place, owner, f"expected true or false, got {shown(text)}", "write one")
    return known.get(text.lower(), default)


def pose_of(report: Report, element: Element, owner: str) -> Pose:
    """Return the pose that a <pose> holds: x y z and roll pitch yaw, or a quaternion.

    ``degrees`` and ``rotation_format`` are the attributes of SDF 1.8 and 1.9.
    """
    form = element.attributes.get("rotation_format", "euler_rpy")
    if form not in ("euler_rpy", "quat_xyzw"):
        message = f"expected rotation_format euler_rpy or quat_xyzw, got {shown(form)}"
        report.error(element, owner, message, "write one of them", "rotation_format")
        return Pose()
    if not element.text.strip():
        return Pose()
    values = numbers_of(report, element, owner, 6 if form == "euler_rpy" else 7)
    if values is None:
        return Pose()
    p = values[0], values[1], values[2]
    if form == "quat_xyzw":
        if not any(values[3:]):
            message = "expected a quaternion with a direction, got zero"
            report.error(element, owner, message, "write 0 0 0 1 for no rotation")
            return Pose(p=p)
        x, y, z, w = (float(k) for k in values[3:])
        return Pose(rotation_from_quaternion(w, x, y, z), p)
    if element.attributes.get("degrees", "false").lower() in ("true", "1"):
        return Pose(rotation_from_rpy(*(math.radians(k) for k in values[3:])), p)
    return Pose(rotation_from_rpy(*read_angles(report, values[3:], element.line, owner)), p)
