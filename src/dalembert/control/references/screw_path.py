"""Paths of a pose: along a screw, or straight with an even turn.

Positions are homogeneous matrices ``(..., 4, 4)``; velocities ``(..., 6)`` are those of
`Model.jacobian` in the world: of the frame's origin (linear, angular), in world axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.control.references.base import Motion, Reference
from dalembert.errors import EvaluationError

# how far a rotation matrix may be from orthogonal: rounding of a file with six digits
ORTHOGONAL = 1e-5


@dataclass(frozen=True, eq=False)
class ScrewPath(Reference):
    """X(s) = X_start exp(s [ξ]): a constant twist ξ = (u, w) in the axes of the moving frame."""

    start: np.ndarray
    linear: np.ndarray
    angular: np.ndarray
    duration: float = 1.0

    def at(self, t: np.ndarray) -> Motion:
        R, V = _turned(self.angular, t)
        X = _moved(self.start, R, (V @ self.linear) @ self.start[:3, :3].T)
        # the twist in world axes; the axis of the screw keeps its direction
        u, w = X[..., :3, :3] @ self.linear, X[..., :3, :3] @ self.angular
        velocity = np.concatenate([u, w], axis=-1)
        acceleration = np.concatenate([np.cross(w, u), np.zeros_like(w)], axis=-1)
        return Motion(X, velocity, acceleration)


@dataclass(frozen=True, eq=False)
class StraightPath(Reference):
    """The origin moves on a straight line while the frame turns evenly about a fixed axis."""

    start: np.ndarray
    linear: np.ndarray
    angular: np.ndarray
    duration: float = 1.0

    def at(self, t: np.ndarray) -> Motion:
        R, _ = _turned(self.angular, t)
        X = _moved(self.start, R, t[..., None] * self.linear)
        w = self.start[:3, :3] @ self.angular
        velocity = np.broadcast_to(np.concatenate([self.linear, w]), (*t.shape, 6))
        return Motion(X, velocity, np.zeros((*t.shape, 6)))


def screw_path(start: Any, end: Any) -> ScrewPath:
    """Return the constant screw motion between two poses, with a parameter from 0 to 1.

    [ξ] = log(X_start⁻¹ X_end), the shorter way round. By Chasles' theorem every displacement is
    such a screw: a turn about an axis together with a slide along it.
    """
    A, B = _pose(start), _pose(end)
    w = _rotation_vector(A[:3, :3].T @ B[:3, :3])
    p = A[:3, :3].T @ (B[:3, 3] - A[:3, 3])
    # p = V(w) u
    return ScrewPath(A, np.linalg.solve(_turned(w, np.array(1.0))[1], p), w)


def straight_path(start: Any, end: Any) -> StraightPath:
    """Return the path on a straight line between two poses, with a parameter from 0 to 1."""
    A, B = _pose(start), _pose(end)
    return StraightPath(A, B[:3, 3] - A[:3, 3], _rotation_vector(A[:3, :3].T @ B[:3, :3]))


def _moved(start: np.ndarray, R: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return poses turned by R behind the start and shifted in the world."""
    X = np.zeros((*R.shape[:-2], 4, 4))
    X[..., :3, :3] = start[:3, :3] @ R
    X[..., :3, 3] = start[:3, 3] + shift
    X[..., 3, 3] = 1.0
    return X


def _turned(w: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return R = exp(t [w]) and V = ∫₀ᵗ exp(r [w]) dr, each ``(..., 3, 3)``.

    With θ = ‖w‖ and K = [w]/θ: R = 1 + sin(tθ) K + (1 - cos tθ) K² and
    V = t + (1 - cos tθ)/θ K + (t - sin(tθ)/θ) K².
    """
    theta = float(np.linalg.norm(w))
    t = np.asarray(t, float)[..., None, None]
    if theta == 0:
        return np.broadcast_to(np.eye(3), (*t.shape[:-2], 3, 3)), t * np.eye(3)
    x, y, z = w / theta
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    # 1 - cos = 2 sin², which keeps its digits for small angles
    s, half = np.sin(theta * t), 2 * np.sin(theta * t / 2) ** 2
    R = np.eye(3) + s * K + half * (K @ K)
    return R, t * np.eye(3) + half / theta * K + (t - s / theta) * (K @ K)


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_rotvec()


def _pose(X: Any) -> np.ndarray:
    X = np.asarray(X, float)
    if X.shape != (4, 4) or not np.isfinite(X).all():
        raise EvaluationError(f"expected a pose of shape (4, 4), got {X.shape}")
    R = X[:3, :3]
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if error > ORTHOGONAL or np.linalg.det(R) < 0 or (X[3] != (0, 0, 0, 1)).any():
        raise EvaluationError(
            "expected a rotation in the first three rows and (0, 0, 0, 1) below, got "
            f"‖RᵀR - 1‖ = {error:.2g}, det R = {np.linalg.det(R):.3g} and {tuple(X[3])}"
        )
    return X
