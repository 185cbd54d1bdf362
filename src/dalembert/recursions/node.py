"""A link with the joint above it: where the joint puts it, and how it moves.

Every joint's motion subspace S is constant in the child's frame, whatever the joint: a twist column
(linear, angular) for each velocity. So one recursion serves all joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from dalembert.expr.data import packable
from dalembert.mechanism import Joint, JointKind
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import sincos
from dalembert.spatial.vectors import IDENTITY, ZERO, Scalar, Vec, add, cross, scale, unrotate

Column = tuple[Vec, Vec]
"""A twist (linear, angular) in the frame of the child."""


class Values(Protocol):
    """Scalars by place: a list, or an array whose first axis is the place."""

    def __getitem__(self, place: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...


@packable
@dataclass(frozen=True)
class Node:
    """A link of the tree with the joint above it.

    ``parent`` is the number of the parent link (0 is the root); ``positions`` are the joint's
    places in q and ``velocities`` those in v. A mimic joint shares the places of the joint that it
    follows, with q = multiplier · q + offset. A joint that spins has no positions: the pose does
    not depend on them.
    """

    name: str
    parent: int
    joint: Joint
    inertia: Inertia
    positions: tuple[int, ...]
    velocities: tuple[int, ...]
    multiplier: Scalar = 1
    offset: Scalar = 0

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The twists S of the joint's velocities, those of a mimic joint times its multiplier."""
        if not self.velocities:
            return ()
        k = self.multiplier
        return tuple((scale(k, u), scale(k, w)) for u, w in motion_columns(self.joint))

    def position(self, q: Values) -> Scalar:
        """Return a scalar joint's own position: of a mimic joint k q + c."""
        return self.multiplier * q[self.positions[0]] + self.offset

    def pose(self, q: Values) -> Pose:
        """Return X_PC = placement · motion(q) · after."""
        joint, values = self.joint, [q[i] for i in self.positions]
        X = joint.placement
        motion = joint_motion(joint, values, self.multiplier, self.offset) if values else None
        if motion is not None:
            X = X @ motion
        return X if joint.after.is_identity else X @ joint.after

    def map(self, f: Callable[[Any], Any]) -> Node:
        """Return the node with f applied to every number; a joint of its own keeps its 1 and 0."""
        joint, inertia = self.joint.map(f), self.inertia.map(f)
        if joint.mimic is None:
            return replace(self, joint=joint, inertia=inertia)
        k, c = f(self.multiplier), f(self.offset)
        return replace(self, joint=joint, inertia=inertia, multiplier=k, offset=c)


def motion_columns(joint: Joint) -> list[Column]:
    """Return the twists of the child's frame for unit velocities, in that frame.

    Behind the joint, at X_JC = after: angular Rᵀw and linear Rᵀ(u + w × p).
    """
    # twists of the joint's own frame
    match joint.kind:
        case JointKind.FIXED:
            twists: list[Column] = []
        case JointKind.SPHERICAL:
            twists = [(ZERO, axis) for axis in IDENTITY]
        case JointKind.FLOATING:
            twists = [*((axis, ZERO) for axis in IDENTITY), *((ZERO, axis) for axis in IDENTITY)]
        case _:
            twists = [(scale(joint.slide, joint.axis), scale(joint.turn, joint.axis))]
    # the same motions at the child's origin, in its axes
    R, p = joint.after
    if joint.after.is_identity:
        return twists
    return [(unrotate(R, add(u, cross(w, p))), unrotate(R, w)) for u, w in twists]


def joint_motion(
    joint: Joint, values: Sequence[Scalar], k: Scalar = 1, c: Scalar = 0
) -> Pose | None:
    """Return the motion of the joint itself; None for a fixed one."""
    match joint.kind:
        case JointKind.FIXED:
            return None
        case JointKind.SPHERICAL:
            w, x, y, z = values
            return Pose(quaternion.to_matrix((w, x, y, z)), ZERO)
        case JointKind.FLOATING:
            x, y, z, *q = values
            return Pose(quaternion.to_matrix((q[0], q[1], q[2], q[3])), (x, y, z))
        case _:
            # turn and slide by k q + c - reference
            x = _affine(values[0], k, c - joint.reference)
            R = axis_rotation(joint.axis, *sincos(x)) if joint.turn else IDENTITY
            slides = not (isinstance(joint.slide, int) and joint.slide == 0)
            return Pose(R, scale(joint.slide * x, joint.axis) if slides else ZERO)


def _affine(x: Scalar, k: Scalar, c: Scalar) -> Scalar:
    """Return k x + c without touching x when nothing changes."""
    if not (isinstance(k, int) and k == 1):
        x = k * x
    return x if isinstance(c, int) and c == 0 else x + c
