"""Rotations and poses in arrays against SciPy, matrix exponentials and the defining equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from dalembert.errors import EvaluationError
from dalembert.expr import coordinates, cos, sin
from dalembert.spatial.arrays import (
    assemble,
    axial,
    check_poses,
    nearest_rotation,
    pose_exp,
    pose_log,
    pose_matrix,
    rotation_exp,
    rotation_log,
    to_mat,
    to_quaternion,
    to_vec,
    turn_between,
)
from dalembert.spatial.rotation.check import checked_rotation

ROUNDING = 1e-14
ANGLES = np.array([0.0, 1e-12, 1e-4, 0.3, 2.0, 3.1, math.pi - 1e-9])


def vectors(rng: np.random.Generator, angles: np.ndarray) -> np.ndarray:
    axis = rng.normal(size=(*angles.shape, 3))
    return axis / np.linalg.norm(axis, axis=-1, keepdims=True) * angles[..., None]


def hat(V: np.ndarray) -> np.ndarray:
    (a, b, c), (x, y, z) = V[:3], V[3:]
    return np.array([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_tuples_and_back(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    x, A, a = (rng.normal(size=(*shape, *inner)) for inner in ((3,), (3, 3), (4,)))
    assert np.array_equal(assemble(to_vec(x)), x)
    assert np.array_equal(assemble(to_mat(A)), A)
    assert np.array_equal(assemble(to_quaternion(a)), a)


def test_structural_entries_are_spread_over_the_batch() -> None:
    A = assemble(((1, np.arange(5.0)), (0, 1)))
    assert A.shape == (5, 2, 2)
    assert np.array_equal(A[3], [[1, 3], [0, 1]])


def test_rotations_against_scipy(rng: np.random.Generator) -> None:
    w = vectors(rng, ANGLES)
    R = Rotation.from_rotvec(w).as_matrix()
    assert np.allclose(rotation_exp(w), R, rtol=0, atol=ROUNDING)
    assert np.allclose(rotation_log(R), w, rtol=0, atol=ROUNDING)
    for one, matrix in zip(w, R, strict=True):
        assert np.allclose(rotation_exp(one), matrix, rtol=0, atol=ROUNDING)
        assert np.allclose(rotation_log(matrix), one, rtol=0, atol=ROUNDING)


def test_poses_against_matrix_exponentials(rng: np.random.Generator) -> None:
    V = np.concatenate([rng.normal(size=(len(ANGLES), 3)), vectors(rng, ANGLES)], axis=-1)
    X = np.array([expm(hat(twist)) for twist in V])
    assert np.allclose(pose_exp(V), X, rtol=0, atol=ROUNDING)
    # J⁻¹ stays bounded up to half a turn
    assert np.allclose(pose_log(X), V, rtol=0, atol=10 * ROUNDING)
    assert np.array_equal(pose_exp(np.zeros(6)), np.eye(4))
    assert np.array_equal(pose_exp(V)[:, 3], np.tile([0, 0, 0, 1], (len(V), 1)))


def test_axial_vector_and_turn(rng: np.random.Generator) -> None:
    angle = rng.uniform(0, math.pi, 20)
    w, R_d = vectors(rng, angle), rotation_exp(vectors(rng, angle))
    expected = w * (np.sin(angle) / angle)[:, None]
    assert np.allclose(axial(rotation_exp(w)), 2 * expected, rtol=0, atol=ROUNDING)
    found = turn_between(R_d, rotation_exp(w) @ R_d)
    assert np.allclose(found, expected, rtol=0, atol=ROUNDING)


def test_axial_vector_of_expressions() -> None:
    (q,) = coordinates("q")
    R = np.array([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]], dtype=object)
    assert axial(R)[2] == 2 * sin(q)


def test_nearest_rotation(rng: np.random.Generator) -> None:
    R = rotation_exp(vectors(rng, ANGLES))
    S = rng.normal(size=R.shape) * 1e-3
    S = S + np.swapaxes(S, -1, -2)
    # R (1 + S) with a symmetric S has the polar factor R
    assert np.allclose(nearest_rotation(R @ (np.eye(3) + S)), R, rtol=0, atol=ROUNDING)


def test_matrices_with_six_decimals_are_rotations(rng: np.random.Generator) -> None:
    R = rotation_exp(vectors(rng, rng.uniform(0, math.pi, 500)))
    checked_rotation(np.round(R, 6), "R")
    with pytest.raises(EvaluationError, match="expected a rotation matrix for R, got"):
        checked_rotation(np.round(R, 4), "R")


@pytest.mark.parametrize("bad", [-np.eye(3), np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3))])
def test_no_rotations(bad: np.ndarray) -> None:
    with pytest.raises(EvaluationError, match="expected a rotation matrix for R"):
        checked_rotation(np.stack([np.eye(3), bad]), "R")


def test_poses_are_checked(rng: np.random.Generator) -> None:
    check_poses(pose_matrix(rotation_exp(rng.normal(size=(3, 3))), np.ones(3)), "X")
    check_poses(np.zeros((0, 4, 4)), "X")
    bad: Any = np.eye(4)
    bad[3, 0] = 0.5
    with pytest.raises(EvaluationError, match=r"last row of X, got \(0.5, 0, 0, 1\)"):
        check_poses(bad, "X")
