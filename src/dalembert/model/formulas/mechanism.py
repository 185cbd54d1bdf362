"""The formulas of a mechanism: its recursions run over symbols."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.errors import DivisionByZero, InvalidMechanism, SingularSystem
from dalembert.expr import Expr, as_expr, substitute
from dalembert.expr.graph import postorder
from dalembert.mechanism.moved_inertia import idle_joints
from dalembert.model.formulas.correction import correction_formula
from dalembert.model.formulas.derivatives import DerivativeFormulas
from dalembert.model.formulas.distances import DistanceFormulas
from dalembert.model.formulas.formula import Formula, find, function
from dalembert.model.formulas.kinematics import KinematicFormulas
from dalembert.model.formulas.rows import dot, picked
from dalembert.recursions.constraints import loops
from dalembert.recursions.constraints.closures import groups_of
from dalembert.recursions.constraints.constrained import (
    constrained_dynamics,
    constrained_dynamics_by_solves,
)
from dalembert.recursions.constraints.drift import time_rate
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.dynamics.articulated import (
    Articulated,
    forward_dynamics_candidates,
    is_deep,
)
from dalembert.recursions.dynamics.composite import mass_diagonal, mass_matrix
from dalembert.recursions.dynamics.coriolis import coriolis_matrix
from dalembert.recursions.dynamics.momentum import operational_space
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.resistance.forces import dry_bounds, dry_forces
from dalembert.recursions.resistance.springs import spring_energy

if TYPE_CHECKING:
    from dalembert.kernel.backends.c.header import ArrayDoc
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.mechanics import Equations
    from dalembert.model.certificates.expected.in_ring import InRing
    from dalembert.model.certificates.expected.on_graph import OnGraph

MAX_RING_JOINTS = 7
"""Beyond this the exact equations of a spatial arm have millions of terms."""


class MechanismFormulas(KinematicFormulas, DerivativeFormulas, DistanceFormulas):
    """Recursions over the symbols of a mechanism; see `TreeFormulas`."""

    def array_docs(self) -> dict[str, ArrayDoc]:
        from dalembert.model.source.rolled_c.arrays import mechanism_arrays

        return mechanism_arrays(self.mechanism)

    def rolled_kernel(self, name: str, dtype: str) -> Kernel | None:
        from dalembert.model.source.rolled_cuda import rolled_kernel

        # the loops know dry friction by its sign only
        if self.smoothing is not None and self.passive:
            return None
        return rolled_kernel(self.mechanism, name, dtype, passive=self.passive)

    def equations(self) -> Equations:
        if not self.passive:
            raise InvalidMechanism(
                f"expected the equations of {self.name} with its springs and friction, got a model "
                "without them: compile it with passive=True"
            )
        return self.mechanism.equations(smoothing=self.smoothing)

    def expected_on_graph(self) -> OnGraph:
        from dalembert.model.certificates.expected.lagrange import MechanismByLagrange
        from dalembert.model.certificates.expected.newton_euler import NewtonEuler

        return MechanismByLagrange(self) if self.nq == self.nv else NewtonEuler(self)

    def expected_in_ring(self) -> InRing | None:
        from dalembert.model.certificates.expected.in_ring import MechanismInRing

        is_small = self.nq == self.nv <= MAX_RING_JOINTS
        # the equations know friction by its sign only
        return MechanismInRing(self) if is_small and self.smoothing is None else None

    def formula(self, name: str, **options: object) -> Formula:
        """Return the formula of a function.

        Raises:
            SingularSystem: it divides by the inertia that a joint moves, and one moves none.
        """
        try:
            return find(self, name, options, of=self.name)
        except DivisionByZero:
            idle = [repr(joint.joint) for joint in idle_joints(self.mechanism)]
            which = f"{', '.join(idle[:4])}{', …' * (len(idle) > 4)}" if idle else "one"
            raise SingularSystem(
                f"expected every joint of {self.name} to move some inertia for {name}, got {which} "
                "that moves none: give its links mass, or the joint armature"
            ) from None

    # ---- dynamics

    @function
    def mass_matrix(self) -> Formula:
        """M(q)."""
        return Formula(self._q(), {"M": mass_matrix(self.lean, self.q)})

    @function
    def metric(self) -> Formula:
        """The diagonal of M, and q̇ᵀ M q̇: what velocities are measured by."""
        square = 2 * self._kinetic
        return Formula(self._qv(), {"diagonal": mass_diagonal(self.lean, self.q), "square": square})

    @function
    def coriolis(self) -> Formula:
        """C(q, q̇), of the Christoffel symbols."""
        return Formula(self._qv(), {"C": coriolis_matrix(self.lean, self.q, self.v)})

    @function
    def gravity(self) -> Formula:
        """g(q) = ∂V/∂q of the weight."""
        still = [0] * self.nv
        return Formula(self._q(), {"g": inverse_dynamics(self.lean, self.q, still, still)})

    @function
    def bias(self) -> Formula:
        """h(q, q̇) = C q̇ + N."""
        return Formula(self._qv(), {"h": self._torque([0] * self.nv)})

    @function
    def passive_force(self) -> Formula:
        """Generalized forces of springs, dampers and friction on the mechanism."""
        return Formula(self._qv(), {"force": self.passive_torque})

    @function
    def dry_friction(self) -> Formula:
        """Coulomb and Stribeck friction alone: its force in these dynamics, and its size."""
        force: list[Any] = [0] * self.nv
        if self.passive:
            force = dry_forces(self.tree, self.v, smoothing=self.smoothing)
        return Formula(self._qv(), {"force": force, "size": dry_bounds(self.tree, self.v)})

    @function
    def applied_forces(self) -> Formula:
        """Υ: the torques themselves."""
        return Formula(self._qvu(), {"forces": list(self.u)})

    @function
    def external_forces(
        self, *, external: tuple[str, ...] = (), reference: str = "world"
    ) -> Formula:
        """Σ Jᵀ F of wrenches on frames."""
        wrenches = self._external(external, reference)
        return Formula({**self._q(), **wrenches.inputs}, {"forces": wrenches.forces})

    @function
    def inverse_dynamics(
        self, *, external: tuple[str, ...] = (), reference: str = "world"
    ) -> Formula:
        """τ = M q̈ + C q̇ + N - Σ Jᵀ F."""
        wrenches = self._external(external, reference)
        tau = [t - f for t, f in zip(self._torque(self.a), wrenches.forces, strict=True)]
        return Formula({**self._qv(), "qdd": self.a, **wrenches.inputs}, {"tau": tau})

    @function
    def forward_dynamics(
        self, *, external: tuple[str, ...] = (), reference: str = "world"
    ) -> Formula:
        """q̈ for the torques and wrenches; loops are kept closed."""
        wrenches = self._external(external, reference)
        forces = [u + f for u, f in zip(self.u, wrenches.forces, strict=True)]
        if self.has_constraints:
            qdd, _ = self._constrained(forces) if external else self._constrained_by_torques
        else:
            qdd = self._accelerations(forces)
        return Formula({**self._qvu(), **wrenches.inputs}, {"qdd": qdd})

    @function
    def constraint_dynamics(
        self,
        *,
        rows: tuple[int, ...] | None = None,
        external: tuple[str, ...] = (),
        reference: str = "world",
    ) -> Formula:
        """q̈ and the multipliers λ of loops and couplings: of all rows, or of some."""
        self._need_constraints()
        wrenches = self._external(external, reference)
        forces = [u + f for u, f in zip(self.u, wrenches.forces, strict=True)]
        if external or rows is not None:
            qdd, lam = self._constrained(forces, rows)
        else:
            qdd, lam = self._constrained_by_torques
        return Formula({**self._qvu(), **wrenches.inputs}, {"qdd": qdd, "lam": lam})

    @function
    def constraint_correction(self, *, rows: tuple[int, ...]) -> Formula:
        """The smallest change δ of velocities in δᵀ M δ with A δ = error, for some rows."""
        self._need_constraints()
        A, groups = loops.loop_jacobian(self.tree, self.q), groups_of(self.tree.constraint_rows)
        M = mass_matrix(self.lean, self.q)
        A, groups = picked(A, rows), picked(groups, rows)
        return correction_formula(self.q, M, A, groups, self.thresholds)

    # ---- energies and parameters

    @function
    def kinetic_energy(self) -> Formula:
        """T(q, q̇)."""
        return Formula(self._qv(), {"T": self._kinetic})

    @function
    def potential_energy(self) -> Formula:
        """V(q) of weight and springs."""
        return Formula(self._q(), {"V": self._potential})

    @function
    def spring_energy(self) -> Formula:
        """V(q) of springs alone."""
        V = spring_energy(self.tree, self.q) if self.passive else 0
        return Formula(self._q(), {"V": as_expr(V)})

    @function
    def energy(self) -> Formula:
        """T + V."""
        return Formula(self._qv(), {"E": self._kinetic + self._potential})

    @function
    def powers(self) -> Formula:
        """The power τᵀ q̇ that comes in, and the power that dampers and friction take out.

        Where anything moves with time, drives put energy in too: the power of their reactions is
        (τ + Aᵀλ)ᵀ q̇ - τᵀ q̇ with τ + Aᵀλ = M q̈ + h, that of springs and gravity is ∂V/∂t.
        """
        # the dissipative part of the passive forces: what vanishes at rest
        moving = [as_expr(f) for f in self.passive_torque]
        resting = substitute(moving, dict.fromkeys(self.v, 0))
        lost = [-(f - r) for f, r in zip(moving, resting, strict=True)]
        supplied = dot(self.u, self.v)
        if self.is_timed:
            supplied = dot(self._torque(self.a), self.v) + time_rate(self._potential)
        outputs = {"supplied": supplied, "dissipated": dot(lost, self.v)}
        return Formula({**self._qv(), "qdd": self.a, "tau": self.u}, outputs)

    @function
    def momenta(self) -> Formula:
        """p = M q̇ and ṗ without reactions; of quaternions those of body-fixed velocities."""
        n, v = self.nv, self.v
        C, h = coriolis_matrix(self.lean, self.q, v), self._torque([0] * n)
        p = [dot(row, v) for row in mass_matrix(self.lean, self.q)]
        # ṗ = M q̈ + Ṁ q̇ = τ - h + (C + Cᵀ) q̇
        both = [[C[i][j] + C[j][i] for j in range(n)] for i in range(n)]
        rate = [u - b + dot(row, v) for u, b, row in zip(self.u, h, both, strict=True)]
        return Formula(self._qvu(), {"p": p, "rate": rate})

    @function
    def regressor(self) -> Formula:
        """Y with τ = Y θ; θ and its names are `Model.regressor_parameters`."""
        Y, _, _ = self._regressor
        return Formula({**self._qv(), "qdd": self.a}, {"Y": Y})

    @function
    def operational_space(self, *, frame: str, rows: Sequence[int] = range(6)) -> Formula:
        """Λ, μ and J̄ of a frame: F = Λ ẍ + μ, τ = Jᵀ F, J̄ the dynamically consistent inverse."""
        names = ("Lambda", "mu", "Jbar")
        h = self._torque([0] * self.nv)
        parts = operational_space(self.tree, self.q, self.v, frame, rows, bias=h)
        return Formula(self._qv(), dict(zip(names, parts, strict=True)))

    # ---- parts that several share

    @property
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Any]]:
        _, theta, labels = self._regressor
        return labels, theta

    @cached_property
    def _regressor(self) -> Any:
        return drive_regressor(self.tree, self.q, self.v, self.a, smoothing=self.smoothing)

    def _accelerations(self, torques: Sequence[Any]) -> list[Any]:
        """Return q̈ of the open tree by the cheaper of two graphs."""
        tau = [t + f for t, f in zip(torques, self.passive_torque, strict=True)]
        ways = forward_dynamics_candidates(self.lean)
        found = [[as_expr(x) for x in way(self.lean, self.q, self.v, tau)] for way in ways]
        return min(found, key=_operations)

    @cached_property
    def _constrained_by_torques(self) -> tuple[list[Any], list[Any]]:
        return self._constrained(self.u)

    def _constrained(
        self, torques: Sequence[Any], rows: tuple[int, ...] | None = None
    ) -> tuple[list[Any], list[Any]]:
        A = picked(loops.loop_jacobian(self.tree, self.q), rows)
        bias = picked(loops.loop_bias(self.tree, self.q, self.v), rows)
        groups = picked(groups_of(self.tree.constraint_rows), rows)
        if is_deep(self.lean):
            # a joint that moves no inertia by itself may be held by the constraints
            with suppress(DivisionByZero):
                free, inertias = self._accelerations(torques), Articulated.of(self.lean, self.q)
                return constrained_dynamics_by_solves(
                    inertias.accelerations, free, A, bias, groups, self.thresholds
                )
        h = self._torque([0] * self.nv)
        force = [t - b for t, b in zip(torques, h, strict=True)]
        M = mass_matrix(self.lean, self.q)
        return constrained_dynamics(M, force, A, bias, groups, self.thresholds)

    @cached_property
    def _kinetic(self) -> Any:
        return kinetic_energy(self.lean, self.q, self.v)

    @cached_property
    def _potential(self) -> Any:
        V = potential_energy(self.lean, self.q)
        return V + spring_energy(self.tree, self.q) if self.passive else V


def _operations(outputs: Sequence[Expr]) -> int:
    """Return the arithmetic operations of a graph."""
    return sum(node.op in ("add", "sub", "mul", "div") for node in postorder(outputs))
