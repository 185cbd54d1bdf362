"""SDF's <link>: inertia, and shapes to look at and to touch."""

from __future__ import annotations

from typing import Any

from dalembert.mechanism.io.meshes import check_mesh_name
from dalembert.mechanism.io.sdf.values import (
    child_flag,
    child_number,
    child_numbers,
    child_text,
    pose_of,
)
from dalembert.mechanism.io.urdf.link import MOMENTS, PRODUCTS, checked_inertia, turned
from dalembert.mechanism.io.xml.attributes import check_children, only_child
from dalembert.mechanism.io.xml.diagnosis import Report
from dalembert.mechanism.io.xml.shapes import GeometryReader, read_geometry, read_shapes
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Colour,
    Cylinder,
    Ellipsoid,
    Mesh,
    Shape,
    Sphere,
    is_colour,
)
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO

CHILDREN = ("pose", "inertial", "visual", "collision", "gravity", "kinematic", "must_be_base_link")
# of a link in the wrong place
DYNAMIC = ("mass", "inertia", "joint", "link", "axis", "parent", "child", "model")


def read_link(report: Report, element: Element, name: str, owner: str) -> Link:
    """Return the link with its inertia and shapes; faults are in the report."""
    check_children(report, element, owner, CHILDREN, DYNAMIC)
    if not child_flag(report, element, "gravity", owner, True):
        message = "expected a link that gravity pulls, got <gravity> false"
        report.error(element.all("gravity")[0], owner, message, "remove it, or change the model")
    if child_flag(report, element, "kinematic", owner, False):
        message = "expected a link that forces move, got <kinematic> true"
        report.error(element.all("kinematic")[0], owner, message, "remove it")

    def read(attempt: Report, shape: Element) -> Shape | None:
        return _read_shape(attempt, shape, owner)

    visuals, collisions = (
        read_shapes(report, element, tag, read) for tag in ("visual", "collision")
    )
    inertia = _read_inertial(report, element, owner)
    return Link(name, inertia, inertia != NO_INERTIA, visuals, collisions)


def _read_inertial(report: Report, element: Element, owner: str) -> Inertia:
    """Return the inertia about the link's origin; without one SDF says 1 kg and 1 kg m²."""
    inertial = only_child(report, element, "inertial", owner)
    if inertial is None:
        message = "expected an <inertial>, got none"
        report.warn(element, "", message, "SDF gives the link 1 kg and moments of 1 kg m²")
        return Inertia(1, ZERO, (1, 1, 1, 0, 0, 0))
    check_children(report, inertial, owner, ("pose", "mass", "inertia", "density"), DYNAMIC)
    if inertial.attributes.get("auto", "false").lower() in ("true", "1"):
        message = 'expected numbers in <inertial>, got auto="true"'
        report.error(inertial, owner, message, "write mass and inertia", "auto")
    place = only_child(report, inertial, "pose", owner)
    X_LC = pose_of(report, place, owner) if place is not None else Pose()
    if place is not None and place.attributes.get("relative_to"):
        message = "expected the <pose> of <inertial> in the frame of its link, got relative_to"
        report.error(place, owner, message, "remove relative_to", "relative_to")
    m = child_number(report, inertial, "mass", owner, 1)
    if m < 0:
        message = f"expected a positive mass, got {float(m):g}"
        report.error(inertial.all("mass")[0], owner, message, "give the mass in kilograms")
        return NO_INERTIA
    moments = only_child(report, inertial, "inertia", owner)
    tensor: Any = (1, 1, 1, 0, 0, 0)
    if moments is not None:
        check_children(report, moments, owner, (*MOMENTS, *PRODUCTS), ())
        defaults = dict.fromkeys(MOMENTS, 1) | dict.fromkeys(PRODUCTS, 0)
        tensor = tuple(
            child_number(report, moments, key, owner, value) for key, value in defaults.items()
        )
    body = checked_inertia(report, moments or inertial, owner, Inertia(m, ZERO, tensor))
    return Inertia.from_com(m, X_LC.p, turned(X_LC.R, body.tensor))


def _read_shape(report: Report, element: Element, owner: str) -> Shape | None:
    place = only_child(report, element, "pose", owner)
    X = pose_of(report, place, owner) if place is not None else Pose()
    if place is not None and place.attributes.get("relative_to"):
        message = "expected the <pose> of a shape in the frame of its link, got relative_to"
        report.error(place, owner, message, "leave relative_to out", "relative_to")
    geometry = read_geometry(report, element, owner, KINDS)
    colour = _read_colour(report, element, owner)
    if geometry is None:
        return None
    return Shape(geometry, X, colour, element.attributes.get("name", ""))


def _read_colour(report: Report, element: Element, owner: str) -> Colour | None:
    for material in element.all("material"):
        for key in ("diffuse", "ambient"):
            color = only_child(report, material, key, owner)
            if color is None:
                continue
            # the opacity may be left out
            count = 3 if len(color.text.split()) == 3 else 4
            values = child_numbers(report, material, key, owner, count) or ()
            colour = (*(float(x) for x in values), *(1.0,) * (4 - count))
            if is_colour(colour):
                return colour  # type: ignore[return-value]
            message = "expected red, green, blue and opacity from 0 to 1, got others"
            report.error(color, owner, message, "correct them")
    return None


def _size(report: Report, element: Element, tag: str, owner: str) -> Any:
    return child_number(report, element, tag, owner, 1)


def _sizes(report: Report, element: Element, tag: str, owner: str) -> Any:
    return tuple(child_numbers(report, element, tag, owner, 3) or (1, 1, 1))


def _mesh(report: Report, element: Element, owner: str) -> Mesh | None:
    file = child_text(report, element, "uri", owner)
    if file is None:
        message = "expected the <uri> of a mesh, got none"
        report.error(element, owner, message, "write <uri>model://…</uri>")
        return None
    if element.all("submesh"):
        report.tally("<submesh>", element.line)
    check_mesh_name(report, element, owner, file)
    return Mesh(file, _sizes(report, element, "scale", owner))


KINDS: dict[str, GeometryReader] = {
    "box": lambda r, e, o: Box(_sizes(r, e, "size", o)),
    "sphere": lambda r, e, o: Sphere(_size(r, e, "radius", o)),
    "cylinder": lambda r, e, o: Cylinder(_size(r, e, "radius", o), _size(r, e, "length", o)),
    "capsule": lambda r, e, o: Capsule(_size(r, e, "radius", o), _size(r, e, "length", o)),
    "ellipsoid": lambda r, e, o: Ellipsoid(_sizes(r, e, "radii", o)),
    "mesh": _mesh,
}
