"""Mechanisms: links, joints, loops, and the files that describe them."""

from dalembert.mechanism.builder import Builder
from dalembert.mechanism.mechanism import Coupling, Loop, Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, Mimic
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    Shape,
    Sphere,
)
from dalembert.mechanism.parts.spring import Bushing, JointSpring, PointSpring, Spring

__all__ = [
    "Actuator",
    "Box",
    "Builder",
    "Bushing",
    "Capsule",
    "Coupling",
    "Cylinder",
    "Ellipsoid",
    "Frame",
    "Joint",
    "JointKind",
    "JointSpring",
    "Keyframe",
    "Limits",
    "Link",
    "Loop",
    "Mechanism",
    "Mesh",
    "Mimic",
    "PointSpring",
    "Resistance",
    "Shape",
    "Sphere",
    "Spring",
]
