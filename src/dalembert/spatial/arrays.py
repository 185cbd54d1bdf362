"""Rotations and poses in NumPy arrays, with leading batch axes: exp, log, checks.

The formulas are those of `so3`, `se3` and `quaternion`, which take tuples of scalars: `to_vec`,
`to_mat` and `to_quaternion` turn an array into tuples of arrays, `assemble` turns them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.spatial import se3
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import so3
from dalembert.spatial.rotation.check import ROTATION_TOLERANCE, checked_rotation
from dalembert.spatial.rotation.quaternion import Quaternion
from dalembert.spatial.vectors import Mat, Vec

if TYPE_CHECKING:
    from dalembert.types import Array, Scalar

    Parts: TypeAlias = "Scalar | Sequence[Parts]"


def to_vec(x: Array) -> Vec:
    """Return vectors ``(..., 3)`` as three arrays ``(...)``."""
    return x[..., 0], x[..., 1], x[..., 2]


def to_mat(A: Array) -> Mat:
    """Return matrices ``(..., 3, 3)`` as three rows of three arrays ``(...)``."""
    return to_vec(A[..., 0, :]), to_vec(A[..., 1, :]), to_vec(A[..., 2, :])


def to_quaternion(a: Array) -> Quaternion:
    """Return quaternions ``(..., 4)``, (w, x, y, z), as four arrays ``(...)``."""
    return a[..., 0], a[..., 1], a[..., 2], a[..., 3]


def assemble(parts: Parts) -> Array:
    """Return nested sequences of arrays as one array whose last axes are the sequences.

    >>> assemble(((1, 2), (3, np.zeros(5)))).shape
    (5, 2, 2)
    """
    if not isinstance(parts, Sequence):
        return np.asarray(parts, float)
    depth = _depth(parts[0])
    inner = [assemble(x) for x in parts]
    # a structural 0 or 1 stands for all samples
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - depth] for x in inner))
    full = [np.broadcast_to(x, (*batch, *x.shape[x.ndim - depth :])) for x in inner]
    return np.stack(full, axis=-1 - depth)


def rotation_exp(w: Array) -> Array:
    """Return R = e^ŵ, ``(..., 3, 3)``, of rotation vectors ``(..., 3)``: `so3.exp`."""
    return assemble(so3.exp(to_vec(w)))


def rotation_log(R: Array) -> Array:
    """Return w with R = e^ŵ and |w| ≤ π, ``(..., 3)``: `so3.log`."""
    return assemble(so3.log(to_mat(R)))


def pose_exp(V: Array) -> Array:
    """Return e^V̂, ``(..., 4, 4)``, of twists ``(..., 6)``, linear before angular: `se3.exp`."""
    X = se3.exp((to_vec(V[..., :3]), to_vec(V[..., 3:])))
    return pose_matrix(assemble(X.R), assemble(X.p))


def pose_log(X: Array) -> Array:
    """Return the twist V with X = e^V̂ and |w| ≤ π, ``(..., 6)``: `se3.log`."""
    v, w = se3.log(Pose(to_mat(X[..., :3, :3]), to_vec(X[..., :3, 3])))
    return assemble((*v, *w))


def pose_matrix(R: Array, p: Array) -> Array:
    """Return [[R, p], [0, 1]], ``(..., 4, 4)``."""
    batch = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    X = np.zeros((*batch, 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = R, p, 1.0
    return X


def axial(A: Array) -> Array:
    """Return the vector of A - Aᵀ, ``(..., 3)``: 2 sin φ times the axis of a rotation by φ.

    Entries may be numbers or expressions.
    """
    below, above = ((2, 1), (0, 2), (1, 0)), ((1, 2), (2, 0), (0, 1))
    return np.stack([A[..., *i] - A[..., *j] for i, j in zip(below, above, strict=True)], axis=-1)


def turn_between(R_d: Array, R: Array) -> Array:
    """Return sin φ times the axis of R R_dᵀ, from R_d to R, in world axes: `so3.turn_between`."""
    return axial(R @ np.swapaxes(R_d, -1, -2)) / 2


def nearest_rotation(R: Array) -> Array:
    """Return the rotation with the least |R - R'|: U Vᵀ of the singular value decomposition."""
    U, _, Vt = np.linalg.svd(R)
    return U @ Vt


def check_poses(X: Array, name: str) -> None:
    """Refuse matrices ``(..., 4, 4)`` that are not [[R, p], [0, 1]] with a rotation R.

    Raises:
        EvaluationError: no rotation, or another last row.
    """
    checked_rotation(X[..., :3, :3], name)
    last = X[..., 3, :]
    wrong = np.abs(last - (0.0, 0.0, 0.0, 1.0)).max(axis=-1) > ROTATION_TOLERANCE
    if wrong.any():
        row = ", ".join(f"{x:g}" for x in last[wrong][0])
        raise EvaluationError(f"expected (0, 0, 0, 1) as last row of {name}, got ({row})")


def _depth(parts: Parts) -> int:
    return 1 + _depth(parts[0]) if isinstance(parts, Sequence) else 0
