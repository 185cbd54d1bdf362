"""Accelerations of bodies some of whose coordinates are held, as expressions."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import ONE, ZERO, Expr


def held_accelerations(
    M: Sequence[Sequence[Expr]], f: Sequence[Expr], held: Sequence[Expr]
) -> list[Expr]:
    """Return q̈ of (k M k + m) q̈ = k f by L D Lᵀ, with m the ``held`` ones and k = 1 - m."""
    n, keep = len(f), [ONE - m for m in held]
    L: list[list[Expr]] = [[ZERO] * n for _ in range(n)]
    D: list[Expr] = []
    for j in range(n):
        d = keep[j] * M[j][j] + held[j]
        D.append(d - sum((L[j][k] * L[j][k] * D[k] for k in range(j)), ZERO))
        for i in range(j + 1, n):
            x = keep[i] * keep[j] * M[i][j]
            L[i][j] = (x - sum((L[i][k] * L[j][k] * D[k] for k in range(j)), ZERO)) / D[j]
    y: list[Expr] = []
    for i in range(n):
        y.append(keep[i] * f[i] - sum((L[i][k] * y[k] for k in range(i)), ZERO))
    x = [a / d for a, d in zip(y, D, strict=True)]
    for i in reversed(range(n)):
        x[i] = x[i] - sum((L[k][i] * x[k] for k in range(i + 1, n)), ZERO)
    return x
