"""Targets and errors of a frame, in arrays of numbers or of expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.control.controllers.gains import numbers
from dalembert.errors import EvaluationError

# how far a rotation may be from orthogonal: matrices come from files and sensors too
ORTHOGONALITY = 1e-6


def pose_matrix(value: Any, name: str) -> np.ndarray:
    """Return a pose ``(..., 4, 4)`` after a check that its rotation is one."""
    X = numbers(value, name)
    if X.shape[-2:] != (4, 4):
        raise EvaluationError(f"expected {name} as a 4 × 4 pose, got an array of shape {X.shape}")
    R = X[..., :3, :3]
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max()
    if off > ORTHOGONALITY or (np.linalg.det(R) < 0).any():
        raise EvaluationError(
            f"expected a rotation in {name}, got a matrix that misses R Rᵀ = 1 by {off:.3g} or "
            "mirrors"
        )
    return X


def turn_between(R: Any, R_d: Any) -> Any:
    """Return sin φ · axis of the rotation from R_d to R, in world axes: ½ vee(R R_dᵀ - R_d Rᵀ)."""
    return vee(R @ np.swapaxes(R_d, -1, -2)) / 2


def vee(A: Any) -> Any:
    """Return the vector of A - Aᵀ."""
    return np.stack(
        [
            A[..., 2, 1] - A[..., 1, 2],
            A[..., 0, 2] - A[..., 2, 0],
            A[..., 1, 0] - A[..., 0, 1],
        ],
        axis=-1,
    )
