"""Motions against limits, also between the times that are looked at."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import ik
from dalembert.control import JerkLimits, Motion, check_path, line, minimum_jerk
from dalembert.mechanism import Limits, Sphere


def arm() -> da.Model:
    """Return two sliders that carry balls along x and y, with a post between."""
    robot = da.Builder("sliders").shape("world", Sphere(0.1), origin=(0.5, 0.5, 0))
    for axis in "xy":
        robot.link(axis, mass=2.0, inertia=(1, 1, 1))
        limits = Limits(-1.0, 1.0, 2.0, 50.0)
        robot.prismatic(
            axis, axis, parent="world" if axis == "x" else "x", axis=axis, limits=limits
        )
    robot.shape("y", Sphere(0.1))
    return da.compile(robot.build())


def test_motions_within_all_limits_pass() -> None:
    model = arm()
    motion = minimum_jerk([[0.0, 0.0], [0.0, 0.5]], 1.0)
    found = check_path(model, motion, limits=[ik.JointLimits(), ik.Clearance(0.2)])
    assert found
    assert str(found).startswith("all limits are kept; the least room is ")
    # by hand: from (0, 0.5) to (0.5, 0.5), less two radii and the margin
    assert found.least == ("distance of world and y", pytest.approx(0.1, abs=1e-9))


def test_what_is_exceeded_is_named_with_its_time() -> None:
    model = arm()
    # straight through the post, past the bound of x
    motion = line([0.0, 0.0], [1.2, 1.2])
    found = check_path(model, motion, limits=[ik.JointLimits(), ik.Clearance(0.05)])
    assert not found
    by_name = {x.name: x for x in found.exceeded}
    assert set(by_name) == {"upper bound of x", "upper bound of y", "distance of world and y"}
    assert by_name["upper bound of x"].excess == pytest.approx(0.2)
    assert by_name["upper bound of x"].time == pytest.approx(1.0)
    worst = by_name["distance of world and y"]
    assert worst.excess == pytest.approx(0.25, abs=1e-6)
    assert worst.time == pytest.approx(0.5 / 1.2, abs=1e-4)
    assert "distance of world and y: by 0.25 at t = 0.4167" in str(found)


def test_peaks_between_samples_are_found() -> None:
    model = arm()
    # a velocity whose peak lies between two of five samples
    motion = minimum_jerk([[0.0, 0.0], [1.0, 0.3]], 1.0)
    peak = motion(0.5).velocity[0]
    coarse = check_path(model, motion, velocity=[peak - 1e-4, 5.0], samples=6)
    assert [x.name for x in coarse.exceeded] == ["velocity limit of x"]
    assert coarse.exceeded[0].excess == pytest.approx(1e-4, rel=1e-3)
    assert check_path(model, motion, velocity=peak + 1e-6, samples=6).ok


def test_torques_and_accelerations() -> None:
    model = arm()
    motion = JerkLimits(10.0, [14.0, 5.0], 1e3).motion([0.0, 0.0], [0.9, 0.0])
    kept = check_path(model, motion, velocity=10.0, acceleration=14.0, effort=[57.0, 30.0])
    assert kept.ok, kept
    # x carries both, 4 kg
    over = check_path(model, motion, velocity=10.0)
    assert [x.name for x in over.exceeded] == ["effort limit of x"]
    assert over.exceeded[0].excess == pytest.approx(6.0, rel=1e-6)


def test_functions_of_time_need_a_duration() -> None:
    model = arm()

    def still(t: np.ndarray) -> Motion:
        return Motion(*np.zeros((3, *t.shape, 2)))

    with pytest.raises(da.EvaluationError, match="duration= of a motion"):
        check_path(model, still)
    assert check_path(model, still, duration=1.0).ok
    with pytest.raises(da.EvaluationError, match="velocity limits above 0, one or 2"):
        check_path(model, still, duration=1.0, velocity=[1.0, 2.0, 3.0])
