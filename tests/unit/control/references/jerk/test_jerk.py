"""Motions of limited jerk: closed forms, ruckig where it is installed, limits between samples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.control import Consecutive, JerkLimited, JerkLimits, Motion
from tests.cases import num_cases
from tests.unit.control.references.jerk.problems import asked, problems

EXACT = 1e-10
"""Of positions, velocities and accelerations of size one to ten, after motions of a minute."""


def check(motion: JerkLimited, start: Motion, end: Motion, limits: JerkLimits) -> None:
    """Assert that a motion joins two states and keeps its limits at all times."""
    T = motion.duration
    for t, state in ((0.0, start), (T, end)):
        for found, wanted in zip(motion.at(np.array(t)), state, strict=True):
            assert np.abs(found - wanted).max() < EXACT * max(1.0, T)
    # jerk is constant between breaks, so what peaks() finds is exact
    v, a = motion.peaks()
    middle = motion.breaks[:-1] + np.diff(motion.breaks) / 2
    assert (v <= np.asarray(limits.velocity) * (1 + 1e-9)).all()
    assert (a <= np.asarray(limits.acceleration) * (1 + 1e-9)).all()
    assert (np.abs(motion.jerk(middle)) <= np.asarray(limits.jerk) * (1 + 1e-9)).all()


def test_from_rest_to_rest_in_closed_form() -> None:
    limits = JerkLimits(1.0, 2.0, 10.0)
    # the jerk alone: T = (32 d/J)^(1/3); 2 J (T/4)² below A and the peak below V
    d = 0.004
    assert limits.motion([0.0], [d]).duration == pytest.approx((32 * d / 10) ** (1 / 3), rel=1e-14)
    # with a stay at A: d = A (t + t_j)(t + 2 t_j) with t_j = A/J, T = 2 t + 4 t_j
    t, t_j = 0.1, 0.2
    d = 2.0 * (t + t_j) * (t + 2 * t_j)
    assert limits.motion([1.0], [1.0 - d]).duration == pytest.approx(2 * t + 4 * t_j, rel=1e-14)
    # with a stay at V: T = d/V + V/A + A/J
    assert limits.motion([0.0], [3.0]).duration == pytest.approx(3 + 0.5 + 0.2, rel=1e-14)
    still = limits.motion([0.7], [0.7])
    assert still.duration < 1e-9
    assert still(0.0).position == pytest.approx(0.7, abs=1e-15)


def test_states_are_joined_within_limits(rng: np.random.Generator, scale: float) -> None:
    rows = problems(rng, num_cases(400, scale))
    for group in np.array_split(rows, max(1, len(rows) // 4)):
        limits, start, end = asked(group)
        motion = limits.motion(start, end)
        check(motion, start, end, limits)
        # and slower, when all joints can
        slow = limits.motion(start, end, duration=motion.duration * rng.uniform(1, 3))
        check(slow, start, end, limits)
        assert slow.duration >= motion.duration


def test_derivatives_are_those_of_the_position(rng: np.random.Generator) -> None:
    limits, start, end = asked(problems(rng, 12))
    motion = limits.motion(start, end)
    t, h = np.linspace(0.01, 0.99, 50) * motion.duration, 1e-5
    x, v, a = motion.at(t)
    ahead, behind = motion.at(t + h), motion.at(t - h)
    assert np.abs((ahead.position - behind.position) / (2 * h) - v).max() < 1e-6
    assert np.abs((ahead.velocity - behind.velocity) / (2 * h) - a).max() < 1e-3
    assert x.shape == v.shape == a.shape == (50, len(start.position))


@pytest.mark.parametrize(("length", "time"), [(1e-9, 1.0), (1e9, 1.0), (1.0, 1e-6), (1.0, 1e6)])
def test_units_do_not_matter(length: float, time: float, rng: np.random.Generator) -> None:
    rows = problems(rng, 200)
    T = [
        JerkLimits(*rows[k, 6:]).motion(Motion(*rows[k, :3, None]), Motion(*rows[k, 3:6, None]))
        for k in range(20)
    ]
    rates = length / time ** np.array([0, 1, 2, 0, 1, 2, 1, 2, 3])
    for k, reference in enumerate(T):
        row = rows[k] * rates
        found = JerkLimits(*row[6:]).motion(Motion(*row[:3, None]), Motion(*row[3:6, None]))
        assert found.duration == pytest.approx(reference.duration * time, rel=1e-9)


def test_the_state_on_the_way_leads_to_the_same_end(rng: np.random.Generator) -> None:
    # replanning at every tick: the durations that are left decrease by the tick
    limits, start, end = asked(problems(rng, 3)[:1])
    motion = limits.motion(start, end)
    for part in np.linspace(0.05, 0.95, 7):
        t = part * motion.duration
        again = limits.motion(motion.at(np.array(t)), end)
        assert again.duration == pytest.approx(motion.duration - t, abs=1e-7 * motion.duration)


def test_a_start_beyond_its_limits_returns_to_them() -> None:
    limits = JerkLimits(1.0, 2.0, 10.0)
    for state in ((0.0, 1.5, 0.0), (0.0, 0.9, 1.9), (0.0, 0.2, 3.5), (0.0, -1.2, -2.5)):
        start = Motion(*(np.array([x]) for x in state))
        motion = limits.motion(start, [0.5])
        T, (x, v, a) = motion.duration, motion.at(np.linspace(0, motion.duration, 4001))
        assert abs(x[-1, 0] - 0.5) < EXACT
        assert np.abs(motion.jerk(np.linspace(0, T, 4001))).max() <= 10 * (1 + 1e-9)
        side = np.sign(state[1] + state[2] * abs(state[2]) / 20)
        # once it is within, it stays; and until then it brakes
        over = np.abs(v[:, 0]) > 1 + 1e-9
        last = np.flatnonzero(over)[-1] if over.any() else 0
        assert not over[last + 1 :].any()
        later = np.abs(a[:, 0]) > 2 + 1e-9
        assert not later[int(np.ceil(4001 * 0.2 / T)) :].any()
        assert side * motion.at(np.array(0.01)).acceleration[0] < side * state[2] + 1e-12


def test_a_joint_that_must_let_its_target_pass_has_blocked_times() -> None:
    limits = JerkLimits(1.0, 1.0, 10.0)
    # moving at full speed towards a target at that speed 10 cm ahead: 0.1 s, or much later
    start, end = Motion(*np.array([[0.0], [1.0], [0.0]])), Motion(*np.array([[0.1], [1.0], [0.0]]))
    quick = limits.motion(start, end)
    assert quick.duration == pytest.approx(0.1, rel=1e-9)
    later = limits.motion(start, end, duration=0.5)
    assert later.duration > 3.0
    check(later, start, end, limits)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(da.EvaluationError, match="velocity limits above zero"):
        JerkLimits(0.0, 1.0, 1.0)
    with pytest.raises(da.EvaluationError, match="limits of as many joints each, got 2, 3, 1"):
        JerkLimits([1.0] * 2, [1.0] * 3, 1.0)
    limits = JerkLimits([1.0, 1.0], 1.0, 1.0)
    with pytest.raises(da.EvaluationError, match="states of 2 joints, as many as limits, got 3"):
        limits.motion([0.0] * 3, [1.0] * 3)
    with pytest.raises(da.EvaluationError, match="expected an end within the limits, got velocity"):
        limits.motion([0.0] * 2, Motion(*np.array([[1.0, 1], [0, 1.5], [0, 0]])))
    with pytest.raises(da.EvaluationError, match="joint would exceed them on its way"):
        limits.motion([0.0] * 2, Motion(*np.array([[1.0, 1], [-0.9, 0], [0.9, 0]])))
    with pytest.raises(da.EvaluationError, match="duration of at least"):
        limits.motion([0.0] * 2, [1.0] * 2, duration=0.1)
    with pytest.raises(da.EvaluationError, match="finite numbers for the end"):
        limits.motion([0.0] * 2, [np.nan, 1.0])


def test_points_are_passed_without_a_stop(rng: np.random.Generator) -> None:
    n, limits = 3, JerkLimits([1.0, 1.5, 2.0], 6.0, 60.0)
    points = np.cumsum(rng.uniform(0.1, 0.5, (6, n)), axis=0)
    motion = limits.through(points[0], points[1:-1], points[-1])
    assert isinstance(motion, Consecutive)
    stops = sum(limits.motion(a, b).duration for a, b in pairwise(points))
    assert motion.duration < 0.75 * stops
    at = motion(motion.breaks)
    assert np.abs(at.position - points).max() < EXACT
    assert np.abs(at.velocity[1:-1]).max(axis=1).min() > 0.1
    v, a = motion.peaks()
    assert (v <= np.array([1.0, 1.5, 2.0]) * (1 + 1e-9)).all()
    assert (a <= 6 * (1 + 1e-9)).all()
    # continuous up to the acceleration
    before, behind = motion.at(motion.breaks[1:-1] - 1e-9), motion.at(motion.breaks[1:-1] + 1e-9)
    for x, y in zip(before, behind, strict=True):
        assert np.abs(x - y).max() < 1e-6


def test_durations_are_those_of_ruckig(rng: np.random.Generator, scale: float) -> None:
    ruckig = pytest.importorskip("ruckig", reason="the oracle ruckig is not installed")
    rows = problems(rng, num_cases(500, scale))
    for size in (1, 4):
        for group in np.array_split(rows, max(1, len(rows) // size)):
            limits, start, end = asked(group)
            n = len(group)
            given = ruckig.InputParameter(n)
            given.current_position, given.current_velocity, given.current_acceleration = start
            given.target_position, given.target_velocity, given.target_acceleration = end
            given.max_velocity, given.max_acceleration = limits.velocity, limits.acceleration
            given.max_jerk = limits.jerk
            found = ruckig.Trajectory(n)
            assert int(ruckig.Ruckig(n).calculate(given, found)) >= 0
            assert limits.motion(start, end).duration <= found.duration * (1 + 1e-9)
