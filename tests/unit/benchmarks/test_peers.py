"""The engines that need no long compilation compute what the recursions do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.peers.base import Case, Engine, Unavailable
from benchmarks.reference import TOLERANCE, Reference
from benchmarks.robots import panda, planar_2r, random_states
from dalembert.mechanism import Builder, Mechanism


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile into a folder of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def free_arm() -> Mechanism:
    """Return a floating body with an arm and a tail, the joints not branch by branch."""
    builder = Builder("free_arm")
    for name in ("body", "arm", "tail", "hand"):
        builder.link(name, mass=1.5, com=(0.1, 0.02, -0.03), inertia=(0.02, 0.03, 0.04))
    builder.floating("base", "body", origin=(0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1))
    builder.revolute("shoulder", "arm", parent="body", axis="-y", origin=(0.3, 0, 0))
    builder.prismatic("hinge", "tail", parent="body", axis="x", origin=(-0.3, 0, 0))
    builder.revolute("wrist", "hand", parent="arm", axis="z", origin=(0.4, 0, 0))
    return builder.build()


def check(case: Case, engine: Engine) -> None:
    reference = Reference(case, 1)
    assert len(engine.tasks) >= 5
    for task in engine.tasks:
        assert reference.error(engine, task) < TOLERANCE, task
        assert engine.run(task, 2) == 2 * len(case.states.q)


@pytest.mark.parametrize("robot", [planar_2r(), panda(), free_arm()], ids=lambda x: x.name)
def test_mujoco(robot: Mechanism) -> None:
    from benchmarks.peers.mujoco_peer import MuJoCo

    case = Case(robot.name, robot, random_states(robot, 3))
    try:
        engine = MuJoCo(case)
    except Unavailable as error:
        pytest.skip(str(error))
    check(case, engine)


@pytest.mark.parametrize("robot", [planar_2r(), free_arm()], ids=lambda x: x.name)
def test_casadi(robot: Mechanism) -> None:
    from benchmarks.peers.casadi_peer import CasadiC, CasadiMachine, functions

    case = Case(robot.name, robot, random_states(robot, 3))
    try:
        made = functions(robot)
    except Unavailable as error:
        pytest.skip(str(error))
    check(case, CasadiMachine(case, made))
    try:
        compiled = CasadiC(case, made)
    except Unavailable as error:
        pytest.skip(str(error))
    check(case, compiled)


def test_another_robot_is_noticed() -> None:
    from benchmarks.peers.mujoco_peer import MuJoCo

    robot = panda()
    heavier = robot.with_payload("link7", mass=0.01)
    case = Case("panda", robot, random_states(robot, 2))
    try:
        engine = MuJoCo(case._replace(mechanism=replace(heavier, name="heavier")))
    except Unavailable as error:
        pytest.skip(str(error))
    assert Reference(case).error(engine, "inverse_dynamics") > 1e3 * TOLERANCE
