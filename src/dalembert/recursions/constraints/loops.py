"""Closures of a mechanism over any scalar: error, Jacobian and bias of loops and couplings.

Along the motion A v = 0 and A v̇ + bias = 0. Rows of a loop are the relative velocity of its two
frames, first against second, at the point where they meet and in world axes: so λ of these rows is
the force, and where the frames are welded the moment, that acts on the first link, the opposite on
the second. The row of a coupling is the velocity of its joint against what the other prescribes.
The residual is that of `closures`; its rate is A v where the loops are closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dalembert.mechanism import Frame
from dalembert.recursions.constraints.closures import derivative, polynomial
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.motions import Acceleration, link_accelerations, link_rates
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Scalar, Vec, add, rotate, sub

T = TypeVar("T")


def loop_error(tree: Tree, q: Values) -> list[Scalar]:
    """Return the residual of every row (m or rad), zero where loops and couplings are closed."""
    return _counted(tree, tree.residual(q))


def loop_jacobian(tree: Tree, q: Values) -> list[list[Scalar]]:
    """Return the rows of A."""
    X_W = tree.world_poses(q)
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
        # ẋ - p'(y) ẏ of the joints' positions x and y
        row: list[Scalar] = [0] * tree.nv
        row[tree.by_joint[coupling.joint].velocities[0]] = 1
        if coupling.other is not None:
            other = tree.by_joint[coupling.other]
            j, y = other.velocities[0], q[other.positions[0]]
            row[j] = row[j] - polynomial(derivative(coupling.coefficients), y)
        rows.append(row)
    return _counted(tree, rows)


def loop_bias(tree: Tree, q: Values, v: Values) -> list[Scalar]:
    """Return Ȧ v: the relative acceleration of the closures while the joints do not accelerate."""
    X_W, poses = tree.world_poses(q), tree.poses(q)
    rates = link_rates(tree, poses, v)
    motions = link_accelerations(tree, poses, rates, [0] * tree.nv, ZERO)
    bias: list[Scalar] = []
    for loop in tree.loops:
        first, second = (
            _acceleration(tree, X_W, motions, frame) for frame in (loop.first, loop.second)
        )
        for part in range(2 if loop.kind == "frame" else 1):
            bias += sub(first[part], second[part])
    for coupling in tree.couplings:
        if coupling.other is None:
            bias.append(0)
            continue
        # -p''(y) ẏ²
        other = tree.by_joint[coupling.other]
        y, rate = q[other.positions[0]], v[other.velocities[0]]
        curvature = polynomial(derivative(derivative(coupling.coefficients)), y)
        bias.append(-curvature * (rate * rate))
    return _counted(tree, bias)


def _counted(tree: Tree, rows: Sequence[T]) -> list[T]:
    """Return the rows that do not vanish for all q."""
    return [rows[row.place] for row in tree.constraint_rows]


def _pose(tree: Tree, X_W: Sequence[Pose], frame: Frame) -> Pose:
    return X_W[tree.numbers[frame.link]] @ frame.placement


def _acceleration(
    tree: Tree, X_W: Sequence[Pose], motions: Sequence[Acceleration], frame: Frame
) -> tuple[Vec, Vec]:
    """Return linear acceleration of a frame's origin and angular acceleration, in world axes."""
    number = tree.numbers[frame.link]
    if not number:
        return ZERO, ZERO
    motion, R = motions[number - 1], X_W[number].R
    # a + K r
    at_frame = add(motion.a, rotate(motion.K, frame.placement.p))
    return rotate(R, at_frame), rotate(R, motion.wd)
