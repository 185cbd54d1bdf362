"""Identification: exact ranks, exact data, noise, bodies that exist, wrong input."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName
from dalembert.identification import filtered, identify
from dalembert.spatial.inertia.consistency import is_consistent
from tests.cases import num_cases
from tests.controlled_robots import closed, four_bar
from tests.random_mechanisms import random_mechanism

HINGES = ("revolute", "continuous", "prismatic", "helical")


def states(model, rng, count=300):
    q = model.random_configuration(rng, count)
    return (q, *rng.normal(size=(2, count, model.nv)))


def scaled(mechanism, rng, spread):
    """Return the robot with every mass off by a random factor: a data sheet."""
    links = [
        replace(link, inertia=link.inertia.map(_times(float(rng.uniform(*spread)))))
        for link in mechanism.links
    ]
    return replace(mechanism, links=tuple(links))


def _times(factor):
    return lambda x: x * factor


def bodies(found):
    return [link.inertia for link in found.mechanism.links if link.has_inertia]


def test_as_many_base_parameters_as_are_exact(rng, scale):
    for _ in range(num_cases(6, scale)):
        count = int(rng.integers(1, 5))
        robot = random_mechanism(rng, count, kinds=HINGES, armature=0, damping=0)
        model = da.compile(robot)
        q, qd, qdd = states(model, rng)
        tau = model.inverse_dynamics(q, qd, qdd)
        found = identify(model, q, qd, qdd, tau, unknown=["inertia"])
        assert len(found.base) == len(robot.base_parameters())
        assert not found.base.hidden


def test_exact_torques_give_exact_base_parameters(rng, scale):
    for _ in range(num_cases(3, scale)):
        robot = random_mechanism(rng, int(rng.integers(2, 7)))
        model = da.compile(robot)
        if model.nv == 0:
            continue
        q, qd, qdd = states(model, rng)
        tau = model.inverse_dynamics(q, qd, qdd)
        found = identify(da.compile(scaled(robot, rng, (0.5, 2))), q, qd, qdd, tau)
        truth = identify(model, q, qd, qdd, tau)
        want = truth.base.structure.weights @ truth.given[list(truth.unknown)]
        assert np.abs(found.base.values - want).max() <= 1e-10 * max(1, np.abs(want).max())
        # bodies near a wrong description explain the torques of another motion
        other = states(model, rng, 50)
        assert found.predict(*other) == pytest.approx(
            model.inverse_dynamics(*other), rel=1e-5, abs=1e-5 * np.abs(tau).max()
        )
        assert all(map(is_consistent, bodies(found)))


def test_noise_gives_bodies_that_exist_and_predict_better_than_least_squares(rng, scale):
    worse = 0.0
    cases = num_cases(4, scale)
    for _ in range(cases):
        robot = random_mechanism(rng, 5, kinds=("revolute",))
        model = da.compile(robot)
        sheet = da.compile(scaled(robot, rng, (0.8, 1.25)))
        q, qd, qdd = states(model, rng, 60)
        exact = model.inverse_dynamics(q, qd, qdd)
        tau = exact + 0.1 * exact.std(axis=0) * rng.normal(size=exact.shape)
        found = identify(sheet, q, qd, qdd, tau)
        assert all(map(is_consistent, bodies(found)))
        other = states(model, rng, 200)
        want = model.inverse_dynamics(*other)
        Y = model.regressor(*other)[..., list(found.unknown)]
        known = model.regressor(*other) @ np.where(
            np.isin(np.arange(len(found.theta)), found.unknown), 0, found.given
        )
        plain = Y[..., list(found.base.structure.leading)] @ found.base.values + known
        worse += np.log(np.std(found.predict(*other) - want) / np.std(plain - want)) / cases
    assert worse < 0


def test_deviations_cover_the_truth(rng):
    model = da.compile(da.textbook.robots.ur5e())
    q, qd, qdd = states(model, rng, 400)
    tau = model.inverse_dynamics(q, qd, qdd)
    # joints with noise of very different sizes
    sigma = np.array([3.0, 1.0, 0.3, 0.1, 0.03, 0.01])
    misses = []
    for _ in range(5):
        noisy = tau + sigma * rng.normal(size=tau.shape)
        found = identify(model, q, qd, qdd, noisy, unknown=["inertia"])
        want = found.base.structure.weights @ found.given[list(found.unknown)]
        misses.append((found.base.values - want) / found.base.deviations)
        assert found.noise == pytest.approx(sigma, rel=0.2)
    # normal: 68 % within one deviation, almost all within four
    assert 0.55 < np.mean(np.abs(misses) < 1) < 0.8
    assert np.abs(misses).max() < 4.5


def test_friction_that_the_description_lacks_is_found(rng):
    bare = da.textbook.robots.ur5e()
    joints = [
        replace(j, resistance=replace(j.resistance, damping=2, friction=3)) for j in bare.joints
    ]
    model = da.compile(replace(bare, joints=tuple(joints)))
    q, qd, qdd = states(model, rng)
    tau = model.inverse_dynamics(q, qd, qdd) + 0.01 * rng.normal(size=(300, 6))
    found = identify(da.compile(bare), q, qd, qdd, tau)
    assert found.ok, found.status
    name = bare.joints[2].name
    assert found[f"{name}.damping"] == pytest.approx(2, abs=0.01)
    assert found[f"{name}.friction"] == pytest.approx(3, abs=0.01)
    moved: Any = found.mechanism
    assert da.compile(moved).inverse_dynamics(q, qd, qdd) == pytest.approx(tau, abs=0.1)


def test_free_bases_and_balls(rng):
    robot = random_mechanism(rng, 4, kinds=("floating", "spherical", "revolute"))
    model = da.compile(robot)
    q, qd, qdd = states(model, rng)
    tau = model.inverse_dynamics(q, qd, qdd)
    found = identify(da.compile(scaled(robot, rng, (0.7, 1.3))), q, qd, qdd, tau)
    assert found.ok, found.status


def test_a_closed_mechanism_by_the_motions_its_loops_allow(rng):
    model = four_bar().model
    crank = rng.uniform(-np.pi, np.pi, 80)
    q = np.array([closed(model, np.array([x, *model.configuration.neutral[1:]])) for x in crank])
    A = model.constraint_jacobian(q)
    _, _, Vt = np.linalg.svd(A)
    along = Vt[:, np.linalg.matrix_rank(A[0]) :]
    qd = np.einsum("nkj,nk->nj", along, rng.normal(size=along.shape[:2]))
    b = model.constraint_bias(q, qd)
    qdd = np.array([-np.linalg.pinv(a) @ x for a, x in zip(A, b, strict=True)])
    qdd = qdd + np.einsum("nkj,nk->nj", along, rng.normal(size=along.shape[:2]))
    # λ is whatever it is: it does no work along the loops
    tau = model.inverse_dynamics(q, qd, qdd) + np.einsum(
        "nij,ni->nj", A, rng.normal(size=A.shape[:2])
    )
    sheet = da.compile(scaled(model.mechanism, rng, (0.7, 1.4)))
    found = identify(sheet, q, qd, qdd, tau)
    assert found.ok, found.status
    assert found.rows == ("all rows",)


def test_units_do_not_matter(rng):
    """A robot in millimetres and grams has the same motion, and the same fit."""
    robot = random_mechanism(rng, 3, kinds=("revolute",), damping=0, armature=0, mimic=0)
    model = da.compile(robot)
    q, qd, qdd = states(model, rng, 100)
    tau = model.inverse_dynamics(q, qd, qdd) + 0.01 * rng.normal(size=(100, model.nv))
    found = identify(model, q, qd, qdd, tau, unknown=["inertia"])
    heavy = replace(
        robot,
        links=tuple(replace(x, inertia=x.inertia.map(lambda k: k * 10**9)) for x in robot.links),
    )
    other = identify(da.compile(heavy), q, qd, qdd, 1e9 * tau, unknown=["inertia"])
    assert other.theta / 1e9 == pytest.approx(found.theta, rel=1e-6, abs=1e-8)


def test_a_motion_that_hides_says_what(rng):
    model = da.compile(da.textbook.robots.ur5e())
    q, qd, qdd = states(model, rng)
    # the last three joints stand still, and the first turns evenly
    qd[:, 3:] = qdd[:, 3:] = q[:, 3:] = 0
    tau = model.inverse_dynamics(q, qd, qdd)
    found = identify(model, q, qd, qdd, tau)
    assert not found.ok
    assert "the motion hides" in found.status
    joint = model.mechanism.joints[-1].name
    assert f"{joint}.damping" in " ".join(found.base.hidden)


def test_bodies_do_not_follow_impossible_torques(rng):
    """Torques of a robot with a negative inertia: no bodies explain them, and that is said."""
    model = _arm()
    q, qd, qdd = states(model, rng)
    found = identify(model, q, qd, qdd, -model.inverse_dynamics(q, qd, qdd), unknown=["inertia"])
    assert not found.ok
    assert "no bodies near the description" in found.status
    assert all(map(is_consistent, bodies(found)))


def _arm():
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.01)}
    return da.compile(
        da.Builder("arm")
        .link("upper", **rod)
        .revolute("shoulder", "upper", axis="y")
        .link("lower", **rod)
        .revolute("elbow", "lower", axis="y", origin=(0, 0, -1))
        .build()
    )


def test_numbers_without_a_place_in_the_mechanism_are_refused(rng):
    """The friction of a motor is found, and is no number of a link or joint."""
    motor = {"gear_ratio": 10, "rotor_inertia": 1e-4, "damping": 1e-3}
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.1)}
    built = da.Builder("one").link("rod", **rod).revolute("hinge", "rod", axis="y")
    model = da.compile(built.actuator("motor", "hinge", **motor).build())
    q, qd, qdd = states(model, rng)
    tau = model.inverse_dynamics(q, qd, qdd) + 0.3 * qd
    found = identify(model, q, qd, qdd, tau, unknown=["damping"])
    assert found.ok, found.status
    with pytest.raises(InvalidMechanism, match=r"got motor\.damping"):
        _ = found.mechanism


def test_many_samples_are_the_sum_of_few(rng, monkeypatch):
    model = _arm()
    q, qd, qdd = states(model, rng, 500)
    tau = model.inverse_dynamics(q, qd, qdd) + 0.1 * rng.normal(size=(500, 2))
    whole = identify(model, q, qd, qdd, tau)
    monkeypatch.setattr("dalembert.identification.stack.CHUNK", 500)
    pieces = identify(model, q, qd, qdd, tau)
    assert pieces.theta == pytest.approx(whole.theta, rel=1e-8, abs=1e-10)


def test_filtered_measurements_of_an_oscillation():
    t = np.arange(0, 20, 1e-3)
    rng = np.random.default_rng(1)
    q = np.column_stack([np.sin(2 * t), np.cos(3 * t)]) + 1e-4 * rng.normal(size=(len(t), 2))
    x = filtered(t, q, q, cutoff=5)
    assert np.abs(x.qd[:, 0] - 2 * np.cos(2 * x.t)).max() < 2e-3
    assert np.abs(x.qdd[:, 1] + 9 * np.cos(3 * x.t)).max() < 0.1
    assert x.t[0] > t[0]


def test_a_measured_swing_from_positions_and_torques_alone(rng):
    """From noisy angles of a swing, filtered, the masses come back."""
    model = _arm()
    t = np.arange(0, 20, 1e-3)
    phase = np.outer(t, 2 * np.pi * np.array([0.1, 0.23, 0.37, 0.61]))
    weights = rng.normal(size=(4, 2))
    rate = 2 * np.pi * np.array([0.1, 0.23, 0.37, 0.61])[:, None]
    q = np.sin(phase) @ weights
    qd, qdd = np.cos(phase) @ (rate * weights), -np.sin(phase) @ (rate**2 * weights)
    tau = model.inverse_dynamics(q, qd, qdd) + 0.1 * rng.normal(size=q.shape)
    x = filtered(t, q + 1e-5 * rng.normal(size=q.shape), tau, cutoff=8)
    sheet = da.compile(scaled(model.mechanism, rng, (0.8, 1.2)))
    found = identify(sheet, *x[1:], unknown=["inertia"])
    assert found.predict(q, qd, qdd) == pytest.approx(
        model.inverse_dynamics(q, qd, qdd), abs=0.05 * tau.std()
    )


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"tau": np.zeros((3, 1))}, EvaluationError, "expected tau of shape"),
        ({"q": np.full((300, 2), np.nan)}, EvaluationError, "finite"),
        ({"unknown": ["mass"]}, UnknownName, "expected unknown kinds"),
        ({"unknown": []}, EvaluationError, "something unknown"),
        ({"spread": 0.0}, EvaluationError, "spread"),
    ],
)
def test_wrong_input_is_refused(rng, change, error, said):
    model = _arm()
    q, qd, qdd = states(model, rng)
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": q, **change}
    with pytest.raises(error, match=said):
        identify(model, **given)


def test_symbols_and_systems_are_refused():
    symbolic = da.compile(_arm().mechanism.symbolic())
    with pytest.raises(InvalidMechanism, match="bind"):
        identify(symbolic, *np.zeros((4, 3, 2)))
    system: Any = da.compile(da.textbook.double_pendulum())
    with pytest.raises(InvalidMechanism):
        identify(system, *np.zeros((4, 3, 2)))


@pytest.mark.parametrize(
    ("t", "cutoff", "said"),
    [
        (np.linspace(0, 1, 1000) ** 2, 5, "even"),
        (np.linspace(0, 1, 1000), 5000, "cutoff"),
        (np.linspace(0, 1, 10), 3, "at least"),
    ],
)
def test_filters_refuse(t, cutoff, said):
    with pytest.raises(EvaluationError, match=said):
        filtered(t, np.zeros((len(t), 1)), np.zeros((len(t), 1)), cutoff)
