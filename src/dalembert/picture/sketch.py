"""Write a picture by hand: each call adds a part between places that it is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.expr import Expr, Scalar, cos, sin
from dalembert.picture.parts import (
    Area,
    Arrow,
    Disc,
    Ground,
    Label,
    Line,
    Mass,
    Part,
    Pin,
    Spring,
    Style,
    Support,
)
from dalembert.picture.picture import Picture, Point

if TYPE_CHECKING:
    from typing import Self

ARC_STEP = math.radians(6)
"""Between neighbouring points of an arc whose angles are numbers."""
ARC_POINTS = 24
"""Points of an arc whose angles are expressions."""
LETTER = 1.1
"""From a point to its label, in heights of letters."""


def polar(origin: Sequence[Any], length: Any, angle: Scalar) -> tuple[Any, Any]:
    """Return the point of the plane at a distance in m and an angle in rad from another.

    >>> polar((1, 0), 2, 0.0)
    (3.0, 0.0)
    """
    if isinstance(angle, Expr):
        return origin[0] + length * cos(angle), origin[1] + length * sin(angle)
    a = float(angle)
    return origin[0] + length * math.cos(a), origin[1] + length * math.sin(a)


class Sketch:
    """A picture that grows: every method adds a part and returns the sketch.

    Places are pairs or triples of numbers or expressions in m, angles are in rad from the x axis.
    Labels of coordinates stand beside what they name.

    >>> import dalembert as da
    >>> (a,), (l,) = da.coordinates("a"), da.parameters("l")
    >>> bob = (l * da.sin(a), -l * da.cos(a))
    >>> drawn = Sketch().support((0, 0)).rod((0, 0), bob).mass(bob, "m").picture()
    >>> [part.kind for part in drawn.parts]
    ['support', 'line', 'mass', 'label']
    """

    def __init__(self) -> None:
        self._names: dict[tuple[Scalar, ...], str] = {}
        self._points: dict[str, Point] = {}
        self._parts: list[Part] = []

    def picture(self, source: str = "its drawing") -> Picture:
        """Return what was drawn."""
        return Picture(self._points, tuple(self._parts), source)

    def point(self, place: Point, name: str = "") -> str:
        """Return the name of the point at a place; the same place has one name."""
        key = tuple(place)
        if key not in self._names:
            self._names[key] = name or f"p{len(self._names) + 1}"
            self._points[self._names[key]] = place
        return self._names[key]

    def line(
        self, *places: Point, style: Style = "thin", label: str = "", dashed: bool = False
    ) -> Self:
        """Draw lines from place to place."""
        return self._add(Line, places, style="dashed" if dashed else style)._beside(places, label)

    def rod(self, *places: Point, label: str = "") -> Self:
        """Draw a stiff rod."""
        return self.line(*places, style="rod", label=label)

    def rope(self, *places: Point) -> Self:
        """Draw a rope."""
        return self.line(*places, style="rope")

    def curve(self, places: Sequence[Point]) -> Self:
        """Draw a smooth curve given by many places."""
        return self.line(*places, style="edge")

    def spring(self, a: Point, b: Point, label: str = "") -> Self:
        """Draw a spring."""
        return self._add(Spring, (a, b))._beside((a, b), label)

    def mass(self, p: Point, label: str = "", side: float = 0.0) -> Self:
        """Draw a particle, its label on the side of an angle."""
        return self._add(Mass, (p,)).text(p, label, side=side)

    def pin(self, p: Point) -> Self:
        """Draw a joint."""
        return self._add(Pin, (p,))

    def support(self, p: Point) -> Self:
        """Draw a joint that is fixed to the ground."""
        return self._add(Support, (p,))

    def disc(
        self, p: Sequence[Any], radius: Any, angle: Any = 0.0, *, has_spoke: bool = False
    ) -> Self:
        """Draw a wheel or a ball; a spoke shows its angle."""
        rim, side = polar((0, 0), radius, angle), polar((0, 0), radius, angle + math.pi / 2)
        if isinstance(angle, Expr):
            side = (-rim[1], rim[0])
        ends = (p, (p[0] + rim[0], p[1] + rim[1]), (p[0] + side[0], p[1] + side[1]))
        return self._add(Disc, ends, has_spoke=has_spoke)

    def ring(self, p: Sequence[Any], radius: Any) -> Self:
        """Draw a circle, such as a hoop."""
        count = round(2 * math.pi / ARC_STEP)
        return self.curve([polar(p, radius, ARC_STEP * k) for k in range(count + 1)])

    def block(
        self, p: Sequence[Any], width: Any, height: Any, turn: Scalar = 0.0, label: str = ""
    ) -> Self:
        """Draw a block about its centre."""
        along, up = polar((0, 0), 1, turn), polar((0, 0), 1, turn)
        up = (-along[1], along[0])
        corners = [
            (
                p[0] + (i * width * along[0] + j * height * up[0]) / 2,
                p[1] + (i * width * along[1] + j * height * up[1]) / 2,
            )
            for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))
        ]
        return self._add(Area, corners).text(p, label)

    def ground(self, a: Point, b: Point) -> Self:
        """Draw a fixed surface; it is hatched on the right of the way from a to b."""
        return self._add(Ground, (a, b))

    def arrow(self, a: Point, b: Point, label: str = "") -> Self:
        """Draw an arrow with its label at the tip: a coordinate or a force."""
        return self._add(Arrow, (a, b)).text(b, label, beyond=a)

    def turn(self, p: Sequence[Any], radius: Any, start: Any, end: Any, label: str = "") -> Self:
        """Draw an arc from one angle to another with an arrow head: an angle or a turn."""
        angles = [start, end]
        if any(isinstance(x, Expr) for x in angles):
            count = ARC_POINTS
        else:
            count = max(4, int(abs(float(end) - float(start)) / ARC_STEP))
        places = [polar(p, radius, start + (end - start) * i / count) for i in range(count + 1)]
        self._add(Arrow, places)
        return self.text(polar(p, radius, (start + end) / 2), label, beyond=p)

    def text(
        self, p: Point, label: str, *, side: float | None = None, beyond: Point | None = None
    ) -> Self:
        """Write a label at a place, on the side of an angle, or on the far side of another place.

        Args:
            p: Where it stands.
            label: The words; nothing is written without any.
            side: An angle in rad towards which it is moved by the size of a letter.
            beyond: A place; the label stands on the line from it through ``p``.
        """
        if not label:
            return self
        if beyond is not None:
            ends = (self.point(beyond), self.point(p))
            self._parts.append(Label(ends, label, (LETTER, 0.0)))
            return self
        shift = (0.0, 0.0) if side is None else polar((0.0, 0.0), LETTER, side)
        self._parts.append(Label((self.point(p),), label, shift))
        return self

    def _beside(self, places: Sequence[Point], label: str) -> Self:
        if label:
            ends = (self.point(places[0]), self.point(places[-1]))
            self._parts.append(Label(ends, label))
        return self

    def _add(self, kind: type[Part], places: Sequence[Point], **more: object) -> Self:
        self._parts.append(kind(tuple(self.point(x) for x in places), **more))  # type: ignore[arg-type]
        return self
