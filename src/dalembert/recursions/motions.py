"""Motion of every link, from the root outward, over any scalar.

All vectors are in the frame of the link. The root accelerates by ``a_root``: against gravity where
weight is to count, not at all where it is not. References: Luh, Walker and Paul (1980);
Featherstone (2008), 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.mechanism import JointKind
from dalembert.recursions.tree import Column, Node, Tree, Values
from dalembert.spatial.inertia.symmetric import OTHERS, Turn, plane_turn
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import ZERO, Mat, Scalar, Vec, add, cross, rotate, scale, unrotate

HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
NO_FIELD: Mat = (ZERO, ZERO, ZERO)


class Velocity(NamedTuple):
    """Velocities of a link.

    ``w`` is its angular velocity and ``w0`` that of the parent; ``rate`` is the joint's twist, and
    ``step`` the velocity of the origin against the parent's origin, in the frame of the parent.
    """

    w: Vec
    w0: Vec
    rate: Column
    step: Vec


class Acceleration(NamedTuple):
    """Accelerations of a link: the point at r in its frame accelerates by a + K r.

    ``a`` is the acceleration of the origin, ``wd`` the angular one and K = [ω̇] + [ω][ω]; ``a0`` and
    ``wd0`` are those of the parent at the same origin.
    """

    a: Vec
    wd: Vec
    K: Mat
    a0: Vec
    wd0: Vec


def joint_rate(node: Node, v: Values) -> Column:
    """Return the twist Σ Sᵢ q̇ᵢ of the child against the parent."""
    u: Vec = ZERO
    w: Vec = ZERO
    for (su, sw), i in zip(node.columns, node.velocities, strict=True):
        u, w = add(u, scale(v[i], su)), add(w, scale(v[i], sw))
    return u, w


def link_rates(tree: Tree, poses: Sequence[Pose], v: Values) -> list[Velocity]:
    """Return the velocities of every link."""
    rates: list[Velocity] = []
    for node, pose in zip(tree.nodes, poses, strict=True):
        wp = rates[node.parent - 1].w if node.parent else ZERO
        rates.append(link_rate(node, pose, wp, v))
    return rates


def link_rate(node: Node, pose: Pose, wp: Vec, v: Values) -> Velocity:
    """Return the velocities of a link whose parent turns with ``wp``, in the parent's frame."""
    R, p = pose
    u, r = rate = joint_rate(node, v)
    # ω = ω₀ + S_w q̇
    w0 = unrotate(R, wp)
    w = add(w0, r)
    # ṗ of the parent's p: ω_P × p + R S_v q̇
    return Velocity(w, w0, rate, add(cross(wp, p), rotate(R, u)))


def link_velocities(tree: Tree, poses: Sequence[Pose], v: Values) -> list[Column]:
    """Return the twist (linear of the origin, angular) of every link."""
    twists: list[Column] = []
    for node, pose in zip(tree.nodes, poses, strict=True):
        above = twists[node.parent - 1] if node.parent else (ZERO, ZERO)
        twists.append(link_twist(node, pose, above, v))
    return twists


def link_twist(node: Node, pose: Pose, above: Column, v: Values) -> Column:
    """Return the twist of a link from that of its parent, each in its own frame."""
    (R, p), (up, wp) = pose, above
    u, w = joint_rate(node, v)
    # Rᵀ (v_P + ω_P × p) + S_v q̇, Rᵀ ω_P + S_w q̇
    return add(unrotate(R, add(up, cross(wp, p))), u), add(unrotate(R, wp), w)


def link_accelerations(
    tree: Tree, poses: Sequence[Pose], rates: Sequence[Velocity], a: Values, a_root: Vec
) -> list[Acceleration]:
    """Return the accelerations of every link."""
    root = Acceleration(a_root, ZERO, NO_FIELD, ZERO, ZERO)
    motions: list[Acceleration] = []
    for node, pose, rate in zip(tree.nodes, poses, rates, strict=True):
        above = motions[node.parent - 1] if node.parent else root
        motions.append(link_acceleration(node, pose, above, rate, a))
    return motions


def link_acceleration(
    node: Node, pose: Pose, above: Acceleration, rate: Velocity, a: Values
) -> Acceleration:
    """Return the accelerations of a link from those of its parent."""
    (R, p), (w, w0, (u, r), _) = pose, rate
    ud, rd = joint_rate(node, a)
    wd0 = unrotate(R, above.wd)
    turn = _turn_about(node, R)
    if turn is None:
        # ω̇ = ω̇₀ + S_w q̈ + ω₀ × S_w q̇
        wd = add(wd0, add(rd, cross(w0, r)))
        K = acceleration_field(w, wd)
    else:
        K, wd = _hinge_field(turn, R, above, w, rd)
    # a = a₀ + S_v q̈ + (2ω₀ + S_w q̇) × S_v q̇ with a₀ = a_P + K_P p
    a0 = unrotate(R, add(above.a, rotate(above.K, p)))
    ao = add(a0, add(ud, cross(add(add(w0, w0), r), u)))
    return Acceleration(ao, wd, K, a0, wd0)


def acceleration_field(w: Vec, wd: Vec) -> Mat:
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


def _turn_about(node: Node, R: Mat) -> Turn | None:
    """Return the turn about a coordinate axis that a hinge makes, if it is that simple."""
    if node.joint.kind not in HINGES or len(node.columns) != 1:
        return None
    turn, (_, w) = plane_turn(R), node.columns[0]
    # frames may happen to be parallel though the axis is skew
    if turn is None or any(not is_zero(w[k]) for k in OTHERS[turn.axis]):
        return None
    return turn


def _hinge_field(turn: Turn, R: Mat, above: Acceleration, w: Vec, rd: Vec) -> tuple[Mat, Vec]:
    """Return K and ω̇ behind a hinge about axis k.

    Points of the axis belong to both links, so the column K e_k is the parent's, turned; of ω̇ only
    the component along the axis is new, the others follow from that column.
    """
    Kp, k = above.K, turn.axis
    i, j = (k + 1) % 3, (k + 2) % 3
    axis = unrotate(R, scale(turn.sign, (Kp[0][turn.onto], Kp[1][turn.onto], Kp[2][turn.onto])))
    ij, ik, jk = w[i] * w[j], w[i] * w[k], w[j] * w[k]
    wd: list[Scalar] = [0, 0, 0]
    # K_ik = ω_i ω_k + ω̇_j and K_jk = ω_j ω_k - ω̇_i
    wd[i], wd[j], wd[k] = jk - axis[j], axis[i] - ik, turn.sign * above.wd[turn.onto] + rd[k]
    kk = w[k] * w[k]
    K: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    K[i][i], K[j][j], K[k][k] = -(w[j] * w[j] + kk), -(w[i] * w[i] + kk), axis[k]
    K[i][j], K[j][i] = ij - wd[k], ij + wd[k]
    K[i][k], K[k][i] = axis[i], ik - wd[j]
    K[j][k], K[k][j] = axis[j], jk + wd[i]
    return tuple(map(tuple, K)), tuple(wd)  # type: ignore[return-value]
