"""Shapes of links: what is seen and what touches. The equations of motion do not know them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from dalembert.expr.data import packable
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""


def is_colour(values: object) -> bool:
    """Tell whether these are four numbers from 0 to 1."""
    return (
        isinstance(values, tuple)
        and len(values) == 4
        and all(isinstance(x, int | float) and 0 <= x <= 1 for x in values)
    )


class Geometry:
    """What all geometries have: numbers in metres, exact, that may be expressions."""

    def __post_init__(self) -> None:
        for name, value in self.numbers.items():
            object.__setattr__(self, name, _mapped(value, exact))

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers and vectors by name, whatever is no text."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {name: x for name, x in found.items() if not (x is None or isinstance(x, str))}

    def map(self, f: Callable[[Any], Any]) -> Any:
        """Return the geometry with f applied to every number."""
        return replace(self, **{name: _mapped(x, f) for name, x in self.numbers.items()})  # type: ignore[type-var]


def _mapped(value: Any, f: Callable[[Any], Any]) -> Any:
    return tuple(f(x) for x in value) if isinstance(value, tuple | list) else f(value)


@packable
@dataclass(frozen=True)
class Box(Geometry):
    """A box with whole edges ``size`` (x, y, z) in m about its origin."""

    size: Vec


@packable
@dataclass(frozen=True)
class Sphere(Geometry):
    """A ball of this radius in m about its origin."""

    radius: Any


@packable
@dataclass(frozen=True)
class Cylinder(Geometry):
    """A cylinder along z about its origin; radius and whole length in m."""

    radius: Any
    length: Any


@packable
@dataclass(frozen=True)
class Capsule(Geometry):
    """A cylinder along z with half balls at its ends; ``length`` in m is that of the cylinder."""

    radius: Any
    length: Any


@packable
@dataclass(frozen=True)
class Ellipsoid(Geometry):
    """An ellipsoid with half axes ``radii`` (x, y, z) in m about its origin."""

    radii: Vec


@packable
@dataclass(frozen=True)
class Mesh(Geometry):
    """The triangles of a file, by its name; ``scale`` multiplies their coordinates.

    ``file`` is as the model wrote it, such as ``package://robot/arm.stl``; nothing is opened.
    ``path`` is the file on this machine where one was looked for and found, see `locate_meshes`;
    it is no part of the description and not saved.
    """

    file: str
    scale: Vec = (1, 1, 1)
    path: str | None = field(default=None, compare=False, repr=False)


GEOMETRIES: dict[str, type[Geometry]] = {
    kind.__name__.lower(): kind for kind in (Box, Sphere, Cylinder, Capsule, Ellipsoid, Mesh)
}
"""All geometries by their names in files."""


@packable
@dataclass(frozen=True)
class Shape:
    """A geometry fixed to a link: ``placement`` is its frame in that of the link.

    ``colour`` None leaves it to the viewer. A `Link` has shapes to look at, ``visuals``, and
    shapes that touch, ``collisions``.

    >>> Shape(Box((1, 0.5, 0.1)), colour=(1.0, 0.0, 0.0, 1.0)).geometry.size
    (1, Fraction(1, 2), Fraction(1, 10))
    """

    geometry: Geometry
    placement: Pose = field(default_factory=Pose)
    colour: Colour | None = None
    name: str = ""

    def map(self, f: Callable[[Any], Any]) -> Shape:
        """Return the shape with f applied to every number."""
        return replace(self, geometry=self.geometry.map(f), placement=self.placement.map(f))

    def moved(self, X: Pose) -> Shape:
        """Return the shape of another frame, in which its own one is at X."""
        return replace(self, placement=X @ self.placement)
