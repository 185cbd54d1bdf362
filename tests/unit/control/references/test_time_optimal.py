"""The quickest timing along a path, against bang-bang motions and a linear program."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, linprog
from scipy.sparse import lil_matrix, vstack

import dalembert as da
from dalembert.control import Reference, line, time_optimal, trapezoidal, via_points
from dalembert.control.references.linear_acceleration import LinearAcceleration
from dalembert.mechanism import Resistance
from tests.cases import num_cases

# a limit may be touched: what the solver lets rounding take
DENSE = 1e-9


def planar(damping: float = 0.0, friction: float = 0.0) -> da.Model:
    """Return the 2R arm in the vertical plane with numbers."""
    arm = da.textbook.robots.planar_arm_nr(2)
    names = "m1 m2 a1 a2 a_c1 a_c2 I1 I2 g"
    values = (1.0, 0.8, 0.6, 0.5, 0.3, 0.25, 0.04, 0.02, 9.81)
    arm = arm.bind(dict(zip(da.parameters(names), values, strict=True)))
    resistance = Resistance(damping=damping, friction=friction)
    joints = tuple(replace(j, resistance=resistance) for j in arm.joints)
    return da.compile(replace(arm, joints=joints))


PATH = via_points([[0.1, 0.3], [0.9, 1.4], [1.8, 0.4], [2.4, -0.9]])
EFFORT = np.array([25.0, 8.0])


@pytest.mark.parametrize("length", [0.3, 2.0])
def test_double_integrator_is_bang_bang(length):
    r = time_optimal(line([0.0], [length]), acceleration=3.0)
    assert r.duration == pytest.approx(2 * math.sqrt(length / 3.0), rel=1e-12)
    t = np.linspace(0.01, 0.99, 50) * r.duration
    _, v, a = r(t)
    np.testing.assert_allclose(np.abs(a), 3.0, rtol=1e-9)
    np.testing.assert_allclose(v[:, 0], 3.0 * np.minimum(t, r.duration - t), atol=1e-9)


def test_with_a_speed_limit_it_is_the_trapezoid():
    start, end = np.array([0.0, 1.0]), np.array([2.0, 0.5])
    velocity, acceleration = np.array([0.8, 1.0]), np.array([3.0, 3.0])
    exact = trapezoidal(start, end, velocity, acceleration).duration
    r = time_optimal(line(start, end), velocity=velocity, acceleration=acceleration)
    # the switch lies between two places of the grid
    assert exact <= r.duration * (1 + 1e-12)
    assert r.duration == pytest.approx(exact, rel=1e-4)


def test_a_motion_whose_limits_settle_slowly():
    # the one of 10,000 random problems that 40 equal corrections did not bring within its limits
    rng = np.random.default_rng(0)
    rng.uniform(-1, 1, (3, 7))
    steps = velocity = acceleration = np.zeros(7)
    for _ in range(6728):
        steps = rng.uniform(-1, 1, (5, 7))
        velocity, acceleration = rng.uniform(0.5, 3, 7), rng.uniform(1, 10, 7)
    path = via_points(np.cumsum(steps, axis=0))
    r = time_optimal(path, velocity=velocity, acceleration=acceleration, grid=200)
    check_dense(r, velocity=velocity, acceleration=acceleration)
    fine = time_optimal(path, velocity=velocity, acceleration=acceleration, grid=1600)
    assert fine.duration <= r.duration < 1.001 * fine.duration


def test_speeds_at_the_ends():
    # from 2 to 1 along 1: accelerate at 3, decelerate at 3
    r = time_optimal(line([0.0], [1.0]), acceleration=3.0, start_speed=2.0, end_speed=1.0)
    top = math.sqrt((2 * 3.0 * 1.0 + 2.0**2 + 1.0**2) / 2)
    assert r.duration == pytest.approx((2 * top - 3.0) / 3.0, rel=1e-5)
    assert r(0.0).velocity[0] == pytest.approx(2.0)
    with pytest.raises(da.EvaluationError, match=r"start with ṡ between 0 and 2\.449"):
        time_optimal(line([0.0], [1.0]), acceleration=3.0, start_speed=2.5)


def test_circle_has_a_constant_speed():
    # on a circle of many corners of a spline, |q̈| ≤ a joint by joint: slower than a tangent line
    angle = np.linspace(0, 2 * np.pi, 200)
    path = via_points(np.stack([np.cos(angle), np.sin(angle)], axis=-1))
    r = time_optimal(path, velocity=10.0, acceleration=1.0, grid=800)
    check_dense(r, velocity=10.0, acceleration=1.0)


def check_dense(
    r: Reference,
    *,
    velocity: float | np.ndarray = np.inf,
    acceleration: float | np.ndarray = np.inf,
    model: da.Model | None = None,
    effort: np.ndarray | None = None,
) -> float:
    """Check limits at many random times; return how much of them is used."""
    t = np.random.default_rng(0).uniform(0, r.duration, 40_000)
    q, v, a = r(t)
    used = max((np.abs(v) / velocity).max(), (np.abs(a) / acceleration).max())
    if model is not None:
        assert effort is not None
        used = max(used, (np.abs(model.inverse_dynamics(q, v, a)) / effort).max())
    assert used <= 1 + DENSE
    return float(used)


def linear_program(model: da.Model, path: Reference, effort: np.ndarray, n: int) -> float:
    """Return the duration by another way: all x at once.

    The feasible profiles have a largest one, place by place, and it is the quickest. So maximise
    Σ x subject to the torque limits at the middle of every interval, with
    u = (x₁ - x₀)/2h and x = (x₀ + x₁)/2, coefficients from M, C and g.
    """
    s = np.linspace(0, path.duration, n + 1)
    h = s[1] - s[0]
    q, dq, ddq = path((s[1:] + s[:-1]) / 2)
    M, C, g = model.mass_matrix(q), model.coriolis(q, dq), model.gravity(q)
    a = np.einsum("nij,nj->ni", M, dq)
    b = np.einsum("nij,nj->ni", M, ddq) + np.einsum("nij,nj->ni", C, dq)
    rows, right = [], []
    for k in range(2):
        A = lil_matrix((n, n + 1))
        A.setdiag(-a[:, k] / (2 * h) + b[:, k] / 2)
        A.setdiag(a[:, k] / (2 * h) + b[:, k] / 2, 1)
        rows += [A, -A]
        right += [effort[k] - g[:, k], effort[k] + g[:, k]]
    bounds = [(0.0, 0.0), *[(0.0, None)] * (n - 1), (0.0, 0.0)]
    result = linprog(
        -np.ones(n + 1), vstack(rows).tocsr(), np.concatenate(right), bounds=bounds, method="highs"
    )
    assert result.status == 0
    speed = np.sqrt(result.x)
    return float(np.sum(2 * h / (speed[1:] + speed[:-1])))


def test_torque_limits_agree_with_a_linear_program():
    model = planar()
    r = time_optimal(PATH, model=model, effort=EFFORT, grid=2000)
    expected = linear_program(model, PATH, EFFORT, 4000)
    assert r.duration == pytest.approx(expected, rel=1e-3)
    used = check_dense(r, model=model, effort=EFFORT)
    assert used > 0.999
    # some joint is at its limit nearly all the time
    t = np.linspace(0.02, 0.98, 500) * r.duration
    tau = model.inverse_dynamics(*r(t))
    assert np.median(np.abs(tau / EFFORT).max(axis=1)) > 0.99


def test_pendulum_is_bang_bang_to_second_order():
    """q̈ = ±τ - g sin q by energy, one switch: x = 2 ∫ q̈ dq forward and backward, T = ∫ dq/√x."""
    tau, end, g = 20.0, 2.5, 9.81
    builder = da.Builder("pendulum", gravity=(0, -g, 0)).link("rod", mass=1, com=(0, -1, 0))
    model = da.compile(builder.revolute("hinge", "rod").build())

    def forward(s: float) -> float:
        return 2 * (tau * s - g * (1 - math.cos(s)))

    def backward(s: float) -> float:
        return 2 * (tau * (end - s) + g * (math.cos(s) - math.cos(end)))

    switch: Any = brentq(lambda s: forward(s) - backward(s), 1e-6, end - 1e-6)
    # with r = √s the integrals have no pole
    up = quad(lambda r: 2 * r / math.sqrt(forward(r * r)), 0, math.sqrt(switch))[0]
    down = quad(lambda r: 2 * r / math.sqrt(backward(end - r * r)), 0, math.sqrt(end - switch))[0]
    errors = []
    for grid in (50, 100, 200, 400):
        r = time_optimal(line([0.0], [end]), model=model, effort=[tau], grid=grid)
        errors.append(r.duration - up - down)
        torque = model.inverse_dynamics(*r(np.linspace(0.001, 0.999, 4001) * r.duration))[:, 0]
        # at one limit, then at the other: no chattering
        assert np.abs(torque).max() <= tau * (1 + DENSE)
        assert (np.abs(torque) > 0.999 * tau).mean() > 1 - 4 / grid
        assert (np.diff(np.sign(torque)) != 0).sum() == 1
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert min(errors) > 0
    assert ratios.min() > 3.3
    assert ratios[-1] == pytest.approx(4, rel=0.05)


def test_finer_grids_converge_to_second_order():
    model = planar()
    grids = (100, 200, 400, 800)
    durations = [time_optimal(PATH, model=model, effort=EFFORT, grid=n).duration for n in grids]
    # falling differences, each about a quarter of the one before
    steps = -np.diff(durations)
    assert steps.min() > 0
    assert (steps[:-1] / steps[1:]).min() > 3
    assert steps[-1] < 1e-4 * durations[-1]


def test_motion_between_places_is_exact():
    """s̈ = u + σ (s - s₀) by SciPy's integrator, with slopes of both signs, small ones and none."""
    places, u, v0 = np.array([0.2, 0.5]), 0.8, 1.3
    for slope in (7.0, -7.0, 1e-7, -1e-7, 0.0):
        v1 = math.sqrt(v0**2 + 2 * (u * 0.3 + slope * 0.09 / 2))
        timing = LinearAcceleration(places, np.array([v0, v1]), np.array([u]), np.array([slope]))
        solution = solve_ivp(
            lambda t, y, k=slope: [y[1], u + k * (y[0] - 0.2)],
            (0, timing.duration), [0.2, v0], rtol=1e-12, atol=1e-13, dense_output=True,
        )  # fmt: skip
        t = np.linspace(0, timing.duration, 7)
        s, sd, sdd = timing(t)
        assert np.abs(np.stack([s, sd]) - solution.sol(t)).max() < 1e-10
        assert np.allclose(sdd, u + slope * (s - 0.2), atol=1e-12)
        assert s[-1] == pytest.approx(0.5, abs=1e-13)


def test_all_limits_together(rng):
    model = da.compile(da.textbook.robots.panda())
    middle = np.array([0, 0, 0, -1.9, 0, 1.8, 0])
    path = via_points(middle + rng.uniform(-0.6, 0.6, (5, 7)))
    effort = np.array([87.0, 87, 87, 87, 12, 12, 12])
    limits = {"velocity": 2.0, "acceleration": np.full(7, 12.0), "effort": effort}
    r = time_optimal(path, model=model, **limits)
    check_dense(r, model=model, **limits)
    # every limit costs time, and even scaling costs more
    looser = time_optimal(path, velocity=2.0, acceleration=np.full(7, 12.0))
    assert looser.duration <= r.duration * (1 + 1e-6)
    evenly = path.retimed(trapezoidal(0.0, path.duration, 1.0, 2.0)).within(2.0, 12.0)
    assert r.duration < evenly.duration


# with seed 20 the largest torque lies between the places where samples are taken
@pytest.mark.parametrize("seed", [0, 1, 20])
def test_limits_hold_between_the_places_of_a_coarse_grid(seed):
    rng = np.random.default_rng(seed)
    model = da.compile(da.textbook.robots.ur5e())
    path = via_points(rng.uniform(-1.5, 1.5, (4, 6)))
    limits = {
        "velocity": rng.uniform(1, 3, 6),
        "effort": np.array([150.0, 150, 150, 28, 28, 28]),
    }
    check_dense(time_optimal(path, model=model, grid=60, **limits), model=model, **limits)


def test_friction_takes_its_part():
    free, rubbing = planar(), planar(damping=0.8, friction=0.5)
    quick = time_optimal(PATH, model=free, effort=EFFORT, grid=300)
    slow = time_optimal(PATH, model=rubbing, effort=EFFORT, grid=300)
    check_dense(slow, model=rubbing, effort=EFFORT)
    assert slow.duration != pytest.approx(quick.duration, rel=1e-3)
    tau = np.abs(rubbing.inverse_dynamics(*slow(np.linspace(0.05, 0.95, 300) * slow.duration)))
    assert np.median((tau / EFFORT).max(axis=1)) > 0.99


def test_limits_of_the_model_are_the_default():
    arm = planar().mechanism
    limited = [
        replace(j, limits=j.limits._replace(velocity=1.5, effort=float(e)))
        for j, e in zip(arm.joints, EFFORT, strict=True)
    ]
    model = da.compile(replace(arm, joints=tuple(limited)))
    r = time_optimal(PATH, model=model, grid=200)
    check_dense(r, velocity=1.5, model=model, effort=EFFORT)


def test_what_cannot_be_done_is_said():
    model = planar()
    with pytest.raises(da.EvaluationError, match=r"within the limits at s = .*not be held"):
        time_optimal(PATH, model=model, effort=[3.0, 8.0])
    with pytest.raises(da.EvaluationError, match="got none: without them"):
        time_optimal(PATH)
    with pytest.raises(da.EvaluationError, match="model= for limits of torque"):
        time_optimal(PATH, effort=EFFORT)
    with pytest.raises(da.EvaluationError, match="acceleration limits above zero, one or 2"):
        time_optimal(PATH, acceleration=[1.0, 2.0, 3.0])
    with pytest.raises(da.EvaluationError, match="q' = 0 at s = 0"):
        time_optimal(via_points([[0.0], [1.0]], [0.0, 1.0]), acceleration=1.0)
    with pytest.raises(da.EvaluationError, match="at least two intervals"):
        time_optimal(PATH, acceleration=1.0, grid=1)


def test_no_motion_is_slower_than_that_of_toppra(rng: np.random.Generator, scale: float) -> None:
    toppra = pytest.importorskip("toppra", reason="the oracle toppra is not installed")
    for _ in range(num_cases(5, scale)):
        points = rng.uniform(-1, 1, (int(rng.integers(3, 7)), 7))
        velocity, acceleration = rng.uniform(0.5, 3, 7), rng.uniform(2, 12, 7)
        path = via_points(points)
        r = time_optimal(path, velocity=velocity, acceleration=acceleration)
        check_dense(r, velocity=velocity, acceleration=acceleration)
        limits = [
            kind(np.stack([-limit, limit], axis=1))
            for kind, limit in (
                (toppra.constraint.JointVelocityConstraint, velocity),
                (toppra.constraint.JointAccelerationConstraint, acceleration),
            )
        ]
        curve = toppra.SplineInterpolator(path.breaks, points, bc_type="natural")
        grid = np.linspace(0, path.duration, 401)
        peer = toppra.algorithm.TOPPRA(limits, curve, grid, parametrizer="ParametrizeConstAccel")
        # toppra exceeds the limits by up to 0.3 % between its places: it may be as much quicker
        assert r.duration <= peer.compute_trajectory(0, 0).duration * (1 + 3e-3)
