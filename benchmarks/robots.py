"""The robots that every engine is timed on, and the random states they are timed at.

All of them are built here or come from `dalembert.textbook`, so that the benchmark runs everywhere.
Where the environment variable DALEMBERT_ZOO names a folder with the robot files of the project's
tests, a real humanoid is added.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dalembert as da
from dalembert.mechanism import Builder, Joint, JointKind, Mechanism
from dalembert.spatial.exact import exact_vector
from dalembert.spatial.pose import Pose

Array = NDArray[np.float64]
NUM_STATES = 256
CHAIN_LINKS = 100
ZOO_HUMANOID = "g1/g1_29dof_rev_1_0.urdf"


class States(NamedTuple):
    """Random states, one in each row: q, v, accelerations a and forces τ."""

    q: Array
    v: Array
    a: Array
    tau: Array


def random_states(mechanism: Mechanism, count: int = NUM_STATES, seed: int = 4) -> States:
    """Return states with angles in ±2 rad, unit quaternions, and the rest normally distributed."""
    rng = np.random.default_rng(seed)
    parts = []
    for joint in mechanism.moving_joints:
        if joint.is_scalar:
            parts.append(rng.uniform(-2, 2, (count, 1)))
            continue
        quaternion = rng.normal(size=(count, 4))
        quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
        parts += [rng.normal(size=(count, joint.nq - 4)), quaternion]
    v, a, tau = rng.normal(size=(3, count, mechanism.nv))
    return States(np.hstack(parts), v, a, tau)


def planar_2r() -> Mechanism:
    """Return two rods of 1 m in a vertical plane."""
    builder = Builder("planar_2r", gravity=(0, -9.81, 0))
    for i in (1, 2):
        _box(builder, f"link{i}", 2.0, (1.0, 0.05, 0.05), (0.5, 0, 0))
        builder.revolute(f"joint{i}", f"link{i}", origin=(i - 1, 0, 0))
    return builder.build()


def panda() -> Mechanism:
    """Return the Panda, 7R, without a hand."""
    return da.textbook.robots.panda()


def dual_arm() -> Mechanism:
    """Return two Pandas that hang on the shoulders of a fixed torso, 14 joints."""
    shoulders = {
        "left": Pose(((1, 0, 0), (0, 0, -1), (0, 1, 0)), exact_vector((0, 0.2, 1.2))),
        "right": Pose(((1, 0, 0), (0, 0, 1), (0, -1, 0)), exact_vector((0, -0.2, 1.2))),
    }
    arm = panda()
    links, joints = [arm.links[0]], []
    for side, X_WB in shoulders.items():
        links += [replace(link, name=f"{side}_{link.name}") for link in arm.links[1:]]
        joints += [_mounted(joint, side, arm.root, X_WB) for joint in arm.joints]
    return Mechanism("dual_arm", tuple(links), tuple(joints))


def _mounted(joint: Joint, side: str, root: str, X_WB: Pose) -> Joint:
    """Return a joint of the arm on this side."""
    at_root = joint.parent == root
    return replace(
        joint,
        name=f"{side}_{joint.name}",
        parent=root if at_root else f"{side}_{joint.parent}",
        child=f"{side}_{joint.child}",
        placement=X_WB @ joint.placement if at_root else joint.placement,
    )


# name of the part, axis, origin in the part before, mass, size, centre of mass; a man of 1.7 m
LEG = (
    ("hip_yaw", "z", (0, 0.09, -0.06), 1.2, (0.1, 0.1, 0.1), (0, 0, -0.03)),
    ("hip_roll", "x", (0, 0, -0.06), 1.6, (0.12, 0.1, 0.12), (0.01, 0, -0.02)),
    ("thigh", "y", (0, 0, -0.02), 6.5, (0.14, 0.13, 0.38), (0.005, 0.01, -0.18)),
    ("shank", "y", (0, 0, -0.4), 3.6, (0.1, 0.1, 0.38), (0.01, 0, -0.17)),
    ("ankle", "y", (0, 0, -0.4), 0.4, (0.05, 0.05, 0.05), (0, 0, -0.01)),
    ("foot", "x", (0, 0, -0.02), 1.1, (0.24, 0.1, 0.06), (0.04, 0, -0.03)),
)
ARM = (
    ("shoulder_pitch", "y", (0, 0.2, 0.4), 1.3, (0.1, 0.1, 0.1), (0, 0.02, 0)),
    ("shoulder_roll", "x", (0, 0.05, 0), 1.1, (0.1, 0.09, 0.1), (0, 0.01, -0.03)),
    ("upper_arm", "z", (0, 0, -0.08), 1.9, (0.08, 0.08, 0.24), (0, 0, -0.1)),
    ("forearm", "y", (0, 0, -0.2), 1.4, (0.07, 0.07, 0.28), (0.01, 0, -0.14)),
)
TRUNK = (
    ("waist", "z", (0, 0, 0.08), 1.5, (0.14, 0.2, 0.08), (0, 0, 0.03)),
    ("chest", "y", (0, 0, 0.06), 14.0, (0.2, 0.32, 0.42), (0.01, 0, 0.2)),
)
HEAD = (
    ("neck", "z", (0, 0, 0.45), 0.6, (0.06, 0.06, 0.08), (0, 0, 0.03)),
    ("head", "y", (0, 0, 0.06), 3.2, (0.18, 0.15, 0.22), (0.01, 0, 0.1)),
)


def humanoid() -> Mechanism:
    """Return a humanoid of 30 freedoms: six of the pelvis, legs 6, arms 4, waist 2, neck 2."""
    builder = Builder("humanoid")
    _box(builder, "pelvis", 8.0, (0.18, 0.26, 0.14), (0, 0, 0.02))
    builder.floating("base", "pelvis")
    _limb(builder, "left_", "pelvis", LEG, side=1)
    _limb(builder, "right_", "pelvis", LEG, side=-1)
    _limb(builder, "", "pelvis", TRUNK)
    _limb(builder, "left_", "chest", ARM, side=1)
    _limb(builder, "right_", "chest", ARM, side=-1)
    _limb(builder, "", "chest", HEAD)
    return builder.build()


def _limb(builder: Builder, prefix: str, parent: str, parts: Sequence, *, side: int = 1) -> None:
    """Hang a chain of boxes on a link; ``side`` -1 mirrors it at the x-z plane."""
    for name, axis, (x, y, z), mass, size, (cx, cy, cz) in parts:
        link = prefix + name
        _box(builder, link, mass, size, (cx, side * cy, cz))
        builder.revolute(f"{link}_joint", link, parent=parent, axis=axis, origin=(x, side * y, z))
        parent = link


def chain() -> Mechanism:
    """Return a chain of 100 rods of 10 cm, hinged about y and z in turn."""
    builder = Builder("chain_100")
    for i in range(CHAIN_LINKS):
        _box(builder, f"link{i}", 0.3, (0.1, 0.03, 0.03), (0.05, 0, 0))
        origin = (0.1 if i else 0, 0, 0)
        builder.revolute(f"joint{i}", f"link{i}", axis="yz"[i % 2], origin=origin)
    return builder.build()


def _box(
    builder: Builder, name: str, m: float, size: Sequence[float], com: Sequence[float]
) -> None:
    """Add a solid box: I_xx = m (b² + c²)/12 and so on."""
    a, b, c = (k * k for k in size)
    inertia = (m * (b + c) / 12, m * (a + c) / 12, m * (a + b) / 12)
    builder.link(name, mass=m, com=com, inertia=inertia)


def zoo_humanoid() -> Mechanism:
    """Return the zoo's humanoid of 29 joints on a floating base, without mimic and friction."""
    folder = Path(os.environ["DALEMBERT_ZOO"])
    robot = da.load(folder / ZOO_HUMANOID, repair={"limits", "names", "elements"})
    joints = [
        replace(joint, kind=JointKind.REVOLUTE, mimic=None)
        if joint.is_scalar and joint.kind is not JointKind.PRISMATIC
        else replace(joint, mimic=None)
        for joint in robot.joints
    ]
    bare = Mechanism(robot.name, robot.links, tuple(joints), robot.gravity)
    return bare.with_floating_base()


def robots() -> dict[str, Callable[[], Mechanism]]:
    """Return what can be timed, by the name on the command line."""
    known = {
        "2r": planar_2r,
        "panda": panda,
        "dual-arm": dual_arm,
        "humanoid": humanoid,
        "chain": chain,
    }
    if "DALEMBERT_ZOO" in os.environ:
        known["zoo-humanoid"] = zoo_humanoid
    return known
