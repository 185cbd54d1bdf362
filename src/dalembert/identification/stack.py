"""Measured samples as a small triangle: the regressor of all of them, compressed by QR.

For each row of the equations (a joint) the samples [Y_j, τ_j] become a triangle R_j of as many rows
as there are parameters: |Y_j θ - τ_j| = |R_j (θ, -1)| for every θ. Chunks are added one at a time,
so that memory does not grow with the number of samples, and the joints may be weighted afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.model import Model
    from dalembert.types import Array

CHUNK = 2_000_000
"""Numbers of a regressor that are in memory at a time."""

REWEIGHTED = 3
"""How often the noise of the joints is estimated from the residual of the last fit."""

ROUNDING = 1e-14
"""The smallest noise, as a part of the torques: that of computing them."""


@dataclass(frozen=True)
class Stack:
    """Triangles ``(groups, parameters + 1, parameters + 1)`` of rows with the same noise.

    ``counts`` are the numbers of samples of each group, ``names`` their names, ``size`` the root
    mean square of τ in each.
    """

    triangles: Array
    counts: Array
    names: tuple[str, ...]
    size: Array

    @property
    def num_rows(self) -> int:
        """The number of measured equations."""
        return int(self.counts.sum())

    def residual(self, theta: Array) -> Array:
        """Return the root mean square of Y θ - τ in each group."""
        against = np.append(theta, -1.0)
        return np.linalg.norm(self.triangles @ against, axis=1) / np.sqrt(self.counts)

    @cached_property
    def noise(self) -> Array:
        """The standard deviation of the noise of each group, in N m or N."""
        floor = ROUNDING * max(float(self.size.max()), np.finfo(float).tiny)
        sigma = np.ones(len(self.counts))
        free = 1 - min((self.triangles.shape[1] - 1) / self.num_rows, 0.9)
        for _ in range(REWEIGHTED):
            R, z = self.weighted(sigma)
            theta = np.linalg.lstsq(R, z, rcond=1e-12)[0]
            sigma = np.maximum(self.residual(theta) / np.sqrt(free), floor)
        return sigma

    def weighted(self, sigma: Array) -> tuple[Array, Array]:
        """Return R and z: |R θ - z|² is the sum of squared errors in units of their noise."""
        rows = np.concatenate([T / s for T, s in zip(self.triangles, sigma, strict=True)])
        T = triangle(rows)
        return T[:-1, :-1], T[:-1, -1]


def stacked(
    model: Model, samples: Sequence[Array], unknown: Array, known: Array, theta: Array
) -> Stack:
    """Return the triangles of samples q, q̇, q̈, τ for the columns of Y that are unknown.

    What the known parameters explain is taken from τ. Rows of closed mechanisms are those along the
    motions that their loops allow, where λ does no work.
    """
    q, qd, qdd, tau = samples
    has_loops = bool(model.mechanism.loops)
    names = ("all rows",) if has_loops else model.configuration.v_names
    n = len(unknown)
    triangles = np.zeros((len(names), n + 1, n + 1))
    squares, counts = np.zeros(len(names)), np.zeros(len(names), int)
    step = max(1, CHUNK // (model.nv * len(theta)))
    for start in range(0, len(q), step):
        part = slice(start, start + step)
        Y = model.regressor(q[part], qd[part], qdd[part])
        rest = tau[part] - Y[..., known] @ theta[known]
        rows = np.concatenate([Y[..., unknown], rest[..., None]], axis=-1)
        groups = _along_loops(model, q[part], rows) if has_loops else np.swapaxes(rows, 0, 1)
        for k, group in enumerate(groups):
            triangles[k] = triangle(np.concatenate([triangles[k], group]))
            squares[k] += float(np.sum(group[:, -1] ** 2))
            counts[k] += len(group)
    if not np.isfinite(triangles).all():
        raise EvaluationError("expected finite samples, got NaN or infinity in q, qd, qdd or tau")
    return Stack(triangles, counts, tuple(names), np.sqrt(squares / counts))


def triangle(rows: Array) -> Array:
    """Return R of rows = Q R, which has the length of every combination of their columns."""
    found: Any = np.linalg.qr(rows, mode="r")
    return found


def _along_loops(model: Model, q: Array, rows: Array) -> Array:
    """Return Zᵀ [Y, τ] with A Z = 0, all samples in one group."""
    A = model.constraint_jacobian(q)
    _, values, Vt = np.linalg.svd(A)
    largest = values.max(axis=-1, keepdims=True)
    rank = int(np.max((values > 1e-9 * largest).sum(axis=-1)))
    Z = Vt[:, rank:]
    return (Z @ rows).reshape(1, -1, rows.shape[-1])
