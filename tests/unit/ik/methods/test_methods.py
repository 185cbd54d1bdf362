"""The step-by-step methods: their steps against NumPy, and where they arrive."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.ik import (
    DampedLeastSquares,
    Method,
    NewtonRaphson,
    PoseTask,
    PositionTask,
    PseudoInverse,
    SelectivelyDamped,
    Transpose,
    solve_ik,
)
from tests.unit.ik import arms

METHODS = {
    "newton_raphson": NewtonRaphson(),
    "pseudo_inverse": PseudoInverse(),
    # a gradient step converges below 2 / σ², and σ² stays below 5 on this arm
    "transpose": Transpose(step=0.3, iterations=50_000),
    "damped": DampedLeastSquares(),
    "selective": SelectivelyDamped(),
}
Q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.1])


@pytest.mark.parametrize("name", METHODS)
def test_all_arrive_from_nearby(name: str, rng: np.random.Generator) -> None:
    model = arms.model("ur5e")
    goals = Q + rng.uniform(-0.3, 0.3, (4, 6))
    target = model.forward_kinematics(goals, frame="flange")
    tolerance = 1e-4 if name == "transpose" else 1e-9
    found = solve_ik(model, target, Q, method=METHODS[name], tolerance=tolerance)
    assert found.ok.all(), str(found)
    reached = model.forward_kinematics(found.q, frame="flange")
    assert arms.pose_error(reached, target).max() <= 1.01 * tolerance


def first_step(method: Method) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first change of q with e and J where it began."""
    model = arms.model("ur5e")
    target = model.forward_kinematics(Q + 0.1, frame="flange")
    found = solve_ik(model, PositionTask("flange", target[:3, 3]), Q, method=method)
    assert found.history is not None
    e = target[:3, 3] - model.forward_kinematics(Q, frame="flange")[:3, 3]
    J = model.jacobian(Q, frame="flange")[:3]
    return found.history.q[1] - Q, e, J


def test_pseudo_inverse_step() -> None:
    step, e, J = first_step(PseudoInverse(step=0.5))
    assert step == pytest.approx(0.5 * J.T @ np.linalg.solve(J @ J.T, e), rel=1e-9)


def test_transpose_step() -> None:
    step, e, J = first_step(Transpose(step=0.3, iterations=1))
    assert step == pytest.approx(0.3 * J.T @ e, rel=1e-9)


def test_damped_step() -> None:
    step, e, J = first_step(DampedLeastSquares(damping=0.02))
    assert step == pytest.approx(J.T @ np.linalg.solve(J @ J.T + 0.02 * np.eye(3), e), rel=1e-9)


def test_selective_damping_limits_every_joint() -> None:
    model = arms.model("ur5e")
    # nearly stretched: plain steps would be wild
    q = np.array([0.1, -0.5, 0.001, 0.0, 0.002, 0.0])
    target = model.forward_kinematics(q, frame="flange")
    target[:3, 3] *= 0.97
    for method in (SelectivelyDamped(iterations=1), PseudoInverse(iterations=1)):
        found = solve_ik(model, target, q, method=method)
        assert found.history is not None
        largest = np.abs(found.history.q[1] - q).max()
        assert (largest <= np.pi / 4 + 1e-12) == isinstance(method, SelectivelyDamped)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (0.5, [0.5, 0.5]),
        (lambda k: 1 / k, [1.0, 0.5]),
        ([1.0, 0.5, 0.25, 1.0, 1.0, 1.0], None),
        (lambda k: np.array([1.0, 0.5, 0.25, 1, 1, 1]) / k, None),
    ],
)
def test_step_sizes(step: object, expected: list[float] | None) -> None:
    model = arms.model("ur5e")
    aim = PositionTask("flange", model.forward_kinematics(Q + 0.1, frame="flange")[:3, 3])
    whole = solve_ik(model, aim, Q, method=PseudoInverse(iterations=1))
    found = solve_ik(model, aim, Q, method=PseudoInverse(step=step, iterations=2))  # type: ignore[arg-type]
    assert whole.history is not None
    assert found.history is not None
    full, taken = whole.history.q[1] - Q, found.history.q[1] - Q
    factors = np.array([1.0, 0.5, 0.25, 1, 1, 1]) if expected is None else expected[0]
    assert taken == pytest.approx(factors * full)
    if expected is not None:
        e = aim.target - model.forward_kinematics(found.history.q[1], frame="flange")[:3, 3]
        J = model.jacobian(found.history.q[1], frame="flange")[:3]
        second = found.history.q[2] - found.history.q[1]
        assert second == pytest.approx(expected[1] * np.linalg.pinv(J) @ e)


def test_damped_error_never_grows(rng: np.random.Generator) -> None:
    model = arms.model("puma560")
    for q, start in zip(*(arms.draw("puma560", rng, 10) for _ in range(2)), strict=True):
        target = model.forward_kinematics(q, frame="link6")
        found = solve_ik(model, target, start, method=DampedLeastSquares(), limits=())
        assert found.history is not None
        assert (np.diff(found.history.error) <= 0).all()


def test_newton_raphson_needs_a_square_jacobian() -> None:
    with pytest.raises(EvaluationError, match="got 6 rows and 7 velocities: use PseudoInverse"):
        solve_ik(arms.model("panda"), np.eye(4), method=NewtonRaphson())


def test_steps_must_be_positive() -> None:
    with pytest.raises(EvaluationError, match=r"positive step sizes, got 0.0 at k = 1"):
        solve_ik(arms.model("ur5e"), np.eye(4), method=PseudoInverse(step=0.0))


def test_limits_hold_on_the_way() -> None:
    model = arms.model("panda")
    target = PoseTask(
        "flange", model.forward_kinematics([0.1, 1.7, 0, -0.2, 0, 3.7, 2.8], frame="flange")
    )
    found = solve_ik(model, target, method=DampedLeastSquares())
    assert found.history is not None
    space = model.configuration
    assert ((found.history.q >= space.lower) & (found.history.q <= space.upper)).all()
