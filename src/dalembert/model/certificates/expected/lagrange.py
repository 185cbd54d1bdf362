"""What programs must compute, by Lagrange's equations: energies differentiated on the graph."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.expr import ZERO, Expr, as_expr, ddt_all, gradient, jacobian, tangent
from dalembert.expr.substitute import substitute
from dalembert.mechanics import System
from dalembert.mechanics.equations.lagrange import multiplier_symbols
from dalembert.model.certificates.expected.base import Outputs, computes
from dalembert.model.certificates.expected.on_graph import OnGraph, loop_rows, reactions
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.resistance.forces import dissipation, dry_forces
from dalembert.recursions.resistance.springs import spring_energy

if TYPE_CHECKING:
    from dalembert.model.description import Symbols
    from dalembert.model.formulas.mechanism import MechanismFormulas
    from dalembert.model.formulas.system import SystemFormulas


class Lagrange(OnGraph):
    """d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇ - Υ - Aᵀλ on the graph."""

    title = "Lagrange's equations, the energies differentiated on the graph"
    has_coordinates = True

    def __init__(self, system: System, symbols: Symbols) -> None:
        super().__init__(symbols)
        self.system = system
        q, v = self.coordinates
        L, R = system.lagrangian, system.dissipation
        parts = zip(ddt_all(gradient(L, v)), gradient(L, q), gradient(R, v), strict=True)
        self.left = [p - k + d for p, k, d in parts]

    def _close(self) -> None:
        """Set the residual: left side, forces and reactions."""
        forces = reactions(self.A, self.multipliers, len(self.left))
        parts = zip(self.left, self.system.forces, forces, strict=True)
        self.residual = [k - f - r for k, f, r in parts]

    @cached_property
    def T(self) -> Expr:
        return self.system.kinetic

    @cached_property
    def V(self) -> Expr:
        return self.system.potential

    @computes("C of the Christoffel symbols", "q qd", C="v v")
    def coriolis(self) -> Outputs[Expr]:
        (q, v), M, n = self.coordinates, self.M, len(self.left)
        # ½ (Ṁ + D - Dᵀ) with D = ∂(M q̇)/∂q
        rate = tangent(M, dict(zip(q, v, strict=True)))
        momenta = [sum((M[k * n + j] * v[j] for j in range(n)), ZERO) for k in range(n)]
        D = jacobian(momenta, q)
        pairs = [(k, j) for k in range(n) for j in range(n)]
        return {"C": [(rate[k * n + j] + D[k, j] - D[j, k]) / 2 for k, j in pairs]}


class SystemByLagrange(Lagrange):
    """The equations of a system."""

    force_name = "u"
    response_name = "dqdd_du"

    def __init__(self, formulas: SystemFormulas) -> None:
        s = formulas.system
        super().__init__(s, formulas.symbols)
        self.has_energies = formulas.has_energies
        self.is_quadratic = formulas.is_quadratic
        self.multipliers = multiplier_symbols(s)
        rates = [*ddt_all(s.constraints), *s.velocity_constraints]
        self.constraints = ddt_all(rates)
        self.A = jacobian(rates, self.symbols.qd) if rates else None
        self._close()

    @cached_property
    def tau(self) -> list[Expr]:
        return self.left

    @cached_property
    def g(self) -> list[Expr]:
        slopes = gradient(self.system.lagrangian, self.symbols.q)
        return substitute([-k for k in slopes], dict.fromkeys(self.symbols.qd, ZERO))

    @cached_property
    def E(self) -> Expr:
        if self.has_energies:
            return super().E
        L, v = self.system.lagrangian, self.symbols.qd
        return sum((p * x for p, x in zip(gradient(L, v), v, strict=True)), -L)

    @computes("Υ", "q qd u", forces="v")
    def applied_forces(self) -> Outputs[Expr]:
        return {"forces": list(self.system.forces)}


class MechanismByLagrange(Lagrange):
    """The equations of a mechanism whose joints have coordinates of their own."""

    has_energies = True

    def __init__(self, formulas: MechanismFormulas) -> None:
        super().__init__(open_system(formulas), formulas.symbols)
        self.formulas = formulas
        self.multipliers, self.A, self.constraints = loop_rows(formulas)
        self._close()

    @cached_property
    def tau(self) -> list[Expr]:
        # dry friction counts among the forces of the system, and here with the mechanism
        applied = zip(self.left, self.system.forces, self.symbols.inputs, strict=True)
        return [k - (f - u) for k, f, u in applied]

    @cached_property
    def g(self) -> list[Expr]:
        q = self.symbols.q
        return gradient(as_expr(potential_energy(self.formulas.tree, q)), q)


def open_system(formulas: MechanismFormulas) -> System:
    """Return energies and forces of a mechanism as its model takes them; loops are left out."""
    tree, (q, v, _, u, _) = formulas.tree, formulas.symbols
    V = as_expr(potential_energy(tree, q))
    T = as_expr(kinetic_energy(tree, q, v))
    if not formulas.passive:
        return System(coordinates=q, kinetic=T, potential=V, forces=list(u))
    dry = dry_forces(tree, v, smoothing=formulas.smoothing)
    return System(
        coordinates=q,
        kinetic=T,
        potential=V + as_expr(spring_energy(tree, q)),
        forces=[t + f for t, f in zip(u, dry, strict=True)],
        dissipation=as_expr(dissipation(tree, q, v)),
    )
