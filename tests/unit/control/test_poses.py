"""Every place that takes a pose takes the same ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import control, ik

MODEL = da.compile(da.textbook.robots.ur5e())
Q = np.array([0.1, -1.0, 1.2, 0.3, 0.5, 0.2])
POSE = MODEL.forward_kinematics(Q, frame="flange")


def impedance(X: np.ndarray) -> Any:
    return control.Impedance(MODEL, "flange", X, 100.0, 10.0, 5.0)


def operational_space(X: np.ndarray) -> Any:
    return control.OperationalSpace(MODEL, "flange", X, stiffness=9.0, damping=6.0)


TAKERS: list[Callable[[np.ndarray], Any]] = [
    lambda X: control.screw_path(np.eye(4), X),
    lambda X: control.straight_path(X, np.eye(4)),
    impedance,
    operational_space,
    lambda X: ik.PoseTask("flange", X).targets(),
    lambda X: ik.OrientationTask("flange", X[:3, :3]).targets(),
]


@pytest.mark.parametrize("take", TAKERS)
@pytest.mark.parametrize(("off", "is_pose"), [(8e-6, True), (1.2e-5, False)])
def test_all_agree_how_far_a_rotation_may_be_from_orthogonal(
    take: Callable[[np.ndarray], Any], off: float, is_pose: bool
) -> None:
    X = POSE.copy()
    # (1 + k)² = 1 + off for one column
    X[:3, 0] *= np.sqrt(1 + off)
    if is_pose:
        take(X)
        return
    with pytest.raises(da.EvaluationError, match="expected a rotation matrix for"):
        take(X)


@pytest.mark.parametrize("take", TAKERS[:-1])
def test_all_refuse_another_last_row(take: Callable[[np.ndarray], Any]) -> None:
    X = POSE.copy()
    X[3] = 0, 0, 0, 2
    with pytest.raises(da.EvaluationError, match="expected \\(0, 0, 0, 1\\) as last row of"):
        take(X)


@pytest.mark.parametrize("digits", [6, 7, 8, 10])
def test_inverse_kinematics_reaches_poses_with_few_decimals(digits: int) -> None:
    X = np.round(POSE, digits)
    found = da.solve_ik(MODEL, X, Q)
    assert found, found
    # rounding moves an entry by half a unit, the nearest rotation by no more than that in each
    there = MODEL.forward_kinematics(found.q, frame="flange")
    assert np.abs(there - POSE).max() < 2 * 10.0**-digits
