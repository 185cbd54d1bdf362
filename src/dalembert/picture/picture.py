"""A picture: points as expressions of the coordinates, and the parts that join them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.errors import InvalidSystem, UnknownName, nearest
from dalembert.expr import Expr, Replacements, Scalar, as_expr, substitute
from dalembert.expr.data import packable
from dalembert.picture.parts import Part

Point = Sequence[Scalar]
"""Two or three numbers or expressions of coordinates, parameters and the time, in m."""


@packable
@dataclass(frozen=True)
class Picture:
    """What a drawing of a machine shows, in every configuration.

    Reports, animations, the studio and pages draw the same picture: each gets it by
    ``model.description.picture()``. `Sketch` writes one by hand.

    Attributes:
        points: Place (x, y, z) in m by name, expressions of coordinates, parameters and time.
        parts: What is drawn between them, from the back to the front.
        source: Where the points come from, in words.

    Raises:
        InvalidSystem: a point has neither two nor three components.
        UnknownName: a part names a point that is not there.

    >>> import dalembert as da
    >>> (a,) = da.coordinates("a")
    >>> rod = da.picture.Line(("pivot", "bob"))
    >>> Picture({"pivot": (0, 0), "bob": (da.sin(a), -da.cos(a))}, (rod,)).points["bob"][2]
    0
    """

    points: Mapping[str, Point]
    parts: tuple[Part, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        points = {name: in_space(place, name) for name, place in self.points.items()}
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            for end in part.ends:
                if end not in points:
                    raise UnknownName(
                        f"expected the name of a point for a {part.kind}, got {end!r} "
                        f"({nearest(end, list(points))})"
                    )

    def __bool__(self) -> bool:
        return bool(self.points)

    def expressions(self) -> list[Expr]:
        """Return x, y and z of every point, in the order of the points."""
        return [as_expr(x) for place in self.points.values() for x in place]

    def subs(self, values: Replacements) -> Picture:
        """Return the picture with values for some symbols."""
        new = iter(substitute(self.expressions(), values))
        points = {name: (next(new), next(new), next(new)) for name in self.points}
        return Picture(points, self.parts, self.source)

    def with_parts(self, points: Mapping[str, Point], parts: Sequence[Part]) -> Picture:
        """Return the picture with further points and parts."""
        return Picture({**self.points, **points}, (*self.parts, *parts), self.source)

    def without(self, kind: type[Part], style: str | None = None) -> Picture:
        """Return the picture without the parts of a kind, or without its lines of a style."""
        kept = [
            x
            for x in self.parts
            if not (isinstance(x, kind) and style in (None, getattr(x, "style", None)))
        ]
        return Picture(self.points, tuple(kept), self.source)


def in_space(place: Point, name: str) -> tuple[Expr, Expr, Expr]:
    """Return a place with three components; z is 0 in the plane.

    Raises:
        InvalidSystem: it has neither two nor three.
    """
    components = [as_expr(x) for x in place]
    if len(components) not in (2, 3):
        raise InvalidSystem(
            f"expected two or three numbers for the point {name!r}, got {len(components)}"
        )
    x, y, z = [*components, as_expr(0)][:3]
    return x, y, z
