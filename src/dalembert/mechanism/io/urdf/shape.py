"""URDF's <visual> and <collision>: geometry, placement and colour.

A shape that cannot be read is left out with a warning: no motion depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from dalembert.mechanism.io.meshes import check_mesh_name
from dalembert.mechanism.io.urdf.link import read_origin
from dalembert.mechanism.io.xml.attributes import (
    check_attributes,
    check_children,
    only_child,
    read_name,
    read_numbers,
)
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.shapes import GeometryReader, read_geometry, read_shapes
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Colour,
    Cylinder,
    Mesh,
    Shape,
    Sphere,
    is_colour,
)

Materials = Mapping[str, Colour]
"""The colours of a file by the names of their materials."""


def read_materials(robot: Element) -> dict[str, Colour]:
    """Return the colours that a file names: those of the robot, then those inside visuals."""
    found: dict[str, Colour] = {}
    for material in (*robot.all("material"), *_inner_materials(robot)):
        name, colour = material.attributes.get("name"), _colour(Report("material"), material, "")
        if name and colour:
            found.setdefault(name, colour)
    return found


def _inner_materials(robot: Element) -> Iterator[Element]:
    for link in robot.all("link"):
        for visual in link.all("visual"):
            yield from visual.all("material")


def with_shapes(report: Report, link: Link, element: Element, materials: Materials) -> Link:
    """Return the link with the shapes that its element gives it."""
    owner = f"link {shown(link.name)}"

    def read(attempt: Report, shape: Element) -> Shape | None:
        return _read_shape(attempt, shape, owner, materials)

    visuals, collisions = (
        read_shapes(report, element, tag, read) for tag in ("visual", "collision")
    )
    return replace(link, visuals=visuals, collisions=collisions)


def _read_shape(report: Report, element: Element, owner: str, materials: Materials) -> Shape | None:
    check_attributes(report, element, owner, ("name",))
    check_children(report, element, owner, ("origin", "geometry", "material"), ())
    geometry = read_geometry(report, element, owner, KINDS)
    placement = read_origin(report, element, owner)
    material = only_child(report, element, "material", owner)
    colour = None
    if material is not None:
        for texture in material.all("texture"):
            report.tally("<texture>", texture.line)
        colour = _colour(report, material, owner) or materials.get(
            material.attributes.get("name", "")
        )
    if geometry is None:
        return None
    return Shape(geometry, placement, colour, element.attributes.get("name", ""))


def _colour(report: Report, material: Element, owner: str) -> Colour | None:
    for color in material.all("color"):
        values = read_numbers(report, color, "rgba", owner, 4)
        colour = tuple(float(x) for x in values or ())
        if is_colour(colour):
            return colour  # type: ignore[return-value]
        if values:
            message = "expected red, green, blue and opacity from 0 to 1, got others"
            report.error(color, owner, message, "correct them", "rgba")
    return None


def _sizes(report: Report, element: Element, owner: str, *names: str) -> list[Any] | None:
    """Return positive numbers by their attributes, None where one is missing or wrong."""
    check_attributes(report, element, owner, names)
    found: list[Any] = []
    for name in names:
        count = 3 if name == "size" else 1
        values = read_numbers(report, element, name, owner, count) or ()
        if not values or any(x < 0 for x in values):
            message = f"expected {name} that is not negative, got {'it' if values else 'none'}"
            report.error(element, owner, message, "give it in metres", name)
            return None
        found += [tuple(values)] if count == 3 else values
    return found


def _box(report: Report, element: Element, owner: str) -> Box | None:
    found = _sizes(report, element, owner, "size")
    return Box(*found) if found else None


def _sphere(report: Report, element: Element, owner: str) -> Sphere | None:
    found = _sizes(report, element, owner, "radius")
    return Sphere(*found) if found else None


def _cylinder(report: Report, element: Element, owner: str) -> Cylinder | None:
    found = _sizes(report, element, owner, "radius", "length")
    return Cylinder(*found) if found else None


def _capsule(report: Report, element: Element, owner: str) -> Capsule | None:
    found = _sizes(report, element, owner, "radius", "length")
    return Capsule(*found) if found else None


def _mesh(report: Report, element: Element, owner: str) -> Mesh | None:
    check_attributes(report, element, owner, ("filename", "scale"))
    file = read_name(report, element, "filename", owner)
    scale = read_numbers(report, element, "scale", owner, 3) or (1, 1, 1)
    if not file:
        return None
    check_mesh_name(report, element, owner, file)
    return Mesh(file, tuple(scale))  # type: ignore[arg-type]


KINDS: dict[str, GeometryReader] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "mesh": _mesh,
}
