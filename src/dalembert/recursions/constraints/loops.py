"""Closures of a mechanism over any scalar: error, Jacobian and bias of loops and couplings.

Along the motion A v + ∂a/∂t = 0 and A v̇ + bias = 0. Rows of a loop are the relative velocity of its
two frames, first against second, at the point where they meet and in world axes: so λ of these rows
is the force, and where the frames are welded the moment, that acts on the first link, the opposite
on the second. The row of a coupling is the velocity of its joint against what the other prescribes.
The residual is that of `closures`; its rate is A v + ∂a/∂t where the loops are closed. The second
term is there where something moves by itself: points of loops, coefficients of couplings (`drift`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dalembert.expr import time
from dalembert.mechanism import Frame
from dalembert.mechanism.parts.law import EXTENSIONS, Law
from dalembert.recursions.constraints.closures import derivative, polynomial
from dalembert.recursions.constraints.drift import point_drift, point_drift_bias, time_rate
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.motions import Acceleration, Velocity, link_accelerations, link_rates
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, ZERO, Scalar, Vec, add, rotate, sub

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
            if coupling.profile is not None:
                row[j] = row[j] - coupling.profile.diff(EXTENSIONS[0]).at([y])
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
        y = 0 if coupling.other is None else q[tree.by_joint[coupling.other].positions[0]]
        rate = -polynomial([time_rate(c) for c in coupling.coefficients], y)
        if coupling.profile is not None:
            rate = rate - coupling.profile.diff(time).at([y])
        drift.append(rate)
    return _counted(tree, drift)


def loop_bias(tree: Tree, q: Values, v: Values) -> list[Scalar]:
    """Return d/dt (A v + ∂a/∂t), the relative acceleration of the closures, while v̇ = 0."""
    X_W, poses = tree.world_poses(q), tree.poses(q)
    rates = link_rates(tree, poses, v)
    motions = link_accelerations(tree, poses, rates, [0] * tree.nv, ZERO)
    bias: list[Scalar] = []
    for loop in tree.loops:
        first, second = (
            _acceleration(tree, X_W, rates, motions, frame) for frame in (loop.first, loop.second)
        )
        for part in range(2 if loop.kind == "frame" else 1):
            bias += sub(first[part], second[part])
    for coupling in tree.couplings:
        # -p̈(y), p̈ by time
        c = coupling.coefficients
        y = 0 if coupling.other is None else q[tree.by_joint[coupling.other].positions[0]]
        row = -polynomial([time_rate(time_rate(x)) for x in c], y)
        if coupling.other is not None:
            # -p''(y) ẏ² - 2 ṗ'(y) ẏ
            rate = v[tree.by_joint[coupling.other].velocities[0]]
            row = row - polynomial(derivative(derivative(c)), y) * (rate * rate)
            row = row - 2 * polynomial(derivative([time_rate(x) for x in c]), y) * rate
            if coupling.profile is not None:
                row = row - profile_bias(coupling.profile, y, rate)
        bias.append(row)
    return _counted(tree, bias)


def profile_bias(profile: Law, y: Scalar, rate: Scalar) -> Scalar:
    """Return d²p/dt² of a profile p(y, t) while ÿ = 0: p'' ẏ² + 2 ∂p'/∂t ẏ + ∂²p/∂t²."""
    slope, drift = profile.diff(EXTENSIONS[0]), profile.diff(time)
    bends = slope.diff(EXTENSIONS[0]).at([y]) * (rate * rate)
    return bends + 2 * slope.diff(time).at([y]) * rate + drift.diff(time).at([y])


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
