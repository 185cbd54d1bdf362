"""Eigenvalues of linear motions in balls: a sign that they show is certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flint

from dalembert.expr import Matrix
from dalembert.ring import ball_all

PRECISION = 300


def eigenvalues(M: Matrix, D: Matrix, K: Matrix, kept: Sequence[int]) -> list[flint.acb] | None:
    """Return balls around the eigenvalues of M δq̈ + D δq̇ + K δq = 0, all entries numbers.

    The states are all velocities and the ``kept`` positions; the others must not occur in K. None
    where M is singular or the eigenvalues cannot be enclosed.
    """
    before = flint.ctx.prec
    flint.ctx.prec = PRECISION
    try:
        if all(e.op == "const" for a in (M, D, K) for e in a):
            # the characteristic polynomial is exact, and so are multiplicities
            A = _state_matrix([_rationals(a) for a in (M, D, K)], kept, flint.fmpq_mat)
            return [x for x, n in A.charpoly().numer().complex_roots() for _ in range(n)]
        A = _state_matrix([_balls(a) for a in (M, D, K)], kept, flint.acb_mat)
        found = A.eig(multiple=True)
        return list(found) if all(x.is_finite() for x in found) else None
    except (ZeroDivisionError, ValueError):
        return None
    finally:
        flint.ctx.prec = before


def _state_matrix(parts: Sequence[Any], kept: Sequence[int], kind: Callable[..., Any]) -> Any:
    """Return A of ẋ = A x for x = (kept positions, velocities) from M, D and K."""
    M, D, K = parts
    inverse = M.inv()
    slopes_d, slopes_k = inverse * D, inverse * K
    n, m = M.nrows(), len(kept)
    A = kind(m + n, m + n)
    for row, j in enumerate(kept):
        A[row, m + j] = 1
    for i in range(n):
        for column, j in enumerate(kept):
            A[m + i, column] = -slopes_k[i, j]
        for j in range(n):
            A[m + i, m + j] = -slopes_d[i, j]
    return A


def _balls(a: Matrix) -> flint.arb_mat:
    return flint.arb_mat(*a.shape, ball_all(a.entries, {}, PRECISION))


def _rationals(a: Matrix) -> flint.fmpq_mat:
    numbers = [flint.fmpq(e.value.numerator, e.value.denominator) for e in a]
    return flint.fmpq_mat(*a.shape, numbers)
