"""Controllers of robots with loops, quaternions and passive joints, by the dynamics of Pinocchio.

The torques of a controller go into accelerations that Pinocchio's M, h and Jacobians give, by
Gauss's principle; what the controller promised must come out.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from dalembert.control import (
    ComputedTorque,
    GravityCompensation,
    Impedance,
    OperationalSpace,
    PDGravity,
    UnheldWarning,
)
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco
from tests.controlled_robots import ROBOTS, Driven, floating_arm

mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed: no oracle")
Oracle = pytest.importorskip("tests.agreement.sweep_oracle").Oracle

# of accelerations up to some hundred, through M with a condition number of some thousand
TOLERANCE = 1e-9
HELD = ("four_bar", "three_rrr", "delta", "quadruped", "ball_arm")


def acceleration(robot: Driven, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    return Oracle(robot.model.mechanism).acceleration(q, v, tau)


def only_driven(robot: Driven, tau: np.ndarray) -> bool:
    driven = robot.actuated or robot.model.description.driven_inputs
    return not np.delete(tau, list(driven)).any()


@pytest.mark.parametrize("name", ROBOTS)
def test_controlled_velocities_accelerate_as_computed(name: str, rng: np.random.Generator) -> None:
    robot = ROBOTS[name]()
    c = robot.model.configuration
    controller = ComputedTorque(robot.model, robot.home, stiffness=36.0, actuated=robot.actuated)
    for _ in range(3):
        q, v = robot.near(rng)
        tau = controller(0.0, q, v)
        assert only_driven(robot, tau)
        wanted = 36 * c.difference(q, robot.home) - 12 * v
        on = list(controller.controlled)
        found = acceleration(robot, q, v, tau)
        assert np.abs(found - wanted)[on].max() < TOLERANCE * max(1.0, np.abs(found).max())
    # as many as motors and freedoms allow
    A = (
        robot.model.constraint_jacobian(robot.home)
        if robot.model.description.has_constraints
        else []
    )
    freedoms = robot.model.nv - (np.linalg.matrix_rank(A, tol=1e-9) if len(A) else 0)
    motors = len(robot.actuated or robot.model.description.driven_inputs)
    assert len(controller.controlled) == min(freedoms, motors)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("has_posture", [False, True])
def test_tools_accelerate_as_commanded(
    name: str, has_posture: bool, rng: np.random.Generator
) -> None:
    robot = ROBOTS[name]()
    model, rows = robot.model, list(robot.rows)
    target = model.forward_kinematics(robot.home, robot.frame)
    controller = OperationalSpace(
        model, robot.frame, target, 40.0, 9.0, rows=rows, actuated=robot.actuated,
        posture=robot.home if has_posture else None, posture_stiffness=5.0,
    )  # fmt: skip
    q, v = robot.near(rng)
    tau = controller(0.0, q, v)
    assert only_driven(robot, tau)
    qdd = acceleration(robot, q, v, tau)
    found = model.jacobian(q, robot.frame) @ qdd + model.jacobian_rate(q, v, robot.frame) @ v
    command = controller.command(0.0, q, v)
    assert np.abs(found[rows] - command).max() < TOLERANCE * max(1.0, np.abs(qdd).max())


@pytest.mark.parametrize("name", HELD)
def test_held_robots_rest(name: str, rng: np.random.Generator) -> None:
    """Gravity is carried through the loops: nothing accelerates, and nothing is unheld."""
    robot = ROBOTS[name]()
    still = np.zeros(robot.model.nv)
    hold = GravityCompensation(robot.model, actuated=robot.actuated)
    q, _ = robot.near(rng)
    tau = hold(0.0, q, still)
    assert only_driven(robot, tau)
    assert np.abs(acceleration(robot, q, still, tau)).max() < TOLERANCE
    assert hold.unheld(q) == {}
    assert np.abs(acceleration(robot, q, still, 0 * tau)).max() > 1


@pytest.mark.parametrize("name", HELD)
def test_impedance_is_a_force_at_the_tool(name: str, rng: np.random.Generator) -> None:
    """The motors of a linkage move it as springs and dampers at the tool would."""
    robot = ROBOTS[name]()
    model = robot.model
    X = model.forward_kinematics(robot.home, robot.frame)
    controller = Impedance(model, robot.frame, X, 200.0, 0.0, 7.0, actuated=robot.actuated)
    q, v = robot.near(rng)
    J = model.jacobian(q, robot.frame)
    p = model.forward_kinematics(q, robot.frame)[:3, 3] - X[:3, 3]
    F = -np.concatenate([200 * p, np.zeros(3)]) - 7 * J @ v
    weight = -Oracle(model.mechanism).terms(q, 0 * v)[1]
    expected = acceleration(robot, q, v, weight + J.T @ F)
    found = acceleration(robot, q, v, controller(0.0, q, v))
    assert np.abs(found - expected).max() < TOLERANCE * max(1.0, np.abs(expected).max())


def test_impedance_of_a_free_base_is_felt_at_the_tool(rng: np.random.Generator) -> None:
    """Without gravity the tool accelerates as if the force acted on it, though the base recoils."""
    robot = floating_arm()
    model = robot.model
    X = model.forward_kinematics(robot.home, robot.frame)
    controller = Impedance(model, robot.frame, X, 200.0, 30.0, 7.0)
    q, v = robot.near(rng)
    plain = GravityCompensation(model)(0.0, q, v)
    tau = controller(0.0, q, v) - plain
    assert not tau[:6].any()
    J = model.jacobian(q, robot.frame)
    p = model.forward_kinematics(q, robot.frame)[:3, 3] - X[:3, 3]
    M = Oracle(model.mechanism).terms(q, v)[0]
    felt = J @ np.linalg.solve(M, tau)
    # K_φ one number k: the moment is -k axis · sin φ
    R = model.forward_kinematics(q, robot.frame)[:3, :3] @ X[:3, :3].T
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    F = -np.concatenate([200 * p, 30 * turn]) - 7 * J @ v
    expected = J @ np.linalg.solve(M, J.T @ F)
    assert np.abs(felt - expected).max() < TOLERANCE * np.abs(expected).max()


def test_free_base_by_mujoco(rng: np.random.Generator) -> None:
    """MuJoCo's inverse dynamics of the motion finds the torques again, and none on the base."""
    robot = floating_arm()
    mechanism = robot.model.mechanism
    engine = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
    data = mujoco.MjData(engine)
    controller = ComputedTorque(robot.model, robot.home, stiffness=25.0)
    q, v = robot.near(rng)
    tau = controller(0.0, q, v)
    qdd = robot.model.forward_dynamics(q, v, tau)
    data.qpos[:], data.qvel[:] = to_mujoco(mechanism, q, v, model=engine)
    G = to_mujoco(mechanism, q, np.eye(mechanism.nv), model=engine)[1].T
    # the world's velocity of the base: d/dt (R u) = R (u̇ + ω × u)
    turned = qdd.copy()
    turned[:3] += np.cross(v[3:6], v[:3])
    data.qacc[:] = G @ turned
    mujoco.mj_inverse(engine, data)
    found = G.T @ data.qfrc_inverse
    assert np.abs(found - tau).max() < 1e-9 * np.abs(tau).max()
    assert np.abs(found[:6]).max() < 1e-9 * np.abs(tau).max()


@pytest.mark.parametrize("name", ["floating_arm", "geared_arm"])
def test_what_cannot_be_held_is_named(name: str) -> None:
    """The motors keep their own joints from accelerating; the rest is said, and it is true."""
    robot = ROBOTS[name]()
    with pytest.warns(UnheldWarning, match="cannot hold its reference: .*no input drives"):
        hold = PDGravity(robot.model, robot.home, stiffness=50.0, damping=10.0)
    still = np.zeros(robot.model.nv)
    found = acceleration(robot, robot.home, still, hold(0.0, robot.home, still))
    names = robot.model.configuration.v_names
    left = np.array([hold.unheld(robot.home).get(n, 0.0) for n in names])
    assert np.abs(found - left).max() < TOLERANCE
    assert np.abs(left[list(robot.model.description.driven_inputs)]).max() == 0
    if name == "floating_arm":
        # in free fall no torque is needed to keep the arm as it is
        assert np.linalg.norm(left[:3]) == pytest.approx(9.81, rel=1e-9)
        assert np.abs(hold(0.0, robot.home, still)).max() < 1e-9


def test_no_warning_where_all_is_held() -> None:
    robot = ROBOTS["quadruped"]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PDGravity(robot.model, robot.home, stiffness=50.0, damping=10.0)
