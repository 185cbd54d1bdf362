"""Accelerations and multipliers of a constrained mechanism, over any scalar.

    M q̈ = f + Aᵀ λ,   A q̈ + b = 0

Rule for redundant constraints: rows of A are taken in order, and a row that depends on those
before it carries no force: its λ is 0. The accelerations do not depend on this choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.recursions.constraints.factorization import factorise
from dalembert.spatial.scalar import is_zero, step
from dalembert.spatial.vectors import ratio

DEPENDENT = 1e-10
"""A row depends on earlier ones if they leave this part, or less, of its inverse inertia."""

Rows = Sequence[Sequence[Any]]


def constrained_dynamics(
    M: Rows, force: Sequence[Any], A: Rows, bias: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Return q̈ and λ.

    λ solves S λ = -(A M⁻¹ f + b) with the inverse inertia S = A M⁻¹ Aᵀ that the constraints feel.
    """
    factor = factorise(M)
    free = factor.solve(force)
    # M⁻¹ Aᵀ, one column for each constraint
    response = [factor.solve(row) for row in A]
    S = [[_dot(row, column) for column in response] for row in A]
    right = [-(_dot(row, free) + b) for row, b in zip(A, bias, strict=True)]
    lam = solve_semidefinite(S, right)
    qdd = list(free)
    for column, force_size in zip(response, lam, strict=True):
        qdd = [x if is_zero(c) else x + c * force_size for x, c in zip(qdd, column, strict=True)]
    return qdd, lam


def solve_semidefinite(S: Rows, b: Sequence[Any]) -> list[Any]:
    """Return x with S x = b for a matrix that may be singular, if b is in its range.

    S = L D Lᵀ without pivoting; where a pivot vanishes beside its diagonal entry, x is 0. There is
    no branch: straight-line code does the same.
    """
    n = len(b)
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    D: list[Any] = [0] * n
    inverse: list[Any] = [0] * n
    for j in range(n):
        if is_zero(S[j][j]):
            continue
        d = S[j][j]
        for k in range(j):
            d = d - L[j][k] * L[j][k] * D[k]
        D[j] = d
        # 1 for a pivot that counts, else 0
        keep = step(d - DEPENDENT * S[j][j])
        inverse[j] = ratio(keep, d + (1 - keep))
        for i in range(j + 1, n):
            value = S[i][j]
            for k in range(j):
                value = value - L[i][k] * L[j][k] * D[k]
            L[i][j] = value * inverse[j]
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [y * r for y, r in zip(x, inverse, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            # a row that was left out must not speak either
            x[i] = x[i] - L[k][i] * x[k]
    return x


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total
