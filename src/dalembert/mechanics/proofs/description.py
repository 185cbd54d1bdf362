"""That energies and forces of the equations are those of the description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr, gradient, total
from dalembert.mechanics.proofs.identity import are_as_written
from dalembert.mechanics.proofs.proof import Proof

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def energies_and_forces_are_described(eq: Equations) -> Proof:
    """T, V, L, R and Υ are what the person wrote."""
    system, f = eq.system, eq.forms
    if not eq.is_quadratic:
        # T and V are no parts of L
        rest = [system.lagrangian, system.dissipation, *system.forces]
        places = ["L", "R", *(f"row {k} of Υ" for k in range(1, len(f.forces) + 1))]
        claimed = [f.L, f.dissipation, *f.forces]
        statement = "L, R and Υ are those of the description"
        return are_as_written(eq, statement, claimed, rest, "each as written", places)
    expected = [*_energies(eq), system.lagrangian, system.dissipation, *system.forces]
    claimed = [f.T, f.V, f.L, f.dissipation, *f.forces]
    statement = "T, V, L, R and Υ are those of the description"
    places = ["T", "V", "L", "R", *(f"row {k} of Υ" for k in range(1, len(f.forces) + 1))]
    return are_as_written(eq, statement, claimed, expected, "each as written", places)


def _energies(eq: Equations) -> tuple[Expr, Expr]:
    """Return T and V as written; of a bare Lagrangian its quadratic part, and -L at rest."""
    system, v = eq.system, eq.velocities
    if not system.is_bare:
        return system.kinetic, system.potential
    hessian = [gradient(p, v) for p in gradient(system.lagrangian, v)]
    n = range(len(v))
    twice_T = total([hessian[i][j] * v[i] * v[j] for i in n for j in n])
    return twice_T / 2, -system.lagrangian.subs(dict.fromkeys(v, 0))
