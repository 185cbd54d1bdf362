"""Operational-space and impedance control."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.control import Impedance, OperationalSpace, screw_path, trapezoidal
from dalembert.simulation import DOP853, simulate
from tests.unit.control.controllers import controlled as plants

FRAME = "flange"
METHOD = DOP853(rtol=1e-9, atol=1e-11)
JOINT_DAMPING = [2.0, 2.0, 2.0, 2.0, 0.5, 0.5, 0.2]


def home() -> np.ndarray:
    return plants.panda().forward_kinematics(plants.PANDA_HOME, frame=FRAME)


def states(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    return plants.PANDA_HOME + 0.3 * rng.normal(size=(count, 7)), rng.normal(size=(count, 7))


def acceleration(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return J q̈ + J̇ q̇ of the flange, from the forward dynamics."""
    model = plants.panda()
    a = model.forward_dynamics(q, v, tau)
    J, rate = model.jacobian(q, FRAME), model.jacobian_rate(q, v, FRAME)
    return (J @ a[..., None] + rate @ v[..., None])[..., 0]


@pytest.mark.parametrize("rows", [range(6), range(3), (0, 2, 4)])
@pytest.mark.parametrize("posture", [None, np.ones(7)])
def test_the_tool_accelerates_as_commanded(
    rows: Any, posture: Any, rng: np.random.Generator
) -> None:
    """To 1e-9, whatever the null space does."""
    controller = OperationalSpace(
        plants.panda(), FRAME, home(), 50.0, 10.0, rows=rows, posture=posture,
        posture_stiffness=20.0, posture_damping=7.0,
    )  # fmt: skip
    q, v = states(rng, 10)
    command = controller.command(0.0, q, v)
    found = acceleration(q, v, controller(0.0, q, v))[:, list(rows)]
    assert np.abs(found - command).max() < 1e-9


def test_command_by_hand(rng: np.random.Generator) -> None:
    """Position errors in the world; the turn as axis · sin φ, from SciPy's rotation vectors."""
    from scipy.spatial.transform import Rotation

    model = plants.panda()
    controller = OperationalSpace(model, FRAME, home(), [10, 20, 30, 4, 4, 4], 6.0)
    q, v = (x[0] for x in states(rng, 1))
    X = model.forward_kinematics(q, frame=FRAME)
    turn = Rotation.from_matrix(X[:3, :3] @ home()[:3, :3].T).as_rotvec()
    phi = np.linalg.norm(turn)
    e = np.concatenate([X[:3, 3] - home()[:3, 3], np.sin(phi) / phi * turn])
    expected = -np.array([10, 20, 30, 4, 4, 4]) * e - 6 * model.jacobian(q, FRAME) @ v
    assert np.allclose(controller.command(0.0, q, v), expected, rtol=0, atol=1e-12)


def test_it_follows_a_screw() -> None:
    """A path of poses with its own velocities and accelerations is followed exactly."""
    model = plants.panda()
    goal = model.forward_kinematics(plants.PANDA_HOME + 0.3, frame=FRAME)
    timing = trapezoidal(0.0, 1.0, 0.6, 1.0)
    path = screw_path(home(), goal).retimed(timing)
    controller = OperationalSpace(model, FRAME, path, 100.0, 20.0, posture_damping=5.0)
    assert controller.law is None
    # stop before the corner of the trapezoid's acceleration
    t = np.linspace(0, 0.6, 31)
    motion = simulate(model, plants.PANDA_HOME, np.zeros(7), t, controller, method=METHOD)
    assert motion.ok, motion.status
    X = model.forward_kinematics(motion.q, frame=FRAME)
    assert np.abs(X - path(t).position).max() < 1e-7


def test_the_null_space_goes_to_its_posture() -> None:
    """The tool stays where it is while the elbow goes around it."""
    model = plants.panda()
    controller = OperationalSpace(
        model, FRAME, home(), 100.0, 20.0,
        posture=plants.PANDA_HOME + 0.4 * np.eye(7)[0], posture_stiffness=10.0,
        posture_damping=6.0,
    )  # fmt: skip
    law = controller.law
    assert law is not None
    motion = simulate(model, plants.PANDA_HOME, np.zeros(7), np.linspace(0, 4, 41), controller)
    assert motion.ok, motion.status
    X = model.forward_kinematics(motion.q, frame=FRAME)
    assert np.abs(X - home()).max() < 1e-9
    assert np.abs(motion.q[-1] - plants.PANDA_HOME).max() > 0.05
    assert np.abs(motion.qd[-1]).max() < 1e-2


def test_impedance_is_a_spring_in_contact() -> None:
    """A constant force at the tool moves it by K⁻¹ F, whatever the arm weighs."""
    model = plants.panda()
    K = np.array([800.0, 500.0, 600.0])
    controller = Impedance(
        model, FRAME, home(), K, 40.0, damping=[60, 60, 60, 3, 3, 3], joint_damping=JOINT_DAMPING
    )
    F = np.array([8.0, -10.0, 6.0])

    def pushed(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return controller(t, q, v) + model.jacobian(q, FRAME)[:3].T @ F

    t = np.linspace(0, 20, 21)
    motion = simulate(model, plants.PANDA_HOME, np.zeros(7), t, pushed, method=METHOD)
    assert motion.ok, motion.status
    moved = model.forward_kinematics(motion.q[-1], frame=FRAME)[:3, 3] - home()[:3, 3]
    assert np.allclose(moved, F / K, rtol=0, atol=2e-5)


def test_impedance_pulls_along_the_slope_of_its_potential(rng: np.random.Generator) -> None:
    """At rest τ - N = -∂V/∂q, by differences; for small turns the moment is -K_φ φ."""
    model = plants.panda()
    K = np.array([[5.0, 1.0, 0.0], [1.0, 4.0, 0.5], [0.0, 0.5, 6.0]])
    controller = Impedance(model, FRAME, home(), 300.0, K, damping=1.0)
    q, still = states(rng, 1)[0][0], np.zeros(7)
    h = 1e-5
    slope = [
        (controller.lyapunov(q + h * e, still) - controller.lyapunov(q - h * e, still)) / (2 * h)
        for e in np.eye(7)
    ]
    pull = controller(0.0, q, still) - model.bias(q, still)
    assert np.allclose(pull, -np.array(slope), rtol=0, atol=1e-6)
    # a small turn φ about axes of the target, read off the torques at the home position
    q = plants.PANDA_HOME + 1e-5 * rng.normal(size=7)
    X = model.forward_kinematics(q, frame=FRAME)
    E = home()[:3, :3].T @ X[:3, :3]
    phi = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2
    J = model.jacobian(q, FRAME)
    wrench = np.concatenate([-300 * (X[:3, 3] - home()[:3, 3]), -X[:3, :3] @ K @ phi])
    pull = controller(0.0, q, still) - model.bias(q, still)
    assert np.allclose(pull, J.T @ wrench, rtol=0, atol=1e-8)


def test_laws_are_the_calls(rng: np.random.Generator) -> None:
    model = plants.panda()
    controller = Impedance(model, FRAME, home(), 300.0, 20.0, damping=5.0, joint_damping=1.0)
    q, v = states(rng, 4)
    assert controller.law is not None
    law = model.compile(
        list(controller.law), {"q": list(model.symbols.q), "qd": list(model.symbols.qd)}
    )
    assert np.allclose(law(q, v), controller(0.0, q, v), rtol=0, atol=1e-10)


def test_bad_input() -> None:
    model = plants.panda()
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    with pytest.raises(da.EvaluationError, match="expected a rotation matrix for the target"):
        OperationalSpace(model, FRAME, mirror, 1.0, 1.0)
    with pytest.raises(da.EvaluationError, match=r"shape \(4, 4\) for the target, got"):
        Impedance(model, FRAME, np.eye(3), 1.0, 1.0, 1.0)
    with pytest.raises(da.EvaluationError, match=r"rows of a twist among 0 to 5, got \(6,\)"):
        OperationalSpace(model, FRAME, home(), 1.0, 1.0, rows=[6])
    with pytest.raises(da.EvaluationError, match="stiffness as a number, as 3 numbers"):
        OperationalSpace(model, FRAME, home(), np.ones(6), 1.0, rows=range(3))
    with pytest.raises(da.EvaluationError, match="at most 2 rows for as many inputs, got 3"):
        OperationalSpace(plants.planar(), "tip", np.eye(4), 1.0, 1.0, rows=(0, 1, 5))
    with pytest.raises(da.EvaluationError, match="posture_stiffness above zero with a posture"):
        OperationalSpace(model, FRAME, home(), 1.0, 1.0, posture=np.zeros(7))
    with pytest.raises(da.EvaluationError, match=r"finite numbers for ẋ of the target at t = 0.0"):
        OperationalSpace(
            model, FRAME, lambda t: (home(), np.full(6, np.nan), np.zeros(6)), 1.0, 1.0
        )
    with pytest.raises(da.EvaluationError, match="positive definite stiffness"):
        Impedance(model, FRAME, home(), -5.0, 1.0, 1.0)
