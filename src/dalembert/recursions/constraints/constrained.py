"""Accelerations and multipliers of a constrained mechanism, over any scalar.

    M q̈ = f + Aᵀ λ,   A q̈ + b = 0

Rule for redundant constraints: rows of A are taken in order, and a row that depends on those
before it carries no force: its λ is 0. The accelerations do not depend on this choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.recursions.constraints.factorization import factorise
from dalembert.spatial.scalar import is_zero, step
from dalembert.spatial.vectors import Scalar, ratio

DEPENDENT = 1e-10
"""A row depends on earlier ones if they leave this part, or less, of its inverse inertia."""

Rows = Sequence[Sequence[Scalar]]


def constrained_dynamics(
    M: Rows, force: Sequence[Scalar], A: Rows, bias: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """Return q̈ and λ.

    λ solves S λ = -(A M⁻¹ f + b) with the inverse inertia S = A M⁻¹ Aᵀ of the constraints.
    """
    # accelerations without constraints: M⁻¹ f
    factor = factorise(M)
    free = factor.solve(force)
    # M⁻¹ Aᵀ, one column for each constraint
    response = [factor.solve(row) for row in A]
    # S = A M⁻¹ Aᵀ
    S = [[_dot(row, column) for column in response] for row in A]
    right = [-(_dot(row, free) + b) for row, b in zip(A, bias, strict=True)]
    lam = solve_semidefinite(S, right)
    # q̈ = M⁻¹ f + M⁻¹ Aᵀ λ
    qdd = list(free)
    for column, force_size in zip(response, lam, strict=True):
        qdd = [x if is_zero(c) else x + c * force_size for x, c in zip(qdd, column, strict=True)]
    return qdd, lam


def solve_semidefinite(S: Rows, b: Sequence[Scalar]) -> list[Scalar]:
    """Return x with S x = b for a matrix that may be singular, if b is in its range.

    S = L D Lᵀ without pivoting; where a pivot vanishes beside its diagonal entry, x is 0. There is
    no branch: straight-line code does the same.
    """
    n = len(b)
    L: list[list[Scalar]] = [[0] * n for _ in range(n)]
    D: list[Scalar] = [0] * n
    inverse: list[Scalar] = [0] * n
    for j in range(n):
        if is_zero(S[j][j]):
            continue
        # D_j = S_jj - Σ L_jk² D_k
        d = S[j][j]
        for k in range(j):
            d = d - L[j][k] * L[j][k] * D[k]
        D[j] = d
        # 1 for a pivot that counts, else 0
        keep = step(d - DEPENDENT * S[j][j])
        inverse[j] = ratio(keep, d + (1 - keep))
        # L_ij = (S_ij - Σ L_ik L_jk D_k) / D_j
        for i in range(j + 1, n):
            value = S[i][j]
            for k in range(j):
                value = value - L[i][k] * L[j][k] * D[k]
            L[i][j] = value * inverse[j]
    # L y = b, then z = y / D, then Lᵀ x = z
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [y * r for y, r in zip(x, inverse, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            # rows left out have x = 0: they add nothing
            x[i] = x[i] - L[k][i] * x[k]
    return x


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total
