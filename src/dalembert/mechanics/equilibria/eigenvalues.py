"""Eigenvalues of linear motions in balls: a sign that they show is certain."""

from __future__ import annotations

from collections.abc import Sequence

import flint

from dalembert.expr import Matrix
from dalembert.ring import ball_all

PRECISION = 300


def eigenvalues(M: Matrix, D: Matrix, K: Matrix, kept: Sequence[int]) -> list[flint.acb] | None:
    """Return balls around the eigenvalues of M δq̈ + D δq̇ + K δq = 0, all entries numbers.

    The states are all velocities and the ``kept`` positions; the others must not occur in K. None
    where M is singular or the eigenvalues cannot be enclosed.
    """
    n = M.shape[0]
    before = flint.ctx.prec
    flint.ctx.prec = PRECISION
    try:
        m, d, k = (_balls(a) for a in (M, D, K))
        inverse = m.inv()
        slopes_d, slopes_k = inverse * d, inverse * k
        size = len(kept) + n
        A = flint.acb_mat(size, size)
        for row, j in enumerate(kept):
            A[row, len(kept) + j] = 1
        for i in range(n):
            for column, j in enumerate(kept):
                A[len(kept) + i, column] = -slopes_k[i, j]
            for j in range(n):
                A[len(kept) + i, len(kept) + j] = -slopes_d[i, j]
        return _enclosed(A)
    except (ZeroDivisionError, ValueError):
        return None
    finally:
        flint.ctx.prec = before


def _balls(a: Matrix) -> flint.arb_mat:
    return flint.arb_mat(*a.shape, ball_all(a.entries, {}, PRECISION))


def _enclosed(A: flint.acb_mat) -> list[flint.acb] | None:
    found = A.eig(multiple=True)
    return list(found) if all(x.is_finite() for x in found) else None
