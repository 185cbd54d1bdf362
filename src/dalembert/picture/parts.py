"""The parts of a picture. Each is given by the names of the points that it joins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dalembert.errors import InvalidSystem
from dalembert.expr.data import packable

Style = Literal["rod", "thin", "rope", "dashed", "edge", "trail"]
"""How a line is drawn: a stiff rod, a thin line, a rope, a dashed line, an outline, a path."""
STYLES: tuple[Style, ...] = ("rod", "thin", "rope", "dashed", "edge", "trail")


@dataclass(frozen=True)
class Part:
    """Something that is drawn between points.

    Attributes:
        ends: Names of points of the picture, as many as the part needs.
    """

    ends: tuple[str, ...]

    least: ClassVar[int] = 1
    most: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", tuple(self.ends))
        if not self.least <= len(self.ends) <= self.most:
            many = str(self.least) if self.least == self.most else f"{self.least} or more"
            raise InvalidSystem(
                f"expected {many} points for a {self.kind}, got {len(self.ends)}: "
                f"{', '.join(self.ends) or 'none'}"
            )

    @property
    def kind(self) -> str:
        """The name of its class in lower case, as the pages know it."""
        return type(self).__name__.lower()


@packable
@dataclass(frozen=True)
class Line(Part):
    """Straight lines from point to point, in a style."""

    style: Style = "rod"

    least: ClassVar[int] = 2
    most: ClassVar[int] = 10_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.style not in STYLES:
            raise InvalidSystem(
                f"expected one of {', '.join(STYLES)} as the style of a line, got {self.style!r}"
            )


@packable
@dataclass(frozen=True)
class Spring(Part):
    """A coil spring between two points."""

    least: ClassVar[int] = 2
    most: ClassVar[int] = 2


@packable
@dataclass(frozen=True)
class Disc(Part):
    """A disc: its centre, a point of its rim, and the point a quarter of a turn further.

    Attributes:
        has_spoke: Whether a line to the first point of the rim shows how it turns.
    """

    has_spoke: bool = True

    least: ClassVar[int] = 3
    most: ClassVar[int] = 3


@packable
@dataclass(frozen=True)
class Area(Part):
    """A filled outline through its corners, such as a cart."""

    least: ClassVar[int] = 3
    most: ClassVar[int] = 10_000


@packable
@dataclass(frozen=True)
class Mass(Part):
    """A particle, or a centre of mass."""


@packable
@dataclass(frozen=True)
class Pin(Part):
    """A joint about which parts turn."""


@packable
@dataclass(frozen=True)
class Support(Part):
    """A joint that is fixed to the ground."""


@packable
@dataclass(frozen=True)
class Ground(Part):
    """A fixed surface, hatched on the right of the way from the first point to the second."""

    least: ClassVar[int] = 2
    most: ClassVar[int] = 2


@packable
@dataclass(frozen=True)
class Rail(Part):
    """A straight track through a point, towards another, as long as the drawing is wide."""

    least: ClassVar[int] = 2
    most: ClassVar[int] = 2


@packable
@dataclass(frozen=True)
class Arrow(Part):
    """A coordinate or a force: a line through points with a head at the last one."""

    least: ClassVar[int] = 2
    most: ClassVar[int] = 10_000


@packable
@dataclass(frozen=True)
class Label(Part):
    """Words at a point or at a line.

    Attributes:
        text: The words.
        shift: Of one point: to the right and up from it, in heights of letters; the renderer finds
            a free place where it is None. Of two points: how far beyond the second one on the line
            through both; beside the middle of the line where it is None.
    """

    text: str = ""
    shift: tuple[float, float] | None = None

    most: ClassVar[int] = 2


PARTS: dict[str, type[Part]] = {
    kind.__name__.lower(): kind
    for kind in (Line, Spring, Disc, Area, Mass, Pin, Support, Ground, Rail, Arrow, Label)
}
"""All parts by the names that the pages know."""
