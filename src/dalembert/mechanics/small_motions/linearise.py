"""Linear equations of small deviations from a point of rest or from a motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import BySymbol, Expr, Kind, Matrix, Scalar, postorder, symbol, symbol_text
from dalembert.mechanics.small_motions.directions import Directions, admissible, multipliers
from dalembert.mechanics.small_motions.linearisation import Linearisation
from dalembert.mechanics.small_motions.point import Base, inputs_of, time_rate
from dalembert.ring import partials, rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def linearise(
    eq: Equations,
    about: BySymbol[Scalar] | None = None,
    *,
    affine: bool = False,
    positive: bool = False,
) -> Linearisation:
    """Linearise R = M q̈ + C q̇ + N - Υ - Aᵀλ about a point or a motion q₀(t), exactly.

    ∂R/∂q̈ δq̈ + ∂R/∂q̇ δq̇ + ∂R/∂q δq - A₀ᵀ δλ = -∂R/∂u δu with A₀ δq = 0. The admissible
    δq = Z δξ remove δλ: Zᵀ times the equations, with δq̇ = Z δξ̇ + Ż δξ and so on. With
    ``positive`` parameters √(l²) is l.
    """
    if eq.system.velocity_constraints:
        raise InvalidSystem(
            "expected position constraints only, got velocity constraints: use quasi-velocities, "
            "or differentiate a position constraint if they are integrable"
        )
    base = Base(eq, about, positive=positive)
    _check_smooth(eq, base)
    f, ring = eq.forms, eq.ring
    _check_constraints(eq, base)
    # the load that constraints carry, M q̈ + h - Υ
    load_form = f.M @ eq.second_rates + eq.bias_form - f.forces
    load = base.matrix(rebuild_matrix(load_form))
    A = base.matrix(rebuild_matrix(f.A))
    directions = admissible(A, len(eq.coordinates))
    lam = multipliers(A, load, directions.bound)
    reaction = A.T @ Matrix.column(lam) if lam else Matrix.zeros(len(eq.coordinates), 1)
    offset = _reduced(base, directions.Z, load - reaction)
    _check_residual(eq, base, offset, directions, affine)
    # ∂R/∂q̈, ∂R/∂q̇, ∂R/∂q and -∂R/∂u along the motion
    force_form = load_form
    if lam:
        force_form = load_form - f.A.T @ ring.column(eq.lam)
    with_lam = dict(zip(eq.lam, lam, strict=True))

    def slopes(xs: Sequence[Expr]) -> Matrix:
        columns = [d.of_matrix(force_form).entries for d in partials(ring, xs)]
        n = len(eq.coordinates)
        a = Matrix([[column[i] for column in columns] for i in range(n)], len(columns))
        return base.matrix(rebuild_matrix(a).subs(with_lam))

    M = base.matrix(rebuild_matrix(f.M))
    D, K = slopes(eq.velocities), slopes(eq.coordinates)
    u = inputs_of(eq)
    B = -slopes(u)
    Z = directions.Z
    Zd = Z.map(time_rate)
    Zdd = Zd.map(time_rate)
    q = [eq.coordinates[k] for k in directions.free]
    return Linearisation(
        variables=tuple(symbol(Kind.COORDINATE, f"delta{symbol_text(x)}") for x in q),
        inputs=tuple(symbol(Kind.INPUT, f"delta{symbol_text(x)}") for x in u),
        M=_reduced(base, Z, M @ Z),
        D=_reduced(base, Z, D @ Z + M @ Zd * 2),
        K=_reduced(base, Z, K @ Z + D @ Zd + M @ Zdd),
        B=_reduced(base, Z, B),
        offset=offset,
        followers=tuple(
            (symbol(Kind.COORDINATE, f"delta{symbol_text(eq.coordinates[k])}"), Matrix([Z.rows[k]]))
            for k in directions.bound
        ),
        multipliers=tuple(lam),
        about=base.coordinates,
    )


def _reduced(base: Base, Z: Matrix, a: Matrix) -> Matrix:
    """Return Zᵀ a, simplified."""
    product = Z.T @ a
    return base.matrix(product) if len(product) else product


def _check_smooth(eq: Equations, base: Base) -> None:
    """Refuse a point where a function has a kink, a jump or a vertical tangent."""
    for node in postorder([*eq.system.differentiated(), *eq.system.forces]):
        is_root = node.op == "pow" and node.value.denominator != 1
        if (is_root or node.op in ("sign", "abs")) and base.at([node.args[0]])[0] == 0:
            raise InvalidSystem(
                f"expected functions that are smooth there, got {node}, whose argument vanishes: "
                "it has no linear part, as dry friction at rest"
            )


def _check_constraints(eq: Equations, base: Base) -> None:
    """Refuse a point or motion off the constraints."""
    positions = base.at(list(rebuild_matrix(eq.forms.a)))
    for i, x in enumerate(positions):
        if x != 0:
            raise InvalidSystem(
                f"expected a point that satisfies constraint {i + 1}, got {x} instead of 0: "
                "correct the point in about="
            )


def _check_residual(
    eq: Equations, base: Base, offset: Matrix, directions: Directions, affine: bool
) -> None:
    """Refuse a point where the forces do not balance, unless the affine term is wanted."""
    if affine or all(x == 0 for x in offset):
        return
    names = [symbol_text(eq.coordinates[k]) for k in directions.free]
    left = ", ".join(f"{x} along {name}" for x, name in zip(offset, names, strict=True) if x != 0)
    what = "an equilibrium" if base.rests else "a motion that the equations admit"
    raise InvalidSystem(
        f"expected {what}, got the unbalanced force {left}: correct about=, give the inputs that "
        "hold it, or pass affine=True to keep this term"
    )
