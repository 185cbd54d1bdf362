"""Forward dynamics by articulated bodies (Featherstone 1983), and by factorising M."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.mechanics.composite import mass_matrix
from dalembert.mechanics.kinematics import link_velocities
from dalembert.mechanics.newton_euler import (
    armature_drift,
    has_armature,
    inverse_dynamics,
    joint_rate,
)
from dalembert.mechanics.tree import Node, Tree, Values
from dalembert.spatial.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.se3 import (
    Twist,
    bracket,
    cobracket,
    plus,
    power,
    times,
    transform_twist_back,
    transform_wrench,
)
from dalembert.spatial.vectors import ZERO, neg, ratio

BASIS: tuple[Twist, ...] = (
    ((1, 0, 0), ZERO),
    ((0, 1, 0), ZERO),
    ((0, 0, 1), ZERO),
    (ZERO, (1, 0, 0)),
    (ZERO, (0, 1, 0)),
    (ZERO, (0, 0, 1)),
)


class ArticulatedInertia:
    """A symmetric 6 × 6 inertia: wrench = A · twist. Columns are wrenches."""

    def __init__(self, columns: Sequence[Twist]) -> None:
        self.columns = list(columns)

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        """Return the inertia of a rigid body."""
        return cls([inertia.momentum(*unit) for unit in BASIS])

    def times(self, a: Twist) -> Twist:
        """Return the wrench for a twist."""
        total: Twist = (ZERO, ZERO)
        for k, column in zip((*a[0], *a[1]), self.columns, strict=True):
            if not (isinstance(k, int) and k == 0):
                total = plus(total, times(k, column))
        return total

    def plus(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Return the sum."""
        pairs = zip(self.columns, other.columns, strict=True)
        return ArticulatedInertia([plus(a, b) for a, b in pairs])

    def minus_outer(self, U: Twist, W: Twist) -> ArticulatedInertia:
        """Return A - U Wᵀ."""
        weights = (*W[0], *W[1])
        pairs = zip(self.columns, weights, strict=True)
        return ArticulatedInertia([plus(c, times(-w, U)) for c, w in pairs])

    def moved(self, X_PC: Pose) -> ArticulatedInertia:
        """Return the inertia at the parent's origin, in its axes."""
        return ArticulatedInertia(
            [transform_wrench(X_PC, self.times(transform_twist_back(X_PC, unit))) for unit in BASIS]
        )


def forward_dynamics(tree: Tree, q: Values, v: Values, tau: Values) -> list[Any]:
    """Return q̈ = M⁻¹ (τ - h); mimic joints go through M, all others through articulated bodies."""
    if any(node.joint.mimic for node in tree.nodes):
        return forward_dynamics_by_mass_matrix(tree, q, v, tau)
    return articulated_bodies(tree, q, v, tau)


def forward_dynamics_by_mass_matrix(tree: Tree, q: Values, v: Values, tau: Values) -> list[Any]:
    """Return q̈ by the factorisation M = L D Lᵀ."""
    h = inverse_dynamics(tree, q, v, [0] * tree.num_v)
    right = [t - b for t, b in zip(tau, h, strict=True)]
    return solve_symmetric(mass_matrix(tree, q), right)


def articulated_bodies(tree: Tree, q: Values, v: Values, tau: Values) -> list[Any]:
    """Return q̈ by three sweeps over the tree."""
    n = len(tree.nodes)
    poses = tree.poses(q)
    twists = link_velocities(tree, poses, v)
    # carried by the joint's own motion: c = V × S q̇
    drift = [
        bracket(V, joint_rate(node.columns, [v[k] for k in node.velocities]))
        for V, node in zip(twists, tree.nodes, strict=True)
    ]
    A = [ArticulatedInertia.of(node.inertia) for node in tree.nodes]
    p = [
        cobracket(V, node.inertia.momentum(*V)) for V, node in zip(twists, tree.nodes, strict=True)
    ]
    # inward: reduce each joint to what its parent feels
    reduced: list[tuple[list[Twist], list[Twist], list[Any]]] = [([], [], [])] * n
    for i in reversed(range(n)):
        node = tree.nodes[i]
        U = [A[i].times(S) for S in node.columns]
        D = _gram(node, U)
        force = [
            tau[k] - power(S, p[i]) for k, S in zip(node.velocities, node.columns, strict=True)
        ]
        if has_armature(node):
            pairs = zip(force, armature_drift(node, v), strict=True)
            force = [f if is_zero(c) else f - node.joint.armature * c for f, c in pairs]
        W = _weighted(D, U)
        reduced[i] = (U, W, force)
        if node.parent:
            Aa, pa = A[i], plus(p[i], A[i].times(drift[i]))
            for u, w in zip(U, W, strict=True):
                Aa = Aa.minus_outer(u, w)
            # p + Aa c + U D⁻¹ (force): with Aa c = A c - Σ u (w·c)
            for u, w, f in zip(U, W, force, strict=True):
                pa = plus(pa, times(-power(drift[i], w), u))
                pa = plus(pa, times(f, w))
            parent = node.parent - 1
            A[parent] = A[parent].plus(Aa.moved(poses[i]))
            p[parent] = plus(p[parent], transform_wrench(poses[i], pa))
    return _outward(tree, poses, drift, reduced)


def _weighted(D: list[list[Any]], U: list[Twist]) -> list[Twist]:
    """Return D⁻¹ U, wrench by wrench."""
    if not U:
        return []
    if len(U) == 1:
        inverse = ratio(1, D[0][0])
        return [times(inverse, U[0])]
    columns = [
        solve_symmetric(D, [u[part][axis] for u in U]) for part in range(2) for axis in range(3)
    ]
    return [
        (
            (columns[0][k], columns[1][k], columns[2][k]),
            (columns[3][k], columns[4][k], columns[5][k]),
        )
        for k in range(len(U))
    ]


def _outward(
    tree: Tree,
    poses: Sequence[Pose],
    drift: Sequence[Twist],
    reduced: Sequence[tuple[list[Twist], list[Twist], list[Any]]],
) -> list[Any]:
    """Return the accelerations from the root outward: q̈ = D⁻¹ (force - Uᵀ a')."""
    qdd: list[Any] = [0] * tree.num_v
    root: Twist = (neg(tree.gravity), ZERO)
    accelerations: list[Twist] = []
    for i, node in enumerate(tree.nodes):
        a = accelerations[node.parent - 1] if node.parent else root
        a = plus(transform_twist_back(poses[i], a), drift[i])
        U, W, force = reduced[i]
        if U:
            D = _gram(node, U)
            values = _solve(D, force)
            for k, (place, w) in enumerate(zip(node.velocities, W, strict=True)):
                qdd[place] = values[k] - power(a, w)
            for place, S in zip(node.velocities, node.columns, strict=True):
                a = plus(a, times(qdd[place], S))
        accelerations.append(a)
    return qdd


def _gram(node: Node, U: Sequence[Twist]) -> list[list[Any]]:
    D = [[power(S, u) for u in U] for S in node.columns]
    for k in range(len(D)):
        D[k][k] = D[k][k] + node.joint.armature
    return D


def _solve(D: list[list[Any]], b: Sequence[Any]) -> list[Any]:
    return [ratio(b[0], D[0][0])] if len(b) == 1 else solve_symmetric(D, b)


def solve_symmetric(M: Sequence[Sequence[Any]], b: Sequence[Any]) -> list[Any]:
    """Return M⁻¹ b for a positive definite matrix over any scalar, by M = L D Lᵀ."""
    n = len(b)
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    D: list[Any] = [0] * n
    for j in range(n):
        d = M[j][j]
        for k in range(j):
            d = d - L[j][k] * L[j][k] * D[k]
        D[j] = d
        inverse = ratio(1, d)
        for i in range(j + 1, n):
            value = M[i][j]
            for k in range(j):
                value = value - L[i][k] * L[j][k] * D[k]
            L[i][j] = value * inverse
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    for i in range(n):
        x[i] = ratio(x[i], D[i])
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x
