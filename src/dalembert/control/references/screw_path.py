"""Paths of a pose: along a screw, or straight with an even turn.

Positions are homogeneous matrices ``(..., 4, 4)``; velocities ``(..., 6)`` are those of
`Model.jacobian` in the world: of the frame's origin (linear, angular), in world axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Motion, Reference
from dalembert.model.border import finite_poses
from dalembert.spatial.arrays import pose_exp, pose_log, pose_matrix, rotation_exp, rotation_log

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class ScrewPath(Reference):
    """X(s) = X_start exp(s [ξ]): a constant twist ξ = (u, w) in the axes of the moving frame."""

    start: Array
    twist: Array
    duration: float = 1.0

    def at(self, t: Array) -> Motion:
        X = self.start @ pose_exp(t[..., None] * self.twist)
        # the twist in world axes; the axis of the screw keeps its direction
        R = X[..., :3, :3]
        u, w = R @ self.twist[:3], R @ self.twist[3:]
        velocity = np.concatenate([u, w], axis=-1)
        acceleration = np.concatenate([np.cross(w, u), np.zeros_like(w)], axis=-1)
        return Motion(X, velocity, acceleration)


@dataclass(frozen=True, eq=False)
class StraightPath(Reference):
    """The origin moves on a straight line while the frame turns evenly about a fixed axis."""

    start: Array
    linear: Array
    angular: Array
    duration: float = 1.0

    def at(self, t: Array) -> Motion:
        s, R_start = t[..., None], self.start[:3, :3]
        X = pose_matrix(
            R_start @ rotation_exp(s * self.angular), self.start[:3, 3] + s * self.linear
        )
        twist = np.concatenate([self.linear, R_start @ self.angular])
        return Motion(X, np.broadcast_to(twist, (*t.shape, 6)), np.zeros((*t.shape, 6)))


def screw_path(start: ArrayLike, end: ArrayLike) -> ScrewPath:
    """Return the constant screw motion between two poses ``(4, 4)``, with a parameter from 0 to 1.

    [ξ] = log(X_start⁻¹ X_end), the shorter way round. By Chasles' theorem every displacement is
    such a screw: a turn about an axis together with a slide along it.
    """
    A, B = _ends(start, end)
    R = A[:3, :3]
    return ScrewPath(A, pose_log(pose_matrix(R.T @ B[:3, :3], R.T @ (B[:3, 3] - A[:3, 3]))))


def straight_path(start: ArrayLike, end: ArrayLike) -> StraightPath:
    """Return the path on a straight line between two poses, with a parameter from 0 to 1."""
    A, B = _ends(start, end)
    return StraightPath(A, B[:3, 3] - A[:3, 3], rotation_log(A[:3, :3].T @ B[:3, :3]))


def _ends(start: ArrayLike, end: ArrayLike) -> tuple[Array, Array]:
    return finite_poses(start, "the start", (4, 4)), finite_poses(end, "the end", (4, 4))
