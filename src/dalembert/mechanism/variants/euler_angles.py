"""Ball and free joints as chains of hinges and sliders, described by scalar coordinates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.link import Link
from dalembert.spatial.pose import Pose

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


BALL_AND_FREE = (JointKind.SPHERICAL, JointKind.FLOATING)


def with_euler_angles(
    mechanism: Mechanism, sequence: str = "zyx", kinds: Collection[JointKind] = BALL_AND_FREE
) -> Mechanism:
    """Return the mechanism with every spherical joint as three hinges about moving axes.

    A floating joint becomes three sliders x, y, z and three hinges. The links between have no
    mass. ``sequence`` names the axes in turn, such as "zyx" (yaw, pitch, roll) or "zxz"; where the
    middle angle makes the outer axes meet, the coordinates are singular. Joints of other than the
    ``kinds`` stay.
    """
    if (
        not isinstance(sequence, str)
        or len(sequence) != 3
        or any(a not in AXES for a in sequence)
        or _repeats(sequence)
    ):
        raise InvalidMechanism(
            f"expected three axes, each different from the one before, such as 'zyx' or 'zxz', "
            f"got {sequence!r}"
        )
    links, joints = list(mechanism.links), []
    for joint in mechanism.joints:
        if joint.kind not in kinds or joint.kind not in BALL_AND_FREE:
            joints.append(joint)
            continue
        chain, between = _chain(joint, sequence)
        joints += chain
        # behind the parent, so that order follows the tree
        links += between
    gone = {joint.name for joint in mechanism.joints} - {joint.name for joint in joints}
    lost = [x for x in mechanism.keyframes if gone & {name for name, _ in x.positions}]
    return replace(
        mechanism,
        links=tuple(links),
        joints=tuple(joints),
        keyframes=tuple(x for x in mechanism.keyframes if x not in lost),
        notes=(
            *mechanism.notes,
            *(f"keyframe {x.name!r} left out: it has a rotation as a quaternion" for x in lost),
        ),
    )


def _repeats(sequence: str) -> bool:
    return sequence[0] == sequence[1] or sequence[1] == sequence[2]


def _chain(joint: Joint, sequence: str) -> tuple[list[Joint], list[Link]]:
    steps = [(JointKind.CONTINUOUS, axis) for axis in sequence]
    if joint.kind is JointKind.FLOATING:
        steps = [*((JointKind.PRISMATIC, axis) for axis in "xyz"), *steps]
    if own := ("armature",) if joint.armature != 0 else joint.resistance.forces:
        raise InvalidMechanism(
            f"expected no {own[0]} on {joint.name!r} to describe it by Euler angles, got it: "
            "it acts on the angular velocity, of which no angle has an equal share"
        )
    chain, between = [], []
    parent = joint.parent
    for i, (kind, axis) in enumerate(steps):
        last = i == len(steps) - 1
        child = joint.child if last else f"{joint.name}_{i + 1}"
        if not last:
            between.append(Link(child))
        chain.append(
            Joint(
                f"{joint.name}_{'slide' if kind is JointKind.PRISMATIC else 'turn'}{i + 1}_{axis}",
                kind,
                parent,
                child,
                placement=joint.placement if i == 0 else Pose(),
                axis=AXES[axis],
                after=joint.after if last else Pose(),
                passive=joint.passive,
            )
        )
        parent = child
    return chain, between
