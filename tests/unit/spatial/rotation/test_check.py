"""Rotations are told from other matrices, singly and in batches."""

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.spatial import checked_rotation, is_rotation, so3
from dalembert.spatial.rotation.check import ROTATION_TOLERANCE, rotation_defects


def test_rotations_of_random_vectors_pass(rng):
    R = np.array([so3.exp(tuple(w)) for w in rng.normal(size=(20, 3))])
    assert is_rotation(R)
    assert np.array_equal(checked_rotation(R, "R"), R)


def test_scaled_sheared_and_mirrored_matrices_are_refused(rng):
    R = np.array(so3.exp((0.3, -0.2, 0.9)))
    shear = np.eye(3) + 1e-3 * np.eye(3, k=1)
    for wrong in (R * (1 + 1e-5), R @ shear, R * (1, 1, -1), -R, np.full((3, 3), np.nan)):
        assert not is_rotation(wrong)
        with pytest.raises(EvaluationError, match="expected a rotation matrix for target, got"):
            checked_rotation(np.stack([R, wrong]), "target")
    with pytest.raises(EvaluationError, match=r"got shape \(2, 3\)"):
        checked_rotation(R[:2], "target")


def test_one_tolerance_for_all(rng):
    R = np.array(so3.exp((0.3, -0.2, 0.9)))
    assert is_rotation(R * (1 + 0.4 * ROTATION_TOLERANCE))
    assert not is_rotation(R * (1 + 0.6 * ROTATION_TOLERANCE))


def test_no_matrix_at_all_is_no_error():
    assert is_rotation(np.zeros((0, 3, 3)))


def test_defects_are_exact_over_whole_numbers():
    assert set(rotation_defects(((0, 0, 1), (1, 0, 0), (0, 1, 0)))) == {0}
    assert rotation_defects(((0, 1, 0), (1, 0, 0), (0, 0, 1)))[-1] == -2
