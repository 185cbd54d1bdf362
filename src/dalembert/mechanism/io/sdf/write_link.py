"""Write links of SDF: inertia and shapes."""

from __future__ import annotations

from collections.abc import Iterator

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.urdf.write_shape import rpy_from_rotation
from dalembert.mechanism.io.xml.write import distinct, indented, numbers, quoted, tag
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.shape import Mesh, Shape
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO


def element(name: str, text: str) -> str:
    """Return an element that holds text.

    >>> element("mass", "2")
    '<mass>2</mass>'
    """
    return f"<{name}>{quoted(text)}</{name}>"


def pose(X: Pose, relative_to: str | None = None) -> list[str]:
    """Return <pose>; nothing for the identity in the default frame."""
    attributes = {} if relative_to is None else {"relative_to": relative_to}
    if X.is_identity:
        return [tag("pose", attributes)] if attributes else []
    values = numbers((*X.p, *rpy_from_rotation(X.R)))
    return [f"{tag('pose', attributes, open=True)}{values}</pose>"]


def link_lines(link: Link) -> list[str]:
    """Return inertia and shapes of a link; one without mass is written so."""
    lines = [*_inertial(link)]
    taken: set[str] = set()
    for name, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            # SDF wants names, and other ones for all shapes of a link
            own = distinct(shape.name or name, taken)
            start = tag(name, {"name": own}, open=True)
            lines += [start, *indented(_shape(shape)), f"</{name}>"]
    return lines


def _inertial(link: Link) -> Iterator[str]:
    m, h, _ = link.inertia
    if m == 0 and h != ZERO:
        raise InvalidMechanism(
            f"expected a mass of link {link.name!r} to write SDF, got 0 with the first moment {h}: "
            "give it a mass"
        )
    com, tensor = (
        (link.inertia.com(), link.inertia.about_com()) if m else (ZERO, link.inertia.tensor)
    )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    moments = {"ixx": xx, "iyy": yy, "izz": zz, "ixy": xy, "ixz": xz, "iyz": yz}
    inside = [element(key, numbers([x])) for key, x in moments.items()]
    yield "<inertial>"
    yield from indented(
        [
            *pose(Pose(p=com)),
            element("mass", numbers([m])),
            "<inertia>",
            *indented(inside),
            "</inertia>",
        ]
    )
    yield "</inertial>"


def _shape(shape: Shape) -> Iterator[str]:
    yield from pose(shape.placement)
    geometry = shape.geometry
    kind = type(geometry).__name__.lower()
    inside = [element("uri", geometry.file)] if isinstance(geometry, Mesh) else []
    for name, value in geometry.numbers.items():
        inside.append(element(name, numbers(value if isinstance(value, tuple) else [value])))
    yield "<geometry>"
    yield from indented([f"<{kind}>", *indented(inside), f"</{kind}>"])
    yield "</geometry>"
    if shape.colour is not None:
        colour = numbers(shape.colour)
        yield "<material>"
        yield from indented([element("ambient", colour), element("diffuse", colour)])
        yield "</material>"
