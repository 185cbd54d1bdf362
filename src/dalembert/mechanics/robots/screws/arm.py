"""A serial arm by screws, in a ring: twists, exponentials, moved axes and their closed derivatives.

Everything is in the fixed frame a. ξ = (v, ω) is a unit twist in the initial configuration θ = 0,
e^{ξ̂θ} its motion, ξ′ the twist at its new place. ξ̂ c = v + ω × c moves a point, ω × u a vector.
Reference: SDM283, Equations of motion of robotic arm, steps 1 to 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanism import Mechanism
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Tree
from dalembert.ring import Element
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import Twist, bracket, exp_screw, plus, times, transform_twist
from dalembert.spatial.vectors import ZERO, Mat, Scalar, Vec, add, cross, dot, rotate, scale, sub

NO_TWIST: Twist = (ZERO, ZERO)


class ScrewBody(NamedTuple):
    """A link: mass, centre of mass c₀ and tensor about it (axes of frame a) at θ = 0.

    The first ``joints`` joints of the arm carry it.
    """

    joints: int
    m: Scalar
    c0: Vec
    I0: Mat


class ScrewArm:
    """The arm, its tree over the ring of its equations; q, v and a are θ, θ̇ and θ̈."""

    def __init__(self, mechanism: Mechanism, tree: Tree, eq: Equations) -> None:
        require_serial(mechanism)
        self.ring = eq.ring
        self.q = [eq.ring.element_of(x) for x in eq.coordinates]
        self.v, self.a = list(eq.rates), list(eq.second_rates)
        self.gravity = tree.gravity
        home = forward_kinematics(tree, [0] * tree.nq)
        moving = [i for i, node in enumerate(tree.nodes) if node.velocities]
        # ξ: the joint's own twist, seen from frame a
        self.xi = [transform_twist(home[i + 1], tree.nodes[i].columns[0]) for i in moving]
        self.exponentials = [exp_screw(xi, q) for xi, q in zip(self.xi, self.q, strict=True)]
        # P_k = e^{ξ̂₁θ₁} … e^{ξ̂_kθ_k}
        self.products = [Pose()]
        for X in self.exponentials:
            self.products.append(self.products[-1] @ X)
        # ξ′_i = Ad_{P_{i-1}} ξ_i
        pairs = zip(self.products[:-1], self.xi, strict=True)
        self.moved = [transform_twist(P, xi) for P, xi in pairs]
        self.home = home
        self.bodies = _bodies(tree, home)

    @property
    def num_joints(self) -> int:
        """How many joints the arm has."""
        return len(self.xi)

    def twist_slope(self, i: int, k: int) -> Twist:
        """Return ∂ξ′_i/∂θ_k, the Lie bracket [ξ′_k, ξ′_i] for k < i and zero otherwise."""
        return bracket(self.moved[k], self.moved[i]) if k < i else NO_TWIST

    def twist_rate(self, i: int) -> Twist:
        """Return ξ̇′_i = Σ_k θ̇_k [ξ′_k, ξ′_i]."""
        rate = NO_TWIST
        for k in range(i):
            rate = plus(rate, times(self.v[k], self.twist_slope(i, k)))
        return rate

    def velocity(self, joints: int) -> Twist:
        """Return V = Σ θ̇_j ξ′_j over the first joints."""
        return weighted(self.v[:joints], self.moved)

    def centre(self, body: ScrewBody) -> Vec:
        """Return c = e^{ξ̂₁θ₁} … c₀."""
        return self.products[body.joints].point(body.c0)

    def centre_velocity(self, body: ScrewBody) -> Vec:
        """Return ċ = Σ θ̇_j ξ̂′_j c."""
        return at_point(self.velocity(body.joints), self.centre(body))

    def centre_velocity_slope(self, body: ScrewBody, k: int) -> Vec:
        """Return ∂ċ/∂θ_k = Σ_j θ̇_j (∂ξ̂′_j/∂θ_k c + ξ̂′_j ∂c/∂θ_k), every j included."""
        if k >= body.joints:
            return ZERO
        c = self.centre(body)
        slope = at_point(self.moved[k], c)
        total: Vec = ZERO
        for j in range(body.joints):
            moved = at_point(self.twist_slope(j, k), c)
            term = add(moved, cross(self.moved[j][1], slope))
            total = add(total, scale(self.v[j], term))
        return total

    def centre_acceleration(self, body: ScrewBody) -> Vec:
        """Return c̈ = Σ_j θ̈_j ξ̂′_j c + θ̇_j (ξ̂̇′_j c + ξ̂′_j ċ)."""
        c, rate = self.centre(body), self.centre_velocity(body)
        total: Vec = ZERO
        for j in range(body.joints):
            drift = add(at_point(self.twist_rate(j), c), cross(self.moved[j][1], rate))
            term = scale(self.a[j], at_point(self.moved[j], c))
            total = add(total, add(term, scale(self.v[j], drift)))
        return total

    # ---- turning links: with Ω = Rᵀω in the link, ½ Ωᵀ I Ω; all vectors taken back to θ = 0

    def spin(self, body: ScrewBody) -> Vec:
        """Return Ω = Rᵀ ω."""
        return self._back(body, self.velocity(body.joints)[1])

    def spin_slope(self, body: ScrewBody, k: int) -> Vec:
        """Return ∂Ω/∂θ_k = Rᵀ (∂ω/∂θ_k - ω′_k × ω)."""
        if k >= body.joints:
            return ZERO
        w = cross(self.velocity(body.joints)[1], self.moved[k][1])
        for j in range(body.joints):
            w = add(w, scale(self.v[j], self.twist_slope(j, k)[1]))
        return self._back(body, w)

    def spin_axis(self, body: ScrewBody, k: int) -> Vec:
        """Return ∂Ω/∂θ̇_k = Rᵀ ω′_k."""
        return self._back(body, self.moved[k][1]) if k < body.joints else ZERO

    def spin_axis_rate(self, body: ScrewBody, k: int) -> Vec:
        """Return d/dt Rᵀω′_k = Rᵀ (ω̇′_k - ω × ω′_k)."""
        if k >= body.joints:
            return ZERO
        w = cross(self.velocity(body.joints)[1], self.moved[k][1])
        return self._back(body, sub(self.twist_rate(k)[1], w))

    def spin_rate(self, body: ScrewBody) -> Vec:
        """Return Ω̇ = Σ θ̈_j Rᵀω′_j + θ̇_j d/dt Rᵀω′_j."""
        total: Vec = ZERO
        for j in range(body.joints):
            term = scale(self.a[j], self.spin_axis(body, j))
            total = add(total, add(term, scale(self.v[j], self.spin_axis_rate(body, j))))
        return total

    def _back(self, body: ScrewBody, w: Vec) -> Vec:
        return rotate(self.products[body.joints].inverse().R, w)

    # ---- energies and the two sides of Lagrange's equation

    def kinetic(self) -> Element:
        """Return T = Σ ½ m ċᵀċ + ½ Ωᵀ I Ω."""
        total: Element = self.ring.zero
        for body in self.bodies:
            rate, spin = self.centre_velocity(body), self.spin(body)
            total = total + body.m * dot(rate, rate) + dot(spin, rotate(body.I0, spin))
        return total / 2

    def potential(self) -> Element:
        """Return V = -Σ m gᵀ c."""
        total: Element = self.ring.zero
        for body in self.bodies:
            total = total - body.m * dot(self.gravity, self.centre(body))
        return total

    def lagrangian_slope(self, k: int) -> Element:
        """Return ∂L/∂θ_k = Σ m ċᵀ ∂ċ/∂θ_k + (I Ω)ᵀ ∂Ω/∂θ_k + m gᵀ ξ̂′_k c."""
        total: Element = self.ring.zero
        for body in self.bodies:
            if k < body.joints:
                rate = self.centre_velocity(body)
                fall = dot(self.gravity, at_point(self.moved[k], self.centre(body)))
                total = total + body.m * (dot(rate, self.centre_velocity_slope(body, k)) + fall)
                momentum = rotate(body.I0, self.spin(body))
                total = total + dot(momentum, self.spin_slope(body, k))
        return total

    def momentum(self, k: int) -> Element:
        """Return ∂L/∂θ̇_k = Σ m ċᵀ ξ̂′_k c + (I Ω)ᵀ Rᵀω′_k."""
        total: Element = self.ring.zero
        for body in self.bodies:
            if k < body.joints:
                rate, lever = self.centre_velocity(body), at_point(self.moved[k], self.centre(body))
                turn = dot(rotate(body.I0, self.spin(body)), self.spin_axis(body, k))
                total = total + body.m * dot(rate, lever) + turn
        return total

    def momentum_rate(self, k: int) -> Element:
        """Return d/dt ∂L/∂θ̇_k = Σ m c̈ᵀ ξ̂′_k c + m ċᵀ (ξ̂̇′_k c + ξ̂′_k ċ) + d/dt of the spin."""
        total: Element = self.ring.zero
        for body in self.bodies:
            if k < body.joints:
                c, rate = self.centre(body), self.centre_velocity(body)
                lever = at_point(self.moved[k], c)
                lever_rate = add(at_point(self.twist_rate(k), c), cross(self.moved[k][1], rate))
                push = dot(self.centre_acceleration(body), lever) + dot(rate, lever_rate)
                turn = dot(rotate(body.I0, self.spin_rate(body)), self.spin_axis(body, k))
                drift = dot(rotate(body.I0, self.spin(body)), self.spin_axis_rate(body, k))
                total = total + body.m * push + turn + drift
        return total


def require_serial(mechanism: Mechanism) -> None:
    """Refuse branches, loops, joints that follow others, and rotors with a motion of their own."""
    parent = mechanism.root
    if mechanism.loops or mechanism.couplings:
        raise InvalidMechanism(
            f"expected an open chain, got {mechanism.name} with loops: use mechanism.equations()"
        )
    if mechanism.actuators:
        raise InvalidMechanism(
            f"expected an arm without actuators, got {mechanism.name} with "
            f"{len(mechanism.actuators)}: give the reflected inertia as armature of the joints"
        )
    for joint in mechanism.joints:
        if joint.parent != parent or joint.mimic:
            raise InvalidMechanism(
                f"expected a serial arm, got a branch or a follower at joint {joint.name!r}: "
                "use mechanism.equations()"
            )
        parent = joint.child


def at_point(a: Twist, c: Vec) -> Vec:
    """Return â c = v + ω × c, the velocity of the point c."""
    return add(a[0], cross(a[1], c))


def weighted(rates: Sequence[Scalar], twists: Sequence[Twist]) -> Twist:
    """Return Σ rate · twist, over as many twists as there are rates."""
    total = NO_TWIST
    for rate, a in zip(rates, twists, strict=False):
        total = plus(total, times(rate, a))
    return total


def _bodies(tree: Tree, home: Sequence[Pose]) -> list[ScrewBody]:
    bodies, joints = [], 0
    for node, X_WL in zip(tree.nodes, home[1:], strict=True):
        joints += len(node.velocities)
        inertia = node.inertia.moved(X_WL)
        m = inertia.m
        if isinstance(m, int) and m == 0:
            if inertia.h != ZERO:
                raise InvalidMechanism(
                    f"expected a mass for link {node.name!r}, got a first moment without one"
                )
            if any(x != 0 for x in inertia.I):
                bodies.append(ScrewBody(joints, m, ZERO, inertia.tensor))
            continue
        bodies.append(ScrewBody(joints, m, inertia.com(), inertia.about_com()))
    return bodies
