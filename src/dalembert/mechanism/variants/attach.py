"""Two mechanisms made one: another robot, hand or tool fixed to a frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.given import pose
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.variants.rename import KINDS, fresh_name, names_of, renamed
from dalembert.spatial.pose import Pose

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism
    from dalembert.types import ArrayLike

NO_POSE = Pose()


def attached(
    mechanism: Mechanism,
    other: Mechanism,
    frame: str,
    *,
    prefix: str = "",
    placement: Pose | ArrayLike = NO_POSE,
    joint: str | None = None,
) -> Mechanism:
    """Return the mechanism with another one, whose root is fixed to a frame.

    Coordinates of the other come behind those of the mechanism. Symbols with the same name are the
    same parameter. Gravity stays that of the mechanism.

    Args:
        mechanism: What carries.
        other: What is carried.
        frame: Where: a frame or link of the mechanism.
        prefix: Put before every name of the other.
        placement: The root of the other in the frame, a Pose or a 4 × 4 matrix. Default: the
            frame itself.
        joint: The name of the fixed joint; ``<root>_mount`` unless given.

    >>> import dalembert as da
    >>> arm, hand = da.textbook.robots.ur5e(), da.textbook.robots.planar_arm_nr(2)
    >>> both = arm.attach(hand, "link6", prefix="hand_")
    >>> both.nv, both.joint("hand_world_mount").parent
    (8, 'link6')

    Raises:
        UnknownName: there is no such frame.
        InvalidMechanism: both have a part of the same kind and name.
    """
    at = mechanism.frame(frame)
    load = renamed(other, prefix=prefix)
    _require_distinct(mechanism, load)
    name = joint or fresh_name(f"{load.root}_mount", mechanism, load)
    mount = Joint(
        name, JointKind.FIXED, at.link, load.root, at.placement @ pose(placement, "placement=")
    )
    return replace(
        mechanism,
        links=(*mechanism.links, *load.links),
        joints=(*mechanism.joints, mount, *load.joints),
        **{kind: getattr(mechanism, kind) + getattr(load, kind) for kind in KINDS[2:]},
        notes=(*mechanism.notes, *(f"{load.root}: {note}" for note in load.notes)),
        accept_nonphysical=mechanism.accept_nonphysical or load.accept_nonphysical,
    )


def _require_distinct(mechanism: Mechanism, load: Mechanism) -> None:
    for kind in KINDS:
        known = names_of(mechanism, kind)
        twice = [part.name for part in getattr(load, kind) if part.name in known]
        if twice:
            raise InvalidMechanism(
                f"expected {kind} of {load.name} with other names than those of {mechanism.name}, "
                f"got {', '.join(map(repr, twice[:4]))} in both: give a prefix="
            )
