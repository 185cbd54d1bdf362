"""Closures of a mechanism over any scalar: error, Jacobian and bias of loops and couplings.

Along the motion A v + ∂a/∂t = 0 and A v̇ + bias = 0. Rows of a loop are the relative velocity of its
two frames, first against second, at the point where they meet and in world axes: so λ of these rows
is the force, and where the frames are welded the moment, that acts on the first link, the opposite
on the second. The row of a coupling is the velocity of its joint against what the others prescribe.
The residual is that of `closures`; its rate is A v + ∂a/∂t where the loops are closed. The second
term is there where something moves by itself: points of loops, laws of couplings (`drift`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dalembert.expr import time
from dalembert.mechanism import Coupling, Frame
from dalembert.mechanism.parts.law import EXTENSIONS, Law
from dalembert.recursions.constraints.drift import point_drift, point_drift_bias
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.motions import Acceleration, Velocity, link_accelerations, link_rates
from dalembert.recursions.node import Node, Values
from dalembert.recursions.tree import Tree
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, ZERO, Scalar, Vec, add, rotate, sub

T = TypeVar("T")


def loop_error(tree: Tree, q: Values) -> list[Scalar]:
    """Return the residual of every row (m or rad), zero where loops and couplings are closed."""
    return _counted(tree, tree.residual(q))


def loop_jacobian(tree: Tree, q: Values) -> list[list[Scalar]]:
    """Return the rows of A."""
    X_W = tree.world_poses(q) if tree.loops else []
    rows: list[list[Scalar]] = []
    for loop in tree.loops:
        # J of both points, and their difference: linear rows, then angular ones
        first, second = (
            point_columns(tree, X_W, frame.link, _pose(tree, X_W, frame).p)
            for frame in (loop.first, loop.second)
        )
        for part in range(2 if loop.kind == "frame" else 1):
            for axis in range(3):
                rows.append(
                    [a[part][axis] - b[part][axis] for a, b in zip(first, second, strict=True)]
                )
    for coupling in tree.couplings:
        # ẋ - Σ ∂p/∂yᵢ ẏᵢ of the joints' positions x and yᵢ
        row: list[Scalar] = [0] * tree.nv
        row[tree.by_joint[coupling.joint].velocities[0]] = 1
        others, y = _others(tree, coupling, q)
        for node, extension in zip(others, EXTENSIONS, strict=False):
            j = node.velocities[0]
            row[j] = row[j] - coupling.law.diff(extension).at(y)
        rows.append(row)
    return _counted(tree, rows)


def loop_drift(tree: Tree, q: Values) -> list[Scalar]:
    """Return ∂a/∂t: the relative velocity of the closures while the joints stand still."""
    X_W = tree.world_poses(q)
    drift: list[Scalar] = []
    for loop in tree.loops:
        first, second = (
            point_drift(X_W[tree.numbers[f.link]].R, f.placement.p)
            for f in (loop.first, loop.second)
        )
        drift += sub(first, second)
        drift += ZERO if loop.kind == "frame" else ()
    for coupling in tree.couplings:
        _, y = _others(tree, coupling, q)
        drift.append(-coupling.law.diff(time).at(y))
    return _counted(tree, drift)


def loop_bias(tree: Tree, q: Values, v: Values) -> list[Scalar]:
    """Return d/dt (A v + ∂a/∂t), the relative acceleration of the closures, while v̇ = 0."""
    X_W, rates, motions = _motions(tree, q, v) if tree.loops else ([], [], [])
    bias: list[Scalar] = []
    for loop in tree.loops:
        first, second = (
            _acceleration(tree, X_W, rates, motions, frame) for frame in (loop.first, loop.second)
        )
        for part in range(2 if loop.kind == "frame" else 1):
            bias += sub(first[part], second[part])
    for coupling in tree.couplings:
        others, y = _others(tree, coupling, q)
        rates_y = [v[node.velocities[0]] for node in others]
        bias.append(-law_bias(coupling.law, y, rates_y))
    return _counted(tree, bias)


def _motions(
    tree: Tree, q: Values, v: Values
) -> tuple[list[Pose], list[Velocity], list[Acceleration]]:
    """Return where all links are, and how they move while v̇ = 0."""
    poses = tree.poses(q)
    rates = link_rates(tree, poses, v)
    motions = link_accelerations(tree, poses, rates, [0] * tree.nv, ZERO)
    return tree.world_poses(q), rates, motions


def law_bias(law: Law, y: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
    """Return d²p/dt² of a law p(y, t) while ÿ = 0: Σ pᵢⱼ ẏᵢ ẏⱼ + 2 Σ ∂pᵢ/∂t ẏᵢ + ∂²p/∂t²."""
    total = law.diff(time).diff(time).at(y)
    for a, va in zip(EXTENSIONS, rates, strict=False):
        slope = law.diff(a)
        total = total + 2 * slope.diff(time).at(y) * va
        for b, vb in zip(EXTENSIONS, rates, strict=False):
            total = total + slope.diff(b).at(y) * (va * vb)
    return total


def _others(tree: Tree, coupling: Coupling, q: Values) -> tuple[list[Node], list[Scalar]]:
    """Return the other joints of a coupling and their positions."""
    nodes = [tree.by_joint[name] for name in coupling.others]
    return nodes, [q[node.positions[0]] for node in nodes]


def _counted(tree: Tree, rows: Sequence[T]) -> list[T]:
    """Return the rows that do not vanish for all q."""
    return [rows[row.place] for row in tree.constraint_rows]


def _pose(tree: Tree, X_W: Sequence[Pose], frame: Frame) -> Pose:
    return X_W[tree.numbers[frame.link]] @ frame.placement


def _acceleration(
    tree: Tree,
    X_W: Sequence[Pose],
    rates: Sequence[Velocity],
    motions: Sequence[Acceleration],
    frame: Frame,
) -> tuple[Vec, Vec]:
    """Return linear acceleration of a frame's origin and angular acceleration, in world axes."""
    number, r = tree.numbers[frame.link], frame.placement.p
    if not number:
        return point_drift_bias(IDENTITY, ZERO, r), ZERO
    motion, R = motions[number - 1], X_W[number].R
    # a + K r, and what the point's own motion adds
    at_frame = rotate(R, add(motion.a, rotate(motion.K, r)))
    return add(at_frame, point_drift_bias(R, rates[number - 1].w, r)), rotate(R, motion.wd)
