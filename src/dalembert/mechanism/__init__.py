"""Mechanisms: links, joints, loops, and the files that describe them."""

from dalembert.mechanism.builder import Builder
from dalembert.mechanism.joint import Joint, JointKind, Limits, Mimic
from dalembert.mechanism.link import Link
from dalembert.mechanism.mechanism import Coupling, Frame, Loop, Mechanism

__all__ = [
    "Builder",
    "Coupling",
    "Frame",
    "Joint",
    "JointKind",
    "Limits",
    "Link",
    "Loop",
    "Mechanism",
    "Mimic",
]
