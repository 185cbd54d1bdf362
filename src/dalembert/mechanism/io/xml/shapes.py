"""What URDF and SDF share of shapes: those that cannot be read, and the one geometry of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dalembert.mechanism.io.xml.attributes import only_child
from dalembert.mechanism.io.xml.diagnosis import Report
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.shape import Geometry, Shape

GeometryReader = Callable[[Report, Element, str], Geometry | None]
"""Makes a geometry of an element; the text says of what it is, for errors."""


def read_shapes(
    report: Report, link: Element, tag: str, read: Callable[[Report, Element], Shape | None]
) -> tuple[Shape, ...]:
    """Return the shapes of a link; one that cannot be read is left out with a warning."""
    found = []
    for element in link.all(tag):
        attempt = Report(report.file, {"elements", *report.repairs})
        shape = read(attempt, element)
        report.soften(attempt, "the shape is left out")
        if shape is not None and not attempt.has_errors:
            found.append(shape)
    return tuple(found)


def read_geometry(
    report: Report, element: Element, owner: str, kinds: Mapping[str, GeometryReader]
) -> Geometry | None:
    """Return the one geometry in the <geometry> of an element, by the readers of its kinds."""
    geometry = only_child(report, element, "geometry", owner)
    found = [child for child in (geometry.children if geometry else ()) if child.tag in kinds]
    if geometry is None or len(found) != 1:
        got = "none" if geometry is None else f"{len(found)} of them"
        if geometry is not None and geometry.children and not found:
            got = f"<{geometry.children[0].tag[:40]}>"
        message = f"expected a <geometry> with one of {', '.join(kinds)}, got {got}"
        report.error(geometry or element, owner, message, "add it")
        return None
    return kinds[found[0].tag](report, found[0], owner)
