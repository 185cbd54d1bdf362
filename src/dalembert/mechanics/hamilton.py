"""Hamilton's form: H(q, p) with q̇ = ∂H/∂p and ṗ = -∂H/∂q + Υ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import Expr, Kind, Matrix, gradient, symbol
from dalembert.mechanics.conserved import energy
from dalembert.mechanics.solve import explain_singular
from dalembert.ring import canonical, partials, rebuild, rebuild_matrix, ring_of, solve

if TYPE_CHECKING:
    from dalembert.mechanics.equations import Equations


class HamiltonianForm(NamedTuple):
    """``momenta`` p (symbols), ``definitions`` p = ∂L/∂q̇, ``H``, ``qdot`` = ∂H/∂p and ``pdot``."""

    momenta: tuple[Expr, ...]
    definitions: Matrix
    H: Expr
    qdot: Matrix
    pdot: Matrix


def hamiltonian_form(eq: Equations) -> HamiltonianForm:
    """Return Hamilton's equations of an unconstrained system.

    p = M q̇ + b gives q̇ = M⁻¹(p - b); H = Σ p q̇ - L in terms of q and p;
    ṗ = -∂H/∂q + Υ - ∂R/∂q̇.
    """
    if eq.lam:
        raise InvalidSystem(
            "expected a system without constraints for Hamilton's form, got "
            f"{len(eq.lam)}: use change_coordinates to independent coordinates first"
        )
    ring, f = eq.ring, eq.forms
    n = len(eq.coordinates)
    momenta = _momentum_symbols(eq)
    p_form = Matrix.column([d(f.L) for d in partials(ring, eq.velocities)])
    b = p_form - f.M @ eq.rates
    # M⁻¹ in the ring, then p enters linearly
    identity = Matrix([[ring.one if i == j else ring.zero for j in range(n)] for i in range(n)])
    try:
        inverse = rebuild_matrix(solve(ring, f.M, identity))
    except SingularSystem:
        raise SingularSystem(explain_singular(eq)) from None
    qdot = inverse @ (Matrix.column(momenta) - rebuild_matrix(b))
    to_p = dict(zip(eq.velocities, qdot, strict=True))
    H = _tidy(rebuild(energy(eq)).subs(to_p))
    applied = (eq.forces - Matrix.column(gradient(eq.system.dissipation, eq.velocities))).subs(to_p)
    pdot = Matrix.column([-x for x in gradient(H, eq.coordinates)]) + applied
    return HamiltonianForm(momenta, rebuild_matrix(p_form), H, qdot.map(_tidy), pdot.map(_tidy))


def _momentum_symbols(eq: Equations) -> tuple[Expr, ...]:
    """Return p_<name> for each coordinate, p1 for q1; they are coordinates of the phase space."""
    names = [q.symbol.name for q in eq.coordinates if q.symbol]
    short = [f"p{name[1:]}" for name in names]
    taken = {g.symbol.name for g in eq.ring.generators if g.symbol}
    usual = all(name[0] == "q" and (name[1:].isdigit() or not name[1:]) for name in names)
    chosen = short if usual and not taken & set(short) else [f"p_{name}" for name in names]
    return tuple(symbol(Kind.COORDINATE, name) for name in chosen)


def _tidy(e: Expr) -> Expr:
    """Return the expression in lowest terms."""
    return rebuild(canonical(ring_of([e]), e))
