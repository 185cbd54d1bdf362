"""The sentence about a target that was not reached."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.ik import (
    Box,
    DampedLeastSquares,
    Global,
    NewtonRaphson,
    PositionTask,
    Transpose,
    solve_ik,
)
from tests.unit.ik import arms


@pytest.fixture(scope="module")
def arm() -> da.Model:
    return da.compile(arms.planar_2r())


def test_nearest_point_out_of_reach(arm: da.Model) -> None:
    found = solve_ik(arm, PositionTask("tip", [3.0, 4.0, 0.0]), [0.1, 0.2])
    assert not found.ok
    # the circle of radius 2 towards (3, 4)
    assert found.status == (
        "out of reach: the nearest point found for tip is (1.2, 1.6, 0), 3 m from the target"
    )
    assert arm.forward_kinematics(found.q, frame="tip")[:2, 3] == pytest.approx(
        [1.2, 1.6], abs=1e-4
    )
    assert found.residual == pytest.approx(3, abs=1e-6)


@pytest.mark.parametrize("excess", [1e-2, 1e-5, 1e-7])
def test_barely_out_of_reach_is_not_solved(arm: da.Model, excess: float) -> None:
    found = solve_ik(arm, PositionTask("tip", [2 + excess, 0.0, 0.0]), [0.3, 0.4])
    assert not found.ok
    assert found.residual == pytest.approx(excess, rel=0.1)
    assert found.status.startswith("out of reach: the nearest point found for tip is (2, ")


def test_at_the_border_of_reach(arm: da.Model) -> None:
    found = solve_ik(arm, PositionTask("tip", [2.0, 0.0, 0.0]), [0.3, 0.4])
    assert found.ok
    # the elbow is where |e| = 2 (1 - cos(q₂/2)) and its square root no longer tell apart
    assert abs(found.q[1]) < 1e-4


def test_right_place_wrong_orientation(arm: da.Model) -> None:
    target = arm.forward_kinematics([0.4, 0.9], frame="tip")
    target[:3, :3] = np.eye(3)
    found = solve_ik(arm, target)
    assert not found.ok
    assert found.status.startswith(
        "out of reach: tip can be at the target's point, but not with its orientation"
    )


def test_limits_in_the_way_are_named(arm: da.Model) -> None:
    q = np.array([0.3, 1.5])
    target = PositionTask("tip", arm.forward_kinematics(q, frame="tip")[:3, 3])
    found = solve_ik(arm, target, limits=[Box([-3, -0.5], [3, 0.5])])
    assert not found.ok
    assert found.status.startswith("limit-bound: without limits it can be reached, with joint2 = ")
    assert found.status.endswith("outside [-0.5, 0.5]")
    assert abs(found.q[1]) == pytest.approx(0.5)


def test_singular_start_stops_newton(arm: da.Model) -> None:
    target = PositionTask("tip", [0.2, 1.3], axes="xy")
    found = solve_ik(arm, target, [0.25, 0.0], method=NewtonRaphson())
    assert not found.ok
    assert found.status.startswith("singular: the Jacobian has no inverse")


def test_iteration_limit(arm: da.Model) -> None:
    target = PositionTask("tip", [0.2, 1.3], axes="xy")
    found = solve_ik(arm, target, [0.3, 0.4], method=Transpose(step=0.75, iterations=5))
    assert not found.ok
    assert found.status.startswith("iteration limit: |e| = 0.366")
    assert found.iterations == 5


def test_local_minimum_at_a_limit(arm: da.Model) -> None:
    # with this elbow joint1 would have to be 0.8; the other elbow reaches the target
    target = PositionTask("tip", arm.forward_kinematics([-0.2, 1.0], frame="tip")[:3, 3])
    limits = [Box([-0.25, -2.0], [0.5, 2.0])]
    start = [0.4, -1.5]
    found = solve_ik(arm, target, start, limits=limits, method=DampedLeastSquares())
    assert not found.ok
    assert "limit-bound" in found.status
    assert "another start reaches the target" in found.status
    assert solve_ik(arm, target, start, limits=limits).ok


def test_tasks_that_exclude_each_other(arm: da.Model) -> None:
    tasks = [PositionTask("tip", [1.0, 0.0], axes="xy"), PositionTask("tip", [0.8, 0.0], axes="xy")]
    found = solve_ik(arm, tasks)
    assert found.status.startswith("out of reach: the tasks together cannot be satisfied")
    # the middle is 0.1 from both
    assert found.residual == pytest.approx(np.sqrt(2) * 0.1, rel=1e-4)


def test_a_batch_explains_each_sample(arm: da.Model) -> None:
    points = np.array([[[0.2, 1.3, 0], [3.0, 4.0, 0.0]], [[0.0, 3.0, 0.0], [1.0, 1.0, 0.0]]])
    found = solve_ik(arm, PositionTask("tip", points), method=Global(restarts=5))
    assert found.ok.tolist() == [[True, False], [False, True]]
    assert found.status[0, 0] == found.status[1, 1] == "converged"
    assert "(1.2, 1.6, 0), 3 m from" in found.status[0, 1]
    assert "(0, 2, 0), 1 m from" in found.status[1, 0]
    assert str(found).startswith("2 of 4 targets reached\n  target 1: out of reach")
    assert not found


def test_reasons_where_starts_and_targets_have_other_batch_axes(arm: da.Model) -> None:
    points = np.array([[[3.0, 4.0, 0.0]], [[0.0, 3.0, 0.0]]])
    starts = np.zeros((3, 2))
    found = solve_ik(arm, PositionTask("tip", points), starts, method=Global(restarts=3))
    assert found.status.shape == (2, 3)
    assert all("3 m from the target" in text for text in found.status[0])
    assert all("1 m from the target" in text for text in found.status[1])
