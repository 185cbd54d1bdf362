"""Derivatives of inverse dynamics as recursions, over any scalar.

A joint has the twist S, and with the parent's twist V and spatial acceleration A its axis has
ψ̇ = V × S and ψ̈ = A × S + V × ψ̇ (see `axes`). Everything behind the joint has the
inertia I, the Coriolis matrix B (see `subtree`) and the wrench F that moves it. For
joint j above joint i:

    ∂τᵢ/∂qⱼ = Sᵢᵀ (2Bᵢ ψ̇ⱼ + Iᵢ ψ̈ⱼ)          ∂τⱼ/∂qᵢ = Sⱼᵀ (2Bᵢ ψ̇ᵢ + Iᵢ ψ̈ᵢ + Sᵢ × Fᵢ)
    ∂τᵢ/∂vⱼ = Sᵢᵀ (2Bᵢ Sⱼ + Iᵢ (ψ̇ⱼ + Ṡⱼ))   ∂τⱼ/∂vᵢ = Sⱼᵀ (2Bᵢ Sᵢ + Iᵢ (ψ̇ᵢ + Ṡᵢ))

so that only four wrenches of each joint are carried up to the root, in the frames of the links.
Positions change along the velocities of the joint: q ⊕ δ as in `manifold.integrate`.

References: J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms,
2018; S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics
using spatial vector algebra, 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dalembert.mechanism import JointKind
from dalembert.recursions.derivatives.axes import Axis, joint_axes, swung_axis
from dalembert.recursions.derivatives.springs import spring_torque_slopes
from dalembert.recursions.derivatives.subtree import Subtree, moved, moving_body
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.motions import (
    Acceleration,
    Velocity,
    link_accelerations,
    link_rates,
)
from dalembert.recursions.resistance.spring_inertia import add_spring_inertia, has_spring_inertia
from dalembert.recursions.tree import Column, Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import cobracket, plus, power, times, transform_wrench
from dalembert.spatial.vectors import (
    Scalar,
    Vec,
    add,
    cross,
    dot,
    neg,
    rotate,
    scale,
    skew,
    unrotate,
)

Rows = list[list[Scalar]]


def inverse_dynamics_derivatives(
    tree: Tree, q: Values, v: Values, a: Values, *, gravity: Vec | None = None
) -> tuple[Rows, Rows]:
    """Return ∂τ/∂q and ∂τ/∂v of τ = M(q) a + h(q, v); the one along a is the mass matrix.

    ``gravity`` replaces the mechanism's own.
    """
    return first_derivatives(tree, q, v, a, gravity=gravity)[:2]


def first_derivatives(
    tree: Tree, q: Values, v: Values, a: Values, *, gravity: Vec | None = None
) -> tuple[Rows, Rows, Rows]:
    """Return ∂τ/∂q, ∂τ/∂v and ∂τ/∂a = M: the mass matrix is on the way."""
    state = state_at(tree, q, v)
    M, dv = along_velocities(state, v)
    dq = along_positions(state, a, tree.gravity if gravity is None else gravity)
    if has_spring_inertia(tree):
        add_spring_inertia(tree, q, M)
        by_q, by_v = spring_torque_slopes(tree, q, v, a)
        dq, dv = sum_of(dq, by_q), sum_of(dv, by_v)
    return dq, dv, M


class _AtJoint(NamedTuple):
    """Iᵢ Sᵢ and Sᵢᵀ 2Bᵢ of a velocity of joint i, in the frame of a joint j above it."""

    momentum: Column
    couple: Vec


class State(NamedTuple):
    """What does not depend on accelerations.

    ``carried[i][k][j]`` is axis k of joint i at joint j above it.
    """

    tree: Tree
    poses: list[Pose]
    rates: list[Velocity]
    axes: list[list[Axis]]
    links: list[Subtree]
    behind: list[Subtree]
    carried: list[list[dict[int, _AtJoint]]]


def state_at(tree: Tree, q: Values, v: Values) -> State:
    poses = tree.poses(q)
    rates = link_rates(tree, poses, v)
    nodes = list(zip(tree.nodes, rates, strict=True))
    axes = [joint_axes(node, rate) for node, rate in nodes]
    links = [moving_body(node.inertia, rate.w) for node, rate in nodes]
    behind = list(links)
    for i in reversed(range(len(nodes))):
        node = tree.nodes[i]
        if node.parent:
            body = moved(behind[i], poses[i], rates[i].step)
            behind[node.parent - 1] = behind[node.parent - 1].plus(body)
    carried = [
        [_climb(tree, poses, rates, i, _at_home(behind[i], axis)) for axis in axes[i]]
        for i in range(len(nodes))
    ]
    return State(tree, poses, rates, axes, links, behind, carried)


def _at_home(body: Subtree, axis: Axis) -> _AtJoint:
    su, sw = axis.S
    # Sᵀ 2B δ = S_v · (2 δ × P) + S_w · 2N δ
    couple = add(cross(body.PP, su), unrotate(body.coriolis(), sw))
    return _AtJoint(body.inertia.momentum(su, sw), couple)


def _climb(
    tree: Tree, poses: Sequence[Pose], rates: Sequence[Velocity], i: int, here: _AtJoint
) -> dict[int, _AtJoint]:
    """Return the same at every joint above, for the observers there."""
    result = {i: here}
    while tree.nodes[i].parent:
        X = poses[i]
        momentum = transform_wrench(X, here.momentum)
        # seen from an origin that moves slower by `step`: 2N gains 2 step × (force of Iᵢ Sᵢ)
        couple = add(rotate(X.R, here.couple), cross(scale(2, rates[i].step), momentum[0]))
        i = tree.nodes[i].parent - 1
        result[i] = here = _AtJoint(momentum, couple)
    return result


def along_velocities(state: State, v: Values) -> tuple[Rows, Rows]:
    """Return M and ∂τ/∂v."""
    tree = state.tree
    M, dv = _zeros(tree.nv), _zeros(tree.nv)
    for i, axes in enumerate(state.axes):
        for axis, at in zip(axes, state.carried[i], strict=True):
            # 2B S + I (ψ̇ + Ṡ)
            wrench = _coriolis(state.behind[i], axis.S[1])
            swept = state.behind[i].inertia.momentum(*axis.swept)
            wrench = plus(wrench, times(axis.times, swept))
            for j, carried in _carried(state, i, wrench):
                momentum, couple = at[j]
                for other in state.axes[j]:
                    _add(M, other, axis, power(other.S, momentum))
                    _add(dv, other, axis, power(other.S, carried))
                    if j != i:
                        _add(M, axis, other, power(other.S, momentum))
                        value = other.times * power(other.swept, momentum)
                        value = dot(other.S[1], couple) + value
                        _add(dv, axis, other, value)
    _add_armature(tree, v, M, dv)
    return M, dv


def along_positions(state: State, a: Values, gravity: Vec) -> Rows:
    """Return ∂τ/∂q at the accelerations a."""
    tree = state.tree
    motions = link_accelerations(tree, state.poses, state.rates, a, neg(gravity))
    F = _wrenches(state, motions)
    swung = [
        [swung_axis(node, axis, rate, motion) for axis in axes]
        for node, axes, rate, motion in zip(
            tree.nodes, state.axes, state.rates, motions, strict=True
        )
    ]
    dq = _zeros(tree.nv)
    for i, (node, axes) in enumerate(zip(tree.nodes, state.axes, strict=True)):
        for axis, swing, at in zip(axes, swung[i], state.carried[i], strict=True):
            # upwards: 2B ψ̇ + I ψ̈, and the wrench F turns along with the axis
            if node.positions:
                wrench = _coriolis(state.behind[i], axis.turned[1])
                wrench = plus(wrench, state.behind[i].inertia.momentum(*swing))
                for other in axes:
                    _add(dq, other, axis, power(other.S, wrench))
                wrench = plus(wrench, cobracket(axis.S, F[i]))
                for j, carried in _carried(state, i, wrench):
                    for other in state.axes[j] if j != i else ():
                        _add(dq, other, axis, power(other.S, carried))
            # downwards: what the joints above do to this one
            for j, (momentum, couple) in at.items():
                if j != i and tree.nodes[j].positions:
                    for other, swing in zip(state.axes[j], swung[j], strict=True):
                        value = dot(other.turned[1], couple) + power(swing, momentum)
                        _add(dq, axis, other, value)
    return dq


def _coriolis(body: Subtree, w: Vec) -> Column:
    """Return 2B δ for a change w of the angular velocity."""
    return cross(w, body.PP), rotate(body.coriolis(), w)


def _carried(state: State, i: int, wrench: Column) -> Iterator[tuple[int, Column]]:
    """Yield a wrench at joint i and at every joint above it."""
    yield i, wrench
    while state.tree.nodes[i].parent:
        wrench = transform_wrench(state.poses[i], wrench)
        i = state.tree.nodes[i].parent - 1
        yield i, wrench


def _wrenches(state: State, motions: Sequence[Acceleration]) -> list[Column]:
    """Return the force and moment that move everything behind each joint."""
    F: list[Column] = []
    for link, rate, (a, wd, K, *_) in zip(state.links, state.rates, motions, strict=True):
        m, h, _ = link.inertia
        n = add(link.inertia.times_rotation(wd), add(cross(rate.w, link.L), cross(h, a)))
        F.append((add(scale(m, a), rotate(K, h)), n))
    for i in reversed(range(len(F))):
        parent = state.tree.nodes[i].parent
        if parent:
            F[parent - 1] = plus(F[parent - 1], transform_wrench(state.poses[i], F[i]))
    return F


def _add_armature(tree: Tree, v: Values, M: Rows, dv: Rows) -> None:
    """Add the rotors: J on the diagonal, and of a floating joint ∂(J ω × u)/∂(u, ω)."""
    for node in tree.nodes:
        if not has_armature(node):
            continue
        J, places = armature(node), node.velocities
        for i in places:
            M[i][i] = M[i][i] + J
        if node.joint.kind is JointKind.FLOATING:
            u, w = (skew((v[k], v[k + 1], v[k + 2])) for k in (places[0], places[3]))
            for i in range(3):
                for k in range(3):
                    row = dv[places[i]]
                    row[places[k]] = row[places[k]] + J * w[i][k]
                    row[places[k + 3]] = row[places[k + 3]] - J * u[i][k]


def sum_of(a: Rows, b: Rows) -> Rows:
    """Return the sum of two matrices."""
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def _zeros(n: int) -> Rows:
    return [[0] * n for _ in range(n)]


def _add(rows: Rows, row: Axis, column: Axis, value: Scalar) -> None:
    rows[row.place][column.place] = rows[row.place][column.place] + value
