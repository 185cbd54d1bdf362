from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import (
    condition_number,
    dexterity,
    dynamic_jacobian,
    dynamic_manipulability,
    ellipsoid,
    isotropy,
    manipulability,
    velocity_error_bounds,
)
from tests.agreement import test_random_trees as trees
from tests.agreement.test_model import with_masses

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")


@pytest.mark.parametrize("shape", [(3, 3), (3, 7), (6, 7), (2, 5), (6, 4)])
def test_measure_is_root_of_gram_determinant(shape, rng):
    J = rng.normal(size=(4, 5, *shape))
    Jt = np.swapaxes(J, -1, -2)
    gram = J @ Jt if shape[0] <= shape[1] else Jt @ J
    np.testing.assert_allclose(manipulability(J), np.sqrt(np.linalg.det(gram)), rtol=1e-9)
    assert manipulability(J).shape == (4, 5)


@pytest.mark.parametrize("name", ["panda", "puma560", "ur5e"])
def test_measure_of_arms_is_that_of_pinocchios_jacobian(name, rng):
    mechanism = with_masses(getattr(da.textbook.robots, name)())
    model, engine = da.compile(mechanism), trees.pinocchio_model(mechanism)
    data, tip = engine.createData(), mechanism.links[-1].name
    frame = engine.getFrameId(tip)
    for q in rng.uniform(-1.5, 1.5, (20, model.nq)):
        J = pin.computeFrameJacobian(engine, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        ours = model.jacobian(q, tip)
        for rows in ([0, 1, 2], [3, 4, 5], list(range(6))):
            sigma = np.linalg.svd(J[rows], compute_uv=False)
            assert manipulability(ours[rows]) == pytest.approx(np.prod(sigma), abs=1e-13)
            assert dexterity(ours[rows]) == pytest.approx(sigma[-1] / sigma[0], abs=1e-12)


def test_singular_jacobian_has_infinite_condition():
    J = [[1.0, 2.0], [0.0, 0.0]]
    assert manipulability(J) == 0
    assert condition_number(J) == np.inf
    assert dexterity(J) == 0
    assert isotropy(J) == 0
    assert velocity_error_bounds(J).upper == np.inf
    assert condition_number(np.zeros((2, 2))) == np.inf
    assert isotropy(np.zeros((2, 2))) == 0


def test_isotropy_is_one_only_for_equal_singular_values(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    assert isotropy(0.3 * Q) == pytest.approx(1.0, abs=1e-14)
    # by hand: σ² = 4, 1: √4/2.5
    assert isotropy(np.diag([2.0, 1.0])) == pytest.approx(0.8, abs=1e-14)
    assert isotropy(1e-80 * np.diag([2.0, 1.0])) == pytest.approx(0.8, abs=1e-14)


def test_ellipsoid_holds_images_of_the_unit_ball(rng):
    J = rng.normal(size=(3, 6))
    e = ellipsoid(J)
    v = rng.normal(size=(6, 1000))
    x = J @ (v / np.linalg.norm(v, axis=0))
    inside = ((e.axes.T @ x) / e.lengths[:, None]) ** 2
    assert (inside.sum(axis=0) <= 1 + 1e-12).all()
    # force: ‖Jᵀ F‖ = 1 on the surface
    f = ellipsoid(J, "force")
    surface = f.points(20).reshape(-1, 3)
    np.testing.assert_allclose(np.linalg.norm(surface @ J, axis=1), 1.0, rtol=1e-12)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    assert np.linalg.norm(J.T @ (f.radius(direction) * direction)) == pytest.approx(1.0)


def test_ellipsoid_volumes():
    assert ellipsoid(np.diag([1.0, 2.0, 3.0])).volume == pytest.approx(4 / 3 * np.pi * 6)
    assert ellipsoid(np.diag([1.0, 2.0])).volume == pytest.approx(2 * np.pi)
    assert ellipsoid(np.ones((2, 2, 2))).volume.shape == (2,)


def test_tall_jacobian_cannot_move_everywhere():
    e = ellipsoid([[1.0], [0.0]])
    np.testing.assert_allclose(e.lengths, [1.0, 0.0])
    assert e.radius([0.0, 1.0]) == 0
    assert e.radius([1.0, 0.0]) == 1
    assert ellipsoid([[1.0], [0.0]], "force").lengths[0] == np.inf


def test_dynamic_manipulability(rng):
    model = da.compile(da.textbook.robots.ur5e())
    q = rng.uniform(-2, 2, (30, 6))
    J, M = model.jacobian(q, "link6"), model.mass_matrix(q)
    # Yoshikawa: |det J|/det M for a square J
    expected = np.abs(np.linalg.det(J)) / np.linalg.det(M)
    np.testing.assert_allclose(dynamic_manipulability(J, M), expected, rtol=1e-8)
    # accelerations from rest, besides gravity: ẍ = J q̈ with q̈ of forward dynamics
    effort = np.array([150.0, 150, 150, 28, 28, 28])
    still, share = np.zeros(6), rng.uniform(-1, 1, 6)
    lifted = model.forward_dynamics(q, still, model.gravity(q) + effort * share)
    xdd = np.einsum("nij,nj->ni", J, lifted)
    np.testing.assert_allclose(dynamic_jacobian(J, M, effort) @ share, xdd, rtol=1e-7, atol=1e-7)


def test_what_is_no_jacobian_is_refused():
    with pytest.raises(da.EvaluationError, match=r"shape \(\.\.\., m, n\), got .*\(3,\)"):
        manipulability([1.0, 2.0, 3.0])
    with pytest.raises(
        da.EvaluationError, match=r"finite numbers for the Jacobian, got nan at \[0, 0\]"
    ):
        condition_number([[np.nan, 1.0]])
    with pytest.raises(da.UnknownName, match="'velocity' or 'force', got 'power'"):
        ellipsoid(np.eye(2), "power")  # type: ignore[arg-type]
    with pytest.raises(da.EvaluationError, match=r"mass matrices \(\.\.\., 2, 2\)"):
        dynamic_jacobian(np.eye(2), np.eye(3))
    with pytest.raises(da.UnknownName, match="two or three dimensions"):
        ellipsoid(np.eye(6)).points()


def test_ellipsoid_prints_as_a_table():
    assert str(ellipsoid(np.diag([2.0, 0.5]))) == (
        "velocity ellipsoid, volume 3.14159\n"
        "length              axis\n"
        "2        1.0000   0.0000\n"
        "0.5      0.0000   1.0000"
    )
