"""Maximal coordinates: every link by itself, every joint as constraints.

A link is described by the position x of its frame and the nine entries of its rotation matrix R
("natural coordinates"): the kinetic energy has constant coefficients, joints and orthogonality are
polynomial constraints, and the positions h(q) of a tree are what forward kinematics gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, as_expr, coordinates, total
from dalembert.mechanics.robots.equations import applied_torques, scalar_joints, symbolic_state
from dalembert.mechanics.system.system import System
from dalembert.mechanism import JointKind, Mechanism
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Node, Tree
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.so3 import turn_between
from dalembert.spatial.vectors import Vec, add, cross, dot, ratio, rotate, scale, sub, transpose


class MaximalForm(NamedTuple):
    """The system in maximal coordinates, and h: each of them as a function of the joints' q."""

    system: System
    positions: dict[Expr, Expr]


def maximal_form(mechanism: Mechanism) -> MaximalForm:
    """Return the system of single links, with one set of constraints for each joint.

    Loops, couplings, springs, motors with rotors or friction, joint friction, and helical and mimic
    joints are refused: `Mechanism.equations` carries them.
    """
    tree = Tree.of(mechanism)
    _check(mechanism)
    poses = [Pose(), *(_link_pose(i) for i in range(1, len(tree.nodes) + 1))]
    unknowns = [x for X in poses[1:] for x in (*X.p, *X.R[0], *X.R[1], *X.R[2])]
    T = total([_kinetic(node, X) for node, X in zip(tree.nodes, poses[1:], strict=True)])
    V = total([_weight(tree, node, X) for node, X in zip(tree.nodes, poses[1:], strict=True)])
    constraints = [a for X in poses[1:] for a in _orthonormal(X)]
    forces: dict[Expr, Expr] = {}
    tau = iter(applied_torques(tree))
    for node, X in zip(tree.nodes, poses[1:], strict=True):
        before, behind = _joint_frames(node, poses[node.parent], X)
        constraints += _joint_constraints(node, before, behind)
        if node.joint.nv:
            _apply(forces, next(tau), node, poses[node.parent], X, before, behind)
    system = System(
        coordinates=unknowns,
        kinetic=T,
        potential=V,
        forces=[forces.get(x, as_expr(0)) for x in unknowns],
        constraints=constraints,
    )
    return MaximalForm(system, _positions(mechanism, tree, poses))


def _check(mechanism: Mechanism) -> None:
    scalar_joints(mechanism)
    motors = [actuator for actuator in mechanism.actuators if not actuator.is_plain]
    if mechanism.springs or motors or mechanism.loops or mechanism.couplings:
        raise InvalidMechanism(
            f"expected links and joints alone for maximal coordinates, got springs, actuators, "
            f"loops or couplings in {mechanism.name}: use equations(), which carries them"
        )
    for joint in mechanism.joints:
        if joint.mimic or joint.kind is JointKind.HELICAL:
            kind = "mimic" if joint.mimic else "helical"
            raise InvalidMechanism(
                f"expected hinges, sliders and welds for maximal coordinates, got the {kind} joint "
                f"{joint.name!r}"
            )
        own = ("armature",) if joint.armature != 0 else joint.resistance.forces
        if own:
            raise InvalidMechanism(
                f"expected no {own[0]} for maximal coordinates, got it on {joint.name!r}: "
                "it acts on the joint's coordinate, which they do not have"
            )


def _link_pose(i: int) -> Pose:
    """Return the pose of the i-th link in twelve coordinates x, y, z and R row by row."""
    p = coordinates(f"x{i} y{i} z{i}")
    rows = [coordinates(" ".join(f"R{i}_{r}{c}" for c in "123")) for r in "123"]
    return Pose((rows[0], rows[1], rows[2]), p)  # type: ignore[arg-type]


def _kinetic(node: Node, X: Pose) -> Expr:
    """Return ½ m ẋᵀẋ + ẋᵀ Ṙ h + ½ tr(Ṙ Σ Ṙᵀ), with Σ = ∫ p pᵀ dm = ½ tr(I) 1 - I."""
    m, h, _ = node.inertia
    I = node.inertia.tensor
    half_trace = ratio(I[0][0] + I[1][1] + I[2][2], 2)
    v = [as_expr(x).dot for x in X.p]
    Rd = [[as_expr(x).dot for x in row] for row in X.R]
    T = m * total([x**2 for x in v]) / 2
    T = T + total([v[k] * Rd[k][i] * h[i] for k in range(3) for i in range(3)])
    for i in range(3):
        for j in range(3):
            second = (half_trace if i == j else 0) - I[i][j]
            T = T + second * total([Rd[k][i] * Rd[k][j] for k in range(3)]) / 2
    return T


def _weight(tree: Tree, node: Node, X: Pose) -> Expr:
    """Return -gᵀ (m x + R h)."""
    moment = add(scale(node.inertia.m, X.p), rotate(X.R, node.inertia.h))
    return as_expr(-dot(tree.gravity, moment))


def _orthonormal(X: Pose) -> list[Expr]:
    """Return the six conditions RᵀR = 1."""
    e = transpose(X.R)
    return [as_expr(dot(e[i], e[j]) - int(i == j)) for i in range(3) for j in range(i + 1)]


def _joint_frames(node: Node, X_WP: Pose, X_WC: Pose) -> tuple[Pose, Pose]:
    """Return the joint's frame as the parent carries it, and as the child does."""
    return X_WP @ node.joint.placement, X_WC @ node.joint.after.inverse()


def _joint_constraints(node: Node, before: Pose, behind: Pose) -> list[Expr]:
    """Return what is zero between the joint's two frames, whatever the joint's position."""
    e, f = transpose(before.R), transpose(behind.R)
    offset = sub(behind.p, before.p)
    k = next((i for i in range(3) if node.joint.axis[i] != 0), 2)
    i, j = [n for n in range(3) if n != k]
    match node.joint.kind:
        case JointKind.REVOLUTE | JointKind.CONTINUOUS:
            # the origins meet, the axes stay parallel
            a = [*offset, dot(f[k], e[i]), dot(f[k], e[j])]
        case JointKind.PRISMATIC:
            # no turn, and no offset across the axis
            a = [*turn_between(before.R, behind.R), dot(offset, e[i]), dot(offset, e[j])]
        case _:
            a = [*offset, *turn_between(before.R, behind.R)]
    return [as_expr(x) for x in a]


def _apply(
    forces: dict[Expr, Expr],
    tau: Expr,
    node: Node,
    X_WP: Pose,
    X_WC: Pose,
    before: Pose,
    behind: Pose,
) -> None:
    """Add the joint's effort to both links: a torque about the axis, or a force along it."""
    axis = rotate(before.R, node.joint.axis)
    if node.joint.turn:
        _add_torque(forces, X_WC, scale(tau, axis))
        if node.parent:
            _add_torque(forces, X_WP, scale(-tau, axis))
        return
    # the line of action goes through the child's joint frame
    _add_force(forces, X_WC, behind.p, scale(tau, axis))
    if node.parent:
        _add_force(forces, X_WP, behind.p, scale(-tau, axis))


def _add_torque(forces: dict[Expr, Expr], X: Pose, n: Vec) -> None:
    """δω = ½ Σ eᵢ × δeᵢ over the columns e of R, so ½ n × eᵢ acts on the column eᵢ."""
    for column, e in enumerate(transpose(X.R)):
        f = cross(n, e)
        for row in range(3):
            x = X.R[row][column]
            forces[x] = forces.get(x, as_expr(0)) + f[row] / 2


def _add_force(forces: dict[Expr, Expr], X: Pose, point: Vec, f: Vec) -> None:
    """A force at a point: on the origin directly, and by its moment about it."""
    for x, value in zip(X.p, f, strict=True):
        forces[x] = forces.get(x, as_expr(0)) + value
    _add_torque(forces, X, cross(sub(point, X.p), f))


def _positions(mechanism: Mechanism, tree: Tree, poses: Sequence[Pose]) -> dict[Expr, Expr]:
    q, _ = symbolic_state(mechanism)
    h: dict[Expr, Expr] = {}
    for X, at in zip(poses[1:], forward_kinematics(tree, q)[1:], strict=True):
        pairs = [*zip(X.p, at.p, strict=True)]
        for row, values in zip(X.R, at.R, strict=True):
            pairs += zip(row, values, strict=True)
        h |= {x: as_expr(value) for x, value in pairs}
    return h
