"""The robots and their plain form are the same for every engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.bodies import bodies, depth_first
from benchmarks.peers.base import TASKS, Case
from benchmarks.reference import TOLERANCE, Reference
from benchmarks.robots import chain, dual_arm, humanoid, panda, planar_2r, random_states
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Builder, JointKind, Mechanism
from tests.random_mechanisms import random_mechanism

KINDS = ("revolute", "continuous", "prismatic", "spherical", "floating", "fixed")
TREES = 20


@pytest.mark.parametrize(
    ("make", "freedoms"), [(planar_2r, 2), (panda, 7), (dual_arm, 14), (humanoid, 30), (chain, 100)]
)
def test_sizes(make: Any, freedoms: int) -> None:
    robot = make()
    assert robot.nv == freedoms
    assert sum(body.nv for body in bodies(robot)) == freedoms
    assert [body.name for body in bodies(robot)] == [joint.name for joint in robot.moving_joints]


def test_humanoid_is_mirrored() -> None:
    by_name = {body.name: body for body in bodies(humanoid())}
    for name, left in by_name.items():
        if name.startswith("left_"):
            right = by_name["right_" + name.removeprefix("left_")]
            assert right.mass == left.mass
            np.testing.assert_allclose(right.com, left.com * (1, -1, 1), atol=1e-15)
            np.testing.assert_allclose(right.translation, left.translation * (1, -1, 1))


def test_states_have_unit_quaternions_and_repeat() -> None:
    robot = humanoid()
    states = random_states(robot, 10)
    assert states.q.shape == (10, 31)
    np.testing.assert_allclose(np.linalg.norm(states.q[:, 3:7], axis=1), 1)
    assert all((x == y).all() for x, y in zip(states, random_states(robot, 10), strict=True))


def random_trees(rng: np.random.Generator, count: int) -> Iterator[Mechanism]:
    """Yield trees of every kind of joint that all engines have."""
    while count:
        robot = random_mechanism(rng, int(rng.integers(2, 7)), kinds=KINDS)
        joints = tuple(
            # Pinocchio's armature of a free joint is another one
            replace(joint, mimic=None, armature=0 if joint.kind is JointKind.FLOATING else 1)
            for joint in robot.joints
        )
        robot = replace(robot, joints=joints)
        if robot.nv and all(body.mass > 0 for body in bodies_or_none(robot)):
            count -= 1
            yield robot


def bodies_or_none(robot: Mechanism) -> list[Any]:
    """Return the bodies; links without mass at the end of a branch have no centre of mass."""
    try:
        return bodies(robot)
    except ZeroDivisionError:
        return [None]


def test_random_trees_are_the_same_in_pinocchio(rng: np.random.Generator) -> None:
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")
    from benchmarks.peers.pinocchio_python import PinocchioPython

    for robot in random_trees(rng, TREES):
        case = Case("tree", robot, random_states(robot, 2, int(rng.integers(1000))))
        engine, reference = PinocchioPython(case), Reference(case, 1)
        last = robot.joint(bodies(robot)[-1].name)
        for task in TASKS:
            # kinematics are about the joint's frame in one engine and the link's in the other
            if last.after.is_identity or task not in ("forward_kinematics", "jacobian"):
                assert reference.error(engine, task) < TOLERANCE, (task, robot)


def test_depth_first_goes_branch_by_branch() -> None:
    builder = Builder("tree")
    for link, parent in (("a", "world"), ("b", "world"), ("c", "a"), ("d", "b"), ("e", "a")):
        builder.link(link, mass=1).revolute(f"to_{link}", link, parent=parent)
    names = [joint.child for joint in depth_first(builder.build())]
    assert names == ["a", "c", "e", "b", "d"]


def test_what_the_peers_cannot_have_is_refused() -> None:
    screw = Builder("screw").link("a", mass=1).helical("j", "a", pitch=1).build()
    with pytest.raises(InvalidMechanism, match="'j' in screw"):
        bodies(screw)
