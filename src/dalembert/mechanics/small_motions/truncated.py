"""A system near a point: its energies as Taylor polynomials, for small angles to any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import BySymbol, Expr, Scalar, as_expr, by_symbol
from dalembert.expr.taylor import taylor

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System


def small_motion(system: System, about: BySymbol[Scalar] | None, order: int) -> System:
    """Return the system whose equations are those of the given one up to ``order``.

    Lagrange's equations lower the degree by one: L, Rayleigh's function and the constraints are
    taken to the degree order + 1 in q - q₀ and q̇ together, the applied forces to ``order``.
    """
    from dalembert.mechanics.system.system import System

    at = by_symbol(system.coordinates, about or {})
    small: dict[Expr, Expr] = {q: as_expr(at.get(q, 0)) for q in system.coordinates}
    small |= dict.fromkeys(system.velocities, as_expr(0))
    energies = [system.kinetic, system.potential, system.lagrangian, system.dissipation]
    T, V, L, R = taylor(energies, small, order + 1)
    has_parts = system.lagrangian is system.kinetic - system.potential
    return System(
        coordinates=system.coordinates,
        kinetic=T if has_parts else None,
        potential=V if has_parts else 0,
        lagrangian=None if has_parts else L,
        dissipation=R,
        forces=taylor(system.forces, small, order),
        constraints=taylor(system.constraints, small, order + 1),
        velocity_constraints=taylor(system.velocity_constraints, small, order + 1),
        keep_redundant=system.keep_redundant,
    )
