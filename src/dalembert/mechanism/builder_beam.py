"""Beams that bend, as links of a builder: sliders, points of mass and springs.

The deflection Σ ηᵢ φᵢ(s) of a slender beam has the coordinates ηᵢ, one slider each. Points of mass
slide across the root with them (`mass_points`), the tip slides and turns; all of them mimic ηᵢ. The
strain energy is that of springs over the ηᵢ. So a beam is a mechanism of hinges and sliders.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, as_expr, total
from dalembert.mechanism.given import items
from dalembert.mechanism.parts.mass_points import mass_points, orthogonal
from dalembert.mechanism.parts.shape_functions import (
    Polynomial,
    ShapeFunction,
    clamped,
    coefficients,
    derivative,
    integral,
    product,
)
from dalembert.spatial.exact import exact
from dalembert.spatial.scalar import is_zero
from dalembert.types import Scalar

if TYPE_CHECKING:
    from dalembert.mechanism.builder import Builder

MAX_MODES = 8

T = TypeVar("T")


class Slide(NamedTuple):
    """A coordinate of a beam: the slider's name, its axis, and the function of s that it scales."""

    joint: str
    axis: str
    function: Polynomial


class BeamLink(NamedTuple):
    """What a builder makes a beam of; see `Builder.beam`."""

    name: str
    mass: Scalar
    length: Scalar
    stiffness: tuple[Scalar, Scalar]
    damping: Scalar
    bends: dict[str, list[Slide]]
    shortens: list[tuple[Slide, tuple[Fraction, ...]]]

    @classmethod
    def of(
        cls,
        name: str,
        mass: Scalar,
        length: Scalar,
        stiffness: object,
        modes: object,
        damping: Scalar,
        shapes: Sequence[ShapeFunction] | None,
        foreshortening: bool,
    ) -> BeamLink:
        """Return a beam of what a person gave."""
        where = f"beam {name!r:.60}"
        across = modes if isinstance(modes, Sequence) else (modes, 0)
        counts = items(across, [2], "one or two numbers of modes", where)
        if not all(type(n) is int and 0 <= n <= MAX_MODES for n in counts) or not any(counts):
            raise InvalidMechanism(
                f"expected 1 to {MAX_MODES} modes of {where}, along y or along y and z, got "
                f"{modes!r:.60}"
            )
        functions = _functions(shapes, max(counts), where)
        bends = {
            axis: [Slide(f"{name}_{axis}{i + 1}", axis, functions[i]) for i in range(n)]
            for axis, n in zip("yz", counts, strict=True)
        }
        drawn = orthogonal(_drawn_back(functions)) if foreshortening else []
        shortens = [
            (Slide(f"{name}_x{k}", "x", x.function), x.parts) for k, x in enumerate(drawn, 1)
        ]
        pair = stiffness if isinstance(stiffness, Sequence) else (stiffness, stiffness)
        EI = items(pair, [2], "one stiffness, or one along y and one along z,", where)
        numbers = exact(mass), exact(length), (exact(EI[0]), exact(EI[1])), exact(damping)
        for what, x in (("length", numbers[1]), *(("stiffness", x) for x in numbers[2])):
            if not isinstance(x, Expr) and not x > 0:
                raise InvalidMechanism(f"expected a positive {what} of {where}, got {x}")
        return cls(name, *numbers, bends, shortens)

    @property
    def slides(self) -> list[Slide]:
        """All coordinates: along y, along z, and along x those that follow from them."""
        return [*self.bends["y"], *self.bends["z"], *(slide for slide, _ in self.shortens)]

    @property
    def tip(self) -> str:
        """The link at the end."""
        return f"{self.name}_tip"

    def build(self, builder: Builder) -> None:
        """Add links, joints and springs of the beam."""
        self._add_tip(builder)
        self._add_masses(builder)
        for axis, EI in zip("yz", self.stiffness, strict=True):
            self._add_springs(builder, axis, EI)
        for slide, parts in self.shortens:
            self._add_coupling(builder, slide, parts)

    def _add_tip(self, builder: Builder) -> None:
        """Add the sliders of the coordinates one behind the other, and what the tip moves more."""
        chain = _Chain(builder, self.name, self.tip, self.length)
        for slide in self.slides:
            chain.own(slide)
        for slide in self.slides:
            chain.follow("prismatic", slide.axis, slide, exact(sum(slide.function) - 1))
        for slide in (*self.bends["y"], *self.bends["z"]):
            # w' about z, and about -y
            slope = exact(as_expr(sum(derivative(slide.function))) / as_expr(self.length))
            axis = "z" if slide.axis == "y" else "-y"
            chain.follow("revolute", axis, slide, slope)
        chain.build()

    def _add_masses(self, builder: Builder) -> None:
        functions = {id(slide.function): slide.function for slide in self.slides}
        points, mass, first, second = mass_points(list(functions.values()))
        m, l = as_expr(self.mass), as_expr(self.length)
        inertia = exact(m * l**2 * (second - first**2 / mass))
        com = exact(l * (first / mass))
        builder.link(
            self.name, mass=exact(m * mass), com=(com, 0, 0), inertia=(0, inertia, inertia)
        )
        for number, point in enumerate(points, 1):
            moves = dict(zip(functions, point.moves, strict=True))
            chain = _Chain(builder, self.name, f"{self.name}_m{number}", exact(l * point.place))
            for slide in self.slides:
                factor = exact(moves[id(slide.function)])
                chain.follow("prismatic", slide.axis, slide, factor)
            chain.build(exact(m * point.mass))

    def _add_springs(self, builder: Builder, axis: str, EI: Scalar) -> None:
        """Add ½ EI/l³ ∫w''² ds, w'' in orthogonal parts, one spring each."""
        slides = self.bends[axis]
        curvatures = [derivative(derivative(slide.function)) for slide in slides]
        for number, part in enumerate(orthogonal(curvatures), 1):
            k = exact(as_expr(EI) / as_expr(self.length) ** 3 * part.square)
            pairs = zip(slides, part.parts, strict=True)
            builder.joint_spring(
                f"{self.name}_bend_{axis}{number}",
                {slide.joint: c for slide, c in pairs if c},
                stiffness=k,
                damping=exact(as_expr(self.damping) * k),
            )

    def _add_coupling(self, builder: Builder, slide: Slide, parts: tuple[Fraction, ...]) -> None:
        """Let a slider along x be its part of -½ ∫w'² dx, a sum of ηᵢ ηⱼ and of ζᵢ ζⱼ."""
        names = [x.joint for axis in self.bends.values() for x in axis]
        l = as_expr(self.length)

        def law(*values: Expr) -> Expr:
            at, found = dict(zip(names, values, strict=True)), []
            for axis in self.bends.values():
                for (x, y), c in zip(_pairs(axis), parts, strict=False):
                    both = c if x is y else 2 * c
                    found.append(-both / (2 * l) * at[x.joint] * at[y.joint])
            return total(found)

        builder.couple(slide.joint, slide.joint, names, law)


class _Chain:
    """Sliders and hinges in series from a link to another, all but the last link without mass."""

    def __init__(self, builder: Builder, start: str, end: str, place: Scalar):
        self.builder, self.start, self.end, self.place = builder, start, end, place
        self.joints: list[tuple[str, str, dict[str, Any]]] = []

    def own(self, slide: Slide) -> None:
        """Add the slider of a coordinate."""
        self.joints.append((slide.joint, "prismatic", {"axis": slide.axis, "passive": True}))

    def follow(self, kind: str, axis: str, slide: Slide, factor: Scalar) -> None:
        """Add a joint that mimics a coordinate, unless the factor is 0."""
        if not is_zero(factor):
            name = f"{self.end}_{len(self.joints) + 1}"
            self.joints.append((name, kind, {"axis": axis, "mimic": (slide.joint, factor)}))

    def build(self, mass: Scalar | None = None) -> None:
        """Add links and joints, the first joint at the place along x, the mass at the end."""
        joints = self.joints or [(self.end, "fixed", {})]
        parent, origin = self.start, (self.place, 0, 0)
        for number, (name, kind, options) in enumerate(joints, 1):
            is_last = number == len(joints)
            child = self.end if is_last else name
            self.builder.link(child, mass=mass if is_last else None)
            self.builder.joint(kind, name, child, parent=parent, origin=origin, **options)
            parent, origin = child, (0, 0, 0)


def _functions(shapes: Sequence[ShapeFunction] | None, count: int, where: str) -> list[Polynomial]:
    """Return the shapes of a beam, those of a clamped root unless given."""
    if shapes is None:
        return [clamped(n) for n in range(count)]
    listed = items(shapes, None, "shapes", where)
    found = [coefficients(shape, InvalidMechanism) for shape in listed]
    if len(found) != count or len(orthogonal(found)) != count:
        raise InvalidMechanism(
            f"expected {count} shapes of {where} that are independent, one for each mode, got "
            f"{len(found)}"
        )
    return found


def _drawn_back(functions: Sequence[Polynomial]) -> list[Polynomial]:
    """Return ∫φᵢ' φⱼ' ds from 0 to s, for the pairs of `_pairs`."""
    slopes = [derivative(p) for p in functions]
    return [integral(product(a, b)) for a, b in _pairs(slopes)]


def _pairs(things: Sequence[T]) -> list[tuple[T, T]]:
    """Return the pairs of things, also of each with itself, those of the first few first."""
    return [(things[i], things[j]) for j in range(len(things)) for i in range(j + 1)]
