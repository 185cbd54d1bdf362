"""Derivatives of forward dynamics as recursions, over any scalar.

With inverse dynamics τ(q, v, a) at a = q̈: ∂q̈/∂x = -M⁻¹ ∂τ/∂x. Two things make this cheap for a
tree. A column of ∂τ/∂x is zero but for the joints above and below one joint, and M⁻¹ is a product
of triangles with the zeros of the tree (`factorization.Inverse`). And a base that floats falls:
with its velocities u and ω and the weight g in its own frame,

    ∂u̇/∂θ = g ×    ∂u̇/∂u = -ω ×

along its rotation θ and along u, and no other acceleration changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.mechanism import JointKind
from dalembert.recursions.constraints.factorization import Inverse, factorise
from dalembert.recursions.derivatives.first import (
    Rows,
    State,
    along_positions,
    along_velocities,
    state_at,
    sum_of,
)
from dalembert.recursions.derivatives.springs import spring_torque_slopes
from dalembert.recursions.dynamics.newton_euler import has_armature
from dalembert.recursions.resistance.spring_inertia import add_spring_inertia, has_spring_inertia
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Mat, Scalar, Vec, cross, dot, neg, ratio, skew, unrotate


class ForwardDerivatives(NamedTuple):
    """q̈ with its derivatives; M⁻¹ is the one along τ."""

    qdd: list[Scalar]
    dqdd_dq: Rows
    dqdd_dv: Rows
    Minv: Rows


def forward_dynamics_derivatives(
    tree: Tree, q: Values, v: Values, tau: Values
) -> ForwardDerivatives:
    """Return q̈ = M⁻¹ (τ - h), ∂q̈/∂q, ∂q̈/∂v and ∂q̈/∂τ = M⁻¹.

    The bias h = ½ ∂τ/∂v v + weight comes from what is there already, since its first part is
    quadratic in v.
    """
    state = state_at(tree, q, v)
    M, dv = along_velocities(state, v)
    if has_spring_inertia(tree):
        add_spring_inertia(tree, q, M)
        dv = sum_of(dv, spring_torque_slopes(tree, q, v, [0] * tree.nv)[1])
    falls = _falls(state, v)
    h = _bias(state, M, dv, v, falls)
    factor = factorise(M)
    qdd = factor.solve([t - b for t, b in zip(tau, h, strict=True)])
    dq = along_positions(state, qdd, tree.gravity)
    if has_spring_inertia(tree):
        dq = sum_of(dq, spring_torque_slopes(tree, q, v, qdd)[0])
    inverse = factor.inverted()
    back = inverse.negative()
    known_q, known_v = {}, {}
    for fall in falls:
        known_q |= _columns(tree.nv, fall.u, fall.w, skew(fall.weight))
        known_v |= _columns(tree.nv, fall.u, fall.u, skew(neg(fall.omega)))
    return ForwardDerivatives(
        qdd, _solved(back, dq, known_q), _solved(back, dv, known_v), inverse.matrix()
    )


class _Fall(NamedTuple):
    """A base that floats in the world: the places of u and ω, and ω and g along their axes."""

    u: Sequence[int]
    w: Sequence[int]
    omega: Vec
    weight: Vec


def _falls(state: State, v: Values) -> list[_Fall]:
    """Return the bases that float; rotors and tendons with inertia do not fall along."""
    found: list[_Fall] = []
    if has_spring_inertia(state.tree):
        return found
    for node, X in zip(state.tree.nodes, state.poses, strict=True):
        if node.joint.kind is JointKind.FLOATING and not node.parent and not has_armature(node):
            u, w = node.velocities[:3], node.velocities[3:]
            omega = (v[w[0]], v[w[1]], v[w[2]])
            # the axes of u are those of the joint, which the link may be turned against
            in_link = unrotate(X.R, state.tree.gravity)
            x, y, z = (dot(axis, in_link) for axis, _ in node.columns[:3])
            found.append(_Fall(u, w, omega, (x, y, z)))
    return found


def _columns(
    n: int, rows: Sequence[int], places: Sequence[int], block: Mat
) -> dict[int, list[Scalar]]:
    """Return columns of n numbers that are zero but for three rows, by their places."""
    columns = {}
    for k, place in enumerate(places):
        column: list[Scalar] = [0] * n
        for i, row in enumerate(rows):
            column[row] = block[i][k]
        columns[place] = column
    return columns


def _solved(inverse: Inverse, rows: Rows, known: dict[int, list[Scalar]]) -> Rows:
    """Return the inverse times a matrix, column by column; some columns are known."""
    columns = [
        known[j] if j in known else inverse.times(column)
        for j, column in enumerate(zip(*rows, strict=True))
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _bias(state: State, M: Rows, dv: Rows, v: Values, falls: Sequence[_Fall]) -> list[Scalar]:
    """Return h = ½ ∂τ/∂v v + weight; of a base that floats ∂τ/∂u u = M (ω × u)."""
    h = _weight(state)
    falling = {k for fall in falls for k in fall.u}
    for i, row in enumerate(dv):
        terms = [d * v[k] for k, d in enumerate(row) if k not in falling and not is_zero(d)]
        for fall in falls:
            turned = cross(fall.omega, (v[fall.u[0]], v[fall.u[1]], v[fall.u[2]]))
            terms += [
                M[i][k] * x for k, x in zip(fall.u, turned, strict=True) if not is_zero(M[i][k])
            ]
        h[i] = h[i] + ratio(sum(terms), 2)
    return h


def _weight(state: State) -> list[Scalar]:
    """Return the torques against gravity: Sᵀ I (-g, 0)."""
    tau: list[Scalar] = [0] * state.tree.nv
    against: list[Vec] = []
    for i, (node, X) in enumerate(zip(state.tree.nodes, state.poses, strict=True)):
        above = against[node.parent - 1] if node.parent else neg(state.tree.gravity)
        against.append(unrotate(X.R, above))
        for axis, at in zip(state.axes[i], state.carried[i], strict=True):
            tau[axis.place] = tau[axis.place] + dot(against[i], at[i].momentum[0])
    return tau
