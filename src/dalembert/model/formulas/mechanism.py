"""The formulas of a mechanism: its recursions run over symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.errors import DivisionByZero, InvalidMechanism, SingularSystem, TooLarge
from dalembert.expr import Expr, as_expr, coordinates, inputs, jacobian, substitute
from dalembert.expr.graph import postorder
from dalembert.mechanism import Mechanism
from dalembert.model.configuration import Configuration
from dalembert.model.description import Description, Symbols
from dalembert.model.formulas.correction import correction_formula
from dalembert.model.formulas.formula import Formula, find, function
from dalembert.model.formulas.rows import dot, is_zero, minus, plus, rows_of, times
from dalembert.recursions import kinematics
from dalembert.recursions.constraints import loops
from dalembert.recursions.constraints.constrained import constrained_dynamics
from dalembert.recursions.derivatives.first import first_derivatives, forward_dynamics_derivatives
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.dynamics.articulated import forward_dynamics_candidates
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.coriolis import coriolis_matrix
from dalembert.recursions.dynamics.momentum import centroidal_momentum, operational_space
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.manifold import configuration_rate, normalized
from dalembert.recursions.reduce import reduce
from dalembert.recursions.resistance.forces import dry_bounds, dry_forces, passive_forces
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.recursions.tree import Tree
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, ratio

if TYPE_CHECKING:
    from dalembert.kernel.backends.c.header import ArrayDoc
    from dalembert.model.certificates.expected.in_ring import InRing
    from dalembert.model.certificates.expected.on_graph import OnGraph

Rows = list[list[Any]]

MAX_RING_JOINTS = 7
"""Beyond this the exact equations of a spatial arm have millions of terms."""


class MechanismFormulas(Description):
    """Recursions over the symbols q, v, a, u (joint torques) of a mechanism.

    Dynamics run on the reduced tree, whose links are not those of the mechanism; functions of a
    link or frame run on the tree as it was described. Springs, dampers and friction act unless
    ``passive`` is False; ``smoothing`` (m/s or rad/s) makes dry friction tanh(v / smoothing).
    """

    is_timed = False
    has_energies = True

    def __init__(
        self, mechanism: Mechanism, *, passive: bool = True, smoothing: float | None = None
    ) -> None:
        self._mechanism = mechanism
        self.name = mechanism.name
        self.passive = passive
        self.smoothing = smoothing
        self._exact = Tree.of(mechanism)
        self.tree = self._exact.map(as_expr)
        self.nq, self.nv = self.tree.nq, self.tree.nv
        if not self.nv:
            raise InvalidMechanism(f"expected a joint that moves in {self.name}, got none")
        self.q = _numbered(coordinates, "q", self.nq)
        if self.nq == self.nv:
            # the symbols of the equations of motion, so that both can be compared
            self.v = tuple(x.dot for x in self.q)
        else:
            self.v = _numbered(coordinates, "v", self.nv)
        self.a = tuple(x.dot for x in self.v)
        self.u = _numbered(inputs, "tau", self.nv)
        self.symbols = Symbols(self.q, self.v, self.a, self.u, mechanism.parameters)
        self.configuration = Configuration.of_joints(mechanism)
        self.constraint_rows = self.tree.constraint_rows
        self.num_position_constraints = len(self.constraint_rows)

    def __str__(self) -> str:
        return str(self._mechanism)

    @property
    def mechanism(self) -> Mechanism:
        return self._mechanism

    @cached_property
    def lean(self) -> Tree:
        """The tree with the fewest numbers; parameters would only move work into the kernel."""
        return self.tree if self.symbols.parameters else reduce(self._exact).map(as_expr)

    @cached_property
    def passive_torque(self) -> list[Any]:
        """Generalized forces of springs, dampers and friction; zeros if they are left out."""
        if not self.passive:
            return [0] * self.nv
        return passive_forces(self.tree, self.q, self.v, smoothing=self.smoothing)

    def array_docs(self) -> dict[str, ArrayDoc]:
        from dalembert.model.source.rolled_c.arrays import mechanism_arrays

        return mechanism_arrays(self._mechanism)

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
            raise SingularSystem(
                f"expected every joint of {self.name} to move some inertia for {name}, got one "
                "that moves none: give its links mass, or the joint armature"
            ) from None

    # ---- dynamics

    @function
    def mass_matrix(self) -> Formula:
        """M(q)."""
        return Formula(self._q(), {"M": mass_matrix(self.lean, self.q)})

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
    def inverse_dynamics(self) -> Formula:
        """τ = M q̈ + C q̇ + N."""
        return Formula({**self._qv(), "qdd": self.a}, {"tau": self._torque(self.a)})

    @function
    def forward_dynamics(self) -> Formula:
        """q̈ for the torques; loops are kept closed."""
        if self.has_constraints:
            qdd, _ = self._constrained(self.u)
        else:
            qdd = self._accelerations(self.u)
        return Formula(self._qvu(), {"qdd": qdd})

    @function
    def constraint_dynamics(self) -> Formula:
        """q̈ and the multipliers λ of loops and couplings."""
        self._need_constraints()
        qdd, lam = self._constrained(self.u)
        return Formula(self._qvu(), {"qdd": qdd, "lam": lam})

    @function
    def inverse_dynamics_derivatives(self) -> Formula:
        """∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M."""
        self._need_few("inverse_dynamics_derivatives", 120)
        dq, dv, M = first_derivatives(self.lean, self.q, self.v, self.a)
        fq, fv = self._passive_slopes
        outputs = {"dtau_dq": minus(dq, fq), "dtau_dv": minus(dv, fv), "M": M}
        return Formula({**self._qv(), "qdd": self.a}, outputs)

    @function
    def forward_dynamics_derivatives(self) -> Formula:
        """∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹."""
        self._need_few("forward_dynamics_derivatives", 60)
        if self.has_constraints:
            raise InvalidMechanism(
                f"expected an open mechanism for derivatives of q̈, got {self.name} with loops: "
                "differentiate the closed loop with da.compile_function"
            )
        tau = [t + f for t, f in zip(self.u, self.passive_torque, strict=True)]
        _, dq, dv, inverse = forward_dynamics_derivatives(self.lean, self.q, self.v, tau)
        fq, fv = self._passive_slopes
        # the torque itself moves with the state: ∂q̈ += M⁻¹ ∂f
        outputs = {
            "dqdd_dq": plus(dq, times(inverse, fq)),
            "dqdd_dv": plus(dv, times(inverse, fv)),
            "Minv": inverse,
        }
        return Formula(self._qvu(), outputs)

    @function
    def inverse_dynamics_second_derivatives(self) -> Formula:
        """∂²τ/∂q², ∂²τ/∂q∂q̇, ∂²τ/∂q̇² and ∂M/∂q; [i][j][k] is ∂²τᵢ/∂xⱼ∂yₖ, and ∂Mᵢⱼ/∂qₖ."""
        from dalembert.recursions.derivatives.second import inverse_dynamics_second_derivatives

        self._need_few("inverse_dynamics_second_derivatives", 20)
        if self.passive and any(not is_zero(f) for f in self.passive_torque):
            raise InvalidMechanism(
                f"expected no springs or friction for second derivatives, got some in {self.name}: "
                "compile with passive=False"
            )
        names = ("d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq")
        parts = inverse_dynamics_second_derivatives(self.lean, self.q, self.v, self.a)
        return Formula({**self._qv(), "qdd": self.a}, dict(zip(names, parts, strict=True)))

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
    def energy(self) -> Formula:
        """T + V."""
        return Formula(self._qv(), {"E": self._kinetic + self._potential})

    @function
    def powers(self) -> Formula:
        """The power τᵀ q̇ that comes in, and the power that dampers and friction take out."""
        # the dissipative part of the passive forces: what vanishes at rest
        moving = [as_expr(f) for f in self.passive_torque]
        resting = substitute(moving, dict.fromkeys(self.v, 0))
        lost = [-(f - r) for f, r in zip(moving, resting, strict=True)]
        outputs = {"supplied": dot(self.u, self.v), "dissipated": dot(lost, self.v)}
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

    # ---- places

    @function
    def forward_kinematics(self, *, frame: str | None = None) -> Formula:
        """The pose X_WF of a frame, or of every link in order, as 4 × 4 matrices."""
        X_W = kinematics.forward_kinematics(self.tree, self.q)
        if frame is None:
            # the tree has its own order, and rotors that became links
            numbers = [self.tree.numbers[link.name] for link in self._mechanism.links]
            return Formula(self._q(), {"X": [_homogeneous(X_W[k]) for k in numbers]})
        X_WF = kinematics.frame_pose(self.tree, X_W, frame)
        return Formula(self._q(), {"X": _homogeneous(X_WF)})

    @function
    def jacobian(self, *, frame: str, reference: str = "world") -> Formula:
        """J of a frame, rows (linear, angular)."""
        columns = kinematics.jacobian(self.tree, self.q, frame, reference)
        return Formula(self._q(), {"J": _six_rows(columns)})

    @function
    def jacobian_rate(self, *, frame: str) -> Formula:
        """J̇ of the world reference."""
        columns = kinematics.jacobian_rate(self.tree, self.q, self.v, frame)
        return Formula(self._qv(), {"Jd": _six_rows(columns)})

    @function
    def center_of_mass(self) -> Formula:
        """The centre of mass of the moving links in the world."""
        m, h = kinematics.center_of_mass(self.tree, self.q)
        return Formula(self._q(), {"c": [ratio(x, m) for x in h]})

    @function
    def centroidal_momentum(self) -> Formula:
        """Linear momentum, and angular momentum about the centre of mass."""
        linear, angular = centroidal_momentum(self.tree, self.q, self.v)
        return Formula(self._qv(), {"momentum": [*linear, *angular]})

    @function
    def operational_space(self, *, frame: str, rows: Sequence[int] = range(6)) -> Formula:
        """Λ, μ and J̄ of a frame: F = Λ ẍ + μ, τ = Jᵀ F, J̄ the dynamically consistent inverse."""
        names = ("Lambda", "mu", "Jbar")
        h = self._torque([0] * self.nv)
        parts = operational_space(self.tree, self.q, self.v, frame, rows, bias=h)
        return Formula(self._qv(), dict(zip(names, parts, strict=True)))

    @function
    def constraint_error(self) -> Formula:
        """The error of every loop and coupling; zero where they are closed."""
        self._need_constraints()
        return Formula(self._q(), {"error": loops.loop_error(self.tree, self.q)})

    @function
    def constraint_jacobian(self) -> Formula:
        """A with A q̇ = 0."""
        self._need_constraints()
        return Formula(self._q(), {"A": loops.loop_jacobian(self.tree, self.q)})

    @function
    def constraint_velocity(self) -> Formula:
        """A q̇: how fast the errors change."""
        self._need_constraints()
        A = loops.loop_jacobian(self.tree, self.q)
        return Formula(self._qv(), {"rate": [dot(row, self.v) for row in A]})

    @function
    def constraint_correction(self, *, rows: int) -> Formula:
        """The smallest change δ of velocities in δᵀ M δ with A δ = error, for the first rows."""
        self._need_constraints()
        A = loops.loop_jacobian(self.tree, self.q)[:rows]
        return correction_formula(self.q, mass_matrix(self.lean, self.q), A)

    @function
    def constraint_bias(self) -> Formula:
        """Ȧ q̇."""
        self._need_constraints()
        return Formula(self._qv(), {"bias": loops.loop_bias(self.tree, self.q, self.v)})

    # ---- configurations

    @function
    def configuration_rate(self) -> Formula:
        """dq/dt: of quaternions ½ q ∘ ω."""
        return Formula(self._qv(), {"rate": configuration_rate(self.tree, self.q, self.v)})

    @function
    def normalized(self) -> Formula:
        """q with quaternions of length one."""
        return Formula(self._q(), {"q": normalized(self.tree, self.q)})

    # ---- parts that several share

    @property
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Any]]:
        _, theta, labels = self._regressor
        return labels, theta

    @cached_property
    def _regressor(self) -> Any:
        return drive_regressor(self.tree, self.q, self.v, self.a, smoothing=self.smoothing)

    def _need_few(self, name: str, most: int) -> None:
        if self.nv > most:
            raise TooLarge(
                f"expected at most {most} velocities for {name}, got {self.nv} in {self.name}: "
                "its straight-line code would have millions of operations; differentiate "
                "numerically, or solve with mass_matrix and inverse_dynamics_derivatives"
            )

    def _need_constraints(self) -> None:
        if not self.has_constraints:
            raise InvalidMechanism(f"expected loops or couplings in {self.name}, got none")

    def _q(self) -> dict[str, Any]:
        return {"q": self.q}

    def _qv(self) -> dict[str, Any]:
        return {"q": self.q, "qd": self.v}

    def _qvu(self) -> dict[str, Any]:
        return {**self._qv(), "tau": self.u}

    def _torque(self, a: Sequence[Any]) -> list[Any]:
        tau = inverse_dynamics(self.lean, self.q, self.v, a)
        return [t - f for t, f in zip(tau, self.passive_torque, strict=True)]

    def _accelerations(self, torques: Sequence[Any]) -> list[Any]:
        """Return q̈ of the open tree by the cheaper of two graphs."""
        tau = [t + f for t, f in zip(torques, self.passive_torque, strict=True)]
        ways = forward_dynamics_candidates(self.lean)
        found = [[as_expr(x) for x in way(self.lean, self.q, self.v, tau)] for way in ways]
        return min(found, key=_operations)

    def _constrained(self, torques: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        h = self._torque([0] * self.nv)
        return constrained_dynamics(
            mass_matrix(self.lean, self.q),
            [t - b for t, b in zip(torques, h, strict=True)],
            loops.loop_jacobian(self.tree, self.q),
            loops.loop_bias(self.tree, self.q, self.v),
        )

    @cached_property
    def _passive_slopes(self) -> tuple[Rows, Rows]:
        """∂f/∂q and ∂f/∂q̇ of the passive forces."""
        forces = [as_expr(f) for f in self.passive_torque]
        n = self.nv
        if all(is_zero(f) for f in forces):
            zeros: Rows = [[0] * n for _ in range(n)]
            return zeros, zeros
        if self.nq != n and self._mechanism.springs:
            raise InvalidMechanism(
                f"expected scalar joints for derivatives with springs, got others in {self.name}: "
                "compile with passive=False"
            )
        dv = jacobian(forces, self.v)
        if self.nq == n:
            dq = jacobian(forces, self.q)
        else:
            # joint springs sit on scalar joints only: take each position where its velocity is
            places = _scalar_places(self.tree)
            by_q = jacobian(forces, self.q)
            dq_rows = [[0] * n for _ in range(n)]
            for i in range(n):
                for k, j in places.items():
                    dq_rows[i][j] = by_q[i, k]
            return dq_rows, rows_of(dv)
        return rows_of(dq), rows_of(dv)

    @cached_property
    def _kinetic(self) -> Any:
        return kinematics.kinetic_energy(self.lean, self.q, self.v)

    @cached_property
    def _potential(self) -> Any:
        V = kinematics.potential_energy(self.lean, self.q)
        return V + spring_energy(self.tree, self.q) if self.passive else V


def _numbered(make: Any, letter: str, count: int) -> tuple[Expr, ...]:
    return make(" ".join(f"{letter}{i + 1}" for i in range(count)))


def _operations(outputs: Sequence[Expr]) -> int:
    """Return the arithmetic operations of a graph."""
    return sum(node.op in ("add", "sub", "mul", "div") for node in postorder(outputs))


def _homogeneous(X: Pose) -> Rows:
    rows: Rows = [[*row, x] for row, x in zip(X.R, X.p, strict=True)]
    return [*rows, [*ZERO, 1]]


def _six_rows(columns: Sequence[Any]) -> Rows:
    return [[(*u, *w)[k] for u, w in columns] for k in range(6)]


def _scalar_places(tree: Tree) -> dict[int, int]:
    """Return for each position of a scalar joint the place of its velocity."""
    return {
        node.positions[0]: node.velocities[0]
        for node in tree.nodes
        if len(node.positions) == 1 and len(node.velocities) == 1
    }
