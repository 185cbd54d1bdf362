"""What is positive where constraints are independent of each other."""

from __future__ import annotations

from typing import Any

from dalembert.expr import as_expr
from dalembert.model.certificates.evaluation import Evaluation, Numbers
from dalembert.recursions.constraints.constrained import DEPENDENT


def pivots(at: Evaluation, M: Numbers, A: Numbers, n: int) -> Numbers:
    """Return d - ε S_jj for each row j of A: what earlier rows leave of its inverse inertia.

    S = A M⁻¹ Aᵀ = L D Lᵀ, and ε is the part below which a row counts as dependent.
    """
    rows = [A[i : i + n] for i in range(0, len(A), n)]
    responses = _solve(at, [M[i : i + n] for i in range(0, n * n, n)], rows)
    S = [[_dot(row, x) for x in responses] for row in rows]
    epsilon = at.number(as_expr(DEPENDENT).value)
    diagonal = [S[j][j] for j in range(len(S))]
    found = []
    for j, d in enumerate(diagonal):
        found.append(S[j][j] - epsilon * d)
        # S ← S - s sᵀ / S_jj below row j
        for i in range(j + 1, len(S)):
            k = at.ratio(S[i][j], S[j][j])
            S[i] = [at.reduced(x - k * y) for x, y in zip(S[i], S[j], strict=True)]
    return found


def _solve(at: Evaluation, M: list[Numbers], columns: list[Numbers]) -> list[Numbers]:
    """Return M⁻¹ x for each column x, by elimination without pivoting: M is symmetric, positive."""
    n = len(M)
    rows = [[*M[i], *(x[i] for x in columns)] for i in range(n)]
    for j in range(n):
        inverse = at.ratio(1, rows[j][j])
        rows[j] = [at.reduced(x * inverse) for x in rows[j]]
        for i in range(n):
            if i != j:
                k = rows[i][j]
                rows[i] = [at.reduced(x - k * y) for x, y in zip(rows[i], rows[j], strict=True)]
    return [[row[n + k] for row in rows] for k in range(len(columns))]


def _dot(a: Numbers, b: Numbers) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))
