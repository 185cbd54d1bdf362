"""Lemke's method for linear complementarity problems."""

from __future__ import annotations

import numpy as np

PIVOTS_PER_ROW = 50

SMALLEST_PIVOT = 1e-10
"""Entries below this do not count as pivots; the problem is scaled to ones."""

TIE = 1e-12
"""Ratios that differ by less are equal."""

SPREAD = 0.3
"""The covering vector differs from row to row by up to this part, so that ratios do not tie."""


def lemke(M: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """Return z ≥ 0 with w = M z + q ≥ 0 and zᵀ w = 0; None if the method ends on a ray.

    An artificial variable with a positive column makes all w positive; from there each basis leads
    to one other, until the artificial variable has left. For copositive M, as of friction that
    follows normal forces, a ray means that there is no solution. R. W. Cottle, J.-S. Pang & R. E.
    Stone, The Linear Complementarity Problem, section 4.4.
    """
    n = len(q)
    if not (q < 0).any():
        return np.zeros(n)
    cover = 1 + SPREAD * np.modf(np.arange(1, n + 1) * (np.sqrt(5) - 1) / 2)[0]
    # w - M z - cover z₀ = q: columns of w, z, z₀ and the right side
    T = np.hstack([np.eye(n), -M, -cover[:, None], q[:, None]])
    basis, artificial = np.arange(n), 2 * n
    row, entering = int(np.argmin(q / cover)), artificial
    for _ in range(PIVOTS_PER_ROW * n):
        leaving, basis[row] = int(basis[row]), entering
        T[row] /= T[row, entering]
        others = T[:, entering].copy()
        others[row] = 0.0
        T -= np.outer(others, T[row])
        if leaving == artificial:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, -1]
            return np.maximum(z[n : 2 * n], 0.0)
        # the complement of what has left enters
        entering = leaving + n if leaving < n else leaving - n
        column = T[:, entering]
        is_pivot = column > SMALLEST_PIVOT
        if not is_pivot.any():
            return None
        ratio = np.where(is_pivot, T[:, -1] / np.where(is_pivot, column, 1.0), np.inf)
        tied = np.flatnonzero(ratio <= ratio.min() + TIE * (1 + abs(ratio.min())))
        last = tied[basis[tied] == artificial]
        row = int(last[0]) if len(last) else int(tied[np.argmax(column[tied])])
    return None
