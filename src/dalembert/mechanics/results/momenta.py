"""Total mass, centre of mass and momenta of bodies, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import ZERO, Expr, Matrix, Notation, as_expr, ddt, total
from dalembert.expr.data import packable
from dalembert.mechanics.equations.formula import (
    DerivationLine,
    formulas_latex,
    formulas_text,
)
from dalembert.mechanics.equations.routes.letters import Letter
from dalembert.mechanics.system.body import Vector, as_vector
from dalembert.recursions.dynamics.momentum import momentum
from dalembert.recursions.kinematics import center_of_mass
from dalembert.recursions.tree import Tree
from dalembert.ring import canonical_all, rebuild, ring_of
from dalembert.typeset.parts.letters import names_in, own_letter

if TYPE_CHECKING:
    from dalembert.mechanics.system.body import Body

IN_SPACE = 3


@packable
@dataclass(frozen=True)
class Momenta:
    """Mass m, centre of mass r_C with its velocity v_C, momentum P = m v_C and L about the origin.

    Vectors are columns in world axes with two entries in the plane, where ``angular_momentum`` has
    one, or with three in space. Bodies without mass have no centre: both are None.
    """

    mass: Expr
    center_of_mass: Matrix | None
    velocity: Matrix | None
    momentum: Matrix
    angular_momentum: Matrix

    def about(self, point: Vector) -> Matrix:
        """Return the angular momentum L - p × P about a point p.

        Velocities stay those of the world. ``about(center_of_mass)`` is the centroidal one.

        >>> import dalembert as da
        >>> x, y = da.coordinates("x y")
        >>> (m,) = da.parameters("m")
        >>> ball = da.System.from_particles([m], [(x, y)], coordinates=[x, y])
        >>> print(ball.momenta().about((0, 1)))
        [m ((1 - y) ẋ + x ẏ)]
        """
        p = as_vector(point, "a point")
        if p.shape != self.momentum.shape:
            raise InvalidSystem(
                f"expected a point with {len(self.momentum)} components, got {len(p)}: "
                "give it the size of the positions"
            )
        moved = self.angular_momentum - _cross(p, self.momentum)
        return _canonical(list(moved), self.momentum.notation)

    def _formulas(self) -> list[DerivationLine]:
        notation = self.momentum.notation
        centre = [("r", self.center_of_mass), ("v", self.velocity)]
        used = names_in([self.mass, *(e for _, a in centre for e in a or ()), *self.momentum])
        used += names_in(self.angular_momentum)
        found = [
            DerivationLine(f"{x}_C", f"{x}_{{C}}", value, notation)
            for x, value in centre
            if value is not None
        ]
        P, L = (Letter(own_letter(x, used)) for x in "PL")
        return [*found, P.line(self.momentum), L.line(self.angular_momentum)]

    def __str__(self) -> str:
        return formulas_text(self._formulas())

    def _repr_latex_(self) -> str:
        return formulas_latex(self._formulas())


def momenta_of_bodies(bodies: Sequence[Body], notation: Notation | None = None) -> Momenta:
    """Return Σ m, Σ m r / Σ m, Σ m ṙ and Σ (r × m ṙ + R I Rᵀ ω).

    Raises:
        InvalidSystem: there are no bodies.
    """
    if not bodies:
        raise InvalidSystem(
            "expected bodies for a centre of mass, got only energies: "
            "build the system with System.from_bodies or System.from_particles"
        )
    r = [body.r for body in bodies]
    m = [as_expr(body.mass) for body in bodies]
    moment = _sum([a * b for a, b in zip(m, r, strict=True)])
    momenta = [a * b.map(ddt) for a, b in zip(m, r, strict=True)]
    angular = [_cross(a, b) for a, b in zip(r, momenta, strict=True)]
    for body in bodies:
        w, inertia = body.rotation_rate(), body.world_inertia()
        if w is not None and inertia is not None:
            angular.append(inertia @ w)
    return closed_momenta(total(m), moment, _sum(momenta), _sum(angular), notation)


def closed_momenta(
    mass: Expr, moment: Matrix, momentum: Matrix, angular: Matrix, notation: Notation | None
) -> Momenta:
    """Return momenta in canonical form from Σ m, Σ m r, P and L."""
    (m,) = _canonical([mass], notation)
    P, L = (_canonical(list(x), notation) for x in (momentum, angular))
    if m is ZERO:
        return Momenta(m, None, None, P, L)
    r, v = (_canonical([x / m for x in column], notation) for column in (moment, momentum))
    return Momenta(m, r, v, P, L)


def momenta_of_tree(tree: Tree, q: Sequence[Expr], notation: Notation | None = None) -> Momenta:
    """Return the momenta of the moving links of a mechanism; armature counts in none."""
    mass, moment = center_of_mass(tree, q)
    P, L = momentum(tree, q, [x.dot for x in q])
    first, linear, angular = (Matrix.column([as_expr(e) for e in x]) for x in (moment, P, L))
    return closed_momenta(as_expr(mass), first, linear, angular, notation)


def _sum(columns: Sequence[Matrix]) -> Matrix:
    return Matrix.column([total(x) for x in zip(*columns, strict=True)])


def _cross(a: Matrix, b: Matrix) -> Matrix:
    """Return a × b, one entry in the plane."""
    if len(a) < IN_SPACE:
        return Matrix.column([a[0] * b[1] - a[1] * b[0]])
    (x, y, z), (u, v, w) = a, b
    return Matrix.column([y * w - z * v, z * u - x * w, x * v - y * u])


def _canonical(entries: Sequence[Expr], notation: Notation | None) -> Matrix:
    found = canonical_all(ring_of(list(entries)), list(entries))
    return Matrix.column([rebuild(x) for x in found]).printed_as(notation)
