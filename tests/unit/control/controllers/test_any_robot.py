"""Controllers in closed loop with linkages, free bases, balls and passive joints."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control import (
    ComputedTorque,
    GravityCompensation,
    Impedance,
    OperationalSpace,
    PDGravity,
    configuration_line,
    minimum_jerk,
)
from dalembert.simulation import DOP853, simulate
from tests.controlled_robots import ROBOTS, closed, four_bar
from tests.unit.control.controllers import controlled as plants

METHOD = DOP853(rtol=1e-9, atol=1e-10)
# errors of that method over some seconds
TOLERANCE = 1e-6


def critical(t: np.ndarray, rate: float) -> np.ndarray:
    """Return e(t)/e(0) of e'' + 2 r e' + r² e = 0 from rest."""
    return (1 + rate * t) * np.exp(-rate * t)


def test_the_crank_of_a_linkage_follows_full_turns() -> None:
    """The other joints follow by the loop, and their reference does not matter."""
    robot = ROBOTS["four_bar"]()
    start = robot.home[0]

    def turning(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.array([start - 0.2 + 4 * t, 9, 9]), np.array([4.0, 0, 0]), np.zeros(3)

    controller = ComputedTorque(robot.model, turning, stiffness=100.0)
    assert controller.controlled == (0,)
    t = np.linspace(0, 2, 21)
    v = robot.allowed(np.array([4.0, 0, 0]))
    v = v * 4 / v[0]
    motion = simulate(robot.model, robot.home, v, t, controller, method=METHOD)
    assert motion.ok, motion.status
    error = motion.q[:, 0] - (start - 0.2 + 4 * t)
    assert np.abs(error - 0.2 * critical(t, 10.0)).max() < TOLERANCE
    assert np.abs(robot.model.constraint_error(motion.q)).max() < 1e-9
    V = controller.lyapunov(t[0], motion.q[0], motion.qd[0])
    # ½ ė² + ½ K e²
    assert pytest.approx(50 * 0.04, rel=1e-9) == V


def test_a_parallel_robot_moves_its_platform() -> None:
    """Position and turn of the platform obey the same equation as those of an arm's tool."""
    robot = ROBOTS["three_rrr"]()
    X = robot.model.forward_kinematics(robot.home, robot.frame)
    target = X.copy()
    target[:2, 3] += 0.03, -0.02
    controller = OperationalSpace(robot.model, "tool", target, 64.0, 16.0, rows=robot.rows)
    t = np.linspace(0, 1.5, 11)
    motion = simulate(robot.model, robot.home, None, t, controller, method=METHOD)
    assert motion.ok, motion.status
    tool = robot.model.forward_kinematics(motion.q, "tool")
    expected = target[:2, 3] - np.array([0.03, -0.02]) * critical(t, 8.0)[:, None]
    assert np.abs(tool[:, :2, 3] - expected).max() < TOLERANCE


@pytest.mark.parametrize("name", ["delta", "quadruped", "ball_arm"])
def test_pd_loses_energy_until_it_is_there(name: str, rng: np.random.Generator) -> None:
    robot = ROBOTS[name]()
    model = robot.model
    K, D = (40.0, 4.0) if name == "delta" else (60.0, 12.0)
    hold = PDGravity(model, robot.home, stiffness=K, damping=D, actuated=robot.actuated)
    step = 0.15 * robot.allowed(rng.uniform(-1, 1, model.nv))
    q = closed(model, model.configuration.integrate(robot.home, step))
    t = np.linspace(0, 0.5 if name == "delta" else 2.0, 11)
    motion = simulate(model, q, None, t, hold, method=DOP853(rtol=1e-5, atol=1e-7))
    assert motion.ok, motion.status
    V = hold.lyapunov(0.0, motion.q, motion.qd)
    assert (np.diff(V)[V[:-1] > 1e-6 * V[0]] < 0).all()
    assert V[-1] < 1e-3 * V[0]
    away = model.configuration.difference(robot.home, motion.q)
    assert np.abs(away[-1]).max() < 0.05 * np.abs(away[0]).max()


def test_a_quadruped_on_its_feet_moves_its_trunk() -> None:
    robot = ROBOTS["quadruped"]()
    model = robot.model
    target = model.forward_kinematics(robot.home, "trunk")
    target[:3, 3] += 0.02, 0.01, -0.04
    controller = OperationalSpace(model, "trunk", target, 100.0, 20.0)
    t = np.linspace(0, 0.6, 7)
    motion = simulate(model, robot.home, None, t, controller, method=DOP853(rtol=1e-8, atol=1e-9))
    assert motion.ok, motion.status
    X = model.forward_kinematics(motion.q, "trunk")
    expected = target[:3, 3] - np.array([0.02, 0.01, -0.04]) * critical(t, 10.0)[:, None]
    assert np.abs(X[:, :3, 3] - expected).max() < TOLERANCE
    # pinned feet carry the weight: what the ground gives is m g and m z̈
    tau = controller(t[-1], motion.q[-1], motion.qd[-1])
    qdd, lam = model.constraint_dynamics(motion.q[-1], motion.qd[-1], tau)
    names = model.description.constraint_names
    up = sum(force for name, force in zip(names, lam, strict=True) if name.endswith(" z"))
    J = model.center_of_mass_jacobian(motion.q[-1])
    Jd = model.center_of_mass_jacobian_rate(motion.q[-1], motion.qd[-1])
    lift = (J @ qdd + Jd @ motion.qd[-1])[2]
    total = float(model.mechanism.total_mass)
    assert up == pytest.approx(total * (9.81 + lift), rel=1e-6)


def test_joints_of_a_free_base_obey_while_it_falls() -> None:
    """The joints are linear; the centre of mass falls freely, by hand."""
    robot = ROBOTS["floating_arm"]()
    model = robot.model
    start = robot.home.copy()
    start[7:] += 0.3
    controller = ComputedTorque(model, robot.home, stiffness=64.0)
    t = np.linspace(0, 1, 6)
    motion = simulate(model, start, None, t, controller, method=METHOD)
    assert motion.ok, motion.status
    error = motion.q[:, 7:] - robot.home[7:]
    assert np.abs(error - 0.3 * critical(t, 8.0)[:, None]).max() < TOLERANCE
    c = model.center_of_mass(motion.q)
    fallen = c[0] - np.outer(9.81 * t**2 / 2, [0, 0, 1])
    assert np.abs(c - fallen).max() < TOLERANCE


def test_a_ball_turns_straight_back() -> None:
    """From rest at exp(φ) the rotation vector keeps its axis and fades as a scalar does."""
    robot = ROBOTS["ball_arm"]()
    c = robot.model.configuration
    turn = np.array([0.7, -1.1, 1.3, 0.4])
    controller = ComputedTorque(robot.model, robot.home, stiffness=49.0)
    t = np.linspace(0, 1.2, 13)
    start = c.integrate(robot.home, turn)
    motion = simulate(robot.model, start, None, t, controller, method=METHOD)
    assert motion.ok, motion.status
    away = c.difference(robot.home, motion.q)
    assert np.abs(away - turn * critical(t, 7.0)[:, None]).max() < TOLERANCE
    V = controller.lyapunov(t, motion.q, motion.qd)
    assert (np.diff(V) < 0).all()


def test_a_ball_follows_a_moving_reference(rng: np.random.Generator) -> None:
    """On the reference it stays there; off it, V of the true errors falls."""
    robot = ROBOTS["ball_arm"]()
    model, c = robot.model, robot.model.configuration
    end = c.integrate(robot.home, [1.0, -0.5, 1.5, -0.6])
    path = configuration_line(model, robot.home, end).retimed(minimum_jerk([0.0, 1.0], 1.2))
    controller = ComputedTorque(model, path, stiffness=49.0)
    t = np.linspace(0, 1.2, 7)
    on = simulate(model, robot.home, None, t, controller, method=METHOD)
    assert on.ok, on.status
    assert np.abs(c.difference(controller.desired(t).position, on.q)).max() < TOLERANCE
    start = c.integrate(robot.home, 0.5 * rng.uniform(-1, 1, 4))
    rough = DOP853(rtol=1e-6, atol=1e-8)
    off = simulate(model, start, rng.uniform(-1, 1, 4), t, controller, method=rough)
    V = controller.lyapunov(t, off.q, off.qd)
    assert (np.diff(V) < 0).all()
    assert V[-1] < 1e-4 * V[0]


def test_a_cart_follows_whatever_its_pole_does() -> None:
    """Partial feedback linearisation: x̃'' + 2 r x̃' + r² x̃ = 0 under a swinging pole."""
    model = plants.cart_pole()
    reference = [0.3 * da.sin(2 * da.time), 0.0]
    controller = ComputedTorque(model, reference, stiffness=36.0)
    assert controller.controlled == (0,)
    t = np.linspace(0, 2, 9)
    motion = simulate(model, [0.4, 0.5], [0.6, 0.0], t, controller, method=METHOD)
    assert motion.ok, motion.status
    error = motion.q[:, 0] - 0.3 * np.sin(2 * t)
    assert np.abs(error - 0.4 * critical(t, 6.0)).max() < TOLERANCE
    assert np.abs(motion.q[:, 1]).max() > 0.5


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_torques_scale_with_mass_and_length(mass: float, length: float) -> None:
    """With g in proportion to lengths, torques go with m l²: ranks do not depend on units."""
    unit, robot = four_bar(), four_bar(mass, length, 9.81 * length)
    q, v = unit.home, unit.allowed(np.array([2.0, 0, 0]))
    for make in (
        lambda r: ComputedTorque(r.model, r.home + 0.1, stiffness=25.0),
        lambda r: GravityCompensation(r.model),
    ):
        expected = make(unit)(0.0, q, v) * mass * length**2
        assert np.allclose(make(robot)(0.0, q, v), expected, rtol=1e-9, atol=0)


def test_batches_and_laws() -> None:
    robot = ROBOTS["three_rrr"]()
    hold = PDGravity(robot.model, robot.home, stiffness=9.0, damping=2.0)
    q, v = np.stack([robot.home, robot.home + 0.01]), np.full((3, 1, 7), 0.1)
    together = hold(0.0, q, v)
    assert together.shape == (3, 2, 7)
    assert np.array_equal(together[1, 1], hold(0.0, q[1], v[1, 0]))
    assert hold.law is None


def test_both_formulas_are_one_law(rng: np.random.Generator) -> None:
    """An open chain by its own formula and by that of all robots: Khatib's law, and the others."""
    model = plants.panda()
    q = plants.PANDA_HOME + 0.2 * rng.normal(size=7)
    v, home = rng.normal(size=7), plants.PANDA_HOME
    X = model.forward_kinematics(home, "flange")
    for controller in (
        ComputedTorque(model, home, stiffness=30.0),
        PDGravity(model, home, stiffness=30.0, damping=5.0),
        GravityCompensation(model, damping=2.0),
        OperationalSpace(model, "flange", X, 40.0, 9.0, posture=home + 0.3, posture_stiffness=7.0),
        Impedance(model, "flange", X, 300.0, 20.0, 9.0, joint_damping=1.0),
    ):
        assert controller.is_plain
        assert np.allclose(controller.efforts(0.0, q, v), controller(0.0, q, v), atol=1e-9)


def test_what_inputs_cannot_do_is_refused_with_the_reason() -> None:
    linkage = ROBOTS["four_bar"]()
    # a plane linkage does not leave its plane
    X = linkage.model.forward_kinematics(linkage.home, "tip")
    X[2, 3] = 0.1
    lift = OperationalSpace(linkage.model, "tip", X, 40.0, 9.0, rows=[2])
    with pytest.raises(da.EvaluationError, match=r"tool .* miss by 4 at t = 0, .* drives pin, be"):
        lift(0.0, linkage.home, np.zeros(3))
    # a rocker cannot start its crank where crank and coupler are in line
    l0, l12, l3 = 1.0, 1.2, 0.7
    at = np.arccos((l0**2 + l12**2 - l3**2) / (2 * l0 * l12))
    rocker = np.arctan2(l12 * np.sin(at), l12 * np.cos(at) - l0)
    push = ComputedTorque(linkage.model, linkage.home, stiffness=9.0, actuated=[2])
    assert push.controlled == (2,)
    with pytest.raises(da.EvaluationError, match=r"got one that they miss by .* drives pivot, pin"):
        push(0.0, np.array([at, 0.0, rocker]), np.zeros(3))


def test_bad_input_of_any_robot() -> None:
    robot = ROBOTS["ball_arm"]()
    with pytest.raises(da.EvaluationError, match="joints with quaternions, got expressions of ti"):
        PDGravity(robot.model, [da.time] * 5, stiffness=1.0, damping=1.0)
    with pytest.raises(da.EvaluationError, match=r"places of inputs .* 0 to 3 for PDGravity, got"):
        PDGravity(robot.model, robot.home, stiffness=1.0, damping=1.0, actuated=[4])
    with pytest.raises(da.EvaluationError, match="at most 4 rows for as many inputs, got 6"):
        OperationalSpace(robot.model, "tool", np.eye(4), 1.0, 1.0)
    x, y = da.coordinates("x y")
    (u,) = da.inputs("u")
    both = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2, potential=0, coordinates=[x, y], forces=[u, u]
    )
    with pytest.raises(da.InvalidMechanism, match="each input as the force on one of the 2 coord"):
        ComputedTorque(da.compile(both), [0.0, 0.0], stiffness=1.0)
