"""A mechanism as the recursions see it: links in order, each with its joint's motion.

Every joint's motion subspace S is constant in the child's frame, whatever the joint: a twist column
(linear, angular) for each velocity. So one recursion serves all joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dalembert.mechanism import Joint, JointKind, Mechanism
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import sincos
from dalembert.spatial.vectors import ZERO, Vec, add, cross, scale, unrotate

Column = tuple[Vec, Vec]
"""A twist (linear, angular) in the frame of the child."""

Values = Any
"""Scalars by place: a list, or an array whose first axis is the place."""


class Node(NamedTuple):
    """A link of the tree with the joint above it.

    ``parent`` is the number of the parent link (0 is the root); ``columns`` are the twists S of
    the joint's velocities and ``velocities`` their places in v; ``positions`` the places in q.
    A mimic joint shares the place of the joint it follows, with q = multiplier · q + offset. A
    joint that spins has no positions: the pose does not depend on them.
    """

    name: str
    parent: int
    joint: Joint
    inertia: Inertia
    positions: tuple[int, ...]
    velocities: tuple[int, ...]
    columns: tuple[Column, ...]
    multiplier: Any
    offset: Any


class Tree:
    """All links of a mechanism, parents first; the root has number 0 and is not listed.

    ``potential_constant`` is the potential energy of what was moved to the root, which the links
    no longer show: zero unless the tree is a `reduced` one.
    """

    def __init__(self, mechanism: Mechanism, potential_constant: Any = 0) -> None:
        self.potential_constant = potential_constant
        # rotors of actuators become armature or links behind all others
        self.mechanism = mechanism = mechanism.with_rotors()
        self.gravity = mechanism.gravity
        self.nq, self.nv = mechanism.nq, mechanism.nv
        self.numbers = {mechanism.root: 0}
        self.nodes: list[Node] = []
        places = _places(mechanism)
        for joint in mechanism.joints:
            q, v, k, c = places[joint.name]
            columns = tuple((scale(k, a), scale(k, b)) for a, b in motion_columns(joint))
            self.numbers[joint.child] = len(self.nodes) + 1
            self.nodes.append(
                Node(
                    joint.child,
                    self.numbers[joint.parent],
                    joint,
                    mechanism.link(joint.child).inertia,
                    () if joint.spins else q,
                    v,
                    columns if v else (),
                    k,
                    c,
                )
            )

    def poses(self, q: Values) -> list[Pose]:
        """Return X_PC of every node at the configuration q."""
        return [node_pose(node, q) for node in self.nodes]

    def path(self, number: int) -> Iterator[int]:
        """Yield the indices of the nodes from a link up to the root."""
        while number:
            yield number - 1
            number = self.nodes[number - 1].parent

    def over(self, convert: Callable[[Any], Any]) -> Tree:
        """Return the tree with every number converted to another scalar."""
        return Tree(self.mechanism.map_scalars(convert), convert(self.potential_constant))


def _places(mechanism: Mechanism) -> dict[str, tuple[tuple[int, ...], tuple[int, ...], Any, Any]]:
    """Return for each joint its places in q and v, and multiplier and offset of a mimic chain."""
    places: dict[str, tuple[tuple[int, ...], tuple[int, ...], Any, Any]] = {}
    q = v = 0
    for joint in mechanism.joints:
        if joint.mimic is None:
            nq, nv = joint.nq, joint.nv
            places[joint.name] = (tuple(range(q, q + nq)), tuple(range(v, v + nv)), 1, 0)
            q, v = q + nq, v + nv
    for joint in mechanism.joints:
        if joint.mimic is not None:
            master, k, c = mechanism.master_of(joint)
            q_places, v_places, *_ = places[master.name]
            places[joint.name] = (q_places, v_places, k, c)
    return places


def motion_columns(joint: Joint) -> list[Column]:
    """Return the twists of the child's frame for unit velocities, in that frame.

    Behind the joint, at X_JC = after: angular Rᵀw and linear Rᵀ(u + w × p).
    """
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    match joint.kind:
        case JointKind.FIXED:
            twists: list[Column] = []
        case JointKind.SPHERICAL:
            twists = [(ZERO, axis) for axis in axes]
        case JointKind.FLOATING:
            twists = [*((axis, ZERO) for axis in axes), *((ZERO, axis) for axis in axes)]
        case _:
            twists = [(scale(joint.slide, joint.axis), scale(joint.turn, joint.axis))]
    R, p = joint.after
    if joint.after.is_identity:
        return twists
    return [(unrotate(R, add(u, cross(w, p))), unrotate(R, w)) for u, w in twists]


def node_pose(node: Node, q: Values) -> Pose:
    """Return X_PC = placement · motion(q) · after."""
    joint = node.joint
    values = [q[i] for i in node.positions]
    motion = joint_motion(joint, values, node.multiplier, node.offset) if values else None
    X = joint.placement if motion is None else joint.placement @ motion
    return X if joint.after.is_identity else X @ joint.after


def joint_motion(joint: Joint, values: Sequence[Any], k: Any = 1, c: Any = 0) -> Pose | None:
    """Return the motion of the joint itself; None for a fixed one."""
    match joint.kind:
        case JointKind.FIXED:
            return None
        case JointKind.SPHERICAL:
            w, x, y, z = values
            return Pose(quaternion.to_matrix((w, x, y, z)), ZERO)
        case JointKind.FLOATING:
            x, y, z, a, b, c, d = values
            return Pose(quaternion.to_matrix((a, b, c, d)), (x, y, z))
        case _:
            x = _affine(values[0], k, c - joint.reference)
            R = axis_rotation(joint.axis, *sincos(x)) if joint.turn else Pose().R
            slides = not (isinstance(joint.slide, int) and joint.slide == 0)
            return Pose(R, scale(joint.slide * x, joint.axis) if slides else ZERO)


def _affine(x: Any, k: Any, c: Any) -> Any:
    """Return k x + c without touching x when nothing changes."""
    if not (isinstance(k, int) and k == 1):
        x = k * x
    return x if isinstance(c, int) and c == 0 else x + c
