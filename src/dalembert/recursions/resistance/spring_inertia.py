"""The inertia that springs have of their own, over any scalar: T = ½ armature ẋ² of an extension x.

Along the motion ẋ = J v, so M gets armature JᵀJ, the torque armature Jᵀ (J v̇ + J̇ v), and C
armature Jᵀ J̇: the one of the Christoffel symbols. Between points x is their distance l, and with
the vector d between them J = s/l with s = dᵀ ∂d/∂q: no root is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from dalembert.mechanism import Bushing, JointSpring, PointSpring
from dalembert.recursions.kinematics import point_column_rates
from dalembert.recursions.motions import link_velocities
from dalembert.recursions.node import Values
from dalembert.recursions.resistance.measures import distance, rate_along, shaft_slopes
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar, Vec, dot, ratio, sub


class SpringInertia(NamedTuple):
    """An inertia along one row of velocities: T = ½ weight (row v)²."""

    weight: Scalar
    row: list[Scalar]


class MovingInertia(NamedTuple):
    """The same with what the motion adds: the torque is weight · rowᵀ (row v̇ + rate v)."""

    weight: Scalar
    row: list[Scalar]
    rate: list[Scalar]


def has_spring_inertia(tree: Tree) -> bool:
    """Tell whether a spring has armature."""
    return any(True for _ in _heavy(tree))


def spring_inertias(tree: Tree, q: Values) -> Iterator[SpringInertia]:
    """Yield weight and row of every spring with armature."""
    for spring in _heavy(tree):
        if isinstance(spring, JointSpring):
            yield SpringInertia(spring.armature, shaft_slopes(tree, spring))
        else:
            d, columns = distance(tree, spring, q)
            yield SpringInertia(ratio(spring.armature, dot(d, d)), [dot(d, u) for u in columns])


def moving_inertias(tree: Tree, q: Values, v: Values) -> Iterator[MovingInertia]:
    """Yield weight, row and rate of every spring with armature."""
    for spring in _heavy(tree):
        if isinstance(spring, JointSpring):
            slopes = shaft_slopes(tree, spring)
            yield MovingInertia(spring.armature, slopes, [0] * tree.nv)
            continue
        d, columns = distance(tree, spring, q)
        square, row = dot(d, d), [dot(d, u) for u in columns]
        d_rate: Vec = tuple(rate_along([u[k] for u in columns], v) for k in range(3))  # type: ignore[assignment]
        # ṡ - s (s v)/l²
        slowing = ratio(rate_along(row, v), square)
        pairs = zip(columns, _column_rates(tree, spring, q, v), row, strict=True)
        rate = [dot(d_rate, u) + dot(d, du) - slowing * s for u, du, s in pairs]
        yield MovingInertia(ratio(spring.armature, square), row, rate)


def spring_kinetic_energy(tree: Tree, q: Values, v: Values) -> Scalar:
    """Return T of all springs: Σ ½ armature · rate²."""
    total: Scalar = 0
    for weight, row in spring_inertias(tree, q):
        x = rate_along(row, v)
        total = total + weight * (x * x)
    return ratio(total, 2)


def spring_torques(tree: Tree, q: Values, v: Values, a: Values) -> list[Scalar]:
    """Return what moves the inertia of all springs: weight · rowᵀ (row v̇ + rate v) each."""
    tau: list[Scalar] = [0] * tree.nv
    for weight, row, rate in moving_inertias(tree, q, v):
        force = weight * (rate_along(row, a) + rate_along(rate, v))
        tau = [t if is_zero(s) else t + s * force for t, s in zip(tau, row, strict=True)]
    return tau


def add_spring_inertia(tree: Tree, q: Values, M: list[list[Scalar]]) -> None:
    """Add weight · rowᵀ row of every spring with armature to a mass matrix."""
    for weight, row in spring_inertias(tree, q):
        moving = [i for i, x in enumerate(row) if not is_zero(x)]
        for i, j in product(moving, repeat=2):
            M[i][j] = M[i][j] + weight * (row[i] * row[j])


def _heavy(tree: Tree) -> Iterator[PointSpring | JointSpring]:
    for spring in tree.springs:
        if not isinstance(spring, Bushing) and not is_zero(spring.armature):
            yield spring


def _column_rates(tree: Tree, spring: PointSpring, q: Values, v: Values) -> list[Vec]:
    """Return d/dt of ∂d/∂q along the motion."""
    X_W, twists = tree.world_poses(q), link_velocities(tree, tree.poses(q), v)
    first, second = (
        point_column_rates(tree, X_W, twists, f.link, (X_W[tree.numbers[f.link]] @ f.placement).p)
        for f in (spring.first, spring.second)
    )
    return [sub(b[0], a[0]) for a, b in zip(first, second, strict=True)]
