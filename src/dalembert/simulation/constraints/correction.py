"""The smallest change of velocities that takes errors of constraints away."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from dalembert.simulation.constraints.metric import Metric

DEPENDENT = 1e-9
"""Directions of A with a singular value below this part of the largest carry nothing."""

FAINT = 1e-13
"""A row has at least this part of the largest scale of all rows, which need not have its unit."""


class Correction(NamedTuple):
    """A change of velocity, its multipliers, and the singular values of A weighted by M.

    ``lengths`` are those of the rows of A in the metric of M⁻¹: the largest A q̇ of a q̇ with
    q̇ᵀ M q̇ = 1.
    """

    change: np.ndarray
    multipliers: np.ndarray
    values: np.ndarray
    lengths: np.ndarray


def correction(
    A: np.ndarray,
    M: Metric,
    right: np.ndarray,
    rank: int,
    groups: Sequence[Hashable] | None = None,
) -> Correction:
    """Return the smallest δ with A δ = right, measured by δᵀ M δ, and λ with M δ = Aᵀ λ.

    With M = L Lᵀ it is δ = L⁻ᵀ B⁺ right with B = A L⁻ᵀ; dependent rows share what they have to do,
    and no more than ``rank`` directions count. Rows are divided by their scales first, so that
    units do not matter. Where M is singular, the rows of A lend it inertia: that changes no δ with
    A δ = right.
    """
    L = M.root(A)
    B = L.B
    lengths = np.linalg.norm(B, axis=1)
    scales = scales_of(lengths, groups)
    U, values, Vt = np.linalg.svd(B / scales[:, None], full_matrices=False)
    rank = min(rank, int((values > DEPENDENT * values[0]).sum())) if values.size else 0
    part = (U[:, :rank].T @ (right / scales)) / values[:rank]
    change = L.outward(Vt[:rank].T @ part)
    multipliers = U[:, :rank] @ (part / values[:rank]) / scales
    return Correction(change, multipliers, values, lengths)


def constrained_acceleration(
    A: np.ndarray,
    M: Metric,
    force: np.ndarray,
    bias: np.ndarray,
    rank: int,
    groups: Sequence[Hashable] | None = None,
) -> np.ndarray:
    """Return q̈ = M⁻¹ f + δ with the smallest δ for which A δ = -(A M⁻¹ f + b)."""
    # where A lends inertia, f is as if A q̈ vanished: δ makes up for it
    free = free_acceleration(A, M, force)
    return free + correction(A, M, -(A @ free + bias), rank, groups).change


def free_acceleration(A: np.ndarray, M: Metric, force: np.ndarray) -> np.ndarray:
    """Return M⁻¹ f; coordinates without mass have the inertia that A lends."""
    L = M.root(A)
    return L.outward(L.inward(force))


class WeightedRows(NamedTuple):
    """Lengths of the rows of A and singular values of A as in `Correction`, of many matrices."""

    lengths: np.ndarray
    values: np.ndarray


def weighted_rows(
    A: np.ndarray, M: Metric, groups: Sequence[Hashable] | None = None
) -> WeightedRows:
    """Return them for matrices A ``(N, rows, n)`` and M of as many states."""
    B = M.weighted(A)
    lengths = np.linalg.norm(B, axis=-1)
    scales = np.stack([scales_of(row, groups) for row in lengths])
    return WeightedRows(lengths, np.linalg.svd(B / scales[..., None], compute_uv=False))


def scaled_rows(A: np.ndarray, M: Metric, groups: Sequence[Hashable] | None = None) -> np.ndarray:
    """Return the rows of A, in the metric of M⁻¹, each divided by the longest of its group."""
    B = M.root(A).B
    return B / scales_of(np.linalg.norm(B, axis=1), groups)[:, None]


def scales_of(lengths: np.ndarray, groups: Sequence[Hashable] | None) -> np.ndarray:
    """Return what to divide the rows by: the longest row of their group."""
    if groups is not None and len(set(groups)) < len(groups):
        longest: dict[Hashable, float] = {}
        for key, size in zip(groups, lengths, strict=True):
            longest[key] = max(longest.get(key, 0.0), float(size))
        lengths = np.array([longest[key] for key in groups])
    largest = lengths.max(initial=0.0)
    return np.maximum(lengths, FAINT * largest) if largest > 0 else np.ones(len(lengths))
