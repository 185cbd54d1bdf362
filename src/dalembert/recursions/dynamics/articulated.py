"""Forward dynamics by articulated bodies (Featherstone 1983), and by factorising M.

The bias wrenches are those of the Newton–Euler recursion at zero q̈, so that the second half is a
linear solve in which no velocity occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dalembert.recursions.constraints.factorization import solve_symmetric
from dalembert.recursions.dynamics.articulated_inertia import ArticulatedInertia
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import (
    armature_drift,
    bias_wrenches,
    has_armature,
    inverse_dynamics,
)
from dalembert.recursions.resistance.spring_inertia import has_spring_inertia
from dalembert.recursions.tree import Node, Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.se3 import (
    Twist,
    Wrench,
    plus,
    power,
    times,
    transform_twist_back,
    transform_wrench,
)
from dalembert.spatial.vectors import ZERO, Scalar, ratio

__all__ = [
    "Articulated",
    "articulated_bodies",
    "forward_dynamics",
    "forward_dynamics_by_mass_matrix",
    "forward_dynamics_candidates",
    "is_deep",
    "solve_symmetric",
]

AT_REST: Twist = (ZERO, ZERO)
# mean number of velocities from the root to a velocity beyond which M never pays
DEEP = 9
Method = Callable[[Tree, Values, Values, Values], list[Scalar]]


def forward_dynamics_candidates(tree: Tree) -> list[Method]:
    """Return the methods worth tracing for a tree; whoever compiles keeps the cheaper program.

    Articulated bodies grow with the number of joints, the factorisation of M with the square of
    the depth; joints that share a velocity, and springs with inertia, need M.

    >>> import dalembert as da
    >>> [f.__name__ for f in forward_dynamics_candidates(Tree.of(da.textbook.robots.panda()))]
    ['articulated_bodies', 'forward_dynamics_by_mass_matrix']
    """
    if _needs_mass_matrix(tree):
        return [forward_dynamics_by_mass_matrix]
    if sum(_depths(tree)) > DEEP * tree.nv:
        return [articulated_bodies]
    return [articulated_bodies, forward_dynamics_by_mass_matrix]


def is_deep(tree: Tree) -> bool:
    """Tell whether articulated bodies alone are worth tracing: links in long chains."""
    return forward_dynamics_candidates(tree) == [articulated_bodies]


def _needs_mass_matrix(tree: Tree) -> bool:
    return has_spring_inertia(tree) or any(node.joint.mimic for node in tree.nodes)


def _depths(tree: Tree) -> list[int]:
    """Return for each velocity how many there are on the path to the root."""
    above = [0]
    depths: list[int] = []
    for node in tree.nodes:
        depth = above[node.parent]
        depths += range(depth + 1, depth + len(node.velocities) + 1)
        above.append(depth + len(node.velocities))
    return depths


def forward_dynamics(tree: Tree, q: Values, v: Values, tau: Values) -> list[Scalar]:
    """Return q̈ = M⁻¹ (τ - h), by articulated bodies.

    Mimic joints and springs with inertia, which tie joints of different branches, go through M.
    """
    if _needs_mass_matrix(tree):
        return forward_dynamics_by_mass_matrix(tree, q, v, tau)
    return articulated_bodies(tree, q, v, tau)


def forward_dynamics_by_mass_matrix(tree: Tree, q: Values, v: Values, tau: Values) -> list[Scalar]:
    """Return q̈ by composite bodies and the factorisation M = Lᵀ D L.

    Cheaper than articulated bodies up to some seven joints in line.
    """
    h = inverse_dynamics(tree, q, v, [0] * tree.nv)
    right = [t - b for t, b in zip(tau, h, strict=True)]
    return solve_symmetric(mass_matrix(tree, q), right)


def articulated_bodies(tree: Tree, q: Values, v: Values, tau: Values) -> list[Scalar]:
    """Return q̈: bias wrenches outward, articulated inertias inward, accelerations outward."""
    # the wrench p that moves each link while the joints do not accelerate
    p = bias_wrenches(tree, tree.poses(q), v)
    forces = [joint_forces(node, v, tau) for node in tree.nodes]
    return Articulated.of(tree, q).solve(p, forces)


def joint_forces(node: Node, v: Values, tau: Values) -> list[Scalar]:
    """Return τ of the joint, less what its rotor takes for the motion of a floating body."""
    forces = [tau[k] for k in node.velocities]
    if has_armature(node):
        pairs = zip(forces, armature_drift(node, v), strict=True)
        forces = [f if is_zero(c) else f - node.joint.armature * c for f, c in pairs]
    return forces


class Pivot(NamedTuple):
    """One velocity that gives way: U = A S, D = SᵀU + armature, W = U/D; q̈ = D⁻¹ (τ - Sᵀp) - Wᵀa.

    Where ``freed`` names a component, S is ± that unit vector and W there is its inverse.
    """

    place: int
    S: Twist
    U: Wrench
    W: Wrench
    inverse: Scalar
    freed: int | None


class Articulated(NamedTuple):
    """The articulated inertias of a configuration, eliminated: M⁻¹ for any forces.

    The velocities of each joint are eliminated one after the other, from the tips to the root.
    """

    tree: Tree
    poses: list[Pose]
    pivots: list[list[Pivot]]

    @classmethod
    def of(cls, tree: Tree, q: Values) -> Articulated:
        """Return the eliminated inertias of a tree at a configuration."""
        poses = tree.poses(q)
        # each link by itself: wrench = A a + p for an acceleration a that the joints add
        A = [ArticulatedInertia.of(node.inertia) for node in tree.nodes]
        pivots: list[list[Pivot]] = [[] for _ in tree.nodes]
        # inward: what is left of A when the joint gives way, then added to the parent
        for i in reversed(range(len(tree.nodes))):
            node, parent = tree.nodes[i], tree.nodes[i].parent - 1
            A[i], pivots[i] = eliminate(node, A[i])
            if node.parent:
                A[parent] = A[parent].plus(A[i].moved(poses[i]))
        return cls(tree, poses, pivots)

    def accelerations(self, forces: Values) -> list[Scalar]:
        """Return M⁻¹ times generalized forces."""
        at_joints = [[forces[k] for k in node.velocities] for node in self.tree.nodes]
        return self.solve([AT_REST] * len(self.tree.nodes), at_joints)

    def solve(self, wrenches: Sequence[Wrench], forces: Sequence[Sequence[Scalar]]) -> list[Scalar]:
        """Return q̈ where the links take wrenches at zero q̈ and the joints have forces."""
        p = list(wrenches)
        y: list[list[Scalar]] = [[] for _ in p]
        # inward: what is left of p when the joint gives way, then added to the parent
        for i in reversed(range(len(p))):
            node = self.tree.nodes[i]
            p[i], y[i] = carry(node, self.pivots[i], p[i], forces[i])
            if node.parent:
                at_parent = transform_wrench(self.poses[i], p[i])
                p[node.parent - 1] = plus(p[node.parent - 1], at_parent)
        # outward: q̈ of each joint from the acceleration of its parent
        return _outward(self, y)


def eliminate(node: Node, A: ArticulatedInertia) -> tuple[ArticulatedInertia, list[Pivot]]:
    """Return the inertia behind the joint, one of its velocities after the other.

    What is left is A - U D⁻¹ Uᵀ; along a unit vector S that is S U armature/D, not computed as a
    difference.
    """
    pivots: list[Pivot] = []
    rotor = node.joint.armature if has_armature(node) else 0
    for k, S in enumerate(node.columns):
        # U = A S, D = SᵀU + armature, W = U/D
        U = A.times(S)
        inverse = ratio(1, power(S, U) + rotor)
        pivot = pivot_of(node, k, U, inverse)
        W, unit = pivot.W, _unit_component(S)
        pivots.append(pivot)
        if not node.parent and k + 1 == len(node.velocities):
            # the root does not move: nothing needs what is left
            break
        # A - U Wᵀ; its row along a unit vector S is S U armature/D
        if unit is None:
            A = A.without(U, W)
        else:
            line = times(_component(S, unit) * (rotor * inverse), U)
            U, W = _with_component(U, unit, 0), _with_component(W, unit, 0)
            A = A.without(U, W).with_row(unit, line)
    return A, pivots


def pivot_of(node: Node, k: int, U: Wrench, inverse: Scalar) -> Pivot:
    """Return the pivot of one of the velocities of a joint."""
    S = node.columns[k]
    freed = None if has_armature(node) else _unit_component(S)
    return Pivot(node.velocities[k], S, U, times(inverse, U), inverse, freed)


def carry(
    node: Node, pivots: Sequence[Pivot], p: Wrench, forces: Sequence[Scalar]
) -> tuple[Wrench, list[Scalar]]:
    """Return the bias behind the joint, p + U y, and y = D⁻¹ (τ - Sᵀp) of each velocity."""
    found: list[Scalar] = []
    for k, (pivot, force) in enumerate(zip(pivots, forces, strict=True)):
        S, freed = pivot.S, pivot.freed
        y = (force - power(S, p)) * pivot.inverse
        found.append(y)
        if not node.parent and k + 1 == len(pivots):
            break
        p = plus(p, times(y, pivot.U))
        if freed is not None:
            # its component along a unit vector S is S τ, not computed as a difference
            p = _with_component(p, freed, _component(S, freed) * force)
    return p, found


def _outward(factor: Articulated, y: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """Return q̈ from the root outward; the twist is the acceleration that q̈ adds."""
    tree = factor.tree
    qdd: list[Scalar] = [0] * tree.nv
    accelerations: list[Twist] = []
    for i, node in enumerate(tree.nodes):
        # the parent's acceleration at the child's origin
        above = accelerations[node.parent - 1] if node.parent else AT_REST
        a = transform_twist_back(factor.poses[i], above)
        a, own = accelerate(factor.pivots[i], y[i], a)
        for pivot, x in zip(factor.pivots[i], own, strict=True):
            qdd[pivot.place] = x
        accelerations.append(a)
    return qdd


def accelerate(
    pivots: Sequence[Pivot], y: Sequence[Scalar], a: Twist
) -> tuple[Twist, list[Scalar]]:
    """Return the acceleration behind a joint, and q̈ of its velocities, from that before it."""
    qdd: list[Scalar] = []
    # the velocity eliminated last comes first
    for pivot, own in zip(reversed(pivots), reversed(y), strict=True):
        S, W, freed = pivot.S, pivot.W, pivot.freed
        if freed is None:
            # q̈ = y - Wᵀa, then a + S q̈
            x = own - power(a, W)
            a = plus(a, times(x, S))
        else:
            # S = ± unit vector: q̈ = z - S a, and a there becomes S z
            sign = _component(S, freed)
            z = own - power(_with_component(a, freed, 0), W)
            x = z - sign * _component(a, freed)
            a = _with_component(a, freed, sign * z)
        qdd.append(x)
    return a, qdd[::-1]


def _unit_component(S: Twist) -> int | None:
    """Return the only component of a twist that is not zero, where it is 1 or -1."""
    places = [k for k in range(6) if not is_zero(_component(S, k))]
    if len(places) != 1:
        return None
    x = _component(S, places[0])
    return places[0] if is_zero(x - 1) or is_zero(x + 1) else None


def _component(a: Twist, k: int) -> Scalar:
    """Return component k of a twist or wrench: linear 0 to 2, angular 3 to 5."""
    return a[k // 3][k % 3]


def _with_component(a: Twist, k: int, x: Scalar) -> Twist:
    """Return a twist or wrench with component k replaced."""
    parts = [*a[0], *a[1]]
    parts[k] = x
    return (parts[0], parts[1], parts[2]), (parts[3], parts[4], parts[5])
