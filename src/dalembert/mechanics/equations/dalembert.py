"""D'Alembert's principle: the residual built body by body with inertia forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Matrix, as_expr, ddt, gradient, jacobian

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System


def dalembert_residual(system: System, lam: Sequence[Expr]) -> Matrix:
    """Return Σ (m r̈ - f)ᵀ ∂r/∂q + (d/dt(R I Rᵀ ω))ᵀ ∂ω/∂q̇ - ψ - Aᵀλ, straight from Newton's law.

    The positions are differentiated twice; no energy enters except for potentials that were given
    as such. By D'Alembert's principle it equals the Euler–Lagrange residual.
    """
    if not system.bodies:
        raise InvalidSystem(
            "expected bodies for D'Alembert's principle, got only energies: "
            "build the system with System.from_bodies or System.from_particles"
        )
    q, v = system.coordinates, system.velocities
    total = Matrix.zeros(len(q), 1)
    other_potential = system.potential
    for body in system.bodies:
        m = as_expr(body.mass)
        # inertia force of the centre of mass, less its weight
        force = body.r.map(lambda x: ddt(ddt(x))) * m
        if system.gravity is not None:
            force = force - system.gravity * m
            other_potential = other_potential + m * system.gravity.dot(body.r)
        total = total + jacobian(body.r, q).T @ force
        w, inertia = body.rotation_rate(), body.world_inertia()
        if w is not None and inertia is not None:
            # inertia torque: rate of the angular momentum about the centre of mass
            torque = (inertia @ w).map(ddt)
            total = total + jacobian(w, v).T @ torque
    # forces that were given in generalized form
    total = total + Matrix.column(gradient(other_potential, q))
    total = total + Matrix.column(gradient(system.dissipation, v))
    total = total - Matrix.column(system.forces)
    if lam:
        rows = [gradient(a, q) for a in system.constraints]
        rows += [gradient(phi, v) for phi in system.velocity_constraints]
        total = total - Matrix(rows).T @ Matrix.column(lam)
    return total
