"""The way back onto constraints, as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.expr import ONE, as_expr, tangent, time
from dalembert.model.formulas.system import SystemFormulas
from dalembert.recursions.constraints.constrained import constrained_dynamics

if TYPE_CHECKING:
    from dalembert.model.model import Model


def velocity_errors(model: Model) -> list[Any]:
    """Return da/dt, then the constraints of velocities alone: A q̇ and what moves by itself."""
    if isinstance(model.formulas, SystemFormulas):
        system = model.formulas.system
        flow = {**dict(zip(model.q, model.qd, strict=True)), time: ONE}
        return [*tangent(system.constraints, flow), *system.velocity_constraints]
    A = model.apply("constraint_jacobian", model.q)
    return [as_expr(sum(a * v for a, v in zip(row, model.qd, strict=True))) for row in A]


def correction(model: Model, q: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """Return the smallest change δ of velocities with A δ = right, measured by δᵀ M δ.

    Args:
        q: Where A and M are taken.
        right: One value for each row of A; fewer leave the last rows out.
    """
    A = model.apply("constraint_jacobian", q)[: len(right)]
    M = model.apply("mass_matrix", q)
    # M δ = Aᵀ λ without other forces
    change, _ = constrained_dynamics(M, [0] * model.nv, A, [-x for x in right])
    return change
