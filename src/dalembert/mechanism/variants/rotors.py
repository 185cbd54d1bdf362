"""Rotors of actuators as armature and links, so that every recursion includes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import Joint, JointKind, Mimic, unit_axis
from dalembert.mechanism.parts.link import Link
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Vec, rotate

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism


def with_rotors(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with its rotors in joints and links; actuators keep their friction.

    A rotor becomes armature r² J of its joint, or, when gyroscopic, a link of its own: a child of
    the host that spins by r q about its axis, with inertia J about that axis alone, which the host
    gives away.
    """
    if not any(actuator.has_rotor for actuator in mechanism.actuators):
        return mechanism
    links = {link.name: link for link in mechanism.links}
    joints = {joint.name: joint for joint in mechanism.joints}
    for actuator in (a for a in mechanism.actuators if a.has_rotor):
        driven, r, J = joints[actuator.joint], actuator.gear_ratio, actuator.rotor_inertia
        host = actuator.host or driven.parent
        if actuator.gyroscopic and host != mechanism.root:
            # T = ½ J (aᵀω + r q̇)² - ½ J (aᵀω)²: a link that spins, less J at rest in the host
            joint, a = _rotor_joint(actuator, driven, host)
            joints[joint.name] = joint
            links[joint.child] = Link(joint.child, Inertia.about_axis(joint.axis, J), True)
            links[host] = replace(
                links[host], inertia=links[host].inertia + Inertia.about_axis(a, -J)
            )
        else:
            # T = ½ J r² q̇²
            joints[driven.name] = replace(driven, armature=driven.armature + r * r * J)
    return replace(
        mechanism,
        links=tuple(links.values()),
        joints=tuple(joints.values()),
        actuators=tuple(
            replace(a, rotor_inertia=0, gyroscopic=False, host=None, axis=None)
            for a in mechanism.actuators
        ),
    )


def _rotor_joint(actuator: Actuator, driven: Joint, host: str) -> tuple[Joint, Vec]:
    """Return the joint of a rotor on its host, and its axis there."""
    if actuator.axis is None:
        axis, placement = driven.axis, Pose(driven.placement.R, ZERO)
    else:
        where = f"the rotor of {actuator.name!r}"
        axis, placement, _ = unit_axis(actuator.axis, Pose(), Pose(), where)
    name = f"{actuator.name}_rotor"
    mimic = Mimic(driven.name, actuator.gear_ratio)
    joint = Joint(name, JointKind.REVOLUTE, host, name, placement, axis, mimic=mimic, spins=True)
    return joint, rotate(placement.R, axis)
