"""Certain bounds on the smallest eigenvalue of a symmetric matrix of balls."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import flint

if TYPE_CHECKING:
    from dalembert.types import Array

WIDENINGS = 12
"""How often a candidate bound is lowered, 16-fold each time, before a coarse one is taken."""


def smallest_eigenvalue_bound(balls: flint.arb_mat) -> float:
    """Return a number below every eigenvalue of every symmetric matrix in the balls, or -inf.

    M = M₀ + E with |Eᵢⱼ| ≤ Rᵢⱼ: by Weyl's inequality λ(M) ≥ λ(M₀) - ‖R‖∞. A floating-point
    eigenvalue of M₀ less a margin μ is only a candidate σ; M₀ - σI = L D Lᵀ with D > 0 in ball
    arithmetic makes it certain.
    """
    import numpy as np

    n = balls.nrows()
    if not all(x.is_finite() for x in balls.entries()):
        return -math.inf
    centre = balls.mid()
    width = max_of([sum((balls[i, j].rad() for j in range(n)), flint.arb(0)) for i in range(n)])
    rounded = np.array([float(x) for x in centre.entries()]).reshape(n, n)
    if not np.isfinite(rounded).all():
        return -math.inf
    scale = float(np.abs(rounded).max())
    margin = 4 * n * np.finfo(float).eps * scale
    candidate = float(np.linalg.eigvalsh(rounded)[0])
    for _ in range(WIDENINGS):
        sigma = flint.arb(candidate) - flint.arb(margin)
        if is_positive_definite(centre, sigma):
            return float_below(sigma - width)
        margin = 16 * margin + 1e-320
    return -math.inf


def is_positive_definite(A: flint.arb_mat, shift: flint.arb) -> bool:
    """Tell whether A - shift·I is certainly positive definite: all pivots of L D Lᵀ are."""
    n = A.nrows()
    a = [[A[i, j] - (shift if i == j else 0) for j in range(i + 1)] for i in range(n)]
    for k in range(n):
        pivot = a[k][k]
        if not pivot > 0:
            return False
        for i in range(k + 1, n):
            factor = a[i][k] / pivot
            for j in range(k + 1, i + 1):
                a[i][j] = a[i][j] - factor * a[j][k]
    return True


def eigenvalue_reached(A: flint.arb_mat, direction: Array) -> float:
    """Return a number that is certainly not below the smallest eigenvalue of A, or inf.

    It is Rayleigh's quotient xᵀAx / xᵀx of a direction x of shape (n,), rounded up.
    """
    x = flint.arb_mat(A.nrows(), 1, [flint.arb(float(k)) for k in direction])
    quotient = (x.transpose() * A * x)[0, 0] / (x.transpose() * x)[0, 0]
    return -float_below(-quotient) if quotient.is_finite() else math.inf


def max_of(balls: list[flint.arb]) -> flint.arb:
    """Return a ball around the largest of several numbers."""
    result = balls[0]
    for x in balls[1:]:
        result = result.max(x)
    return result


def float_below(x: flint.arb) -> float:
    """Return a double that no number of the ball is below."""
    bound = x.lower()
    value = float(bound)
    if not math.isfinite(value):
        return -math.inf
    while not flint.arb(value) <= bound:
        value = math.nextafter(value, -math.inf)
    return value
