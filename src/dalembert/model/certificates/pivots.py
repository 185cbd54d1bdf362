"""What is positive where constraints are independent of each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from dalembert.expr.rational import as_rational
from dalembert.model.certificates.evaluation import Evaluation, Numbers
from dalembert.recursions.constraints.constrained import DOUBLES, Thresholds


def pivots(
    at: Evaluation,
    M: Numbers,
    A: Numbers,
    n: int,
    groups: Sequence[Hashable],
    thresholds: Thresholds = DOUBLES,
) -> Numbers:
    """Return what is left of each constraint's inverse inertia, less what would be too little.

    S = A M⁻¹ Aᵀ = L D Lᵀ; of row j counts D_j less a part of S_jj, and less a part of the sum of
    S_kk over its group, by the rule of `dalembert.recursions.constraints.constrained`. Where a
    coordinate has no inertia the constraints lend it some: M + AᵀA has the same solution.
    """
    mass = [list(M[i : i + n]) for i in range(0, n * n, n)]
    rows = [A[i : i + n] for i in range(0, len(A), n)]
    if any(at.is_zero(mass[i][i]) for i in range(n)):
        mass = [
            [mass[i][j] + _dot(_column(rows, i), _column(rows, j)) for j in range(n)]
            for i in range(n)
        ]
    responses = _solve(at, mass, rows)
    S = [[at.reduced(_dot(row, x)) for x in responses] for row in rows]
    dependent, negligible = (at.number(as_rational(x)) for x in thresholds)
    diagonal = [S[j][j] for j in range(len(S))]
    found = []
    for j, d in enumerate(diagonal):
        # a row of zeros is left out from the start
        if at.is_zero(d):
            continue
        group = [x for x, name in zip(diagonal, groups, strict=True) if name == groups[j]]
        noise = negligible * sum(group) if len(group) > 1 else 0
        found.append(S[j][j] - (dependent * d + noise))
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


def _column(rows: list[Numbers], j: int) -> Numbers:
    return [row[j] for row in rows]


def _dot(a: Numbers, b: Numbers) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))
