"""The smallest change of velocities that takes errors of constraints away."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

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
    M: np.ndarray,
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
    L = _root(A, M)
    B = np.linalg.solve(L, A.T).T
    lengths = np.linalg.norm(B, axis=1)
    scales = _scales(lengths, groups)
    U, values, Vt = np.linalg.svd(B / scales[:, None], full_matrices=False)
    rank = min(rank, int((values > DEPENDENT * values[0]).sum())) if values.size else 0
    part = (U[:, :rank].T @ (right / scales)) / values[:rank]
    change = np.linalg.solve(L.T, Vt[:rank].T @ part)
    multipliers = U[:, :rank] @ (part / values[:rank]) / scales
    return Correction(change, multipliers, values, lengths)


def constrained_acceleration(
    A: np.ndarray,
    M: np.ndarray,
    force: np.ndarray,
    bias: np.ndarray,
    rank: int,
    groups: Sequence[Hashable] | None = None,
) -> np.ndarray:
    """Return q̈ = M⁻¹ f + δ with the smallest δ for which A δ = -(A M⁻¹ f + b)."""
    # where A lends inertia, f is as if A q̈ vanished: δ makes up for it
    free = free_acceleration(A, M, force)
    return free + correction(A, M, -(A @ free + bias), rank, groups).change


def free_acceleration(A: np.ndarray, M: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Return M⁻¹ f; coordinates without mass have the inertia that A lends."""
    L = _root(A, M)
    return np.linalg.solve(L.T, np.linalg.solve(L, force))


def row_lengths(A: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return the lengths of the rows of A in the metric of M⁻¹."""
    return np.linalg.norm(np.linalg.solve(_root(A, M), A.T), axis=0)


class WeightedRows(NamedTuple):
    """Lengths of the rows of A and singular values of A as in `Correction`, of many matrices."""

    lengths: np.ndarray
    values: np.ndarray


def weighted_rows(
    A: np.ndarray, M: np.ndarray, groups: Sequence[Hashable] | None = None
) -> WeightedRows:
    """Return them for matrices A ``(N, rows, n)`` and M ``(N, n, n)``."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        L = np.stack([_root(a, m) for a, m in zip(A, M, strict=True)])
    B = np.linalg.solve(L, A.swapaxes(-1, -2)).swapaxes(-1, -2)
    lengths = np.linalg.norm(B, axis=-1)
    scales = np.stack([_scales(row, groups) for row in lengths])
    return WeightedRows(lengths, np.linalg.svd(B / scales[..., None], compute_uv=False))


def scaled_rows(
    A: np.ndarray, M: np.ndarray, groups: Sequence[Hashable] | None = None
) -> np.ndarray:
    """Return the rows of A, in the metric of M⁻¹, each divided by the longest of its group."""
    B = np.linalg.solve(_root(A, M), A.T).T
    return B / _scales(np.linalg.norm(B, axis=1), groups)[:, None]


def _scales(lengths: np.ndarray, groups: Sequence[Hashable] | None) -> np.ndarray:
    """Return what to divide the rows by: the longest row of their group."""
    if groups is not None and len(set(groups)) < len(groups):
        longest: dict[Hashable, float] = {}
        for key, size in zip(groups, lengths, strict=True):
            longest[key] = max(longest.get(key, 0.0), float(size))
        lengths = np.array([longest[key] for key in groups])
    largest = lengths.max(initial=0.0)
    return np.maximum(lengths, FAINT * largest) if largest > 0 else np.ones(len(lengths))


def _root(A: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return L with L Lᵀ = M, or that of M with inertia from the constraints."""
    try:
        return np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        pass
    lengths = np.abs(A).max(axis=1, initial=0.0)
    rows = A / np.where(lengths > 0, lengths, 1.0)[:, None]
    try:
        return np.linalg.cholesky(M + (np.abs(M).max(initial=0.0) or 1.0) * rows.T @ rows)
    except np.linalg.LinAlgError:
        return np.eye(len(M))
