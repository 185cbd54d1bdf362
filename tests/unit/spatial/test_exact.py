"""Exact numbers and exactly orthogonal rotations."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidExpression
from dalembert.spatial.exact import (
    exact,
    exact_vector,
    rotation_from_quaternion,
    rotation_from_rpy,
    rotation_to_axis,
)
from dalembert.spatial.vectors import IDENTITY, Mat, multiply, transpose

# 58 bits of the quaternion, then two roundings of a float
ROUNDING = 1e-15


def determinant(R: Mat) -> Any:
    (a, b, c), (d, e, f), (g, h, i) = R
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def assert_rotation(R: Mat) -> None:
    assert multiply(R, transpose(R)) == IDENTITY
    assert multiply(transpose(R), R) == IDENTITY
    assert determinant(R) == 1


def by_angles(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Return R_z(yaw) R_y(pitch) R_x(roll) by hand."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    X = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Z @ Y @ X


def test_numbers_mean_their_decimals() -> None:
    assert exact(0.1) == Fraction(1, 10)
    assert exact(2.0) == 2
    assert isinstance(exact(2.0), int)
    assert exact(np.float64(0.25)) == Fraction(1, 4)
    assert exact(Fraction(6, 3)) == 2
    (x,) = da.parameters("x")
    assert exact(x) is x
    assert exact(x - x + 3) == 3


@pytest.mark.parametrize("bad", [True, "1", None, 1j, [1]])
def test_what_is_no_number(bad: Any) -> None:
    with pytest.raises(InvalidExpression, match="expected a number or an expression, got"):
        exact(bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite(bad: float) -> None:
    with pytest.raises(da.DalembertError, match=r"nan|inf"):
        exact(bad)


def test_vectors_have_three_components() -> None:
    assert exact_vector([1, 0.5, 0]) == (1, Fraction(1, 2), 0)
    with pytest.raises(InvalidExpression, match="expected three components, got 2"):
        exact_vector([1, 2])


def test_random_rotations_are_exactly_orthogonal(rng: np.random.Generator) -> None:
    for angles in rng.uniform(-math.pi, math.pi, size=(50, 3)):
        R = rotation_from_rpy(*angles)
        assert_rotation(R)
        assert np.array(R, dtype=float) == pytest.approx(by_angles(*angles), abs=ROUNDING)
    for q in rng.normal(size=(50, 4)):
        R = rotation_from_quaternion(*q)
        assert_rotation(R)
        # of any length
        assert rotation_from_quaternion(*(8 * q)) == R


@pytest.mark.parametrize("n", range(-8, 9))
def test_right_angles_are_whole_numbers(n: int) -> None:
    angle = n * math.pi / 2
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[n % 4]
    assert rotation_from_rpy(angle, 0, 0) == ((1, 0, 0), (0, c, -s), (0, s, c))
    assert rotation_from_rpy(0, angle, 0) == ((c, 0, s), (0, 1, 0), (-s, 0, c))
    assert rotation_from_rpy(0, 0, angle) == ((c, -s, 0), (s, c, 0), (0, 0, 1))


def test_all_right_angles_together() -> None:
    turns = [k * math.pi / 2 for k in range(-1, 3)]
    for r in turns:
        for p in turns:
            for y in turns:
                R = rotation_from_rpy(r, p, y)
                assert all(isinstance(k, int) for row in R for k in row)
                assert np.array(R) == pytest.approx(by_angles(r, p, y), abs=ROUNDING)


def test_rounded_right_angles_of_files() -> None:
    """1.5708 is not a right angle: it is kept, not guessed."""
    R = rotation_from_rpy(1.5708, 0, 0)
    assert R[1][1] != 0
    assert float(R[1][1]) == pytest.approx(math.cos(1.5708), abs=ROUNDING)


# the half-way quaternion has the length √(2 (1 + z)) ≥ 0.045, by which rounding grows
NEAR_OPPOSITE = ROUNDING / 0.045


def test_rotation_to_axis(rng: np.random.Generator) -> None:
    special = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (1e-9, 0, -1), (0.01, 0.02, -1)]
    for axis in [*special, *rng.normal(size=(50, 3))]:
        R = rotation_to_axis(axis)
        assert_rotation(R)
        unit = np.array(axis) / np.linalg.norm(axis)
        assert np.array(R, dtype=float)[:, 2] == pytest.approx(unit, abs=NEAR_OPPOSITE)


def test_no_direction() -> None:
    with pytest.raises(InvalidExpression, match="expected a quaternion with a direction"):
        rotation_from_quaternion(0, 0, 0, 0)
    with pytest.raises(InvalidExpression, match="expected a quaternion with a direction"):
        rotation_from_quaternion(math.nan, 0, 0, 0)
    with pytest.raises(InvalidExpression, match="expected an axis with a direction"):
        rotation_to_axis((0, 0, 0))
