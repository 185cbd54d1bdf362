"""What springs and dampers are stretched by, and how it changes with q, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.mechanism import Bushing, JointSpring, PointSpring, Spring
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.node import Values
from dalembert.recursions.tree import Tree
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import square_root
from dalembert.spatial.vectors import (
    Scalar,
    Vec,
    add,
    cross,
    dot,
    multiply,
    ratio,
    scale,
    sub,
    trace,
    transpose,
    unrotate,
)


class Measure(NamedTuple):
    """Extensions x of a spring, one or six, and the rows ∂x/∂q along velocities."""

    x: list[Scalar]
    slopes: list[list[Scalar]]

    def rates(self, v: Values) -> list[Scalar]:
        """Return ẋ = ∂x/∂q v."""
        return [rate_along(row, v) for row in self.slopes]


def rate_along(slopes: Sequence[Scalar], v: Values) -> Scalar:
    """Return ẋ = ∂x/∂q v."""
    total: Scalar = 0
    for slope, x in zip(slopes, v, strict=True):
        total = total + slope * x
    return total


def measure(tree: Tree, spring: Spring, q: Values) -> Measure:
    """Return what a spring of any kind is stretched by."""
    if isinstance(spring, JointSpring):
        return shaft(tree, spring, q)
    if isinstance(spring, Bushing):
        return _bushing(tree, spring, q)
    d, columns = distance(tree, spring, q)
    l = square_root(dot(d, d))
    return Measure([l - spring.rest_length], [[dot(d, u) / l for u in columns]])


def shaft(tree: Tree, spring: JointSpring, q: Values) -> Measure:
    """Return x = Σ factor · q(joint) - rest."""
    x: Scalar = 0
    for name, k in spring.terms:
        x = x + k * tree.by_joint[name].position(q)
    return Measure([x - spring.rest], [shaft_slopes(tree, spring)])


def shaft_slopes(tree: Tree, spring: JointSpring) -> list[Scalar]:
    """Return ∂x/∂q of a spring over joints, which does not depend on q."""
    slopes: list[Scalar] = [0] * tree.nv
    for name, k in spring.terms:
        node = tree.by_joint[name]
        i = node.velocities[0]
        slopes[i] = slopes[i] + k * node.multiplier
    return slopes


def distance(tree: Tree, spring: PointSpring, q: Values) -> tuple[Vec, list[Vec]]:
    """Return d from the first point to the second in the world, and ∂d/∂q."""
    X_W = tree.world_poses(q)
    ends = (spring.first, spring.second)
    p1, p2 = ((X_W[tree.numbers[f.link]] @ f.placement).p for f in ends)
    J1, J2 = (point_columns(tree, X_W, f.link, p) for f, p in zip(ends, (p1, p2), strict=True))
    return sub(p2, p1), [sub(b[0], a[0]) for a, b in zip(J1, J2, strict=True)]


def displacement(X_W1: Pose, X_W2: Pose) -> tuple[Vec, Vec, Scalar]:
    """Return R₁ᵀ (p₂ - p₁), 2 sin(θ/2) n and cos(θ/2) of a second frame beside a first one."""
    d = unrotate(X_W1.R, sub(X_W2.p, X_W1.p))
    R = multiply(transpose(X_W1.R), X_W2.R)
    # tr R = 1 + 2 cos θ = 4 cos²(θ/2) - 1
    half = ratio(square_root(1 + trace(R)), 2)
    # R - Rᵀ has sin θ n = 2 sin(θ/2) cos(θ/2) n twice
    turn = (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    x, y, z = (k / (2 * half) for k in turn)
    return d, (x, y, z), half


def _bushing(tree: Tree, spring: Bushing, q: Values) -> Measure:
    X_W = tree.world_poses(q)
    ends = (spring.first, spring.second)
    X_1, X_2 = (X_W[tree.numbers[f.link]] @ f.placement for f in ends)
    d, turn, half = displacement(X_1, X_2)
    columns = zip(
        *(point_columns(tree, X_W, f.link, X.p) for f, X in zip(ends, (X_1, X_2), strict=True)),
        strict=True,
    )
    rows: list[list[Scalar]] = [[] for _ in range(6)]
    for (u1, w1), (u2, w2) in columns:
        # ḋ = R₁ᵀ (u₂ - u₁) - (R₁ᵀ ω₁) × d
        u = sub(unrotate(X_1.R, sub(u2, u1)), cross(unrotate(X_1.R, w1), d))
        # ṡ = cos(θ/2) ω + ½ ω × s, ω the turning of the second frame in the first
        w = unrotate(X_1.R, sub(w2, w1))
        half_turn = cross(w, turn)
        s = add(
            scale(half, w), (ratio(half_turn[0], 2), ratio(half_turn[1], 2), ratio(half_turn[2], 2))
        )
        for row, x in zip(rows, (*u, *s), strict=True):
            row.append(x)
    return Measure([*d, *turn], rows)
