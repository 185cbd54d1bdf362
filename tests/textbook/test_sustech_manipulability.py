"""SUSTech ME331, section 11: manipulability, condition number and dexterity of the 2R arm."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import (
    condition_number,
    dexterity,
    ellipsoid,
    manipulability,
    velocity_error_bounds,
)
from dalembert.errors import TooLarge

a1, a2 = da.parameters("a1 a2")
q1, q2 = da.coordinates("q1 q2")
s1, s12, c1, c12 = da.sin(q1), da.sin(q1 + q2), da.cos(q1), da.cos(q1 + q2)
# as printed
J = da.Matrix([[-a1 * s1 - a2 * s12, -a2 * s12], [a1 * c1 + a2 * c12, a2 * c12]])

# rounding of products of a few singular values
ROUNDING = 1e-13


def numeric(lengths: tuple[float, float], angles: np.ndarray) -> np.ndarray:
    """Return the printed Jacobian at angles ``(..., 2)``."""
    first, second = angles[..., 0], angles[..., 0] + angles[..., 1]
    l1, l2 = lengths
    x = -l1 * np.sin(first) - l2 * np.sin(second), -l2 * np.sin(second)
    y = l1 * np.cos(first) + l2 * np.cos(second), l2 * np.cos(second)
    return np.stack([np.stack(x, -1), np.stack(y, -1)], -2)


def test_measure_in_closed_form():
    mu = manipulability(J, positive=(a1, a2))
    assert da.equal(mu, a1 * a2 * da.abs(da.sin(q2)))
    assert str(mu) == "a₁ a₂ |s₂|"
    # without knowing that lengths are positive
    assert da.equal(manipulability(J), da.abs(a1) * da.abs(a2) * da.abs(da.sin(q2)))


def test_measure_of_one_row_in_closed_form():
    # one row: μ is its length
    row = da.Matrix([J.rows[1]])
    expected = (a1 * c1 + a2 * c12) ** 2 + (a2 * c12) ** 2
    assert da.equal(manipulability(row) ** 2, expected)


def test_measure_is_product_determinant_and_eigenvalues(rng):
    lengths = (1.3, 0.7)
    angles = rng.uniform(-math.pi, math.pi, (200, 2))
    Jn = numeric(lengths, angles)
    mu = manipulability(Jn)
    expected = lengths[0] * lengths[1] * np.abs(np.sin(angles[:, 1]))
    np.testing.assert_allclose(mu, expected, atol=ROUNDING)
    np.testing.assert_allclose(mu, np.prod(ellipsoid(Jn).lengths, axis=-1), atol=ROUNDING)
    eigenvalues = np.linalg.eigvals(Jn)
    np.testing.assert_allclose(mu, np.abs(np.prod(eigenvalues, axis=-1)), atol=ROUNDING)


def test_measure_vanishes_where_rank_is_lost():
    assert manipulability(numeric((1.0, 1.0), np.array([0.4, 0.0]))) < ROUNDING
    assert manipulability(numeric((1.0, 1.0), np.array([0.4, math.pi]))) < ROUNDING
    # μ is largest at a right angle
    grid = np.stack([np.zeros(181), np.radians(np.arange(181))], axis=-1)
    assert np.argmax(manipulability(numeric((1.0, 0.5), grid))) == 90


def test_volume_is_constant_times_measure(rng):
    Jn = numeric((1.3, 0.7), rng.uniform(-2, 2, (50, 2)))
    # K = π for an ellipse
    np.testing.assert_allclose(ellipsoid(Jn).volume, math.pi * manipulability(Jn), atol=ROUNDING)


def test_force_ellipse_is_the_reciprocal_one(rng):
    Jn = numeric((1.3, 0.7), rng.uniform(0.5, 2, (50, 2)))
    velocity, force = ellipsoid(Jn), ellipsoid(Jn, "force")
    # easy to move, hard to push: along every axis the lengths multiply to one
    for k in range(2):
        np.testing.assert_allclose(
            velocity.lengths[:, k] * force.radius(velocity.axes[:, :, k]), 1.0, rtol=1e-12
        )


def test_condition_number_and_dexterity(rng):
    Jn = numeric((1.3, 0.7), rng.uniform(0.5, 2, (50, 2)))
    kappa = condition_number(Jn)
    # from the trace and the determinant of J Jᵀ: κ + 1/κ = tr(J Jᵀ)/|det J|
    trace = np.einsum("nij,nij->n", Jn, Jn)
    np.testing.assert_allclose(kappa + 1 / kappa, trace / np.abs(np.linalg.det(Jn)), rtol=1e-12)
    np.testing.assert_allclose(dexterity(Jn) * kappa, 1.0, rtol=1e-14)
    assert (kappa >= 1).all()
    # the isotropic arm: a1 = √2 a2 and cos θ2 = -1/√2
    isotropic = numeric((math.sqrt(2), 1.0), np.array([0.3, 0.75 * math.pi]))
    assert condition_number(isotropic) == pytest.approx(1.0, abs=1e-12)


def test_closed_forms_solve_the_quadratic():
    sigma = da.analysis.singular_values(J)
    # σ₁² + σ₂² = tr(J Jᵀ) of the printed J, σ₁ σ₂ = |det J|
    trace = a1**2 + 2 * a2**2 + 2 * a1 * a2 * da.cos(q2)
    assert da.equal(sigma[0] ** 2 + sigma[1] ** 2, trace)
    assert da.equal(sigma[0] * sigma[1], manipulability(J))
    assert da.equal(dexterity(J) * condition_number(J), 1)
    # the isotropic arm of the slides: a₁ = √2 a₂, cos θ₂ = -1/√2
    isotropic = {a1: da.sqrt(2), a2: 1, q2: 3 * da.pi / 4}
    assert da.equal(dexterity(J, positive=(a1, a2)).subs(isotropic), 1)


LENGTHS = {a1: 1.3, a2: 0.7}
FIRST = da.Matrix([[J[0, 0]], [J[1, 0]]])
ROWS = da.Matrix([*(list(row) for row in J.rows), [1, 1]])
WIDE = da.Matrix([[*row, da.cos(q2)] for row in J.rows])


@pytest.mark.parametrize("matrix", [J, FIRST, FIRST.T, ROWS, ROWS.T, WIDE, WIDE.T])
@pytest.mark.parametrize("kind", ["velocity", "force"])
def test_closed_forms_have_the_values_of_numbers(matrix, kind, rng):
    for at in rng.uniform(0.3, 2.5, (5, 2)):
        values = {**LENGTHS, q1: at[0], q2: at[1]}
        numbers = matrix.evaluate(values)
        found = da.analysis.singular_values(matrix).evaluate(values).ravel()
        np.testing.assert_allclose(found, np.linalg.svd(numbers, compute_uv=False), rtol=1e-12)
        kappa = condition_number(matrix).evaluate(values)
        assert kappa == pytest.approx(float(condition_number(numbers)), rel=1e-12)
        assert dexterity(matrix).evaluate(values) == pytest.approx(1 / kappa, rel=1e-12)
        ours = ellipsoid(matrix, kind)
        axes, lengths = ours.axes.evaluate(values), ours.lengths.evaluate(values).ravel()
        # u uᵀ does not depend on the sign of an axis; a tall J has directions that cannot move
        theirs = ellipsoid(numbers, kind)
        rank = len(lengths)
        places = (
            range(rank)
            if kind == "velocity"
            else range(len(theirs.lengths) - rank, len(theirs.lengths))
        )
        for k, place in enumerate(places):
            assert lengths[k] == pytest.approx(theirs.lengths[place], rel=1e-12)
            u, v = axes[:, k], theirs.axes[:, place]
            np.testing.assert_allclose(np.outer(u, u), np.outer(v, v), atol=1e-11)
        if matrix.shape[0] == 2 and ours.angle is not None:
            phi = ours.angle.evaluate(values)
            assert abs(np.cos(phi) * axes[1, 0] - np.sin(phi) * axes[0, 0]) < 1e-12


def test_dexterity_is_zero_where_the_arm_is_stretched():
    assert da.equal(dexterity(J, positive=(a1, a2)).subs({q2: 0}), 0)
    assert da.equal(da.analysis.singular_values(J).subs({q2: 0})[1], 0)


def test_three_rows_and_columns_have_no_closed_form():
    square = da.Matrix([[J[0, 0], J[0, 1], 1], [J[1, 0], J[1, 1], 0], [1, 1, 0]])
    for measure in (da.analysis.singular_values, condition_number, dexterity, ellipsoid):
        with pytest.raises(TooLarge, match=r"3 × 3 Jacobian.*J.evaluate\(values\)"):
            measure(square)


def test_bounds_of_the_velocity_error(rng):
    Jn = numeric((1.3, 0.7), rng.uniform(0.5, 2, (50, 2)))
    low, high = velocity_error_bounds(Jn)
    angle = np.linspace(0, math.pi, 4000)
    error = np.broadcast_to([np.cos(angle), np.sin(angle)], (50, 2, 4000))
    computed = np.linalg.solve(Jn, error)
    ratio = np.linalg.norm(computed, axis=1) / np.linalg.norm(error, axis=1)
    assert (low[:, None] <= ratio * (1 + 1e-12)).all()
    assert (ratio <= high[:, None] * (1 + 1e-12)).all()
    # and they are reached by some of the directions
    np.testing.assert_allclose(ratio.min(axis=1), low, rtol=1e-4)
    np.testing.assert_allclose(ratio.max(axis=1), high, rtol=1e-4)
