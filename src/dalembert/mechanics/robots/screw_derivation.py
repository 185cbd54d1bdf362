"""The equations of a serial arm by screws: SDM283's fourteen steps, each with its proofs.

The numbers of the steps are those of the lecture, and the lecture's θ are the coordinates q. Where
it differs from what is printed there, docs/errata.md says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dalembert.expr import Matrix, as_expr, inputs
from dalembert.mechanics.equations.derivation import Derivation
from dalembert.mechanics.equations.derivation import DerivationLine as Formula
from dalembert.mechanics.equations.derivation import DerivationStep as Step
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.proofs.properties import IDENTICAL, identity
from dalembert.mechanics.robots.equations import ring_tree
from dalembert.mechanics.robots.screw_arm import ScrewArm, adjoint, at_point, exponential
from dalembert.mechanism import Mechanism
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.kinematics import forward_kinematics, frame_pose, jacobian
from dalembert.recursions.resistance.passive import spring_energy
from dalembert.recursions.tree import Tree
from dalembert.ring import Element, canonical, partials, rebuild, rebuild_matrix, time_derivative
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import Twist
from dalembert.spatial.vectors import dot, multiply, rotate, skew, sub

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def screw_derivation(mechanism: Mechanism, *, frame: str | None = None) -> Derivation:
    """Return the fourteen steps from unit twists to the Euler–Lagrange equations, with proofs.

    Args:
        mechanism: a serial arm of revolute, prismatic and helical joints; fixed ones may occur.
        frame: the frame b that the arm moves; by default the last one named, or the last link.

    >>> import dalembert as da
    >>> steps = screw_derivation(da.textbook.robots.planar_3r()).steps
    >>> print(steps[2].title)
    How to move the end of two links
    >>> print(steps[2].remarks[0].split("\\n")[0])
    ✓ e^(ξ̂′ᵢ qᵢ) Pᵢ₋₁ = Pᵢ₋₁ e^(ξ̂ᵢ qᵢ) for every joint
    """
    eq = mechanism.equations()
    writer = _Writer(mechanism, eq, frame)
    return Derivation(tuple(step() for step in writer.steps()))


class _Writer:
    """Writes the steps for one arm."""

    def __init__(self, mechanism: Mechanism, eq: Equations, frame: str | None) -> None:
        named = frame or (mechanism.frames[-1].name if mechanism.frames else None)
        self.frame = named or mechanism.joints[-1].child
        self.mechanism, self.eq, self.ring = mechanism, eq, eq.ring
        self.arm = ScrewArm(mechanism, eq)
        self.tree = ring_tree(mechanism, eq.ring)
        self.n = self.arm.num_joints
        self.dq = partials(eq.ring, eq.coordinates)
        self.dv = partials(eq.ring, eq.velocities)
        self.d_dt = time_derivative(eq.ring, max_order=1)
        self.g0 = frame_pose(self.tree, self.arm.home, self.frame)
        self.reach = self._joints_before(self.frame)
        self.g = self.arm.products[self.reach] @ self.g0

    def steps(self) -> list[Any]:
        """Return the fourteen steps, in order."""
        return [
            self.move_a_point,
            self.move_a_frame,
            self.move_two_links,
            self.result,
            self.velocity,
            self.adjoint,
            self.hat_off,
            self.virtual_work,
            self.gravity,
            self.inertia,
            self.energies,
            self.centres,
            self.slopes,
            self.momenta,
        ]

    def _joints_before(self, frame: str) -> int:
        number = self.tree.numbers[self.mechanism.frame(frame).link]
        return sum(len(node.velocities) for node in self.tree.nodes[:number])

    # ---- where things are

    def move_a_point(self) -> Step:
        formulas = []
        for i, (xi, X) in enumerate(zip(self.arm.xi, self.arm.exponentials, strict=True), 1):
            s, angle = _sub(i), f"q{_sub(i)}"
            formulas.append(self._formula(f"ξ{s}", f"\\xi_{{{i}}}", _column(xi)))
            left = f"e^{{\\hat{{\\xi}}_{{{i}}} q_{{{i}}}}}"
            formulas.append(self._formula(f"e^(ξ̂{s} {angle})", left, _homogeneous(X)))
        differences: list[Any] = []
        for k, (xi, X) in enumerate(zip(self.arm.xi, self.arm.exponentials, strict=True)):
            # ∂E/∂q = ξ̂ E and E(0) = 1 have one solution
            slope = Pose(multiply(skew(xi[1]), X.R), at_point(xi, X.p))
            direct = [self.dq[k](x) for x in self._elements(_entries(X))]
            differences += _differences(direct, self._elements(_entries(slope)))
            differences += _differences(_entries(exponential(xi, 0)), _entries(Pose()))
        return Step(
            "How to move a point",
            "Joint i turns every point behind it by e^(ξ̂ᵢ qᵢ), with the unit twist ξ = (v, ω), "
            "v = p × ω for a point p of the axis in the initial configuration.",
            tuple(formulas),
            (
                self._proved(
                    "Rodrigues' formula is the exponential: ∂E/∂q = ξ̂E, E(0) = 1", differences
                ),
            ),
        )

    def move_a_frame(self) -> Step:
        return Step(
            "How to move a frame",
            f"Frame b ({self.frame}) is carried along as its points are: g_ab = e^(ξ̂₁ q₁) g_ab0.",
            (self._formula("g_ab0", "g_{ab0}", _homogeneous(self.g0)),),
        )

    def move_two_links(self) -> Step:
        differences: list[Any] = []
        for i in range(self.n):
            P, moved = self.arm.products[i], exponential(self.arm.moved[i], self.arm.q[i])
            differences += _differences(_entries(moved @ P), _entries(P @ self.arm.exponentials[i]))
        return Step(
            "How to move the end of two links",
            "Turning about the moved axes in order is turning about the initial axes in reverse "
            "order; Pᵢ₋₁ = e^(ξ̂₁ q₁) … e^(ξ̂ᵢ₋₁ qᵢ₋₁) and ξ̂′ᵢ is the axis that Pᵢ₋₁ has moved.",
            (),
            (self._proved("e^(ξ̂′ᵢ qᵢ) Pᵢ₋₁ = Pᵢ₋₁ e^(ξ̂ᵢ qᵢ) for every joint", differences),),
        )

    def result(self) -> Step:
        X_W = forward_kinematics(self.tree, self.arm.q)
        expected = frame_pose(self.tree, X_W, self.frame)
        differences = _differences(_entries(self.g), _entries(expected))
        return Step(
            "The result for g_ab",
            "g_ab = e^(ξ̂₁ q₁) … e^(ξ̂ₙ qₙ) g_ab0, read from right to left.",
            (self._formula("g_ab", "g_{ab}", _homogeneous(self.g)),),
            (self._proved("g_ab = forward kinematics by the tree", differences),),
        )

    # ---- velocities and forces

    def velocity(self) -> Step:
        inverse = self.g0.inverse()
        for X in reversed(self.arm.exponentials[: self.reach]):
            inverse = inverse @ X.inverse()
        ones = _differences(_entries(inverse @ self.g), _entries(Pose()))
        V = self.arm.velocity(self.reach)
        W, v = self._spatial_velocity()
        differences = _differences(
            [*(x for row in W for x in row), *v], [*_flat(skew(V[1])), *V[0]]
        )
        return Step(
            "Compute velocity",
            "V̂_ab = ġ_ab g_ab⁻¹ with g_ab⁻¹ = g_ab0⁻¹ e^(-ξ̂ₙ qₙ) … e^(-ξ̂₁ q₁).",
            (self._formula("V̂_ab", "\\hat{V}_{ab}", _hat(V)),),
            (
                self._proved("g_ab⁻¹ begins with g_ab0⁻¹: g_ab⁻¹ g_ab = 1", ones),
                self._proved("V̂_ab = Σ q̇ᵢ Pᵢ₋₁ ξ̂ᵢ Pᵢ₋₁⁻¹", differences),
            ),
        )

    def _spatial_velocity(self) -> tuple[Any, Any]:
        """Return rotation and translation part of ġ g⁻¹, differentiated directly."""
        R = [[self.d_dt(self.ring.element(x)) for x in row] for row in self.g.R]
        p = [self.d_dt(self.ring.element(x)) for x in self.g.p]
        W = multiply((tuple(R[0]), tuple(R[1]), tuple(R[2])), self.g.inverse().R)  # type: ignore[arg-type]
        # ġ g⁻¹ = [Ṙ Rᵀ, ṗ - Ṙ Rᵀ p]
        return W, sub((p[0], p[1], p[2]), rotate(W, self.g.p))

    def adjoint(self) -> Step:
        differences: list[Any] = []
        for P, xi in zip(self.arm.products[:-1], self.arm.xi, strict=True):
            v, w = adjoint(P, xi)
            W = multiply(multiply(P.R, skew(xi[1])), P.inverse().R)
            # P ξ̂ P⁻¹ = [R ω̂ Rᵀ, R v - R ω̂ Rᵀ p]
            shift = sub(rotate(P.R, xi[0]), rotate(W, P.p))
            differences += _differences([*_flat(W), *shift], [*_flat(skew(w)), *v])
        return Step(
            "Recall the adjoint",
            "g V̂ g⁻¹ = (Ad_g V)^ with Ad_g (v, ω) = (R v + p × R ω, R ω).",
            (),
            (self._proved("Pᵢ₋₁ ξ̂ᵢ Pᵢ₋₁⁻¹ = (Ad ξᵢ)^ for every joint", differences),),
        )

    def hat_off(self) -> Step:
        columns = [*self.arm.moved[: self.reach]]
        formulas = [
            self._formula(
                f"ξ{'′' * (i > 1)}{_sub(i)}", f"\\xi{chr(39) * (i > 1)}_{{{i}}}", _column(a)
            )
            for i, a in enumerate(columns, 1)
        ]
        formulas.append(self._formula("J", "J", self._jacobian_rows()))
        expected = jacobian(self.tree, self.arm.q, self.frame, "spatial")
        differences: list[Any] = []
        for ours, theirs in zip(columns, expected, strict=False):
            differences += _differences([*ours[0], *ours[1]], [*theirs[0], *theirs[1]])
        return Step(
            "Take the hat off",
            "V_ab = J q̇ with the twists at their new places, ξ′ᵢ = Ad ξᵢ, as columns.",
            tuple(formulas),
            (self._proved("J = spatial Jacobian by the tree", differences),),
        )

    def _jacobian_rows(self) -> list[list[Any]]:
        columns = [[*a[0], *a[1]] for a in self.arm.moved[: self.reach]]
        columns += [[0] * 6 for _ in range(self.n - self.reach)]
        return [[column[r] for column in columns] for r in range(6)]

    def virtual_work(self) -> Step:
        F = Matrix.column(inputs("F_x F_y F_z M_x M_y M_z"))
        J = rebuild_matrix(
            Matrix([[self.ring.element(x) for x in row] for row in self._jacobian_rows()])
        )
        return Step(
            "Principle of virtual work",
            "V_abᵀ F = q̇ᵀ Jᵀ F = q̇ᵀ τ for every q̇; F is the wrench exerted by the robot, about "
            "the origin of frame a.",
            (Formula("τ", "\\tau", J.T @ F),),
        )

    def gravity(self) -> Step:
        slopes = [self._weight(k) for k in range(self.n)]
        direct = [-self.dq[k](self.arm.potential()) for k in range(self.n)]
        return Step(
            "Account for gravity",
            "τ = -∂L/∂q + Jᵀ F at rest, where L = -V.",
            (self._formula("-∂L/∂q", "-\\frac{\\partial L}{\\partial q}", [[-x] for x in slopes]),),
            (self._proved("∂L/∂qₖ = Σ m gᵀ ξ̂′ₖ c at rest", _differences(slopes, direct)),),
        )

    def _weight(self, k: int) -> Element:
        total = self.ring.zero
        for body in self.arm.bodies:
            if k < body.joints:
                lever = at_point(self.arm.moved[k], self.arm.centre(body))
                total = total + body.m * dot(self.arm.gravity, lever)
        return total

    def inertia(self) -> Step:
        return Step(
            "Account for gravity and inertia",
            "τ = d/dt ∂L/∂q̇ - ∂L/∂q + Jᵀ F.",
        )

    # ---- energies and their derivatives

    def energies(self) -> Step:
        T, V = self.arm.kinetic(), self.arm.potential()
        turning = any(self.ring.element(x) != 0 for b in self.arm.bodies for x in _flat(b.I0))
        law = "T = Σ ½ m ċᵀċ" + (" + ½ Ωᵀ I Ω with Ω = Rᵀω" if turning else "")
        rotors, springs = self._joint_energies()
        differences = [self.eq.forms.T - T - rotors, self.eq.forms.V - V - springs]
        return Step(
            "Compute T and V",
            f"{law}; V = -Σ m gᵀ c.",
            (self._formula("T", "T", T), self._formula("V", "V", V)),
            (self._proved("T and V = those of the tree (rotors and springs apart)", differences),),
        )

    def _joint_energies(self) -> tuple[Element, Element]:
        rotors = self.ring.zero
        for node in self.tree.nodes:
            if has_armature(node):
                for i in node.velocities:
                    rotors = rotors + self.ring.element(armature(node)) * self.arm.v[i] ** 2 / 2
        springs = as_expr(spring_energy(Tree(self.mechanism), self.eq.coordinates))
        return rotors, canonical(self.ring, springs)

    def centres(self) -> Step:
        formulas, differences = [], []
        for i, body in enumerate(self.arm.bodies, 1):
            c, rate = self.arm.centre(body), self.arm.centre_velocity(body)
            formulas.append(self._formula(f"c{_sub(i)}", f"c_{{{i}}}", [[x] for x in c]))
            formulas.append(
                self._formula(f"ċ{_sub(i)}", f"\\dot{{c}}_{{{i}}}", [[x] for x in rate])
            )
            differences += _differences([self.d_dt(x) for x in self._elements(c)], rate)
        return Step(
            "Compute the velocities of the centres",
            "c = e^(ξ̂₁ q₁) … c₀ gives ċ = Σ q̇ⱼ ξ̂′ⱼ c over the joints before it.",
            tuple(formulas),
            (self._proved("ċ = Σ q̇ⱼ ξ̂′ⱼ c against d/dt of c", differences),),
        )

    def slopes(self) -> Step:
        arm, n = self.arm, range(self.n)
        brackets: list[Any] = []
        for i in n:
            for k in n:
                direct = [
                    self.dq[k](x) for x in self._elements([*arm.moved[i][0], *arm.moved[i][1]])
                ]
                bracket = arm.twist_slope(i, k)
                brackets += _differences(direct, [*bracket[0], *bracket[1]])
        rates: list[Any] = []
        for body in arm.bodies:
            for k in n:
                direct = [self.dq[k](x) for x in self._elements(arm.centre_velocity(body))]
                rates += _differences(direct, arm.centre_velocity_slope(body, k))
        L = arm.kinetic() - arm.potential()
        slopes = [arm.lagrangian_slope(k) for k in n]
        formulas = [
            self._formula(
                f"∂ξ′{_sub(i + 1)}/∂q{_sub(k + 1)}",
                f"\\frac{{\\partial \\xi'_{{{i + 1}}}}}{{\\partial q_{{{k + 1}}}}}",
                _column(arm.twist_slope(i, k)),
            )
            for i in n
            for k in range(i)
        ]
        formulas += [self._formula(*_slope_names(k), slopes[k]) for k in n]
        direct = [self.dq[k](L) for k in n]
        return Step(
            "Compute ∂L/∂q",
            "∂ξ̂′ᵢ/∂qₖ = ξ̂′ₖ ξ̂′ᵢ - ξ̂′ᵢ ξ̂′ₖ for k < i and 0 otherwise, ∂c/∂qₖ = ξ̂′ₖ c; so "
            "∂ċ/∂qₖ = Σⱼ q̇ⱼ (∂ξ̂′ⱼ/∂qₖ c + ξ̂′ⱼ ξ̂′ₖ c), the terms j ≤ k included.",
            tuple(formulas),
            (
                self._proved("∂ξ′ᵢ/∂qₖ = [ξ′ₖ, ξ′ᵢ] against differentiation", brackets),
                self._proved("∂ċ/∂qₖ, all terms, against differentiation", rates),
                self._proved("∂L/∂qₖ by brackets = L differentiated", _differences(slopes, direct)),
                self._proved("∂T/∂q₁ = 0: the first axis is fixed", [slopes[0] - self._weight(0)]),
            ),
        )

    def momenta(self) -> Step:
        arm, n = self.arm, range(self.n)
        momenta = [arm.momentum(k) for k in n]
        rates = [arm.momentum_rate(k) for k in n]
        T = arm.kinetic()
        same = _differences(momenta, [self.dv[k](T) for k in n])
        same += _differences(rates, [self.d_dt(p) for p in momenta])
        torques = [rates[k] - arm.lagrangian_slope(k) for k in n]
        left = self.eq.forms.M @ self.eq.second_rates + self.eq.bias_form
        final = [left[k] - torques[k] - x for k, x in enumerate(self._joint_torques())]
        formulas = [self._formula(*_rate_names(k), rates[k]) for k in n]
        formulas += [self._formula(f"τ{_sub(k + 1)}", f"\\tau_{{{k + 1}}}", torques[k]) for k in n]
        return Step(
            "Compute d/dt ∂L/∂q̇",
            "∂ċ/∂q̇ₖ = ξ̂′ₖ c, and ċ, ξ̂′ₖ and c are differentiated by their own rules; τ is the "
            "difference to step 13.",
            tuple(formulas),
            (
                self._proved("d/dt ∂L/∂q̇ₖ by screws = T differentiated", same),
                self._proved("Euler–Lagrange by screws = mechanism.equations()", final),
            ),
        )

    def _joint_torques(self) -> list[Element]:
        """Return what rotors, springs and dampers of the joints add to the left side."""
        rotors, springs = self._joint_energies()
        result = []
        for k in range(self.n):
            rotor = self.d_dt(self.dv[k](rotors))
            drag = self.dv[k](self.eq.forms.dissipation)
            result.append(rotor + self.dq[k](springs) + drag)
        return result

    # ---- writing

    def _elements(self, xs: Iterable[Any]) -> list[Element]:
        return [self.ring.element(x) for x in xs]

    def _formula(self, left: str, latex: str, right: Any) -> Formula:
        if isinstance(right, list):
            matrix = Matrix([[self.ring.element(x) for x in row] for row in right])
            return Formula(left, latex, rebuild_matrix(matrix))
        return Formula(left, latex, rebuild(self.ring.element(right)))

    def _proved(self, statement: str, differences: Sequence[Any]) -> str:
        proof: Proof = identity(
            self.ring,
            statement,
            self._elements(differences),
            f"both sides in the ring: {IDENTICAL}",
        )
        return str(proof)


def _slope_names(k: int) -> tuple[str, str]:
    return f"∂L/∂q{_sub(k + 1)}", f"\\frac{{\\partial L}}{{\\partial q_{{{k + 1}}}}}"


def _rate_names(k: int) -> tuple[str, str]:
    latex = f"\\frac{{d}}{{dt}} \\frac{{\\partial L}}{{\\partial \\dot{{q}}_{{{k + 1}}}}}"
    return f"d/dt ∂L/∂q̇{_sub(k + 1)}", latex


def _column(a: Twist) -> list[list[Any]]:
    return [[x] for x in (*a[0], *a[1])]


def _flat(A: Any) -> list[Any]:
    return [x for row in A for x in row]


def _entries(X: Pose) -> list[Any]:
    return [*_flat(X.R), *X.p]


def _homogeneous(X: Pose) -> list[list[Any]]:
    return [[*row, x] for row, x in zip(X.R, X.p, strict=True)] + [[0, 0, 0, 1]]


def _hat(a: Twist) -> list[list[Any]]:
    return [[*row, x] for row, x in zip(skew(a[1]), a[0], strict=True)] + [[0, 0, 0, 0]]


def _differences(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _sub(i: int) -> str:
    return str(i).translate(SUBSCRIPTS)
