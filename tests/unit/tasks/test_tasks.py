"""Errors and Jacobians of tasks, against geometry and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.ik import (
    AxisTask,
    CenterOfMassTask,
    FrameTask,
    JointTask,
    LineTask,
    MomentumTask,
    OrientationTask,
    PlaneTask,
    PoseTask,
    PositionTask,
    PostureTask,
    PseudoInverse,
    RelativePoseTask,
    Task,
    solve_ik,
)
from dalembert.ik.problem import problem_of
from dalembert.spatial.rotation import quaternion
from dalembert.tasks.stack import Stack
from tests.unit.ik import arms

# central differences of step 1e-6 and errors of size one
DIFFERENCES = 1e-8
Q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.1])


def rotation(rng: np.random.Generator, angle: float) -> np.ndarray:
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    K = np.cross(np.eye(3), axis)
    return np.eye(3) - np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def satisfied(model: da.Model, q: np.ndarray) -> dict[str, Task]:
    """Return one task of each kind that q satisfies."""
    X = model.forward_kinematics(q, frame="flange")
    p, R = X[:3, 3], X[:3, :3]
    n = np.array([0.6, 0.0, 0.8])
    across = np.cross(n, [0, 1, 0.3])
    return {
        "position": PositionTask("flange", p, 2.0),
        "coordinates": PositionTask("flange", p[[2, 0]], axes="zx"),
        "orientation": OrientationTask("flange", R),
        "pose": PoseTask("flange", X, turn_weight=0.3),
        "axis": AxisTask("flange", R[:, 0] * 3, axis="x"),
        "plane": PlaneTask("flange", [p + across, n]),
        "line": LineTask("flange", [p - 0.7 * n, n]),
        "relative": RelativePoseTask("flange", "link2", model.relative_pose(q, "flange", "link2")),
        "centre of mass": CenterOfMassTask(model.center_of_mass(q)[[2, 1]], axes="zy"),
        "joint": JointTask("joint3", q[2]),
        "posture": PostureTask(q, [1, 2, 0, 1, 1, 1]),
    }


NAMES = list(satisfied(arms.model("ur5e"), Q))


@pytest.mark.parametrize("name", NAMES)
def test_jacobian_is_the_derivative_at_a_solution(name: str) -> None:
    model = arms.model("ur5e")
    task = satisfied(model, Q)[name]
    problem = problem_of(model, [task])
    target, _ = problem.targets([task])
    e, J = problem.error_and_jacobian(Q, *(x[0] for x in target))
    assert np.abs(e).max() < 1e-15
    step = 1e-6 * np.eye(6)
    ends = [problem.residual(Q + s * step, target[0])[0] for s in (1, -1)]
    slope = (ends[0] - ends[1]).T / 2e-6
    weights = np.array(task.weights)[:, None]
    assert np.abs(J + weights * slope).max() < DIFFERENCES
    assert len(task.units) == len(e)


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_solved(name: str) -> None:
    model = arms.model("ur5e")
    task = satisfied(model, Q)[name]
    found = solve_ik(model, task, np.zeros(6) + 0.2)
    assert found.ok, str(found)
    X = model.forward_kinematics(found.q, frame="flange")
    Y = model.forward_kinematics(Q, frame="flange")
    p, n = X[:3, 3] - Y[:3, 3], np.array([0.6, 0, 0.8])
    off: np.ndarray = {
        "position": p,
        "coordinates": p[[2, 0]],
        "orientation": X[:3, :3] - Y[:3, :3],
        "pose": X - Y,
        "axis": X[:3, 0] - Y[:3, 0],
        "plane": p @ n,
        "line": np.cross(p, n),
        "relative": (
            model.relative_pose(found.q, "flange", "link2")
            - model.relative_pose(Q, "flange", "link2")
        ),
        "centre of mass": (model.center_of_mass(found.q) - model.center_of_mass(Q))[[2, 1]],
        "joint": found.q[2] - Q[2],
        "posture": (found.q - Q)[[0, 1, 3, 4, 5]],
    }[name]
    assert np.abs(off).max() < 2e-9
    if name not in ("pose", "orientation", "relative"):
        # what is not asked for is left where the search finds it
        assert np.abs(X[:3, :3] - Y[:3, :3]).max() > 1e-3


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-3, 1.0, 3.0, np.pi - 1e-9, np.pi])
def test_size_of_a_rotation_error(angle: float, rng: np.random.Generator) -> None:
    model = arms.model("ur5e")
    R = model.forward_kinematics(Q, frame="flange")[:3, :3]
    task = OrientationTask("flange", rotation(rng, angle) @ R)
    problem = problem_of(model, [task])
    (target,), _ = problem.targets([task])
    e, square = problem.residual(Q, target[0])
    assert np.sqrt(square) == pytest.approx(2 * np.sin(angle / 2), rel=1e-3, abs=1e-15)
    # the direction has a guard against the half turn, where it becomes zero
    if angle <= 3:
        assert np.linalg.norm(e) == pytest.approx(2 * np.sin(angle / 2), rel=1e-3, abs=1e-15)
    assert np.isfinite(e).all()


@pytest.mark.parametrize("kind", ["orientation", "pose", "axis"])
def test_a_half_turn_away_is_not_a_solution(kind: str) -> None:
    model = arms.model("ur5e")
    X = model.forward_kinematics(Q, frame="flange")
    # about the frame's own x axis, exactly: the error's direction is lost
    opposite = X.copy()
    opposite[:3, 1:3] *= -1
    tasks = {
        "orientation": OrientationTask("flange", opposite[:3, :3]),
        "pose": PoseTask("flange", opposite),
        "axis": AxisTask("flange", opposite[:3, 2]),
    }
    found = solve_ik(model, tasks[kind], Q)
    assert found.ok
    Y = model.forward_kinematics(found.q, frame="flange")
    assert np.abs(Y[:3, 2] - opposite[:3, 2]).max() < 1e-8
    stuck = solve_ik(model, tasks[kind], Q, method=PseudoInverse(iterations=1))
    assert stuck.ok or stuck.residual > 1e-3


def test_several_frames_at_once(rng: np.random.Generator) -> None:
    model = arms.model("iiwa14")
    q = arms.draw("iiwa14", rng, 1)[0]
    elbow = model.forward_kinematics(q, frame="link4")[:3, 3]
    end = model.forward_kinematics(q, frame="flange")
    found = solve_ik(model, [PositionTask("link4", elbow), PoseTask("flange", end)])
    assert found.ok, str(found)
    assert model.forward_kinematics(found.q, frame="link4")[:3, 3] == pytest.approx(elbow, abs=2e-9)
    assert arms.pose_error(model.forward_kinematics(found.q, frame="flange"), end) < 2e-9


def test_weights_decide_between_tasks_that_exclude_each_other() -> None:
    model = da.compile(arms.planar_2r())
    left, right = [1.0, 0.0], [1.2, 0.0]
    for weight in (10.0, 0.1):
        tasks = [
            PositionTask("tip", left, weight, axes="xy"),
            PositionTask("tip", right, axes="xy"),
        ]
        found = solve_ik(model, tasks, [0.5, 0.5])
        assert not found.ok
        x = model.forward_kinematics(found.q, frame="tip")[0, 3]
        # weighted least squares of two points
        assert x == pytest.approx((weight**2 * 1.0 + 1.2) / (weight**2 + 1), abs=1e-4)


def test_a_task_of_ones_own() -> None:
    """Extension point: the distance of a frame from the origin, squared."""
    from collections.abc import Sequence
    from dataclasses import dataclass
    from typing import Any

    @dataclass(frozen=True, eq=False)
    class Distance(FrameTask):
        @property
        def shape(self) -> tuple[int, ...]:
            return (1,)

        @property
        def units(self) -> tuple[str, ...]:
            return ("m",)

        def error(self, model: da.Model, q: Sequence[Any], target: Any) -> list[Any]:
            X = model.expressions("forward_kinematics", q, frame=self.frame)
            return [target[0] - sum(X[i][3] * X[i][3] for i in range(3))]

        def jacobian(self, model: da.Model, q: Sequence[Any], target: Any) -> list[list[Any]]:
            X = model.expressions("forward_kinematics", q, frame=self.frame)
            J = model.expressions("jacobian", q, frame=self.frame)
            return [[2 * sum(X[i][3] * J[i][k] for i in range(3)) for k in range(len(J[0]))]]

    model = arms.model("ur5e")
    found = solve_ik(model, Distance("flange", [0.25]))
    assert found.ok
    p = model.forward_kinematics(found.q, frame="flange")[:3, 3]
    assert np.linalg.norm(p) == pytest.approx(0.5, abs=1e-8)


def test_targets_are_checked() -> None:
    model = arms.model("ur5e")
    X = model.forward_kinematics(Q, frame="flange")
    with pytest.raises(
        EvaluationError, match=r"shape \(..., 3\) for the target of PositionTask of flange"
    ):
        solve_ik(model, PositionTask("flange", [1.0, 2.0]))
    with pytest.raises(EvaluationError, match="finite"):
        solve_ik(model, PositionTask("flange", [1.0, 2.0, np.nan]))
    with pytest.raises(EvaluationError, match="rotation matrix for the target of"):
        solve_ik(model, 2 * X)
    mirrored = X.copy()
    mirrored[:3, 0] *= -1
    with pytest.raises(EvaluationError, match="right-handed"):
        solve_ik(model, mirrored)
    with pytest.raises(EvaluationError, match="length zero"):
        solve_ik(model, AxisTask("flange", [0, 0, 0]))
    with pytest.raises(EvaluationError, match="axes among x, y and z"):
        PositionTask("flange", [1.0], axes="w")
    with pytest.raises(EvaluationError, match="an axis x, y or z"):
        AxisTask("flange", [1.0, 0, 0], axis="xy")


def test_quaternions_stay_unit() -> None:
    model = da.compile(da.textbook.robots.quadrotor())
    R = np.array(quaternion.to_matrix((0.5, 0.5, -0.5, 0.5)), float)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, (1.0, 2.0, 3.0)
    found = solve_ik(model, X, frame="propeller1")
    assert found.ok
    assert np.linalg.norm(found.q[3:]) == pytest.approx(1, abs=1e-14)
    assert arms.pose_error(model.forward_kinematics(found.q, frame="propeller1"), X) < 1e-9


def test_conditions_on_velocities_and_priorities_are_none_on_configurations() -> None:
    model = arms.model("ur5e")
    with pytest.raises(EvaluationError, match="the momentum is a condition on velocities"):
        solve_ik(model, MomentumTask([0.0] * 6))
    second = JointTask("joint1", 0.2, priority=1)
    with pytest.raises(EvaluationError, match="priority 1 of joint1"):
        solve_ik(model, [PositionTask("flange", [0.3, 0.2, 0.4]), second])


def test_wrong_tasks_are_refused() -> None:
    model = arms.model("ur5e")
    with pytest.raises(UnknownName, match="joint with one coordinate of ur5e, got 'joint9'"):
        solve_ik(model, JointTask("joint9", 0.2))
    with pytest.raises(EvaluationError, match="a posture of 6 numbers for ur5e, got 5"):
        solve_ik(model, PostureTask([0.0] * 5))
    with pytest.raises(EvaluationError, match="weight of at least 0"):
        PostureTask([0.0] * 6, [-1.0] * 6)
    with pytest.raises(EvaluationError, match="axes among x, y and z"):
        CenterOfMassTask([0.0], axes="w")
    with pytest.raises(EvaluationError, match="different rows of a momentum"):
        MomentumTask([0.0], rows=[7])
    with pytest.raises(UnknownName, match="expected a frame or link of ur5e, got 'nothing'"):
        solve_ik(model, RelativePoseTask("flange", "nothing", np.eye(4)))


def test_postures_in_a_batch() -> None:
    model = arms.model("ur5e")
    postures = np.linspace(-1, 1, 18).reshape(3, 6)
    found = solve_ik(model, PostureTask(postures))
    assert found.ok.all()
    assert np.abs(found.q - postures).max() < 1e-8
    found = solve_ik(model, JointTask("joint2", [0.1, 0.2]))
    assert np.abs(found.q[:, 1] - [0.1, 0.2]).max() < 1e-8


def test_drifts_are_accelerations_without_joint_accelerations() -> None:
    model = arms.model("ur5e")
    v, h = np.array([0.4, -0.3, 0.8, 0.5, -0.6, 0.9]), 1e-5
    for name, task in satisfied(model, Q).items():
        stack = Stack(model, [task])
        J, drift = stack.jacobians[0], stack.drifts[0]
        inputs = {"q": model.symbols.q, "qd": model.symbols.qd, **stack.inputs}
        rows = model.compile({"J": J, "drift": drift}, inputs)
        target = stack.checked()
        ends = [rows(Q + s * h * v, v, *target)[0] @ v for s in (1, -1)]
        expected = (ends[0] - ends[1]) / (2 * h)
        assert np.abs(rows(Q, v, *target)[1] - expected).max() < DIFFERENCES, name
