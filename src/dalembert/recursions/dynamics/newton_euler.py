"""Newton–Euler recursion for inverse dynamics, over any scalar.

Motions and forces are in the frame of each link; accelerations are those of its origin, with the
root accelerating against gravity. References: Luh, Walker and Paul (1980); Featherstone (2008), 5.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.mechanism import JointKind
from dalembert.recursions.motions import (
    Acceleration,
    Velocity,
    link_accelerations,
    link_rates,
)
from dalembert.recursions.resistance.spring_inertia import has_spring_inertia, spring_torques
from dalembert.recursions.tree import Column, Node, Tree, Values
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.pseudo_inertia import PseudoInertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar, Vec, add, cross, dot, neg, rotate, scale


def inverse_dynamics(
    tree: Tree, q: Values, v: Values, a: Values, *, gravity: Vec | None = None
) -> list[Scalar]:
    """Return τ = M(q) a + h(q, v), the armature of joints (rotors) and springs included.

    ``gravity`` replaces the mechanism's own; zero gives τ without weight.
    """
    poses = tree.poses(q)
    g = tree.gravity if gravity is None else gravity
    tau = project_wrenches(tree, poses, net_wrenches(tree, poses, v, a, g))
    for node in tree.nodes:
        # reflected inertia of the joint's own rotor
        if has_armature(node):
            drift = armature_drift(node, v)
            for i, c in zip(node.velocities, drift, strict=True):
                rate = a[i] if is_zero(c) else a[i] + c
                tau[i] = tau[i] + armature(node) * rate
    if has_spring_inertia(tree):
        tau = [t + s for t, s in zip(tau, spring_torques(tree, q, v, a), strict=True)]
    return tau


def net_wrenches(
    tree: Tree, poses: Sequence[Pose], v: Values, a: Values, gravity: Vec
) -> list[Column]:
    """Return force and moment about the origin that move each link, weight included."""
    motions = link_accelerations(tree, poses, link_rates(tree, poses, v), a, neg(gravity))
    return [
        PseudoInertia.of(node.inertia).wrench(motion.K, motion.a)
        for node, motion in zip(tree.nodes, motions, strict=True)
    ]


def bias_wrenches(tree: Tree, poses: Sequence[Pose], v: Values) -> list[Column]:
    """Return the net wrenches at zero q̈."""
    return net_wrenches(tree, poses, v, [0] * tree.nv, tree.gravity)


def has_armature(node: Node) -> bool:
    """Tell whether the joint has a rotor."""
    return bool(node.velocities) and not is_zero(node.joint.armature)


def armature(node: Node) -> Scalar:
    """Return the armature against the velocity: a mimic joint's by its multiplier squared."""
    k = node.multiplier
    a = node.joint.armature
    return a if isinstance(k, int) and k == 1 else k * k * a


def armature_drift(node: Node, v: Values) -> list[Scalar]:
    """Return what the rotor resists besides v̇, in the joint's velocities.

    T = ½ armature vᵀv. With a floating joint's twist (u, ω) in the body, the momentum armature · u
    turns with the body: d/dt gives u̇ + ω × u, as MuJoCo's armature along the axes of the world.
    """
    drift: list[Scalar] = [0] * len(node.velocities)
    if node.joint.kind is JointKind.FLOATING:
        x, y, z, p, q, r = (v[i] for i in node.velocities)
        drift[:3] = cross((p, q, r), (x, y, z))
    return drift


def link_wrench(inertia: Inertia, rate: Velocity, motion: Acceleration) -> Column:
    """Return the force and the moment about the origin that move a body so.

    f = m a + ω̇ × h + ω × (ω × h);  n = I ω̇ + ω × I ω + h × a
    """
    w, a, wd = rate.w, motion.a, motion.wd
    m, h, _ = inertia
    f = add(scale(m, a), add(cross(wd, h), cross(w, cross(w, h))))
    n = add(inertia.times_rotation(wd), add(cross(w, inertia.times_rotation(w)), cross(h, a)))
    return f, n


def project_wrenches(tree: Tree, poses: Sequence[Pose], wrenches: Sequence[Column]) -> list[Scalar]:
    """Return τ = Σ Sᵀ (wrench of everything behind the joint)."""
    tau: list[Scalar] = [0] * tree.nv
    carried = list(wrenches)
    for i in reversed(range(len(tree.nodes))):
        node, (R, p) = tree.nodes[i], poses[i]
        f, n = carried[i]
        for place, (su, sw) in zip(node.velocities, node.columns, strict=True):
            tau[place] = tau[place] + dot(su, f) + dot(sw, n)
        if node.parent:
            # the same wrench at the parent's origin
            fp = rotate(R, f)
            np_ = add(rotate(R, n), cross(p, fp))
            f0, n0 = carried[node.parent - 1]
            carried[node.parent - 1] = (add(f0, fp), add(n0, np_))
    return tau
