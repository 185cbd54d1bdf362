from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.control import (
    Reference,
    configuration_line,
    cubic,
    line,
    minimum_jerk,
    screw_path,
    straight_path,
    trapezoidal,
    via_points,
)


def check_rates(reference: Reference, tolerance: float = 1e-6) -> None:
    """Compare velocity and acceleration with central differences, away from breaks."""
    h = 1e-5 * reference.duration
    t = np.linspace(0.013, 0.987, 58) * reference.duration
    before, now, after = reference(t - h), reference(t), reference(t + h)
    rate = (after.position - before.position) / (2 * h)
    np.testing.assert_allclose(now.velocity, rate, atol=tolerance * (1 + np.abs(rate).max()))
    rate = (after.velocity - before.velocity) / (2 * h)
    np.testing.assert_allclose(now.acceleration, rate, atol=tolerance * (1 + np.abs(rate).max()))


START, END = np.array([0.2, -1.0, 3.0]), np.array([1.7, 0.5, 3.0])


def test_cubic_meets_its_ends():
    r = cubic(START, END, 2.5, start_velocity=[1, 0, 0.5], end_velocity=[0, -1, 0])
    x, v, _ = r([0.0, 2.5])
    np.testing.assert_allclose(x, [START, END], atol=1e-14)
    np.testing.assert_allclose(v, [[1, 0, 0.5], [0, -1, 0]], atol=1e-14)
    check_rates(r)


@pytest.mark.parametrize(
    "reference",
    [
        cubic(START, END, 2.5, start_velocity=[1, 0, 0.5], end_velocity=[0, -1, 0]),
        cubic(0.5, 2.0, 1.5, end_velocity=1.0),
        trapezoidal(START, END, 1.0, 2.0),
        via_points([START, END, START - 1], [0.0, 0.7, 2.0]),
        line(START, END),
        line(START, END).lasting(3.0),
        minimum_jerk([START, END], 1.6),
    ],
)
def test_one_time_is_a_batch_of_one(reference: Reference) -> None:
    """Controllers ask for one time: a way of its own, before, at, between and after all breaks."""
    T = reference.duration
    times = np.concatenate([np.linspace(-0.2 * T, 1.2 * T, 57), [0.0, T, 0.7, T / 3]])
    many = reference(times)
    for k, t in enumerate(times):
        for found, expected in zip(reference(float(t)), many, strict=True):
            assert np.shape(found) == np.shape(expected[k])
            np.testing.assert_allclose(found, expected[k], rtol=1e-13, atol=1e-12)


def test_before_and_after_it_rests():
    x, v, a = cubic([0.0], [1.0], 2.0, end_velocity=1.0)([-1.0, 3.0])
    np.testing.assert_allclose(x, [[0], [1]])
    assert not v.any()
    assert not a.any()


def test_minimum_jerk_is_flash_and_hogans_polynomial():
    r = minimum_jerk([START, END], 1.6)
    t = np.linspace(0, 1.6, 33)
    s = (t / 1.6)[:, None]
    expected = START + (END - START) * (10 * s**3 - 15 * s**4 + 6 * s**5)
    np.testing.assert_allclose(r(t).position, expected, atol=1e-13)
    check_rates(r)


def test_minimum_jerk_through_points_has_the_least_jerk(rng):
    points, times = rng.normal(size=(5, 2)), [0.0, 0.7, 1.1, 2.0, 3.0]
    r = minimum_jerk(points, times)
    np.testing.assert_allclose(r(times).position, points, atol=1e-12)
    np.testing.assert_allclose(r([0, 3.0]).velocity, 0, atol=1e-12)
    np.testing.assert_allclose(r([0, 3.0]).acceleration, 0, atol=1e-11)
    check_rates(r, 1e-5)
    # optimality: ∫ x⃛ · w⃛ = 0 for every w that vanishes at the points and rests at the ends
    t = np.linspace(0, 3, 300_001)
    h = t[1] - t[0]
    jerk = np.gradient(r(t).acceleration[:, 0], h)
    w = t**3 * (3 - t) ** 3 * (t - 0.7) * (t - 1.1) * (t - 2.0)
    w3 = np.gradient(np.gradient(np.gradient(w, h), h), h)
    size = np.trapezoid(np.abs(jerk * w3), t)
    assert abs(np.trapezoid(jerk * w3, t)) < 1e-4 * size


def test_trapezoid_reaches_its_limits_and_no_more():
    velocity, acceleration = np.array([1.0, 0.4, 1.0]), np.array([2.0, 2.0, 1.0])
    r = trapezoidal(START, END, velocity, acceleration)
    # the second joint is slowest: 1.5 at 0.4 with ramps of 0.2 s
    assert r.duration == pytest.approx(1.5 / 0.4 + 0.4 / 2.0)
    v, a = r.peaks()
    np.testing.assert_allclose(v, [0.4, 0.4, 0.0], atol=1e-14)
    np.testing.assert_allclose(a, [2.0, 2.0, 0.0], atol=1e-13)
    np.testing.assert_allclose(r(r.duration).position, END, atol=1e-13)
    x, v, _ = r(np.linspace(0, r.duration, 1001))
    # no jump at the breaks
    assert np.abs(np.diff(x, axis=0)).max() < 0.4 * r.duration / 1000 * 1.001
    assert np.abs(np.diff(v, axis=0)).max() < 2.0 * r.duration / 1000 * 1.001


def test_short_way_is_a_triangle():
    r = trapezoidal([0.0], [0.5], 10.0, 2.0)
    assert r.duration == pytest.approx(2 * math.sqrt(0.5 / 2.0))
    assert r(r.duration / 2).position[0] == pytest.approx(0.25)


def test_spline_passes_its_points_smoothly(rng):
    points, times = rng.normal(size=(6, 3)), np.array([0, 0.5, 1.2, 1.9, 2.5, 3.0])
    r = via_points(points, times)
    np.testing.assert_allclose(r(times).position, points, atol=1e-13)
    np.testing.assert_allclose(r([0.0, 3.0]).velocity, 0, atol=1e-13)
    left, right = r(times[1:-1] - 1e-9), r(times[1:-1] + 1e-9)
    for u, w in zip(left, right, strict=True):
        np.testing.assert_allclose(u, w, atol=1e-5)
    check_rates(r, 1e-5)
    # exact peaks are those of many samples
    v, a = r.peaks()
    _, vs, accelerations = r(np.linspace(0, 3, 100_001))
    np.testing.assert_allclose(v, np.abs(vs).max(axis=0), rtol=1e-6)
    np.testing.assert_allclose(a, np.abs(accelerations).max(axis=0), rtol=1e-4)


def test_even_time_scaling_meets_one_limit(rng):
    r = via_points(rng.normal(size=(5, 3)), [0.0, 1, 2, 3, 4]).within(1.5, [4.0, 5.0, 6.0])
    _, v, a = r(np.linspace(0, r.duration, 20_001))
    used = max((np.abs(v) / 1.5).max(), (np.abs(a) / [4.0, 5.0, 6.0]).max())
    assert used == pytest.approx(1.0, abs=1e-4)
    check_rates(r, 1e-5)


def test_retimed_line_follows_the_chain_rule():
    r = line(START, END).retimed(minimum_jerk([0.0, 1.0], 2.0))
    np.testing.assert_allclose(
        r(0.7).position, minimum_jerk([START, END], 2.0)(0.7).position, atol=1e-14
    )
    check_rates(r)


def test_quaternions_turn_evenly():
    ball = da.Builder("ball").link("a", mass=1, com=(0, 0, 1)).spherical("joint", "a").build()
    model = da.compile(ball)
    first, last = Rotation.from_rotvec([0.3, -0.2, 0.5]), Rotation.from_rotvec([-1.0, 0.4, 0.9])
    r = configuration_line(
        model, first.as_quat(scalar_first=True), last.as_quat(scalar_first=True)
    ).lasting(2.0)
    turn = (first.inv() * last).as_rotvec()
    middle = first * Rotation.from_rotvec(turn / 2)
    q, v, a = r(1.0)
    np.testing.assert_allclose(
        Rotation.from_quat(q, scalar_first=True).as_matrix(), middle.as_matrix(), atol=1e-14
    )
    np.testing.assert_allclose(v, turn / 2, atol=1e-14)
    assert not a.any()


def pose(rng: np.random.Generator) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3] = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    X[:3, 3] = rng.normal(size=3)
    return X


def check_pose_rates(path: Reference) -> None:
    h, t = 1e-6, np.linspace(0.05, 0.95, 7)
    before, now, after = path(t - h), path(t), path(t + h)
    R = now.position[:, :3, :3]
    rate = (after.position - before.position) / (2 * h)
    W = rate[:, :3, :3] @ np.swapaxes(R, 1, 2)
    w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=-1)
    np.testing.assert_allclose(now.velocity[:, :3], rate[:, :3, 3], atol=1e-8)
    np.testing.assert_allclose(now.velocity[:, 3:], w, atol=1e-8)
    rate = (after.velocity - before.velocity) / (2 * h)
    np.testing.assert_allclose(now.acceleration, rate, atol=1e-8)


def test_screw_is_the_exponential_of_the_logarithm(rng):
    for _ in range(5):
        A, B = pose(rng), pose(rng)
        path = screw_path(A, B)
        twist = np.real(logm(np.linalg.inv(A) @ B))
        for s in (0.0, 0.3, 0.8, 1.0):
            np.testing.assert_allclose(path(s).position, A @ expm(s * twist), atol=1e-12)
        check_pose_rates(path)


def test_screws_without_turn_and_with_half_a_turn():
    A, B = np.eye(4), np.eye(4)
    B[:3, 3] = 1, 2, 3
    np.testing.assert_allclose(screw_path(A, B)(0.5).position[:3, 3], [0.5, 1, 1.5])
    B[:3, :3] = np.diag([-1, -1, 1])
    # half a turn about z, and 3 along it, about the axis through (0.5, 1)
    path = screw_path(A, B)
    np.testing.assert_allclose(path(1.0).position, B, atol=1e-14)
    distance = np.linalg.norm(path(np.linspace(0, 1, 9)).position[:, :2, 3] - [0.5, 1], axis=1)
    np.testing.assert_allclose(distance, math.hypot(0.5, 1), atol=1e-14)


def test_small_turns_keep_their_digits():
    A, B = np.eye(4), np.eye(4)
    B[:3, :3] = Rotation.from_rotvec([0, 0, 1e-9]).as_matrix()
    B[:3, 3] = 1, 0, 0
    np.testing.assert_allclose(screw_path(A, B)(1.0).position, B, atol=1e-15)


def test_straight_path(rng):
    A, B = pose(rng), pose(rng)
    path = straight_path(A, B)
    np.testing.assert_allclose(path(1.0).position, B, atol=1e-14)
    np.testing.assert_allclose(
        path(0.25).position[:3, 3], 0.75 * A[:3, 3] + 0.25 * B[:3, 3], atol=1e-14
    )
    check_pose_rates(path)
    check = path.retimed(trapezoidal(0.0, 1.0, 1.0, 2.0))
    assert check(0.3).position.shape == (4, 4)
    assert check(np.zeros((2, 5))).velocity.shape == (2, 5, 6)


def test_bad_input_is_refused():
    with pytest.raises(da.EvaluationError, match="a duration above zero, got 0"):
        cubic([0.0], [1.0], 0.0)
    with pytest.raises(da.EvaluationError, match="two different positions"):
        trapezoidal([1.0], [1.0], 1.0, 1.0)
    with pytest.raises(da.EvaluationError, match="3 times that rise from zero"):
        via_points([[0.0], [1.0], [2.0]], [0.0, 2.0, 1.0])
    with pytest.raises(da.EvaluationError, match="3 times that rise from zero"):
        minimum_jerk([[0.0], [1.0], [2.0]], 1.0)
    with pytest.raises(da.EvaluationError, match=r"shape \(4, 4\) for the start"):
        screw_path(np.eye(3), np.eye(4))
    with pytest.raises(da.EvaluationError, match="for the end, got one that is off by 3"):
        screw_path(np.eye(4), np.diag([2.0, 2, 2, 1]))
    with pytest.raises(da.EvaluationError, match="use lasting"):
        line([0.0], [1.0]).within()
