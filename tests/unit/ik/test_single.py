"""One target at a time: no Python in the search, the same results as in a batch."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.ik import (
    AxisTask,
    Box,
    Global,
    Goal,
    JointLimits,
    LineTask,
    PoseTask,
    PositionTask,
    SearchResult,
    Solution,
    single,
    solve_ik,
)
from dalembert.ik.single import FEW
from tests.cases import num_cases
from tests.unit.ik import arms

TOLERANCE = 1e-9
# of positions in metres, computed by two kernels
ROUNDING = 1e-14
ORACLE = 1.01 * TOLERANCE
POSES = 60
# of Python and of C; the search alone took more than a thousand when it was written in Python
CALLS = 150
Q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.1])


def pose(q: np.ndarray = Q) -> np.ndarray:
    return arms.model("ur5e").forward_kinematics(q, frame="flange")


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions are called, those of C included."""
    count = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    work()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


SINGLE: dict[str, Callable[[], Any]] = {
    "a pose": lambda: solve_ik(arms.model("ur5e"), pose(), Q + 0.01, frame="flange"),
    "no frame": lambda: solve_ik(arms.model("ur5e"), pose(), Q + 0.01),
    "lists": lambda: solve_ik(arms.model("ur5e"), pose().tolist(), (Q + 0.01).tolist()),
    "no start": lambda: solve_ik(arms.model("ur5e"), pose()),
    "columns first": lambda: solve_ik(arms.model("ur5e"), np.asfortranarray(pose()), Q + 0.01),
    "a task": lambda: solve_ik(arms.model("ur5e"), PoseTask("flange", pose()), Q + 0.01),
    "tasks": lambda: solve_ik(
        arms.model("ur5e"),
        [PositionTask("flange", pose()[:3, 3]), AxisTask("flange", pose()[:3, 2])],
        Q + 0.01,
    ),
    "a line": lambda: solve_ik(
        arms.model("ur5e"), LineTask("flange", np.stack([pose()[:3, 3], (0, 0, 1)])), Q + 0.01
    ),
    "margin": lambda: solve_ik(arms.model("ur5e"), pose(), Q, limits=[JointLimits(0.05)]),
    "method": lambda: solve_ik(arms.model("ur5e"), pose(), Q, method=Global(restarts=3, seed=2)),
}


@pytest.mark.parametrize("name", SINGLE)
def test_the_search_runs_no_python(name: str) -> None:
    assert SINGLE[name]().ok
    # with the kinematics of the target
    assert calls_of(SINGLE[name]) <= CALLS


@pytest.mark.parametrize("name", arms.ARMS)
def test_alone_as_in_a_batch(name: str, rng: np.random.Generator, scale: float) -> None:
    model, frame = arms.model(name), arms.end(name)
    count = max(8, num_cases(POSES, scale))
    targets = model.forward_kinematics(arms.draw(name, rng, count), frame=frame)
    starts = arms.draw(name, rng, count)
    together = solve_ik(model, targets, starts, frame=frame)
    space = model.configuration
    for k in range(count):
        alone = solve_ik(model, targets[k], starts[k], frame=frame)
        assert alone.ok == together.ok[k]
        assert np.array_equal(alone.q, together.q[k])
        assert alone.restarts == together.restarts[k]
        assert alone.iterations == together.iterations[k]
        assert alone.error == pytest.approx(together.error[k], abs=ROUNDING)
        assert alone.residual == pytest.approx(together.residual[k], abs=ROUNDING)
        assert alone.residual <= TOLERANCE
        # the verdict of another kernel
        reached = model.forward_kinematics(alone.q, frame=frame)
        assert arms.pose_error(reached, targets[k]) <= ORACLE
        assert ((alone.q >= space.lower) & (alone.q <= space.upper)).all()


def test_starts_at_and_beyond_the_bounds(rng: np.random.Generator, scale: float) -> None:
    for name in ("ur5e", "panda"):
        model, frame = arms.model(name), arms.end(name)
        lower, upper = model.configuration.lower, model.configuration.upper
        count = max(6, num_cases(30, scale))
        targets = model.forward_kinematics(rng.uniform(lower, upper, (count, len(lower))), frame)
        for target in targets:
            side = rng.integers(0, 2, len(lower))
            start = np.where(side, lower, upper) + rng.choice([0.0, 0.5, 20.0]) * (1 - 2 * side)
            found = solve_ik(model, target, start, frame=frame)
            assert found.ok, found.status
            assert ((found.q >= lower) & (found.q <= upper)).all()
            assert arms.pose_error(model.forward_kinematics(found.q, frame), target) <= ORACLE


def test_full_turns_stay_close_to_the_start() -> None:
    model = arms.model("ur5e")
    # limits of ± 2π: -6.2 and 0.08 are almost the same place, as are 6.2 and -0.08
    q = np.array([6.2, -1.0, 1.2, -6.2, 0.8, 0.1])
    target = model.forward_kinematics(q, frame="flange")
    for near in (q, q - 2 * np.pi * np.array([1, 0, 0, -1, 0, 0])):
        found = solve_ik(model, target, near + 0.03)
        assert found.ok
        assert np.abs(found.q - near).max() < 0.2


def test_targets_of_a_few_decimals_are_corrected() -> None:
    model = arms.model("ur5e")
    found = solve_ik(model, np.round(pose(), 6), Q)
    assert found.ok
    assert arms.pose_error(model.forward_kinematics(found.q, frame="flange"), pose()) < 1e-5


def test_directions_of_any_length() -> None:
    model = arms.model("ur5e")
    found = solve_ik(model, AxisTask("flange", [0, 0, -3]), Q)
    assert found.ok
    X = model.forward_kinematics(found.q, frame="flange")
    assert X[:3, 2] == pytest.approx([0, 0, -1])


def test_bad_numbers_are_refused() -> None:
    model, X = arms.model("ur5e"), pose()
    for entry, value in (((0, 3), np.nan), ((1, 1), np.inf)):
        bad = X.copy()
        bad[entry] = value
        with pytest.raises(EvaluationError, match="finite numbers for the target of PoseTask"):
            solve_ik(model, bad, Q)
    with pytest.raises(EvaluationError, match="finite numbers for q0"):
        solve_ik(model, X, np.where(Q > 1, np.nan, Q))
    mirrored = X.copy()
    mirrored[:3, 0] *= -1
    with pytest.raises(EvaluationError, match="rotation"):
        solve_ik(model, mirrored, Q)
    row = X.copy()
    row[3] = 0
    with pytest.raises(EvaluationError, match="last row"):
        solve_ik(model, row, Q)
    with pytest.raises(EvaluationError, match="real numbers for q0"):
        solve_ik(model, X, ["0", "0", "0", "0", "0", "0"])
    with pytest.raises(EvaluationError, match=r"shape \(..., 6\) for q0"):
        solve_ik(model, X, Q[:5])


def test_numbers_of_other_types() -> None:
    model = arms.model("ur5e")
    for start in (np.zeros(6, int), np.float32(Q), [0] * 6):
        assert solve_ik(model, pose(), start).ok


def test_unreachable_targets_get_their_reason() -> None:
    far = pose()
    far[0, 3] += 5
    found = solve_ik(arms.model("ur5e"), far, Q, method=Global(restarts=3))
    assert not found.ok
    assert "out of reach: the nearest point found for flange" in found.status


def test_quaternions_of_any_length() -> None:
    builder = da.Builder("flyer").link("base", mass=1, inertia=(1, 1, 1))
    builder.floating("free", "base").link("arm", mass=1, inertia=(1, 1, 1))
    builder.revolute("elbow", "arm", parent="base", origin=(0.5, 0, 0))
    builder.frame("tip", "arm", origin=(0.3, 0, 0))
    model = da.compile(builder.build())
    q = np.array([0.1, 0.2, 0.3, 0.6, 0.0, 0.8, 0.0, 0.4])
    target = model.forward_kinematics(q, frame="tip")
    start = np.array([0, 0, 0, 3.0, 0, 0, 0, 0])
    found = solve_ik(model, target, start)
    assert found.ok
    assert np.linalg.norm(found.q[3:7]) == pytest.approx(1, abs=1e-14)
    assert arms.pose_error(model.forward_kinematics(found.q, frame="tip"), target) <= ORACLE


def test_limits_that_change_are_looked_at_again() -> None:
    model, upper = arms.model("ur5e"), np.full(6, 3.0)
    box = Box(np.full(6, -3.0), upper)
    assert solve_ik(model, pose(), Q, limits=[box]).q[2] == pytest.approx(1.2)
    upper[2] = 0.5
    assert solve_ik(model, pose(), Q, limits=[box]).q[2] <= 0.5


def test_many_margins_keep_few_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    model = da.compile(arms.ARMS["ur5e"](), threads=1)
    assert solve_ik(model, pose(), Q, limits=[JointLimits(0.5)])
    # what is compiled does not depend on the margin
    monkeypatch.setattr(da.Model, "compile", None)
    monkeypatch.setattr(da.Model, "loop", None)
    monkeypatch.setattr(single, "MOST", 5)
    for margin in np.linspace(0.1, 0.4, 20):
        assert solve_ik(model, pose(), Q, limits=[JointLimits(float(margin))])
    assert len(model.once("inverse kinematics of one target", dict)) == 5


@dataclass(frozen=True)
class Counted(Global):
    """A search of one's own."""

    calls: ClassVar[list[int]] = []

    def search(self, goal: Goal, q: np.ndarray) -> SearchResult:
        self.calls.append(len(q))
        return super().search(goal, q)


def test_own_methods_are_asked() -> None:
    assert solve_ik(arms.model("ur5e"), pose(), Q + 0.1, method=Counted())
    assert Counted.calls == [1]


class Doubled(PositionTask):
    """A task of one's own that takes half of what it means."""

    def targets(self) -> np.ndarray:
        return 2 * super().targets()

    @property
    def structure(self) -> Hashable:
        return super().structure


def test_own_tasks_convert_their_targets() -> None:
    model = arms.model("ur5e")
    found = solve_ik(model, Doubled("flange", pose()[:3, 3] / 2), Q + 0.1)
    assert found.ok
    at = model.forward_kinematics(found.q, frame="flange")[:3, 3]
    assert at == pytest.approx(pose()[:3, 3])


def test_history_and_files_of_a_solution() -> None:
    target = pose()
    found = solve_ik(arms.model("ur5e"), target, Q + 0.2)
    # what was asked for stays, whatever becomes of the array
    target[...] = 0
    copy: Solution = pickle.loads(pickle.dumps(found))
    for each in (found, copy):
        assert each.history is not None
        assert each.history.q[0] == pytest.approx(Q + 0.2)
        assert np.array_equal(each.history.q[-1], found.q)
        assert len(each.history) == found.iterations + 1
        assert each.history.error[-1] == pytest.approx(found.residual, abs=1e-15)
    assert replace(found, ok=np.False_).status == "converged"


def test_history_begins_at_the_last_start(rng: np.random.Generator) -> None:
    model = arms.model("puma560")
    targets = model.forward_kinematics(arms.draw("puma560", rng, 30), frame="link6")
    again = [x for x in (solve_ik(model, X, frame="link6") for X in targets) if x.restarts]
    assert again
    for found in again:
        assert found.history is not None
        assert np.array_equal(found.history.q[-1], found.q)
        assert len(found.history) <= found.iterations + 1


def test_few_poses_are_solved_as_each_alone_and_as_in_a_long_batch(
    rng: np.random.Generator,
) -> None:
    model = da.compile(da.textbook.robots.panda())
    space = model.configuration
    targets = model.forward_kinematics(
        rng.uniform(space.lower, space.upper, (FEW + 9, 7)), "flange"
    )
    starts = rng.uniform(space.lower, space.upper, (FEW + 9, 7))
    for q0 in (None, starts[0], starts):
        long = solve_ik(model, targets, q0)
        own = None if q0 is None else q0[:FEW] if q0.ndim == 2 else q0
        few = solve_ik(model, targets[:FEW], own)
        assert few.q.shape == (FEW, 7)
        assert few.status.tolist() == ["converged"] * FEW
        for name in ("q", "ok", "iterations", "restarts"):
            assert (getattr(few, name) == getattr(long, name)[:FEW]).all(), name
        assert np.abs(few.residual - long.residual[:FEW]).max() < ROUNDING
        assert np.abs(few.error - long.error[:FEW]).max() < ROUNDING
    # what one of them needs more time for goes the general way, for all
    targets[3, :3, 3] += 10
    missed = solve_ik(model, targets[:FEW])
    assert missed.ok.sum() == FEW - 1
    assert "out of reach" in missed.status[3]


def test_few_poses_take_no_longer_than_one_by_one() -> None:
    model = da.compile(da.textbook.robots.panda())
    q = np.linspace([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3], [0.4, 0.1, 0, -1.2, 0.3, 1.4, 0], 10)
    targets = model.forward_kinematics(q, "flange")
    ways = (
        lambda: solve_ik(model, targets, q[0]),
        lambda: [solve_ik(model, X, q[0]) for X in targets],
    )
    least = [float("inf")] * 2
    for _ in range(20):
        for k, way in enumerate(ways):
            before = time.process_time()
            way()
            least[k] = min(least[k], time.process_time() - before)
    # side by side they took 2.7 times as long; to stack ten solutions takes a part of finding them
    assert least[0] < 2 * least[1]
