"""Maximal coordinates: every link by itself, every joint as constraints.

A link is described by the position x of its frame and the nine entries of its rotation matrix R
("natural coordinates"): the kinetic energy of links has constant coefficients, joints and
orthogonality are polynomial constraints, and the positions h(q) of a tree are what forward
kinematics gives. What acts on a joint's position (springs, friction, armature, couplings, mimic
joints, screws) finds it in the poses of the two links: see `robots.joint_positions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from dalembert.expr import Expr, as_expr, coordinates, ddt, sqrt, total
from dalembert.mechanics.robots.equations import applied_torques, scalar_joints, symbolic_state
from dalembert.mechanics.robots.joint_positions import JointFrames
from dalembert.mechanics.system.system import System
from dalembert.mechanism import JointKind, JointSpring, Mechanism, PointSpring
from dalembert.mechanism.moved_inertia import require_inertia
from dalembert.mechanism.parts.spring import Fastened
from dalembert.recursions.dynamics.newton_euler import armature
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.resistance.forces import dissipation, dry_forces
from dalembert.recursions.resistance.measures import displacement
from dalembert.recursions.resistance.spring_inertia import spring_kinetic_energy
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.recursions.tree import Node, Tree
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import (
    Scalar,
    Vec,
    add,
    cross,
    dot,
    ratio,
    rotate,
    scale,
    sub,
    transpose,
)


class MaximalForm(NamedTuple):
    """The system in maximal coordinates, and h: each of them as a function of the joints' q."""

    system: System
    positions: dict[Expr, Expr]


def maximal_form(mechanism: Mechanism) -> MaximalForm:
    """Return the system of single links, with one set of constraints for each joint.

    Springs, dampers, friction, rotors, loops, couplings, mimic and helical joints act as they do in
    `Mechanism.equations`. Where they ask for the angle of a joint, it is that of an atan2: they are
    right while the angle stays within π of the joint's reference.
    """
    scalar_joints(mechanism)
    require_inertia(mechanism)
    tree = Tree.of(mechanism)
    nodes = [node for node in tree.nodes if not node.joint.spins]
    poses = [Pose(), *(_link_pose(i) for i in range(1, len(nodes) + 1))]
    unknowns = [x for X in poses[1:] for x in (*X.p, *X.R[0], *X.R[1], *X.R[2])]
    links = list(zip(nodes, poses[1:], strict=True))
    joints = [JointFrames.of(node, poses[node.parent], X) for node, X in links]
    q = [joint.position for joint in joints if joint.node.joint.nv]
    v = [ddt(x) for x in q]
    T = total([_kinetic(node, X) for node, X in links]) + _rotors(tree, poses, v)
    V = total([_weight(tree, node, X) for node, X in links])
    # springs between frames see the links, all else the joints
    points = [s for s in tree.springs if not isinstance(s, JointSpring)]
    others = replace(tree, springs=tuple(s for s in tree.springs if isinstance(s, JointSpring)))
    ends = [_ends(tree, spring, poses) for spring in points]
    V = V + spring_energy(others, q)
    R = as_expr(dissipation(others, q, v))
    T = T + spring_kinetic_energy(others, q, v)
    for spring, (X_1, X_2) in zip(points, ends, strict=True):
        if isinstance(spring, PointSpring):
            d = sub(X_2.p, X_1.p)
            V, R = V + _stretched(spring, d), R + _along(spring.damping, d)
            T = T + _along(spring.armature, d)
        x = _extensions(spring, X_1, X_2)
        if spring.potential is not None:
            V = V + spring.potential.at(x)
        if spring.dissipation is not None:
            R = R + spring.dissipation.at(x, [ddt(k) for k in x])
    constraints = [a for X in poses[1:] for a in _orthonormal(X)]
    for joint in joints:
        constraints += _joint_constraints(joint, q)
    residual = tree.residual(q, poses)
    constraints += [as_expr(residual[row.place]) for row in tree.constraint_rows]
    forces: dict[Expr, Expr] = {}
    moving = [
        (joint, X) for joint, (_, X) in zip(joints, links, strict=True) if joint.node.joint.nv
    ]
    efforts = zip(applied_torques(tree), dry_forces(tree, v), strict=True)
    for (joint, X), (tau, dry) in zip(moving, efforts, strict=True):
        _apply(forces, tau + dry, joint, poses[joint.node.parent], X)
    system = System(
        coordinates=unknowns,
        kinetic=T,
        potential=as_expr(V),
        forces=[forces.get(x, as_expr(0)) for x in unknowns],
        dissipation=R,
        constraints=constraints,
    )
    return MaximalForm(system, _positions(mechanism, tree, poses))


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


def _rotors(tree: Tree, poses: Sequence[Pose], v: Sequence[Expr]) -> Expr:
    """Return T of armatures, and of rotors that spin in their hosts: ½ J (aᵀω + r q̇)²."""
    parts = []
    for node in tree.nodes:
        if not node.velocities:
            continue
        rate = v[node.velocities[0]]
        if node.joint.spins:
            a = rotate(node.joint.placement.R, node.joint.axis)
            spin = dot(a, _angular_velocity(poses[node.parent])) + node.multiplier * rate
            J = dot(node.joint.axis, rotate(node.inertia.tensor, node.joint.axis))
            parts.append(J * spin**2 / 2)
        elif not is_zero(armature(node)):
            parts.append(as_expr(armature(node)) * rate**2 / 2)
    return total(parts)


def _angular_velocity(X: Pose) -> Vec:
    """Return ω in the link's own axes: ωᵢ = eₖᵀ ėⱼ for the columns e of R, i j k in turn."""
    e = transpose(X.R)
    rate = [[ddt(x) for x in column] for column in e]
    x, y, z = (dot(e[(i + 2) % 3], rate[(i + 1) % 3]) for i in range(3))  # type: ignore[arg-type]
    return x, y, z


def _ends(tree: Tree, spring: Fastened, poses: Sequence[Pose]) -> tuple[Pose, Pose]:
    """Return the first and the second end of a spring in the world."""
    first, second = (
        poses[tree.numbers[f.link]] @ f.placement for f in (spring.first, spring.second)
    )
    return first, second


def _extensions(spring: Fastened, X_1: Pose, X_2: Pose) -> list[Expr]:
    """Return what the laws of a spring are functions of."""
    if isinstance(spring, PointSpring):
        d = sub(X_2.p, X_1.p)
        return [sqrt(as_expr(dot(d, d))) - spring.rest_length]
    shift, turn, _ = displacement(X_1, X_2)
    return [as_expr(k) for k in (*shift, *turn)]


def _stretched(spring: PointSpring, d: Vec) -> Expr:
    """Return ½ k (l - l₀)², without a root where l₀ = 0."""
    square = as_expr(dot(d, d))
    if not is_zero(spring.rest_length):
        square = (sqrt(square) - spring.rest_length) ** 2
    return as_expr(spring.stiffness * square) / 2


def _along(c: Scalar, d: Vec) -> Expr:
    """Return ½ c l̇² = ½ c (dᵀḋ)² / dᵀd of damping or armature."""
    if is_zero(c):
        return as_expr(0)
    square = as_expr(dot(d, d))
    return as_expr(c) * (ddt(square) / 2) ** 2 / (2 * square)


def _joint_constraints(joint: JointFrames, q: Sequence[Expr]) -> list[Expr]:
    """Return what is zero between the joint's two frames, of a mimic joint with its position."""
    node = joint.node
    found = joint.constraints()
    if node.joint.mimic:
        return found + joint.at(node.position(q))
    if node.joint.kind is JointKind.HELICAL:
        found.append(joint.pitched(joint.position - node.joint.reference))
    return found


def _apply(
    forces: dict[Expr, Expr], effort: Expr, joint: JointFrames, X_WP: Pose, X_WC: Pose
) -> None:
    """Add the joint's effort to both links: a torque about the axis, or a force along it."""
    axis, has_parent = joint.axis, joint.node.parent > 0
    if joint.node.joint.turn:
        _add_torque(forces, X_WC, scale(effort, axis))
        if has_parent:
            _add_torque(forces, X_WP, scale(-effort, axis))
        return
    # the line of action goes through the child's joint frame
    _add_force(forces, X_WC, joint.behind.p, scale(effort, axis))
    if has_parent:
        _add_force(forces, X_WP, joint.behind.p, scale(-effort, axis))


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
    # rotors come last, and have no coordinates
    for X, at in zip(poses[1:], forward_kinematics(tree, q)[1:], strict=False):
        pairs = [*zip(X.p, at.p, strict=True)]
        for row, values in zip(X.R, at.R, strict=True):
            pairs += zip(row, values, strict=True)
        h |= {x: as_expr(value) for x, value in pairs}
    return h
