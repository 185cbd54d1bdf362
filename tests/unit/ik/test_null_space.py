"""Objectives: what they measure, and that they never cost the target."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.ik import Centring, Manipulability, Objective, Posture, solve_ik
from dalembert.ik.space import SearchSpace
from dalembert.tasks.limits import JointLimits, intersection
from tests.unit.ik import arms

Q = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3])
WISH = np.array([1.0, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3])
OBJECTIVES = {
    "posture": Posture(WISH),
    "centring": Centring(),
    "manipulability": Manipulability("flange"),
}


def space() -> SearchSpace:
    model = arms.model("panda")
    return SearchSpace(model, *intersection(model, [JointLimits()]))


@pytest.mark.parametrize("name", OBJECTIVES)
def test_better_at_the_same_target(name: str) -> None:
    model, objective = arms.model("panda"), OBJECTIVES[name]
    target = model.forward_kinematics(Q, frame="flange")
    plain = solve_ik(model, target, Q)
    found = solve_ik(model, target, Q, objectives=[objective])
    assert found.ok
    assert arms.pose_error(model.forward_kinematics(found.q, frame="flange"), target) < 1e-9
    before, after = (float(objective.value(space(), x.q)) for x in (plain, found))
    assert after < before - 1e-4 * abs(before)
    # at the best place the gradient has no part in the null space of J
    J = model.jacobian(found.q, frame="flange")
    free = np.linalg.svd(J)[2][-1]
    slope = objective.gradient(space(), found.q[None])[0]
    assert abs(free @ slope) < 1e-4 * max(1.0, float(np.linalg.norm(slope)))


def test_posture_is_the_squared_distance() -> None:
    value = Posture(WISH, weights=2.0).value(space(), Q)
    assert value == pytest.approx(0.5 * 2 * 0.9**2)
    gradient = Posture(WISH).gradient(space(), Q[None])[0]
    assert gradient == pytest.approx(Q - WISH, abs=1e-9)


def test_manipulability_is_the_volume_of_the_ellipsoid() -> None:
    model = arms.model("panda")
    J = model.jacobian(Q, frame="flange")[:3]
    value = Manipulability("flange", rows=(0, 1, 2)).value(space(), Q)
    assert value == pytest.approx(-np.sqrt(np.linalg.det(J @ J.T)))


def test_limits_hold(rng: np.random.Generator) -> None:
    model = arms.model("panda")
    target = model.forward_kinematics(arms.draw("panda", rng, 5), frame="flange")
    # a posture outside the limits pulls joints to their bounds
    found = solve_ik(model, target, objectives=[Posture(np.full(7, 5.0))])
    lower, upper = model.configuration.lower, model.configuration.upper
    assert found.ok.all()
    assert ((found.q >= lower) & (found.q <= upper)).all()


def test_nothing_is_left_for_a_nonredundant_arm() -> None:
    model = arms.model("ur5e")
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.1])
    target = model.forward_kinematics(q, frame="flange")
    objectives: list[Objective] = [Posture(np.zeros(6))]
    assert solve_ik(model, target, q, objectives=objectives).q == pytest.approx(q, abs=1e-8)
