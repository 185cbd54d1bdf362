"""A mechanism with a spring between the drive of a joint and its link."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.parts.joint import Limits
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.spring import JointSpring
from dalembert.spatial.exact import exact
from dalembert.types import Scalar

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism


def with_elastic_joint(
    mechanism: Mechanism, joint: str, *, stiffness: Scalar, damping: Scalar = 0
) -> Mechanism:
    """Return the mechanism with a spring between the drive of a joint and its link.

    The drive gets a coordinate of its own, θ, the motor's angle divided by the gear ratio: joint
    ``<joint>_motor``, behind all others. V gets ½ stiffness (q - θ)². Actuators and armature of the
    joint move to θ; damping, friction and springs of the joint stay on q.

    Reference: Spong, Modeling and control of elastic joint robots (1987); SUSTech example 2.
    """
    link_side = mechanism.joint(joint)
    if not link_side.is_scalar or link_side.mimic:
        raise InvalidMechanism(
            f"expected a joint with one position of its own to be elastic, got {joint!r} "
            f"({'a mimic' if link_side.mimic else link_side.kind.value} joint)"
        )
    driven = [a for a in mechanism.actuators if a.joint == joint and a.has_rotor]
    armature = link_side.armature
    if not driven and isinstance(armature, int) and armature == 0:
        raise InvalidMechanism(
            f"expected a rotor behind the elastic joint {joint!r}, got none: a motor without "
            "inertia has no equation of motion; give the joint an actuator with rotor_inertia"
        )
    motor = f"{joint}_motor"
    drive = replace(link_side, name=motor, child=motor, limits=Limits(), resistance=Resistance())
    return replace(
        mechanism,
        links=(*mechanism.links, Link(motor)),
        joints=(
            *(replace(j, armature=0) if j.name == joint else j for j in mechanism.joints),
            drive,
        ),
        actuators=tuple(
            replace(
                a,
                joint=motor if a.joint == joint else a.joint,
                others=tuple((motor if x == joint else x, k) for x, k in a.others),
            )
            for a in mechanism.actuators
        ),
        springs=(
            *mechanism.springs,
            JointSpring(
                f"{joint}_spring",
                ((joint, 1), (motor, -1)),
                exact(stiffness),
                damping=exact(damping),
            ),
        ),
        keyframes=tuple(
            # the spring is at rest
            x._replace(
                positions=(*x.positions, *((motor, at) for j, at in x.positions if j == joint))
            )
            for x in mechanism.keyframes
        ),
    )
