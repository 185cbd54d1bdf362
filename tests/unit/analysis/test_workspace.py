from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import matplotlib
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import plot_arm, singular_search, workspace
from dalembert.analysis.samples import random_configurations
from dalembert.errors import EvaluationError
from dalembert.ik import Clearance
from dalembert.mechanism import Sphere

matplotlib.use("Agg")

LENGTHS = (1.0, 0.6)


@pytest.fixture(scope="module")
def planar() -> da.Model:
    arm = da.textbook.robots.planar_arm_nr(2)
    a1, a2 = da.parameters("a1 a2")
    values: dict[da.Expr, float] = dict.fromkeys(arm.parameters, 0.5)
    return da.compile(arm.bind({**values, a1: LENGTHS[0], a2: LENGTHS[1]}))


@pytest.fixture(scope="module")
def puma() -> da.Model:
    return da.compile(da.textbook.robots.puma560())


def test_workspace_of_two_links_is_a_ring(planar):
    space = workspace(planar, "tip", rows=(0, 1), samples=60_000, progress=False)
    r = np.linalg.norm(space.positions, axis=1)
    assert space.reach == pytest.approx(1.6, abs=1e-4)
    assert r.min() == pytest.approx(0.4, abs=1e-4)
    # the measure is a1 a2 |sin q2|, and the cosine theorem gives q2 from the radius
    q2 = space.configurations[:, 1]
    np.testing.assert_allclose(space.values, 0.6 * np.abs(np.sin(q2)), atol=1e-13)
    np.testing.assert_allclose(r**2, 1.36 + 1.2 * np.cos(q2), atol=1e-12)
    assert abs(abs(space.best[1]) - math.pi / 2) < 1e-2
    # the area of the ring; cells at its border count whole
    assert space.volume(60) == pytest.approx(math.pi * (1.6**2 - 0.4**2), rel=0.08)
    x, y, best = space.grid(cells=40)
    assert len(x) == len(y) == 41
    assert np.nanmax(best) == space.values.max()
    assert np.isnan(best[0, 0])
    assert np.isnan(best[20, 20])


def test_configurations_without_clearance_are_left_out():
    # a slider beside a post: it may not come nearer than both radii and the margin
    robot = da.Builder("slider").shape("world", Sphere(0.2), origin=(1, 0, 0))
    robot.link("carriage", mass=1, inertia=(1, 1, 1)).shape("carriage", Sphere(0.1))
    robot.prismatic("rail", "carriage", parent="world", axis="x", limits=(0, 2))
    model = da.compile(robot.build())
    pair = [("world", "carriage")]
    free = workspace(model, "carriage", rows=(0,), samples=4000, progress=False)
    kept = workspace(
        model, "carriage", rows=(0,), samples=4000, clearance=Clearance(0.05, pair), progress=False
    )
    x = kept.configurations[:, 0]
    assert len(x) < len(free.configurations)
    assert np.abs(x - 1).min() >= 0.35
    assert len(x) == (np.abs(free.configurations[:, 0] - 1) >= 0.35).sum()
    with pytest.raises(EvaluationError, match="configurations that keep the clearance, got none"):
        workspace(model, "carriage", rows=(0,), clearance=Clearance(5.0, pair), progress=False)


def test_grid_of_configurations(planar):
    space = workspace(planar, "tip", grid=(3, 5), rows=(0, 1), measure="dexterity")
    assert space.configurations.shape == (15, 2)
    np.testing.assert_allclose(np.unique(space.configurations[:, 0]), [-math.pi, 0, math.pi])
    assert "workspace of 'tip': 15 configurations, reach 1.6" in str(space)
    with pytest.raises(da.TooLarge, match="grid of 1 to 20,000,000"):
        workspace(planar, "tip", grid=100_000)


def test_samples_respect_limits(puma):
    q = random_configurations(puma, 5000, seed=3)
    lower, upper = puma.configuration.lower, puma.configuration.upper
    assert (q >= lower).all()
    assert (q <= upper).all()
    assert (np.ptp(q, axis=0) > 0.99 * (upper - lower)).all()
    np.testing.assert_array_equal(q, random_configurations(puma, 5000, seed=3))


def test_ball_joints_are_sampled_as_unit_quaternions():
    ball = da.Builder("ball").link("a", mass=1, com=(0, 0, 1)).spherical("joint", "a").build()
    q = random_configurations(da.compile(ball), 4000)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, rtol=1e-14)
    # no direction is preferred: each component has the mean square 1/4
    np.testing.assert_allclose((q**2).mean(axis=0), 0.25, atol=0.02)


def test_slider_without_limits_cannot_be_sampled():
    arm = da.Builder("rail").link("a", mass=1).prismatic("slide", "a").build()
    model = da.compile(arm)
    with pytest.raises(da.InvalidMechanism, match="limits of the slider 'slide' of rail"):
        workspace(model, "a")
    space = workspace(model, "a", grid=3, rows=(2,), bounds=(0.5, 1.5))
    np.testing.assert_allclose(space.positions[:, 2], [0.5, 1.0, 1.5])
    with pytest.raises(da.EvaluationError, match="finite bounds"):
        workspace(model, "a", bounds=(1.0, 0.5))
    with pytest.raises(da.EvaluationError, match="of 1 numbers each"):
        workspace(model, "a", bounds=([0.0, 0.0], 1.0))


def test_unknown_measure_and_rows(planar):
    with pytest.raises(da.UnknownName, match="did you mean dexterity"):
        workspace(planar, "tip", measure="dexterty")
    with pytest.raises(da.EvaluationError, match="different rows out of 0 … 5"):
        workspace(planar, "tip", rows=(0, 0))


def test_search_finds_all_three_singularities_of_the_puma(puma):
    found = singular_search(puma, "link6", starts=120, seed=1)
    assert found.is_singular.all()
    q = found.configurations
    # wrist, elbow, shoulder: the factors of det J for a2 = d4 = 0.4318, a3 = 0.0203
    q2, q3, q5 = q[:, 1], q[:, 2], q[:, 4]
    factors = np.abs(
        [
            np.sin(q5),
            np.cos(q3) + 0.0203 / 0.4318 * np.sin(q3),
            np.sin(q2 + q3) - np.cos(q2) - 0.0203 / 0.4318 * np.cos(q2 + q3),
        ]
    )
    assert factors.min(axis=0).max() < 1e-7
    assert set(factors.argmin(axis=0)) == {0, 1, 2}
    assert (q >= puma.configuration.lower).all()
    assert (q <= puma.configuration.upper).all()
    # the tool cannot move along the lost direction
    J = puma.jacobian(q, "link6")
    assert np.abs(np.einsum("ni,nij->nj", found.lost, J)).max() < 1e-8
    assert str(found).startswith("'link6': 120 of 120 searches ended at a singularity")


def test_search_within_bounds():
    model = da.compile(da.textbook.robots.stanford_arm())
    bounds = (np.array([-3, -3, 0.1, -3, -3, -3.0]), np.array([3, 3, 1.0, 3, 3, 3]))
    found = singular_search(model, "link6", starts=40, bounds=bounds)
    q, done = found.configurations, found.is_singular
    assert ((q >= bounds[0]) & (q <= bounds[1])).all()
    # det J = s2 s5 q3²; the boom stays out
    assert np.abs(np.sin(q[done][:, [1, 4]])).min(axis=1).max() < 1e-7
    # the others ended in front of a bound
    assert done.mean() > 0.6
    assert ((q[~done] == bounds[0]) | (q[~done] == bounds[1])).any(axis=1).all()


def test_search_in_a_redundant_arm():
    model = da.compile(da.textbook.robots.panda())
    found = singular_search(model, "link7", starts=60, seed=2)
    # two conditions at once, and limits in the way: most searches arrive, and none pretends
    assert found.is_singular.mean() > 0.8
    sigma = np.linalg.svd(model.jacobian(found.configurations, "link7"), compute_uv=False)[:, -1]
    np.testing.assert_allclose(sigma, found.sigma, atol=1e-12)


def test_search_within_limits_may_find_none():
    arm = da.textbook.robots.planar_arm_nr(2)
    arm = arm.bind(dict.fromkeys(arm.parameters, 0.5))
    limited = tuple(replace(j, limits=j.limits._replace(lower=0.5, upper=1.5)) for j in arm.joints)
    model = da.compile(replace(arm, joints=limited))
    found = singular_search(model, "tip", rows=(0, 1), starts=20)
    assert not found.is_singular.any()
    # σ_min of the stretched-most arm, at the limit q2 = 0.5
    np.testing.assert_allclose(found.configurations[:, 1], 0.5, atol=1e-9)


def test_pictures(planar, puma, tmp_path):
    import matplotlib.pyplot as plt

    ax: Any = plot_arm(planar, [0.5, 1.1], "tip")
    tip = planar.forward_kinematics([0.5, 1.1], "tip")[:2, 3]
    # rods from the origin to the tip, each where the one before ends
    rods = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 2][:3]
    path = np.unique(np.round(np.concatenate(rods), 12), axis=0)
    assert {tuple(np.round(tip, 12)), (0.0, 0.0)} <= set(map(tuple, path.tolist()))
    assert [t.get_text().split(":")[0] for t in ax.get_legend().get_texts()] == [
        "velocity ellipsoid",
        "force ellipsoid",
    ]
    singular: Any = plot_arm(planar, [0.5, 0.0], "tip")
    assert "∞" in singular.get_legend().get_texts()[1].get_text()
    spatial = plot_arm(puma, [0.3, 0.4, -1.0, 0.1, 0.7, 0], "link6")
    assert spatial.name == "3d"
    flat = workspace(planar, "tip", rows=(0, 1), samples=2000).plot()
    pictures: list[Any] = [ax, singular, spatial, flat]
    for k, axes in enumerate(pictures):
        path = tmp_path / f"{k}.png"
        axes.figure.savefig(path)
        assert path.stat().st_size > 5000
    plt.close("all")
    with pytest.raises(da.EvaluationError, match="one configuration"):
        plot_arm(planar, np.zeros((3, 2)), "tip")
