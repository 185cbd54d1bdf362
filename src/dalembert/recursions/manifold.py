"""Steps on the configuration manifold: quaternions stay quaternions, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.mechanism import JointKind
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial import se3
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.scalar import square_root
from dalembert.spatial.vectors import Scalar, Vec, add, ratio, rotate


def integrate(tree: Tree, q: Values, v: Values, dt: Scalar = 1) -> list[Scalar]:
    """Return the configuration after moving with the constant velocity v for the time dt.

    Scalar joints add; a ball turns by exp(ω dt) behind its orientation; a free body moves by the
    exponential of its body-fixed twist.
    """
    result: list[Scalar] = list(q)
    for node in tree.nodes:
        if not node.joint.nv:
            continue
        here = [q[i] for i in node.positions]
        step = [dt * v[i] for i in node.velocities]
        match node.joint.kind:
            case JointKind.SPHERICAL:
                # Q ∘ exp(ω dt)
                turn = quaternion.exp(_three(step))
                new: Sequence[Scalar] = quaternion.product(_four(here), turn)
            case JointKind.FLOATING:
                # X exp(V dt)
                new = _moved(here, step)
            case _:
                new = [here[0] + step[0]]
        for place, value in zip(node.positions, new, strict=True):
            result[place] = value
    return result


def configuration_rate(tree: Tree, q: Values, v: Values) -> list[Scalar]:
    """Return q̇ as numbers: of a quaternion ½ q ∘ ω, of a free body's place R u."""
    rate: list[Scalar] = [0] * tree.nq
    for node in tree.nodes:
        if not node.joint.nv:
            continue
        here, speed = [q[i] for i in node.positions], [v[i] for i in node.velocities]
        match node.joint.kind:
            case JointKind.SPHERICAL:
                # ½ Q ∘ (0, ω)
                new: Sequence[Scalar] = _quaternion_rate(here, speed)
            case JointKind.FLOATING:
                # ṗ = R u, and ½ Q ∘ (0, ω)
                R = quaternion.to_matrix(_four(here[3:]))
                new = [*rotate(R, _three(speed[:3])), *_quaternion_rate(here[3:], speed[3:])]
            case _:
                new = speed
        for place, value in zip(node.positions, new, strict=True):
            rate[place] = value
    return rate


def normalized(tree: Tree, q: Values) -> list[Scalar]:
    """Return q with its quaternions scaled to length one."""
    result: list[Scalar] = list(q)
    for node in tree.nodes:
        if node.joint.kind in (JointKind.SPHERICAL, JointKind.FLOATING):
            # Q / √(QᵀQ)
            places = node.positions[-4:]
            parts = [q[i] for i in places]
            inverse = ratio(1, square_root(sum((x * x for x in parts[1:]), parts[0] * parts[0])))
            for i, x in zip(places, parts, strict=True):
                result[i] = x * inverse
    return result


def _quaternion_rate(q: Sequence[Scalar], w: Sequence[Scalar]) -> list[Scalar]:
    return [ratio(x, 2) for x in quaternion.product(_four(q), (0, w[0], w[1], w[2]))]


def difference(tree: Tree, start: Values, end: Values) -> list[Scalar]:
    """Return the velocity v with integrate(start, v) = end, the shortest one."""
    v: list[Scalar] = [0] * tree.nv
    for node in tree.nodes:
        if not node.joint.nv:
            continue
        a, b = [start[i] for i in node.positions], [end[i] for i in node.positions]
        match node.joint.kind:
            case JointKind.SPHERICAL:
                # log(Q_a* ∘ Q_b)
                turn = quaternion.product(quaternion.conjugate(_four(a)), _four(b))
                step: Sequence[Scalar] = quaternion.log(turn)
            case JointKind.FLOATING:
                # log(X_A⁻¹ X_B)
                X_AB = _pose(a).inverse() @ _pose(b)
                linear, angular = se3.log(X_AB)
                step = [*linear, *angular]
            case _:
                step = [b[0] - a[0]]
        for place, value in zip(node.velocities, step, strict=True):
            v[place] = value
    return v


def _moved(here: Sequence[Scalar], step: Sequence[Scalar]) -> list[Scalar]:
    """Return position and quaternion after X · exp(twist)."""
    # p + R p(exp V), and Q ∘ exp ω
    X = se3.exp((_three(step[:3]), _three(step[3:])))
    R = quaternion.to_matrix(_four(here[3:]))
    position = add(_three(here[:3]), rotate(R, X.p))
    turn = quaternion.exp(_three(step[3:]))
    return [*position, *quaternion.product(_four(here[3:]), turn)]


def _pose(values: Sequence[Scalar]) -> Pose:
    return Pose(quaternion.to_matrix(_four(values[3:])), _three(values[:3]))


def _three(x: Sequence[Scalar]) -> Vec:
    return x[0], x[1], x[2]


def _four(x: Sequence[Scalar]) -> quaternion.Quaternion:
    return x[0], x[1], x[2], x[3]
