"""Configurations by name: drawn, moved, compared; quaternions stay units."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.errors import EvaluationError
from dalembert.mechanism import Limits
from dalembert.textbook import robots


def flyer() -> da.Model:
    builder = da.Builder("flyer").link("base", mass=1, inertia=(1, 1, 1))
    builder.floating("free", "base").link("arm", mass=1, inertia=(1, 1, 1))
    builder.revolute("elbow", "arm", parent="base", origin=(0.5, 0, 0), limits=(0.2, 0.4))
    builder.link("rod", mass=1, inertia=(1, 1, 1))
    builder.prismatic("slide", "rod", parent="arm")
    return da.compile(builder.build(), "numpy")


def test_random_configurations_fill_the_limits() -> None:
    model = flyer()
    q = model.random_configuration(3, 2000)
    assert q.shape == (2000, model.nq) == (2000, 9)
    # position in ± 1 m, uniform orientation, a joint with limits, a slide without
    assert np.abs(q[:, :3]).max() <= 1
    assert np.linalg.norm(q[:, 3:7], axis=-1) == pytest.approx(np.ones(2000))
    assert 0.2 <= q[:, 7].min() < 0.21
    assert 0.39 < q[:, 7].max() <= 0.4
    assert 0.9 < np.abs(q[:, 8]).max() <= 1
    # the mean of |w| over unit quaternions is 4/(3π), within four standard errors
    assert np.abs(q[:, 3]).mean() == pytest.approx(4 / (3 * np.pi), abs=0.03)


def test_draws_repeat_and_differ() -> None:
    model = flyer()
    assert np.array_equal(model.random_configuration(5), model.random_configuration(5))
    rng = np.random.default_rng(5)
    assert np.array_equal(model.random_configuration(rng), model.random_configuration(5))
    assert not np.array_equal(model.random_configuration(rng), model.random_configuration(5))
    assert not np.array_equal(model.random_configuration(), model.random_configuration())
    assert model.random_configuration(1, (2, 3)).shape == (2, 3, 9)


def test_one_bound_alone_holds() -> None:
    builder = da.Builder("slider").link("a", mass=1, inertia=(1, 1, 1))
    builder.prismatic("slide", "a", limits=Limits(lower=5))
    q = da.compile(builder.build(), "numpy").random_configuration(0, 500)
    assert 5 <= q.min() < 5.1
    assert 6.9 < q.max() <= 7


def test_neutral_is_a_copy_of_zeros() -> None:
    model = flyer()
    model.neutral[:] = 7
    assert model.neutral.tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_ways_between_configurations() -> None:
    model = flyer()
    start, end = model.random_configuration(1, (2, 20))
    v = model.difference(start, end)
    assert v.shape == (20, 8)
    assert model.distance(model.integrate(start, v), end).max() < 1e-12
    assert model.distance(start, end) == pytest.approx(np.linalg.norm(v, axis=-1))
    part = np.linspace(0, 1, 20)
    between = model.interpolate(start, end, part)
    assert model.distance(start, between) == pytest.approx(part * model.distance(start, end))
    # half a turn about z, a quarter of the way: 45 degrees
    turn = model.neutral
    turn[3:7] = 0, 0, 0, 1
    quarter = model.interpolate(model.neutral, turn, 0.25)
    expected = [np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8)]
    assert np.abs(quarter[3:7]) == pytest.approx(np.abs(expected), abs=1e-12)


def test_systems_have_them_too() -> None:
    model = da.compile(da.textbook.cart_pole(), "numpy", parameters=None)
    assert model.random_configuration(0, 4).shape == (4, model.nq)
    assert model.distance(model.neutral, np.ones(model.nq)) == pytest.approx(np.sqrt(model.nq))


def test_frames_at_the_root_stand_still() -> None:
    model = da.compile(robots.ur5e(), "numpy")
    root = model.mechanism.root
    q, v, a = np.ones((3, 6))
    for reference in ("world", "body", "spatial"):
        assert not model.frame_velocity(q, v, root, reference).any()
        assert not model.frame_acceleration(q, v, a, root, reference).any()
        assert not model.jacobian_rate(q, v, root, reference).any()
    with pytest.raises(da.DalembertError, match="expected a reference of world, body, spatial"):
        model.frame_acceleration(q, v, a, "flange", "local")
    with pytest.raises(da.DalembertError, match="expected a reference of world, body, spatial"):
        model.jacobian_rate(q, v, "flange", "local")
    with pytest.raises(da.DalembertError, match="got 'flansch'"):
        model.relative_jacobian(q, "flange", "flansch")


def test_errors_of_shape_speak_of_mimic_joints() -> None:
    """Whoever counts the joints of a file counts those that follow others too."""
    body = {"mass": 1, "inertia": (1, 1, 1)}
    builder = da.Builder("hand").link("a", **body).revolute("lead", "a")
    builder.link("b", **body).revolute("follow", "b", mimic=("lead", 1, 0))
    model = da.compile(builder.build(), "numpy")
    q = [0.0, 0.0]
    words = r"got \(2,\); mimic joints have no numbers of their own \(follow follows lead\)"
    for call in (
        lambda: model.mass_matrix(q),
        lambda: model.integrate(q, [0.0]),
        lambda: da.simulate(model, q, None, 1.0),
        lambda: da.simulate(model, [0.0], q, 1.0),
        lambda: da.rollout(model, q, None, 10),
        lambda: da.solve_ik(model, np.eye(4), q, frame="b"),
        lambda: analysis.linearise(model, q),
    ):
        with pytest.raises(EvaluationError, match=words):
            call()
