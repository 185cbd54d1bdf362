"""Newton–Euler recursion for inverse dynamics, over any scalar.

Motions and forces are in the frame of each link; accelerations are those of its origin, with the
root accelerating against gravity. References: Luh, Walker and Paul (1980); Featherstone (2008), 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.mechanism import JointKind
from dalembert.recursions.tree import Column, Node, Tree, Values
from dalembert.spatial.inertia.pseudo_inertia import PseudoInertia
from dalembert.spatial.inertia.symmetric import OTHERS, Turn, plane_turn
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import ZERO, Mat, Vec, add, cross, dot, neg, rotate, scale, unrotate

HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
NO_FIELD: Mat = (ZERO, ZERO, ZERO)


def inverse_dynamics(
    tree: Tree, q: Values, v: Values, a: Values, *, gravity: Vec | None = None
) -> list[Any]:
    """Return τ = M(q) a + h(q, v), reflected rotor inertia (armature) included.

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
    return tau


def net_wrenches(
    tree: Tree, poses: Sequence[Pose], v: Values, a: Values, gravity: Vec
) -> list[Column]:
    """Return force and moment about the origin that move each link, weight included."""
    fields = acceleration_fields(tree, poses, v, a, neg(gravity))
    return [
        PseudoInertia.of(node.inertia).wrench(*field)
        for node, field in zip(tree.nodes, fields, strict=True)
    ]


def bias_wrenches(tree: Tree, poses: Sequence[Pose], v: Values) -> list[Column]:
    """Return the net wrenches at zero q̈."""
    return net_wrenches(tree, poses, v, [0] * tree.nv, tree.gravity)


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


def acceleration_fields(
    tree: Tree, poses: Sequence[Pose], v: Values, a: Values, a_root: Vec
) -> list[tuple[Mat, Vec]]:
    """Return (K, a) of every link: the point at r in its frame accelerates by a + K r.

    K = [ω̇] + [ω][ω] serves the link's wrench and the origins of its children alike.
    """
    spins: list[tuple[Vec, Vec, Mat]] = []
    origins: list[Vec] = []
    for node, (R, p) in zip(tree.nodes, poses, strict=True):
        above = node.parent - 1
        wp, wdp, Kp = spins[above] if node.parent else (ZERO, ZERO, NO_FIELD)
        ap = origins[above] if node.parent else a_root
        u, r = joint_rate(node.columns, [v[i] for i in node.velocities])
        ud, rd = joint_rate(node.columns, [a[i] for i in node.velocities])
        w0 = unrotate(R, wp)
        # ω = ω₀ + S_w q̇;  ω̇ = ω̇₀ + S_w q̈ + ω₀ × S_w q̇
        w = add(w0, r)
        turn = _turn_about(node, R)
        if turn is None:
            wd = add(unrotate(R, wdp), add(rd, cross(w0, r)))
            K = _field(w, wd)
        else:
            K, wd = _hinge_field(turn, R, Kp, w, wdp, rd)
        spins.append((w, wd, K))
        # a = a₀ + S_v q̈ + (2ω₀ + S_w q̇) × S_v q̇ with a₀ = a_P + K_P p
        a0 = unrotate(R, add(ap, rotate(Kp, p)))
        origins.append(add(a0, add(ud, cross(add(add(w0, w0), r), u))))
    return [(K, a) for (_, _, K), a in zip(spins, origins, strict=True)]


def _turn_about(node: Node, R: Mat) -> Turn | None:
    """Return the turn about a coordinate axis that a hinge makes, if it is that simple."""
    if node.joint.kind not in HINGES or len(node.columns) != 1:
        return None
    turn, (_, w) = plane_turn(R), node.columns[0]
    # frames may happen to be parallel though the axis is skew
    if turn is None or any(not is_zero(w[k]) for k in OTHERS[turn.axis]):
        return None
    return turn


def _field(w: Vec, wd: Vec) -> Mat:
    """Return K = [ω̇] + [ω][ω]."""
    x, y, z = w
    a, b, c = wd
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    return (
        (-(yy + zz), xy - c, xz + b),
        (xy + c, -(xx + zz), yz - a),
        (xz - b, yz + a, -(xx + yy)),
    )


def _hinge_field(turn: Turn, R: Mat, Kp: Mat, w: Vec, wdp: Vec, rd: Vec) -> tuple[Mat, Vec]:
    """Return K and ω̇ behind a hinge about axis k.

    Points of the axis belong to both links, so the column K e_k is the parent's, turned; of ω̇ only
    the component along the axis is new, the others follow from that column.
    """
    k = turn.axis
    i, j = (k + 1) % 3, (k + 2) % 3
    axis = unrotate(R, scale(turn.sign, (Kp[0][turn.onto], Kp[1][turn.onto], Kp[2][turn.onto])))
    ij, ik, jk = w[i] * w[j], w[i] * w[k], w[j] * w[k]
    wd: list[Any] = [0, 0, 0]
    # K_ik = ω_i ω_k + ω̇_j and K_jk = ω_j ω_k - ω̇_i
    wd[i], wd[j], wd[k] = jk - axis[j], axis[i] - ik, turn.sign * wdp[turn.onto] + rd[k]
    kk = w[k] * w[k]
    K: list[list[Any]] = [[0] * 3 for _ in range(3)]
    K[i][i], K[j][j], K[k][k] = -(w[j] * w[j] + kk), -(w[i] * w[i] + kk), axis[k]
    K[i][j], K[j][i] = ij - wd[k], ij + wd[k]
    K[i][k], K[k][i] = axis[i], ik - wd[j]
    K[j][k], K[k][j] = axis[j], jk + wd[i]
    return tuple(map(tuple, K)), tuple(wd)  # type: ignore[return-value]


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
    tau: list[Any] = [0] * tree.nv
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
