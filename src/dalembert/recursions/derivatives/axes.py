"""Motion of every link and of its joint's axes: what derivatives of the dynamics start from.

A link's motion is seen by an observer who moves along with the link's origin at the moment: forces
do not change with a uniform velocity, and the linear velocity at the origin is zero then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.recursions.dynamics.newton_euler import joint_rate
from dalembert.recursions.tree import Column, Node, Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import bracket, plus
from dalembert.spatial.vectors import ZERO, Mat, Vec, add, cross, neg, rotate, unrotate

STILL: Mat = (ZERO, ZERO, ZERO)


class Velocity(NamedTuple):
    """Velocities of a link in its frame.

    ``w`` is its angular velocity and ``w0`` that of the parent; ``step`` is the velocity of its
    origin against the parent's origin, in the frame of the parent; ``rate`` is the joint's twist.
    """

    w: Vec
    w0: Vec
    step: Vec
    rate: Column


class Acceleration(NamedTuple):
    """Accelerations of a link in its frame.

    ``a`` is that of the origin, ``wd`` the angular one and U = ŵd + ŵŵ, so that the point r
    accelerates with a + U r; ``a0`` and ``wd0`` are those of the parent at the same origin.
    """

    a: Vec
    wd: Vec
    U: Mat
    a0: Vec
    wd0: Vec


class Axis(NamedTuple):
    """One velocity of a joint: its twist S in the frame of the link, and how the twist moves.

    ``turned`` is ψ̇ = V × S, the change of the link's velocity when the joint's position changes,
    with the parent's twist V. When the joint's velocity changes, the acceleration changes by
    ψ̇ + Ṡ = ``times`` · ``swept``: the number stays outside of products, to be multiplied once.
    """

    place: int
    S: Column
    turned: Column
    swept: Column
    times: int


def link_rates(tree: Tree, poses: Sequence[Pose], v: Values) -> list[Velocity]:
    """Return the velocities of every link."""
    rates: list[Velocity] = []
    for node, (R, p) in zip(tree.nodes, poses, strict=True):
        wp = rates[node.parent - 1].w if node.parent else ZERO
        rate = joint_rate(node.columns, [v[i] for i in node.velocities])
        w0 = unrotate(R, wp)
        step = add(cross(wp, p), rotate(R, rate[0]))
        rates.append(Velocity(add(w0, rate[1]), w0, step, rate))
    return rates


def link_accelerations(
    tree: Tree, poses: Sequence[Pose], rates: Sequence[Velocity], a: Values, gravity: Vec
) -> list[Acceleration]:
    """Return the accelerations of every link, the root accelerating against gravity."""
    root = Acceleration(neg(gravity), ZERO, STILL, ZERO, ZERO)
    motions: list[Acceleration] = []
    for node, (R, p), (w, w0, _, (u, r)) in zip(tree.nodes, poses, rates, strict=True):
        above = motions[node.parent - 1] if node.parent else root
        ud, rd = joint_rate(node.columns, [a[i] for i in node.velocities])
        a0 = unrotate(R, add(above.a, rotate(above.U, p)))
        wd0 = unrotate(R, above.wd)
        # ω̇ = ω̇₀ + S_w q̈ + ω₀ × S_w q̇;  a = a₀ + S_v q̈ + (ω₀ + ω) × S_v q̇
        wd = add(add(wd0, cross(w0, r)), rd)
        ao = add(a0, add(ud, cross(add(w0, w), u)))
        motions.append(Acceleration(ao, wd, spin_matrix(w, wd), a0, wd0))
    return motions


def spin_matrix(w: Vec, wd: Vec) -> Mat:
    """Return U = ŵd + ŵŵ."""
    x, y, z = w
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    return (
        (-(yy + zz), xy - wd[2], xz + wd[1]),
        (xy + wd[2], -(xx + zz), yz - wd[0]),
        (xz - wd[1], yz + wd[0], -(xx + yy)),
    )


def joint_axes(node: Node, rate: Velocity) -> list[Axis]:
    """Return the axes of a joint, moved by its link.

    The parent's twist is V = (-u, ω₀) where the joint slides with u. A joint with one velocity may
    take the link's own twist (0, ω) for it: they differ by a multiple of S, and S × S = 0.
    """
    w = rate.w
    axes: list[Axis] = []
    for place, S in zip(node.velocities, node.columns, strict=True):
        su, sw = S
        # Ṡ, at an origin that rests for the observer
        rate_S = (cross(w, su), cross(w, sw))
        if len(node.columns) == 1:
            axes.append(Axis(place, S, rate_S, rate_S, 2))
        else:
            turned = bracket((neg(rate.rate[0]), rate.w0), S)
            axes.append(Axis(place, S, turned, plus(turned, rate_S), 1))
    return axes


def swung_axis(node: Node, axis: Axis, rate: Velocity, motion: Acceleration) -> Column:
    """Return A × S + V × (V × S): the change of acceleration when the joint's position changes.

    A is the parent's spatial acceleration, that of its point at the origin less ω₀ × V.
    """
    su, sw = axis.S
    if len(node.columns) == 1:
        # with V = (0, ω): (U S_v + a × S_w, U S_w)
        return add(rotate(motion.U, su), cross(motion.a, sw)), rotate(motion.U, sw)
    V = (neg(rate.rate[0]), rate.w0)
    A = (add(motion.a0, cross(V[0], V[1])), motion.wd0)
    return plus(bracket(A, axis.S), bracket(V, axis.turned))
