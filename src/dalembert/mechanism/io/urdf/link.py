"""URDF's <link>: a name and an inertia, checked for physical consistency."""

from __future__ import annotations

from typing import Any

from dalembert.mechanism.io.xml.angles import read_angles
from dalembert.mechanism.io.xml.attributes import (
    check_attributes,
    check_children,
    only_child,
    read_name,
    read_numbers,
    required_number,
)
from dalembert.mechanism.io.xml.decimals import Number
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.physics import is_rounded, what_is_wrong
from dalembert.spatial.exact import rotation_from_quaternion, rotation_from_rpy
from dalembert.spatial.inertia.consistency import is_consistent, nearest_consistent
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, ZERO, Mat, multiply, transpose

# tags that carry dynamics: one of them in the wrong place is a mistake, not decoration
DYNAMIC_TAGS = frozenset(
    ["link", "joint", "inertial", "mass", "inertia", "parent", "child", "axis", "limit", "mimic"]
)
MOMENTS = ("ixx", "iyy", "izz")
PRODUCTS = ("ixy", "ixz", "iyz")
FULL_TURN = 6.2832


def read_link(report: Report, element: Element) -> Link | None:
    """Return the link, or None without a usable name; other faults are in the report."""
    name = read_name(report, element)
    owner = f"link {shown(name)}" if name else "a link"
    check_attributes(report, element, "", ("name",))
    check_children(report, element, owner, ("inertial", "visual", "collision"), DYNAMIC_TAGS)
    inertial = only_child(report, element, "inertial", owner)
    if name is None:
        return None
    if inertial is None:
        return Link(name)
    inertia = _read_inertial(report, inertial, owner)
    # a mass of zero says as little as none: exporters write it where they know nothing
    if inertia is None or inertia == NO_INERTIA:
        return Link(name)
    return Link(name, inertia, True)


def read_origin(report: Report, element: Element, owner: str) -> Pose:
    """Return the pose of the <origin> of an element; the identity without one."""
    origin = only_child(report, element, "origin", owner)
    if origin is None:
        return Pose()
    check_attributes(report, origin, owner, ("xyz", "rpy", "quat_xyzw"))
    xyz = read_numbers(report, origin, "xyz", owner, 3) or [0, 0, 0]
    rpy = read_numbers(report, origin, "rpy", owner, 3) or [0, 0, 0]
    quaternion = read_numbers(report, origin, "quat_xyzw", owner, 4)
    R = rotation_from_rpy(*read_angles(report, rpy, origin.line, owner))
    if any(abs(k) > FULL_TURN for k in rpy):
        message = "expected angles within a full turn, got more"
        report.warn(
            origin, owner, message, "rpy is in radians; check that these are not degrees", "rpy"
        )
    if quaternion:
        if "rpy" in origin.attributes:
            message = "expected rpy or quat_xyzw, got both"
            report.error(origin, owner, message, "remove one of them", "quat_xyzw")
        elif not any(quaternion):
            message = "expected a quaternion with a direction, got zero"
            report.error(origin, owner, message, "write 0 0 0 1 for no rotation", "quat_xyzw")
        else:
            largest = max(map(abs, quaternion))
            x, y, z, w = (float(k / largest) for k in quaternion)
            R = rotation_from_quaternion(w, x, y, z)
    return Pose(R, (xyz[0], xyz[1], xyz[2]))


def _read_inertial(report: Report, element: Element, owner: str) -> Inertia | None:
    """Return the inertia about the link's origin, or None where it could not be read."""
    check_children(report, element, owner, ("origin", "mass", "inertia"), DYNAMIC_TAGS)
    X_LC = read_origin(report, element, owner)
    m = _read_mass(report, element, owner)
    moments = only_child(report, element, "inertia", owner)
    tensor = _read_tensor(report, moments, owner) if moments else None
    if m is None:
        return None
    if moments is None:
        # a mass of zero needs no tensor: nothing is there
        repaired = m == 0 or report.fault(
            "inertias",
            element,
            owner,
            "expected an <inertia>, got none",
            "add its six numbers",
            "a point mass",
        )
        tensor = (0, 0, 0, 0, 0, 0) if repaired else None
    if tensor is None:
        return None
    body = checked_inertia(report, moments or element, owner, Inertia(m, ZERO, tensor))
    # turn the tensor into the link's axes, then move it to the link's origin
    return Inertia.from_com(m, X_LC.p, turned(X_LC.R, body.tensor))


def turned(R: Mat, tensor: Mat) -> Mat:
    return tensor if R == IDENTITY else multiply(multiply(R, tensor), transpose(R))


def _read_mass(report: Report, element: Element, owner: str) -> Number | None:
    mass = only_child(report, element, "mass", owner)
    if mass is None:
        message = "expected a <mass>, got none"
        report.error(element, owner, message, 'add <mass value="…"/> in kilograms')
        return None
    check_attributes(report, mass, owner, ("value",))
    m = required_number(report, mass, "value", owner)
    if m is not None and m < 0:
        message = f"expected a positive mass, got {mass.attributes['value']}"
        report.error(mass, owner, message, "give the mass in kilograms", "value")
        return None
    return m


def _read_tensor(
    report: Report, element: Element, owner: str
) -> tuple[Any, Any, Any, Any, Any, Any] | None:
    """Return (xx, yy, zz, xy, xz, yz)."""
    check_attributes(report, element, owner, (*MOMENTS, *PRODUCTS))
    values: list[Number | None] = []
    for attribute in (*MOMENTS, *PRODUCTS):
        if attribute in PRODUCTS and attribute not in element.attributes:
            message = f"expected the attribute {attribute}, got none"
            remedy = f'write {attribute}="0" if it is zero'
            report.fault("inertias", element, owner, message, remedy, "zero")
            values.append(0)
        else:
            values.append(required_number(report, element, attribute, owner))
    numbers = tuple(k for k in values if k is not None)
    return numbers if len(numbers) == 6 else None


def checked_inertia(report: Report, element: Element, owner: str, body: Inertia) -> Inertia:
    """Return the inertia about the centre of mass, repaired where that is allowed."""
    if body.m == 0 and any(body.I):
        if not report.accept_nonphysical:
            message = "expected a positive mass beside this inertia, got mass 0"
            remedy = "give the mass, or set the inertia to zero"
            report.fault(
                "inertias", element, owner, message, remedy, "kept as a rotor without mass"
            )
        else:
            report.warn(element, owner, "inertia without mass", "kept as it is")
    if is_consistent(body):
        return body
    reason = what_is_wrong(body)
    if is_rounded(body):
        report.warn(element, owner, reason, "within the rounding of printed digits, kept as it is")
        return body
    if report.accept_nonphysical:
        report.warn(element, owner, reason, "no body has this inertia, kept as it is")
        return body
    remedy = "no body has this inertia; correct it, keep it with accept_nonphysical=True"
    if not report.fault("inertias", element, owner, reason, remedy, "the nearest consistent one"):
        return body
    return nearest_consistent(body)
