"""Solve M x = b for a symmetric positive definite M over any scalar, keeping its zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import ratio


def solve_symmetric(M: Sequence[Sequence[Any]], b: Sequence[Any]) -> list[Any]:
    """Return M⁻¹ b by M = Lᵀ D L, L unit lower triangular, from the last row up.

    With the joints of a tree numbered from the root, eliminating the tips first fills no zero of M:
    rows of L are as long as the path to the root. Reference: Featherstone (2008), 6.5.
    """
    n = len(b)
    A = [list(row) for row in M]
    L: list[list[tuple[int, Any]]] = [[] for _ in range(n)]
    x = list(b)
    for k in reversed(range(n)):
        row = [(i, A[k][i]) for i in range(k) if not is_zero(A[k][i])]
        if not row:
            x[k] = ratio(x[k], A[k][k])
            continue
        inverse = ratio(1, A[k][k])
        L[k] = [(i, a * inverse) for i, a in row]
        # what is left of M and b for the joints above
        for i, l in L[k]:
            for j, m in row:
                if j <= i:
                    A[i][j] = A[i][j] - l * m
            x[i] = x[i] - l * x[k]
        x[k] = x[k] * inverse
    # D x' = b' is solved; x = x' - L x from the root outward
    for k in range(n):
        for i, l in L[k]:
            x[k] = x[k] - l * x[i]
    return x
