"""Loop closures of a mechanism over any scalar: error, Jacobian and bias.

Rows: for each loop the relative velocity of its two frames in world axes (three linear rows, and
three angular ones where the frames are welded), then one row for each coupling of joints. Along
the motion A v = 0 and A v̇ + bias = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.mechanism import Coupling, Frame
from dalembert.recursions.kinematics import forward_kinematics, point_columns
from dalembert.recursions.motions import Acceleration, link_accelerations, link_rates
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Vec, add, cross, ratio, rotate, sub, transpose


def loop_error(tree: Tree, q: Values) -> list[Any]:
    """Return the offset between the points of every loop, and the error of every coupling.

    Of frames also the vector ½ Σ y × x over their axes x and y: near closure the rotation that is
    left, with the rate of the rows of A.
    """
    X_W = forward_kinematics(tree, q)
    error: list[Any] = []
    for loop in tree.mechanism.loops:
        X_1, X_2 = (_pose(tree, X_W, frame) for frame in (loop.first, loop.second))
        error += sub(X_1.p, X_2.p)
        if loop.kind == "frame":
            turn: Vec = ZERO
            for x, y in zip(transpose(X_1.R), transpose(X_2.R), strict=True):
                turn = add(turn, cross(y, x))
            error += [ratio(k, 2) for k in turn]
    for coupling in tree.mechanism.couplings:
        i, j = _places(tree, coupling)
        other = q[j] if j is not None else 0
        error.append(q[i] - _polynomial(coupling.coefficients, other))
    return error


def loop_jacobian(tree: Tree, q: Values) -> list[list[Any]]:
    """Return the rows of A."""
    X_W = forward_kinematics(tree, q)
    rows: list[list[Any]] = []
    for loop in tree.mechanism.loops:
        first, second = (
            point_columns(tree, X_W, frame.link, _pose(tree, X_W, frame).p)
            for frame in (loop.first, loop.second)
        )
        for part in range(2 if loop.kind == "frame" else 1):
            for axis in range(3):
                rows.append(
                    [a[part][axis] - b[part][axis] for a, b in zip(first, second, strict=True)]
                )
    for coupling in tree.mechanism.couplings:
        i, j = _places(tree, coupling)
        row: list[Any] = [0] * tree.nv
        row[i] = 1
        if j is not None:
            row[j] = row[j] - _polynomial(_derivative(coupling.coefficients), q[j])
        rows.append(row)
    return rows


def loop_bias(tree: Tree, q: Values, v: Values) -> list[Any]:
    """Return Ȧ v: the relative acceleration of the closures while the joints do not accelerate."""
    X_W = forward_kinematics(tree, q)
    poses = tree.poses(q)
    rates = link_rates(tree, poses, v)
    motions = link_accelerations(tree, poses, rates, [0] * tree.nv, ZERO)
    bias: list[Any] = []
    for loop in tree.mechanism.loops:
        first, second = (
            _acceleration(tree, X_W, motions, frame) for frame in (loop.first, loop.second)
        )
        for part in range(2 if loop.kind == "frame" else 1):
            bias += sub(first[part], second[part])
    for coupling in tree.mechanism.couplings:
        _, j = _places(tree, coupling)
        if j is None:
            bias.append(0)
            continue
        curvature = _polynomial(_derivative(_derivative(coupling.coefficients)), q[j])
        bias.append(-curvature * (v[j] * v[j]))
    return bias


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


def _places(tree: Tree, coupling: Coupling) -> tuple[int, int | None]:
    """Return the places in q (and v) of the two scalar joints of a coupling."""
    places = {node.joint.name: node.velocities[0] for node in tree.nodes if node.joint.nv == 1}
    return places[coupling.joint], None if coupling.other is None else places[coupling.other]


def _polynomial(coefficients: Sequence[Any], x: Any) -> Any:
    """Return Σ cₖ xᵏ by Horner's rule."""
    total: Any = 0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _derivative(coefficients: Sequence[Any]) -> list[Any]:
    return [k * c for k, c in enumerate(coefficients)][1:] or [0]
