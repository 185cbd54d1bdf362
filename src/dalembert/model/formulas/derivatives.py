"""The formulas of derivatives of a mechanism's dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import InvalidMechanism, TooLarge
from dalembert.expr import as_expr, inputs, jacobian, substitute
from dalembert.model.formulas.external import External
from dalembert.model.formulas.formula import Formula, function
from dalembert.model.formulas.rows import along_velocities, dot, is_zero, minus, plus, times
from dalembert.model.formulas.tree import Rows, TreeFormulas
from dalembert.recursions.constraints.closures import groups_of
from dalembert.recursions.constraints.constrained import Constrained
from dalembert.recursions.constraints.loops import loop_bias, loop_jacobian
from dalembert.recursions.derivatives.first import first_derivatives
from dalembert.recursions.derivatives.forward import forward_dynamics_derivatives
from dalembert.recursions.derivatives.second import inverse_dynamics_second_derivatives
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics


class DerivativeFormulas(TreeFormulas):
    """Derivatives along velocities, by recursions; those of passive forces on the graph.

    Their straight-line code grows with the square or cube of the number of joints, so each has a
    limit.
    """

    @function
    def inverse_dynamics_derivatives(
        self, *, external: tuple[str, ...] = (), reference: str = "world"
    ) -> Formula:
        """∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M."""
        self._need_few("inverse_dynamics_derivatives", 120)
        dq, dv, M = first_derivatives(self.lean, self.q, self.v, self.a)
        fq, fv = self._passive_slopes
        wrenches = self._external(external, reference)
        dq = minus(minus(dq, fq), wrenches.slopes(self.tree, self.q))
        outputs = {"dtau_dq": dq, "dtau_dv": minus(dv, fv), "M": M}
        return Formula({**self._qv(), "qdd": self.a, **wrenches.inputs}, outputs)

    @function
    def forward_dynamics_derivatives(
        self, *, external: tuple[str, ...] = (), reference: str = "world"
    ) -> Formula:
        """∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, which is M⁻¹ without loops; loops are kept closed."""
        self._need_few("forward_dynamics_derivatives", 60)
        wrenches = self._external(external, reference)
        forces = [u + f for u, f in zip(self.u, wrenches.forces, strict=True)]
        tau = [t + f for t, f in zip(forces, self.passive_torque, strict=True)]
        if self.has_constraints:
            by_q, by_v, by_tau = self._constrained_slopes(tau, wrenches)
            outputs = {"dqdd_dq": by_q, "dqdd_dv": by_v, "dqdd_dtau": by_tau}
            return Formula({**self._qvu(), **wrenches.inputs}, outputs)
        _, dq, dv, inverse = forward_dynamics_derivatives(self.lean, self.q, self.v, tau)
        fq, fv = self._passive_slopes
        fq = plus(fq, wrenches.slopes(self.tree, self.q))
        # the torque itself moves with the state: ∂q̈ += M⁻¹ ∂f
        outputs = {
            "dqdd_dq": plus(dq, times(inverse, fq)),
            "dqdd_dv": plus(dv, times(inverse, fv)),
            "Minv": inverse,
        }
        return Formula({**self._qvu(), **wrenches.inputs}, outputs)

    @function
    def inverse_dynamics_second_derivatives(self) -> Formula:
        """∂²τ/∂q², ∂²τ/∂q∂q̇, ∂²τ/∂q̇² and ∂M/∂q; [i][j][k] is ∂²τᵢ/∂xⱼ∂yₖ, and ∂Mᵢⱼ/∂qₖ."""
        self._need_few("inverse_dynamics_second_derivatives", 20)
        if self.passive and any(not is_zero(f) for f in self.passive_torque):
            raise InvalidMechanism(
                f"expected no springs or friction for second derivatives, got some in {self.name}: "
                "compile with passive=False"
            )
        names = ("d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq")
        parts = inverse_dynamics_second_derivatives(self.lean, self.q, self.v, self.a)
        return Formula({**self._qv(), "qdd": self.a}, dict(zip(names, parts, strict=True)))

    def _constrained_slopes(self, force: Sequence[Any], wrenches: External) -> tuple[Rows, ...]:
        """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ of a mechanism with loops or couplings.

        q̈ and λ solve M q̈ + h - f - Aᵀ λ = 0 and A q̈ + b = 0. Their derivatives solve the same
        equations with other right sides: minus those of these, q̈ and λ held constant.
        """
        n, a = self.nv, self.a
        A, b = loop_jacobian(self.tree, self.q), loop_bias(self.tree, self.q, self.v)
        M, groups = mass_matrix(self.lean, self.q), groups_of(self.tree.constraint_rows)
        equations = Constrained.of(M, A, groups, self.thresholds)
        h = inverse_dynamics(self.lean, self.q, self.v, [0] * n)
        qdd, lam = equations.solve([f - x for f, x in zip(force, h, strict=True)], b)
        # the reactions and the accelerations of the constraints, of q̈ and λ as symbols
        held = inputs(" ".join(f"lam{i + 1}" for i in range(len(A))))
        reaction = [dot([row[i] for row in A], held) for i in range(n)]
        drift = [dot(row, a) + x for row, x in zip(A, b, strict=True)]
        found = dict(zip((*a, *held), (*map(as_expr, qdd), *map(as_expr, lam)), strict=True))
        slopes = (
            along_velocities(self.tree, self.q, reaction),
            along_velocities(self.tree, self.q, drift),
            jacobian(drift, self.v).rows,
        )
        reaction_q, drift_q, drift_v = ([substitute(row, found) for row in rows] for rows in slopes)
        dq, dv, _ = first_derivatives(self.lean, self.q, self.v, qdd)
        fq, fv = self._passive_slopes
        fq = plus(fq, wrenches.slopes(self.tree, self.q))
        # of unit forces: q̈ = K f, λ = Λ f; the equations are symmetric, so b gives q̈ = Λᵀ b
        unit = [[int(i == j) for j in range(n)] for i in range(n)]
        columns = [equations.solve(f, [0] * len(A)) for f in unit]
        K, reactions = list(zip(*(x for x, _ in columns), strict=True)), [x for _, x in columns]
        by_q = plus(times(K, minus(plus(fq, reaction_q), dq)), times(reactions, drift_q))
        by_v = plus(times(K, minus(fv, dv)), times(reactions, drift_v))
        return by_q, by_v, K

    def _need_few(self, name: str, most: int) -> None:
        if self.nv > most:
            raise TooLarge(
                f"expected at most {most} velocities for {name}, got {self.nv} in {self.name}: "
                "its straight-line code would have millions of operations; differentiate "
                "numerically, or solve with mass_matrix and inverse_dynamics_derivatives"
            )

    @cached_property
    def _passive_slopes(self) -> tuple[Rows, Rows]:
        """∂f/∂q and ∂f/∂q̇ of the passive forces, along velocities."""
        forces, n = [as_expr(f) for f in self.passive_torque], self.nv
        if all(map(is_zero, forces)):
            zeros = [[0] * n for _ in range(n)]
            return zeros, zeros
        return along_velocities(self.tree, self.q, forces), jacobian(forces, self.v).rows
