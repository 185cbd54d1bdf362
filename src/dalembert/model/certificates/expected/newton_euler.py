"""What programs must compute where joints have quaternions: ball and free joints."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.expr import Expr, as_expr
from dalembert.model.certificates.expected.base import Outputs, computes
from dalembert.model.certificates.expected.on_graph import OnGraph, loop_rows, reactions
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.spatial.vectors import ZERO as ZERO_VECTOR

if TYPE_CHECKING:
    from dalembert.model.formulas.mechanism import MechanismFormulas


class NewtonEuler(OnGraph):
    """The recursion along the tree as described, without reduction and without passes.

    Of C only C q̇ is known: the bias without weight, springs and friction.
    """

    title = "the Newton–Euler recursion along the tree as it was described"
    has_energies = True
    has_coordinates = False

    def __init__(self, formulas: MechanismFormulas) -> None:
        super().__init__(formulas.symbols)
        self.formulas = formulas
        u = formulas.symbols.inputs
        self.multipliers, self.A, self.constraints = loop_rows(formulas)
        parts = zip(self.tau, u, reactions(self.A, self.multipliers, len(u)), strict=True)
        self.residual = [t - f - r for t, f, r in parts]

    @cached_property
    def tau(self) -> list[Expr]:
        f, (q, v, a, *_) = self.formulas, self.symbols
        tau = [as_expr(x) for x in inverse_dynamics(f.tree, q, v, a)]
        if not f.passive:
            return tau
        passive = passive_forces(f.tree, q, v, smoothing=f.smoothing)
        return [t - p for t, p in zip(tau, passive, strict=True)]

    @computes("C with C q̇ = h - g", "q qd", C="v v")
    def coriolis(self) -> Outputs[Expr]:
        still = [0] * self.formulas.nv
        q, v = self.coordinates
        tau = inverse_dynamics(self.formulas.tree, q, v, still, gravity=ZERO_VECTOR)
        return {"Cv": [as_expr(t) for t in tau]}

    @cached_property
    def g(self) -> list[Expr]:
        still = [0] * self.formulas.nv
        tau = inverse_dynamics(self.formulas.tree, self.symbols.q, still, still)
        return [as_expr(x) for x in tau]

    @cached_property
    def T(self) -> Expr:
        return as_expr(kinetic_energy(self.formulas.tree, *self.coordinates))

    @cached_property
    def V(self) -> Expr:
        tree, q = self.formulas.tree, self.symbols.q
        V = as_expr(potential_energy(tree, q))
        return V + as_expr(spring_energy(tree, q)) if self.formulas.passive else V
