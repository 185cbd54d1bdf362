"""What is proved about constraints: their Jacobian and rates, and that they do no work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr, ddt_all, diff, gradient, time
from dalembert.mechanics.proofs.domain import restricted
from dalembert.mechanics.proofs.identity import are_as_written, identity
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring.algebra.null_space import null_space

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

ON_THE_GRAPH = "constraints differentiated on the graph as written"


def constraint_parts_are_described(eq: Equations) -> Proof | None:
    """a, A, b, Ȧ and ḃ are the constraints as written, differentiated on the graph."""
    if not eq.lam:
        return None
    system, f = eq.system, eq.forms
    holonomic, rolling = list(system.constraints), list(system.velocity_constraints)
    rows = [gradient(a, system.coordinates) for a in holonomic]
    rows += [gradient(phi, system.velocities) for phi in rolling]
    A = [x for row in rows for x in row]
    at_rest = dict.fromkeys(system.velocities, 0)
    drift = [diff(a, time) for a in holonomic] + [phi.subs(at_rest) for phi in rolling]
    expected = [*holonomic, *A, *drift, *ddt_all(A), *ddt_all(drift)]
    claimed = [x for part in (f.a, f.A, f.drift, f.Ad, f.drift_rate) for x in part]
    statement = "a, A, b, Ȧ and ḃ are those of the constraints, A q̇ + b = 0"
    return are_as_written(eq, statement, claimed, expected, ON_THE_GRAPH)


def constraint_accelerations_are_right(eq: Equations) -> Proof | None:
    """A q̈ + Ȧ q̇ + ḃ is the second rate of the constraints (the first of velocity constraints)."""
    if not eq.lam:
        return None
    f = eq.forms
    mine = list(f.A @ eq.second_rates + f.Ad @ eq.rates + f.drift_rate)
    return are_as_written(eq, "A q̈ + Ȧ q̇ + ḃ = ä", mine, _second_rates(eq), ON_THE_GRAPH)


def _second_rates(eq: Equations) -> list[Expr]:
    twice = ddt_all(ddt_all(list(eq.system.constraints)))
    return [*twice, *ddt_all(list(eq.system.velocity_constraints))]


def freedoms(number: int) -> str:
    """Return ``1 degree of freedom``, ``2 degrees of freedom``."""
    return f"{number} degree{'s' * (number != 1)} of freedom"


def constraint_forces_do_no_virtual_work(eq: Equations) -> Proof | None:
    """(Aᵀλ)ᵀ δq = 0 for every δq with A δq = 0."""
    if not eq.lam:
        return None
    ring, A = eq.ring, eq.forms.A
    Z = null_space(ring, A)
    lam = ring.column(eq.lam)
    work = Z.T @ (A.T @ lam)
    return identity(
        ring,
        f"constraint forces Aᵀλ do no virtual work ({freedoms(Z.shape[1])})",
        work,
        "Zᵀ(Aᵀλ) = 0 in the ring, Z spanning the virtual displacements",
        where=restricted(eq.system),
    )
