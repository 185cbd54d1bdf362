"""Success on random poses within limits; what is reported as solved is solved."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.ik import Box, Global, PositionTask, solve_ik
from tests.cases import num_cases
from tests.unit.ik import arms

POSES = 300
UNREACHABLE = 72
TOLERANCE = 1e-9
# metres and radians are each rounded again by the oracle
ORACLE = 1.01 * TOLERANCE
SUCCESS = 0.999


@pytest.mark.parametrize("name", arms.ARMS)
def test_random_poses_are_reached(name: str, rng: np.random.Generator, scale: float) -> None:
    model, frame = arms.model(name), arms.end(name)
    count = max(10, num_cases(POSES, scale))
    targets = model.forward_kinematics(arms.draw(name, rng, count), frame=frame)
    found = solve_ik(model, targets, frame=frame, tolerance=TOLERANCE)
    assert found.ok.mean() >= SUCCESS, str(found)
    # every one that is called solved: by forward kinematics, within limits
    q = found.q[found.ok]
    reached = model.forward_kinematics(q, frame=frame)
    assert arms.pose_error(reached, targets[found.ok]).max() <= ORACLE
    space = model.configuration
    assert ((q >= space.lower) & (q <= space.upper)).all()
    assert found.residual[found.ok].max() <= TOLERANCE


@pytest.mark.parametrize("name", arms.ARMS)
def test_unreachable_poses_are_never_solved(
    name: str, rng: np.random.Generator, scale: float
) -> None:
    model, frame = arms.model(name), arms.end(name)
    count = max(4, num_cases(UNREACHABLE, scale))
    targets = model.forward_kinematics(arms.draw(name, rng, count), frame=frame)
    # 6 m away from where they were, beyond any reach
    out = rng.normal(size=(count, 3))
    targets[:, :3, 3] += 6 * out / np.linalg.norm(out, axis=-1, keepdims=True)
    limits, reason = None, "out of reach: the nearest point"
    if name == "stanford_arm":
        # its slide has no limit but the one given here
        limits = [Box([-9, -9, -1, -9, -9, -9], [9, 9, 1, 9, 9, 9])]
        reason = "limit-bound: without limits it can be reached, with joint3 = "
    found = solve_ik(model, targets, frame=frame, limits=limits, method=Global(restarts=5))
    assert not found.ok.any()
    assert found.status.shape == (count,)
    assert all(text.startswith(reason) for text in found.status), str(found)


def test_a_batch_changes_nothing(rng: np.random.Generator) -> None:
    model = arms.model("panda")
    targets = model.forward_kinematics(arms.draw("panda", rng, 30), frame="flange")
    together = solve_ik(model, targets)
    for k in range(30):
        alone = solve_ik(model, targets[k])
        assert np.abs(alone.q - together.q[k]).max() < 1e-9
        assert alone.restarts == together.restarts[k]


def test_runs_repeat(rng: np.random.Generator) -> None:
    model = arms.model("puma560")
    targets = model.forward_kinematics(arms.draw("puma560", rng, 40), frame="link6")
    first, second = (solve_ik(model, targets, method=Global(seed=3)) for _ in range(2))
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.iterations, second.iterations)


def test_full_turns_come_back_close_to_the_start() -> None:
    model = arms.model("ur5e")
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.1])
    target = model.forward_kinematics(q, frame="flange")
    near = q + 2 * np.pi * np.array([-1, 0, 0, -1, 0, -1]) + 0.02
    found = solve_ik(model, target, near)
    assert found.ok
    assert np.abs(found.q - near).max() < 0.1


def test_margin_and_box_hold(rng: np.random.Generator) -> None:
    model = arms.model("panda")
    q = arms.draw("panda", rng, 50)
    lower, upper = model.configuration.lower, model.configuration.upper
    middle, half = (lower + upper) / 2, (upper - lower) / 4
    inner = Box(middle - half, middle + half)
    q = rng.uniform(middle - half, middle + half, (50, 7))
    found = solve_ik(model, model.forward_kinematics(q, frame="flange"), limits=[inner])
    assert found.ok.all()
    assert (np.abs(found.q - middle) <= half).all()


def test_history_ends_at_the_solution() -> None:
    model = arms.model("ur5e")
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.1])
    found = solve_ik(
        model, PositionTask("flange", model.forward_kinematics(q, frame="flange")[:3, 3]), q + 0.2
    )
    assert found.history is not None
    assert found.history.q[0] == pytest.approx(q + 0.2)
    assert found.history.q[-1] == pytest.approx(found.q)
    assert found.history.error[-1] <= TOLERANCE < found.history.error[0]
    assert len(found.history) == found.iterations + 1
