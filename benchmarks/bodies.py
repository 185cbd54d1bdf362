"""A mechanism as plain bodies on joints, as engines with a C interface take it.

Fixed links are lumped into what carries them, and every axis is a positive coordinate axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Joint, JointKind, Mechanism
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose

Array = NDArray[np.float64]
HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)


class Body(NamedTuple):
    """A joint with all that is rigidly behind it.

    ``parent`` counts from 1, 0 is the world; ``axis`` is 0, 1 or 2, of no meaning for spherical and
    floating joints. The inertia is about the centre of mass, in the axes behind the joint.
    """

    name: str
    parent: int
    kind: JointKind
    axis: int
    rotation: Array
    translation: Array
    mass: float
    com: Array
    inertia: Array
    armature: float

    @property
    def nv(self) -> int:
        """How many velocities the joint has."""
        return {JointKind.SPHERICAL: 3, JointKind.FLOATING: 6}.get(self.kind, 1)


def bodies(mechanism: Mechanism) -> list[Body]:
    """Return the bodies branch by branch, as Pinocchio's algorithms need them.

    Raises:
        InvalidMechanism: mimic or helical joints, loops, parameters without values, mass on the
            root: the peers would see another robot.
    """
    return _trees(mechanism)[0]


def link_places(mechanism: Mechanism) -> dict[str, tuple[int, Pose]]:
    """Return for each link the number of the body that carries it, 0 for the root, and X_BL."""
    return _trees(mechanism)[1]


def _trees(mechanism: Mechanism) -> tuple[list[Body], dict[str, tuple[int, Pose]]]:
    _require_plain(mechanism)
    # where each link is: the body that carries it, and its frame there
    place: dict[str, tuple[int, Pose]] = {mechanism.root: (0, Pose())}
    joints: list[tuple[Joint, int, int, Pose]] = []
    lumps: list[Inertia] = []
    for joint in depth_first(mechanism):
        above, X_AP = place[joint.parent]
        X_AJ = X_AP @ joint.placement
        if joint.kind is JointKind.FIXED:
            number, X_BC = above, X_AJ @ joint.after
        else:
            # a turn F that makes the axis positive: J rot(-e) = J F rot(e) F⁻¹
            F, axis = _positive(joint)
            number, X_BC = len(joints) + 1, F.inverse() @ joint.after
            joints.append((joint, above, axis, X_AJ @ F))
            lumps.append(NO_INERTIA)
        place[joint.child] = (number, X_BC)
        if number:
            moved = mechanism.link(joint.child).inertia.moved(X_BC)
            lumps[number - 1] = lumps[number - 1] + moved
    found = [_body(*joint, lump) for joint, lump in zip(joints, lumps, strict=True)]
    return found, place


def depth_first(mechanism: Mechanism) -> list[Joint]:
    """Return all joints branch by branch, branches in the order of the mechanism."""
    children: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    pending, order = children.get(mechanism.root, [])[::-1], []
    while pending:
        joint = pending.pop()
        order.append(joint)
        pending += children.get(joint.child, [])[::-1]
    return order


def _require_plain(mechanism: Mechanism) -> None:
    odd = [j.name for j in mechanism.joints if j.mimic or j.kind is JointKind.HELICAL or j.spins]
    odd += [part.name for part in (*mechanism.loops, *mechanism.couplings, *mechanism.actuators)]
    if odd or mechanism.parameters:
        what = odd[0] if odd else f"parameter {mechanism.parameters[0]}"
        raise InvalidMechanism(
            f"expected a tree of hinges, sliders, ball and free joints with numbers only, got "
            f"{what!r} in {mechanism.name}"
        )


def _positive(joint: Joint) -> tuple[Pose, int]:
    """Return the half turn that takes a joint's axis to a positive one, and which one it is."""
    axis = int(np.abs(np.array(joint.axis, dtype=float)).argmax())
    if not joint.is_scalar or joint.axis[axis] > 0:
        return Pose(), axis
    d = [-1 if k in (axis, (axis + 1) % 3) else 1 for k in range(3)]
    return Pose(((d[0], 0, 0), (0, d[1], 0), (0, 0, d[2]))), axis


def _body(joint: Joint, parent: int, axis: int, X: Pose, lump: Inertia) -> Body:
    kind = JointKind.REVOLUTE if joint.kind in HINGES else joint.kind
    return Body(
        joint.name,
        parent,
        kind,
        axis,
        np.array(X.R, dtype=float),
        np.array(X.p, dtype=float),
        float(lump.m),
        np.array(lump.com(), dtype=float),
        np.array(lump.about_com(), dtype=float),
        float(joint.armature),
    )
