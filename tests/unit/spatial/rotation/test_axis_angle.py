"""Rotations over any scalar."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert.ring import equal
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import sincos, square_root
from dalembert.spatial.vectors import IDENTITY, Vec, multiply, skew, transpose

ROUNDING = 1e-14
# SciPy's exponential squares its result several times
EXPONENTIAL = 1e-13
COORDINATE_AXES: list[Vec] = [
    (1, 0, 0),
    (-1, 0, 0),
    (0, 1, 0),
    (0, -1, 0),
    (0, 0, 1),
    (0, 0, -1),
]


def test_rodrigues_is_the_exponential(rng: np.random.Generator) -> None:
    axes = [*COORDINATE_AXES, *(tuple(a / np.linalg.norm(a)) for a in rng.normal(size=(20, 3)))]
    for axis in axes:
        angle = float(rng.uniform(-4, 4))
        R = np.array(axis_rotation(axis, np.sin(angle), np.cos(angle)), dtype=float)
        expected = expm(angle * np.array(skew(axis), dtype=float))
        assert pytest.approx(expected, abs=EXPONENTIAL) == R


def test_rational_axis_and_angle_are_exactly_orthogonal() -> None:
    axis = (Fraction(2, 7), Fraction(3, 7), Fraction(6, 7))
    R = axis_rotation(axis, Fraction(3, 5), Fraction(4, 5))
    assert multiply(R, transpose(R)) == IDENTITY
    # the axis stays
    assert tuple(sum(R[i][j] * axis[j] for j in range(3)) for i in range(3)) == axis


def test_coordinate_axes_keep_structural_zeros() -> None:
    s, c = da.parameters("s c")
    for axis in COORDINATE_AXES:
        R = axis_rotation(axis, s, c)
        k = [abs(x) for x in axis].index(1)
        assert [R[k][j] for j in range(3)] == [int(j == k) for j in range(3)]
        assert [R[j][k] for j in range(3)] == [int(j == k) for j in range(3)]


def test_symbolic_angles_add_up() -> None:
    a, b = da.parameters("a b")
    for axis in COORDINATE_AXES:
        both = multiply(axis_rotation(axis, *sincos(a)), axis_rotation(axis, *sincos(b)))
        sum_ = axis_rotation(axis, *sincos(a + b))
        pairs = [(x, y) for r, t in zip(both, sum_, strict=True) for x, y in zip(r, t, strict=True)]
        assert all(equal(x, y) for x, y in pairs)


def test_quaternion_is_axis_and_angle(rng: np.random.Generator) -> None:
    for axis in rng.normal(size=(20, 3)):
        a = axis / np.linalg.norm(axis)
        angle = float(rng.uniform(-3, 3))
        half = np.sin(angle / 2) * a
        R = np.array(quaternion.to_matrix((np.cos(angle / 2), *half)))
        expected = np.array(axis_rotation(tuple(a), np.sin(angle), np.cos(angle)))
        assert pytest.approx(expected, abs=ROUNDING) == R


def test_rational_quaternion_is_exactly_orthogonal() -> None:
    half = Fraction(1, 2)
    R = quaternion.to_matrix((half, half, half, half))
    assert R == ((0, 0, 1), (1, 0, 0), (0, 1, 0))
    R = quaternion.to_matrix((Fraction(4, 9), Fraction(4, 9), Fraction(7, 9), 0))
    assert multiply(R, transpose(R)) == IDENTITY


def test_quaternions_over_arrays(rng: np.random.Generator) -> None:
    q = rng.normal(size=(4, 6))
    q /= np.linalg.norm(q, axis=0)
    batch = quaternion.to_matrix(tuple(q))
    single = quaternion.to_matrix(tuple(q[:, 3]))
    picked = [[np.broadcast_to(x, 6)[3] for x in row] for row in batch]
    assert pytest.approx(np.array(single), abs=ROUNDING) == np.array(picked)


def test_elementary_functions_keep_their_scalar() -> None:
    assert sincos(0) == (0, 1)
    assert sincos(Fraction(1, 2)) == pytest.approx((np.sin(0.5), np.cos(0.5)))
    s, c = sincos(np.array([0.0, 1.0]))
    assert (s.shape, c.shape) == ((2,), (2,))
    s, c = sincos(0.3 + 1e-20j)
    assert s.imag == pytest.approx(1e-20 * np.cos(0.3))
    assert square_root(4) == 2
    assert square_root(np.array([4.0, 9.0])) == pytest.approx([2, 3])
    (x,) = da.parameters("x")
    assert equal(square_root(x) ** 2, x)
