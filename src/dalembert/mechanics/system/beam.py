"""Beams that bend, as bodies of a system: the method of Rayleigh and Ritz with exact integrals.

The places of a beam are a polynomial p(s) of s = x/l, from 0 to 1. In the shifted Legendre
polynomials P₀, P₁, …, which are orthogonal with ∫Pₖ² ds = 1/(2k + 1), it is Σ aₖ Pₖ(s), and so
T = ½ m ∫ṗᵀṗ ds = Σ ½ m/(2k + 1) ȧₖᵀȧₖ: a beam moves as particles of mass m/(2k + 1) at aₖ do, of
which only the first one, its mass centre, has a weight. No number is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from dalembert.errors import InvalidSystem
from dalembert.expr import ZERO, Expr, Matrix, Scalar, as_expr, cos, sin, total
from dalembert.expr.data import packable
from dalembert.mechanics.system.body import Body, Vector, as_vector
from dalembert.mechanism.parts.shape_functions import (
    Polynomial,
    ShapeFunction,
    coefficients,
    derivative,
    inner,
    integral,
    legendre,
    product,
    value,
)


@packable
@dataclass(frozen=True, eq=False)
class Beam:
    """A slender beam that bends (Euler and Bernoulli): w(x) = Σ ηᵢ φᵢ(x/l) across its axis.

    In the plane it lies along x of axes turned by an angle and bends along y; in space, with a
    rotation matrix, along z too. Its root is at ``origin``; the strain energy is ½ ∫EI w''² dx.
    With ``foreshortening`` a deflection draws its points back by ½ ∫w'² dx, as the length is kept:
    so a beam that turns fast is stiffened, and one that is pushed buckles. `System.from_bodies`
    takes beams among its bodies.

    Args:
        mass: Of the whole beam in kg.
        length: l in m.
        stiffness: EI in N m², or that along y and along z.
        deflections: The coordinates ηᵢ along y, in m.
        across: Those along z, in space.
        origin: Where the root is; two components in the plane, three in space.
        orientation: The angle, or the rotation matrix from the axes of the beam to the world's.
        shapes: φᵢ as polynomials of s for as many coordinates as there are, along y and z alike:
            functions, or coefficients with the constant first. Unless given s² P₀(s), s² P₁(s), …,
            with Legendre's polynomials P₀ = 1, P₁ = 2 s - 1, …: those of a clamped root. Pinned
            ends have s (1 - s), ….
        foreshortening: Whether points are drawn back.

    >>> import dalembert as da
    >>> (e,), (m, l, EI) = da.coordinates("e"), da.parameters("m l EI")
    >>> beam = Beam(m, l, EI, [e], shapes=[lambda s: s**2 * (3 - s) / 2], foreshortening=False)
    >>> print(da.System.from_bodies([beam], coordinates=[e]).equations())
    33 m ë/140 + 3 EI e/l³ = 0
    """

    mass: Scalar
    length: Scalar
    stiffness: Scalar | Sequence[Scalar]
    deflections: Sequence[Expr]
    across: Sequence[Expr] = ()
    origin: Vector | None = None
    orientation: Scalar | Matrix = 0
    shapes: Sequence[ShapeFunction] | None = None
    foreshortening: bool = True

    def packed_fields(self) -> dict[str, object]:
        """Return the fields, with shapes by their coefficients."""
        shapes = (
            None if self.shapes is None else [coefficients(x, InvalidSystem) for x in self.shapes]
        )
        return {**vars(self), "shapes": shapes}

    def __post_init__(self) -> None:
        if not (self.deflections or self.across):
            raise InvalidSystem("expected a coordinate for the deflection of a beam, got none")
        if self.across and not self.is_spatial:
            raise InvalidSystem(
                "expected a 3 × 3 rotation matrix as the orientation of a beam that bends across "
                f"the plane, got {self.orientation}"
            )
        count = max(len(self.deflections), len(self.across))
        if self.shapes is not None and len(self.shapes) < count:
            raise InvalidSystem(
                f"expected {count} shapes of a beam, one for each coordinate, got "
                f"{len(self.shapes)}"
            )
        if self._root.shape[0] != (3 if self.is_spatial else 2):
            raise InvalidSystem(
                f"expected {3 if self.is_spatial else 2} components of the origin of a beam, got "
                f"{self._root.shape[0]}"
            )

    @property
    def is_spatial(self) -> bool:
        """Whether the beam is in space."""
        return isinstance(self.orientation, Matrix)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Particles that move as the beam does; the first is its mass centre."""
        parts = _legendre(self._places())
        return tuple(Body(as_expr(self.mass) / (2 * k + 1), place) for k, place in enumerate(parts))

    def potential(self, gravity: Matrix | None = None) -> Expr:
        """Return the strain energy in joules; with gravity less the weight of `bodies` but one."""
        l, V = as_expr(self.length), ZERO
        both = self.stiffness
        pair = tuple(both) if isinstance(both, Sequence) else (both, both)
        for EI, coordinates in zip(pair, (self.deflections, self.across), strict=True):
            bends = [derivative(derivative(p)) for p in self._polynomials(len(coordinates))]
            # ½ EI/l³ Σ ηᵢ ηⱼ ∫φᵢ'' φⱼ'' ds
            V = V + as_expr(EI) / (2 * l**3) * _form(coordinates, bends)
        if gravity is not None:
            V = V + total([as_expr(b.mass) * gravity.dot(b.r) for b in self.bodies[1:]])
        return V

    def point(self, s: Scalar) -> Matrix:
        """Return the place of the cross-section at s = x/l, from 0 (the root) to 1 (the tip)."""
        places = self._places()
        return Matrix.column(
            [
                total([as_expr(c[i]) * as_expr(s) ** k for k, c in enumerate(places)])
                for i in range(self._root.shape[0])
            ]
        )

    def angle(self, s: Scalar) -> Expr:
        """Return the direction of the beam in the plane at s, to first order in the deflections.

        Raises:
            InvalidSystem: the beam is in space.
        """
        if isinstance(self.orientation, Matrix):
            raise InvalidSystem("expected a beam in the plane for its angle, got one in space")
        slopes = [derivative(p) for p in self._polynomials(len(self.deflections))]
        turn = total(
            [as_expr(e) * value(p, s) for e, p in zip(self.deflections, slopes, strict=True)]
        )
        return as_expr(self.orientation) + turn / as_expr(self.length)

    @property
    def _root(self) -> Matrix:
        if self.origin is None:
            return Matrix.column([0, 0, 0] if self.is_spatial else [0, 0])
        return as_vector(self.origin, "the origin of a beam")

    def _polynomials(self, count: int) -> list[Polynomial]:
        if self.shapes is None:
            return [[Fraction(0), Fraction(0), *legendre(i)] for i in range(count)]
        return [coefficients(shape, InvalidSystem) for shape in self.shapes[:count]]

    def _places(self) -> list[Matrix]:
        """Return the coefficients of p(s), columns in the world."""
        l = as_expr(self.length)
        axes: list[dict[int, Expr]] = [{1: l}, {}, {}]
        for axis, coordinates in ((1, self.deflections), (2, self.across)):
            shapes = self._polynomials(len(coordinates))
            for e, p in zip(coordinates, shapes, strict=True):
                _add(axes[axis], p, as_expr(e))
            if self.foreshortening:
                # l s - ½ ∫w'² dx
                slopes = [derivative(p) for p in shapes]
                for i, a in enumerate(slopes):
                    for j, b in enumerate(slopes):
                        back = -as_expr(coordinates[i]) * as_expr(coordinates[j]) / (2 * l)
                        _add(axes[0], integral(product(a, b)), back)
        size, R = self._root.shape[0], self._rotation()
        degree = max(max(axis, default=0) for axis in axes)
        columns = []
        for k in range(degree + 1):
            own = Matrix.column([axis.get(k, ZERO) for axis in axes[:size]])
            columns.append(R @ own + self._root if k == 0 else R @ own)
        return columns

    def _rotation(self) -> Matrix:
        if isinstance(self.orientation, Matrix):
            return self.orientation
        a = as_expr(self.orientation)
        return Matrix([[cos(a), -sin(a)], [sin(a), cos(a)]])


def _legendre(places: Sequence[Matrix]) -> list[Matrix]:
    """Return aₖ of a polynomial of s as Σ aₖ Pₖ(s).

    sⁿ = Σ (2k + 1) n!² / ((n - k)! (n + k + 1)!) Pₖ(s).
    """
    found = []
    for k in range(len(places)):
        parts = [
            Fraction((2 * k + 1) * factorial(n) ** 2, factorial(n - k) * factorial(n + k + 1)) * c
            for n, c in enumerate(places)
            if n >= k
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole + part
        found.append(whole)
    return found


def _form(coordinates: Sequence[Expr], shapes: Sequence[Polynomial]) -> Expr:
    """Return Σ ηᵢ ηⱼ ∫φᵢ φⱼ ds."""
    pairs = list(zip(coordinates, shapes, strict=True))
    return total([inner(a, b) * x * y for x, a in pairs for y, b in pairs])


def _add(axis: dict[int, Expr], p: Polynomial, factor: Expr) -> None:
    for k, c in enumerate(p):
        if c:
            axis[k] = axis.get(k, ZERO) + c * factor
