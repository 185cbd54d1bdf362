"""The call itself: shapes, defaults, closed mechanisms, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName
from dalembert.ik import PoseTask, PositionTask, solve_ik
from dalembert.textbook import robots
from tests.unit.ik import arms

CLOSED = 1e-9


def five_bar() -> da.Model:
    mechanism = robots.five_bar()
    return da.compile(mechanism.bind(dict.fromkeys(mechanism.parameters, 1)))


def test_shapes_follow_the_targets(rng: np.random.Generator) -> None:
    model = arms.model("ur5e")
    q = arms.draw("ur5e", rng, 6).reshape(2, 3, 6)
    targets = model.forward_kinematics(q, frame="flange")
    found = solve_ik(model, targets, q[0, 0])
    assert found.q.shape == (2, 3, 6)
    assert found.ok.shape == found.residual.shape == found.iterations.shape == (2, 3)
    assert found.error.shape == (2, 3, 6)
    assert found.history is None
    single = solve_ik(model, targets[0, 0], q[0, 0] + 0.01)
    assert single.q.shape == (6,)
    assert single.ok.shape == ()
    assert single.ok
    assert isinstance(single.residual, float)
    assert single
    assert str(single).startswith("q = (")


def test_starts_may_be_the_batch(rng: np.random.Generator) -> None:
    model = arms.model("ur5e")
    q = arms.draw("ur5e", rng, 5)
    target = model.forward_kinematics(q[0], frame="flange")
    found = solve_ik(model, target, q)
    assert found.q.shape == (5, 6)
    assert found.ok.all()
    assert found.iterations[0] == 1


def test_an_empty_batch() -> None:
    found = solve_ik(arms.model("ur5e"), np.zeros((0, 4, 4)))
    assert found.q.shape == (0, 6)


def test_loops_stay_closed() -> None:
    model = five_bar()
    x, y = np.cos(1.0), np.sin(1.0)
    found = solve_ik(model, PositionTask("left_forearm", [x, y, 0.0]))
    assert found.ok
    assert np.abs(model.constraint_error(found.q)).max() <= CLOSED
    assert model.forward_kinematics(found.q, frame="left_forearm")[:2, 3] == pytest.approx([x, y])


def test_loops_stay_closed_out_of_reach() -> None:
    model = five_bar()
    found = solve_ik(model, PositionTask("left_forearm", [0.3, 0.9, 0.0]))
    assert not found.ok
    assert np.abs(model.constraint_error(found.q)).max() <= CLOSED
    # the elbow runs on the unit circle, and (0.3, 0.9) lies inside
    assert "0.05132 m from the target" in found.status


def test_parallel_robot_with_a_free_plate() -> None:
    model = da.compile(robots.stewart_platform())
    X = np.eye(4)
    X[:3, 3] = 0.05, 0.02, 0.7
    found = solve_ik(model, PoseTask("plate", X))
    assert found.ok, found.status
    assert np.abs(model.constraint_error(found.q)).max() <= CLOSED
    assert arms.pose_error(model.forward_kinematics(found.q, frame="plate"), X) <= 1e-9


def test_welded_loop_keeps_the_orientation() -> None:
    builder = da.Builder("two_arms")
    for side, y in (("left", 0), ("right", 1)):
        parent = "world"
        for i in range(3):
            link = f"{side}{i}"
            builder.link(link, mass=1, inertia=(1, 1, 1))
            origin = (0, y, 0) if i == 0 else (1, 0, 0)
            builder.revolute(f"{link}_joint", link, parent=parent, origin=origin)
            parent = link
    builder.frame("left_tip", "left2", origin=(1, 0, 0)).frame(
        "right_tip", "right2", origin=(1, 0, 0)
    )
    builder.loop("grip", ("left2", (1, 0, 0)), ("right2", (1, 0, 0)), kind="frame")
    model = da.compile(builder.build())
    found = solve_ik(model, PositionTask("left_tip", [1.5, 0.7], axes="xy"))
    assert found.ok, found.status
    left, right = (model.forward_kinematics(found.q, frame=f"{s}_tip") for s in ("left", "right"))
    assert arms.pose_error(left, right) <= CLOSED


def test_spherical_joint() -> None:
    builder = da.Builder("ball").link("bob", mass=1, inertia=(1, 1, 1))
    builder.spherical("ball", "bob").frame("tip", "bob", origin=(0, 0, 1))
    model = da.compile(builder.build())
    aim = np.array([0.6, 0.0, -0.8])
    found = solve_ik(model, PositionTask("tip", aim))
    assert found.ok
    assert model.forward_kinematics(found.q, frame="tip")[:3, 3] == pytest.approx(aim)
    assert np.linalg.norm(found.q) == pytest.approx(1)


def test_bad_calls() -> None:
    model = arms.model("ur5e")
    X = np.eye(4)
    with pytest.raises(UnknownName, match=r"got 'flansh' .did you mean flange"):
        solve_ik(model, X, frame="flansh")
    with pytest.raises(EvaluationError, match=r"shape \(..., 6\) for q0"):
        solve_ik(model, X, [0.0, 1.0])
    with pytest.raises(EvaluationError, match="positive tolerance, got 0"):
        solve_ik(model, X, tolerance=0)
    with pytest.raises(EvaluationError, match="empty list"):
        solve_ik(model, [])
    with pytest.raises(EvaluationError, match="batch axes that broadcast"):
        solve_ik(model, np.tile(X, (3, 1, 1)), np.zeros((2, 6)))
    with pytest.raises(EvaluationError, match="batch axes that broadcast"):
        solve_ik(
            model,
            [PositionTask("flange", np.zeros((2, 3))), PositionTask("link3", np.zeros((3, 3)))],
        )
    with pytest.raises(UnknownName, match="expected frame= to say what shall reach the pose"):
        solve_ik(da.compile(robots.biped()), X)
    with pytest.raises(InvalidMechanism, match=r"symbols .*l₁.*: give values"):
        solve_ik(da.compile(robots.planar_3r()), X)
    with pytest.raises(InvalidMechanism, match="has no links, joints or frames"):
        solve_ik(da.compile(da.textbook.rp_arm()), PositionTask("tip", [0.0, 0, 0]))


def test_numpy_backend_agrees(rng: np.random.Generator) -> None:
    targets = arms.model("ur5e").forward_kinematics(arms.draw("ur5e", rng, 3), frame="flange")
    native = solve_ik(arms.model("ur5e"), targets)
    plain = solve_ik(da.compile(robots.ur5e(), "numpy"), targets)
    assert plain.ok.all()
    assert plain.q == pytest.approx(native.q, abs=1e-8)


def test_a_model_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """With stand-ins for CuPy: only the loop runs there, and its results are copied back."""

    class OnDevice(np.ndarray):
        def get(self) -> np.ndarray:
            return np.asarray(self)

    class Loop:
        dtype = "float64"

        def __init__(self, run: Any) -> None:
            self.run = run

        def __call__(self, *arrays: np.ndarray, **options: int) -> object:
            found = self.run(*arrays, **options)
            return found._replace(outputs=tuple(x.view(OnDevice) for x in found.outputs))

    model = da.compile(robots.ur5e())
    native = model.loop
    monkeypatch.setattr(model, "backend", "cuda")
    monkeypatch.setattr(model, "compile", None)

    def loop(*parts: Any, **options: Any) -> Loop:
        with monkeypatch.context() as at_home:
            at_home.setattr(model, "backend", "llvm")
            return Loop(native(*parts, **options))

    monkeypatch.setattr(model, "loop", loop)
    target = arms.model("ur5e").forward_kinematics(np.full((2, 6), 0.3), frame="flange")
    target[1, :3, 3] += 5
    found = solve_ik(model, target)
    assert found.ok.tolist() == [True, False]
    assert "out of reach: the nearest point" in found.status[1]
    assert type(found.q) is type(found.error) is np.ndarray
    Loop.dtype = "float32"
    with pytest.raises(EvaluationError, match="double precision"):
        solve_ik(model, target)
