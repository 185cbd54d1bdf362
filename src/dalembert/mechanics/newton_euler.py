"""Newton–Euler recursion for inverse dynamics, over any scalar.

Motions and forces are in the frame of each link; accelerations are those of its origin, with the
root accelerating against gravity. References: Luh, Walker and Paul (1980); Featherstone (2008), 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.mechanics.tree import Column, Node, Tree, Values
from dalembert.mechanism import JointKind
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import ZERO, Vec, add, cross, dot, neg, rotate, scale, unrotate


def inverse_dynamics(
    tree: Tree, q: Values, v: Values, a: Values, *, gravity: Vec | None = None
) -> list[Any]:
    """Return τ = M(q) a + h(q, v), reflected rotor inertia (armature) included.

    ``gravity`` replaces the mechanism's own; zero gives τ without weight.
    """
    poses = tree.poses(q)
    g = tree.gravity if gravity is None else gravity
    wrenches = [
        link_wrench(node, *motion)
        for node, motion in zip(tree.nodes, link_motions(tree, poses, v, a, neg(g)), strict=True)
    ]
    tau = project_wrenches(tree, poses, wrenches)
    for node in tree.nodes:
        # reflected inertia of the joint's own rotor
        if has_armature(node):
            drift = armature_drift(node, v)
            for i, c in zip(node.velocities, drift, strict=True):
                rate = a[i] if is_zero(c) else a[i] + c
                tau[i] = tau[i] + armature(node) * rate
    return tau


def has_armature(node: Node) -> bool:
    """Tell whether the joint has a rotor."""
    return bool(node.velocities) and not is_zero(node.joint.armature)


def armature(node: Node) -> Any:
    """Return the armature as the velocity feels it: a mimic joint's by its multiplier squared."""
    k = node.multiplier
    a = node.joint.armature
    return a if isinstance(k, int) and k == 1 else k * k * a


def armature_drift(node: Node, v: Values) -> list[Any]:
    """Return what the rotor resists besides v̇, in the joint's velocities.

    T = ½ armature vᵀv. With a floating joint's twist (u, ω) in the body, the momentum armature · u
    turns with the body: d/dt gives u̇ + ω × u, as MuJoCo's armature along the axes of the world.
    """
    drift: list[Any] = [0] * len(node.velocities)
    if node.joint.kind is JointKind.FLOATING:
        x, y, z, p, q, r = (v[i] for i in node.velocities)
        drift[:3] = cross((p, q, r), (x, y, z))
    return drift


def joint_rate(columns: Sequence[Column], rates: Sequence[Any]) -> Column:
    """Return the twist Σ Sᵢ q̇ᵢ of the child against the parent."""
    u: Vec = ZERO
    w: Vec = ZERO
    for (su, sw), rate in zip(columns, rates, strict=True):
        u, w = add(u, scale(rate, su)), add(w, scale(rate, sw))
    return u, w


def link_motions(
    tree: Tree, poses: Sequence[Pose], v: Values, a: Values, a_root: Vec
) -> list[tuple[Vec, Vec, Vec]]:
    """Return (ω, ω̇, acceleration of the origin) of every link, in its own frame."""
    motions: list[tuple[Vec, Vec, Vec]] = []
    for node, (R, p) in zip(tree.nodes, poses, strict=True):
        wp, wdp, ap = motions[node.parent - 1] if node.parent else (ZERO, ZERO, a_root)
        u, r = joint_rate(node.columns, [v[i] for i in node.velocities])
        ud, rd = joint_rate(node.columns, [a[i] for i in node.velocities])
        # parent's motion at the child's origin, in the child's frame
        w0 = unrotate(R, wp)
        a0 = unrotate(R, add(ap, add(cross(wdp, p), cross(wp, cross(wp, p)))))
        # ω = ω₀ + S_w q̇;  ω̇ = ω̇₀ + S_w q̈ + ω₀ × S_w q̇
        w = add(w0, r)
        wd = add(unrotate(R, wdp), add(rd, cross(w0, r)))
        # a = a₀ + S_v q̈ + (2ω₀ + S_w q̇) × S_v q̇
        ao = add(a0, add(ud, cross(add(add(w0, w0), r), u)))
        motions.append((w, wd, ao))
    return motions


def link_wrench(node: Node, w: Vec, wd: Vec, a: Vec) -> Column:
    """Return the force and the moment about the origin that move a link so.

    f = m a + ω̇ × h + ω × (ω × h);  n = I ω̇ + ω × I ω + h × a
    """
    m, h, _ = node.inertia
    f = add(scale(m, a), add(cross(wd, h), cross(w, cross(w, h))))
    n = add(
        node.inertia.times_rotation(wd), add(cross(w, node.inertia.times_rotation(w)), cross(h, a))
    )
    return f, n


def project_wrenches(tree: Tree, poses: Sequence[Pose], wrenches: Sequence[Column]) -> list[Any]:
    """Return τ = Σ Sᵀ (wrench of everything behind the joint)."""
    tau: list[Any] = [0] * tree.num_v
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
