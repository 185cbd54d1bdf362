"""Starts, bounds and full turns."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.ik import Box, JointLimits, solve_ik
from dalembert.ik.space import SearchSpace, halton
from dalembert.tasks.limits import intersection
from tests.unit.ik import arms


def space_of(model: da.Model) -> SearchSpace:
    return SearchSpace(model, *intersection(model, [JointLimits()]))


def test_halton_points_fill_the_cube() -> None:
    points = halton(4096, 4, seed=1)
    assert ((points >= 0) & (points < 1)).all()
    # an eighth of the cube holds an eighth of the points, far better than random ones would
    inside = (points[:, :3] < 0.5).all(axis=-1).mean()
    assert inside == pytest.approx(1 / 8, abs=0.004)
    # radical inverses of 1, 2, 3 in base 2, up to the shift
    raw = (points[:3, 0] - points[0, 0]) % 1
    assert raw == pytest.approx([0, 0.75, 0.25])
    assert np.array_equal(points, halton(4096, 4, seed=1))
    assert not np.array_equal(points, halton(4096, 4, seed=2))


@pytest.mark.parametrize("name", ["panda", "stanford_arm", "ur5e"])
def test_starts_lie_within_bounds(name: str) -> None:
    space = space_of(arms.model(name))
    q = space.starts(500, 0)
    assert ((q >= space.lower) & (q <= space.upper)).all()
    width = np.minimum(space.upper - space.lower, 2 * np.pi)
    width[~space.turns & np.isinf(space.upper)] = 2.0
    assert np.ptp(q, axis=0) == pytest.approx(width, rel=0.05)


def test_starts_of_a_free_body_have_unit_quaternions() -> None:
    space = space_of(da.compile(da.textbook.robots.quadrotor()))
    q = space.starts(50, 0)
    assert np.linalg.norm(q[:, 3:], axis=-1) == pytest.approx(np.ones(50))
    assert np.linalg.norm(space.middle[3:]) == 1


def test_turns_go_into_the_bounds_close_to_a_place() -> None:
    model = arms.model("ur5e")
    space = space_of(model)
    q = np.array([[7.0, -7.0, 100.0, 0.5, -6.2, 3.0]])
    near = np.array([[0.0, 0.0, 0.0, 6.2, 6.0, -3.0]])
    moved = space.wrapped(q, near)
    assert np.exp(1j * moved) == pytest.approx(np.exp(1j * q))
    assert ((moved >= space.lower) & (moved <= space.upper)).all()
    assert (np.abs(moved - near)[0, [0, 1, 2]] <= np.pi + 1e-9).all()
    # a turn more would be closer to 6.2 and to 6.0, but lies outside
    assert moved[0, 3] == 0.5
    assert moved[0, 4] == pytest.approx(2 * np.pi - 6.2)


def test_what_does_not_fit_stays() -> None:
    space = space_of(arms.model("panda"))
    q = np.full((1, 7), 3.1)
    assert np.array_equal(space.wrapped(q, q * 0)[0, [0, 1]], [3.1, 3.1])


def test_followers_bound_their_leader() -> None:
    builder = da.Builder("gripper")
    for name in ("left", "right"):
        builder.link(name, mass=1, inertia=(1, 1, 1))
    builder.prismatic("left_joint", "left", parent="world", limits=(0, 1))
    builder.prismatic(
        "right_joint", "right", parent="world", limits=(-0.2, 1), mimic=("left_joint", -0.5, 0.1)
    )
    model = da.compile(builder.build())
    # -0.2 ≤ -0.5 q + 0.1 ≤ 1
    lower, upper = JointLimits().bounds(model)
    assert (lower.tolist(), upper.tolist()) == ([0.0], [pytest.approx(0.6)])
    assert not space_of(model).turns.any()


def test_margin_and_empty_bounds() -> None:
    model = arms.model("panda")
    lower, _ = intersection(model, [JointLimits(margin=0.1)])
    assert lower == pytest.approx(model.configuration.lower + 0.1)
    with pytest.raises(EvaluationError, match=r"room between them, got .* for joint1: widen"):
        solve_ik(model, np.eye(4), limits=[Box(2, 1)])
