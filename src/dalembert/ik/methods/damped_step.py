"""One damped least-squares step inside limits, as expressions: what the compiled loop repeats.

J is reduced by the columns of joints that stand at a bound and would leave it. With n velocities
and m rows the smaller of two systems is solved, both of which give the same step:

    (JᵀJ + λ) δ = Jᵀe        δ = Jᵀ (JJᵀ + λ)⁻¹ e

The damping λ ∝ eᵀe follows T. Sugihara, "Solvability-unconcerned inverse kinematics by the
Levenberg–Marquardt method", IEEE Transactions on Robotics 27 (2011): far from the solution the
step is short, near it becomes Newton's.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import Expr, Scalar, as_expr, sign, sqrt
from dalembert.tasks.base import squared

Rows = Sequence[Sequence[Expr]]
Bounded = Sequence[Expr | None]
"""One number for each column of J, None for a joint without bounds."""

# relative to the mean diagonal: at a singularity the factorization stays finite
FLOOR = 1e-13
# λ for each unit of eᵀe; between 0.02 and 0.2 the arms we know are solved equally often
DAMPING = 0.05


def damping(J: Rows, F: Expr, caution: Scalar) -> Expr:
    """Return λ for F = eᵀe.

    ``caution`` 0 is for targets within reach. Out of reach e does not vanish, and the curvature of
    f, up to |e| |J|, counts as much as JᵀJ: with 1 the steps settle at the nearest place.
    """
    # λ = 0.05 eᵀe + caution |e| |J|
    size = sum((squared(row) for row in J), as_expr(0))
    return DAMPING * F + caution * sqrt(F * size)


def damped_step(J: Rows, e: Sequence[Expr], damping: Scalar) -> list[Expr]:
    """Return δ for the weighted rows J and e."""
    rows, columns = len(e), len(J[0])
    if columns <= rows:
        # (JᵀJ + λ) δ = Jᵀe
        A = _gram(list(zip(*J, strict=True)))
        return solve_damped(A, _transposed_product(J, e), damping)
    # (JJᵀ + λ) y = e and δ = Jᵀy
    y = solve_damped(_gram(J), e, damping)
    return _transposed_product(J, y)


def free_columns(
    J: Rows, e: Sequence[Expr], x: Bounded, lower: Bounded, upper: Bounded
) -> list[list[Expr]]:
    """Return J without the columns of joints at a bound whose gradient points out of it.

    ``x`` holds the position of each column's joint.
    """
    # -∂(½ eᵀe)/∂q = Jᵀe
    g = _transposed_product(J, e)
    free: list[Scalar] = []
    for gi, xi, lo, hi in zip(g, x, lower, upper, strict=True):
        if xi is None or lo is None or hi is None:
            free.append(1)
            continue
        # positions never pass a bound, so each of these is 0 or 1
        at_upper, at_lower = 1 + sign(xi - hi), 1 - sign(xi - lo)
        outward = sign(gi)
        free.append(1 - at_upper * (1 + outward) / 2 - at_lower * (1 - outward) / 2)
    return [[a * f for a, f in zip(row, free, strict=True)] for row in J]


def clamped(x: Expr, lower: Expr, upper: Expr) -> Expr:
    """Return x within its bounds, on them exactly where it passed them."""
    above = (1 + sign(x - upper)) / 2
    x = x * (1 - above) + upper * above
    below = (1 - sign(x - lower)) / 2
    return x * (1 - below) + lower * below


def solve_damped(A: Rows, b: Sequence[Expr], damping: Scalar) -> list[Expr]:
    """Return (A + (λ + floor) 1)⁻¹ b by LDLᵀ, for a positive semidefinite A."""
    n = len(b)
    mean = sum((A[i][i] for i in range(n)), as_expr(0)) / n
    shift = damping + FLOOR * mean
    L: list[list[Expr]] = [[] for _ in range(n)]
    inverse_pivots: list[Expr] = []
    y: list[Expr] = []
    for i in range(n):
        # L D of this row, then L, 1/D and y = L⁻¹b
        scaled: list[Expr] = []
        for j in range(i):
            scaled.append(A[i][j] - _dot(scaled, L[j]))
        L[i] = [s * p for s, p in zip(scaled, inverse_pivots, strict=True)]
        inverse_pivots.append(1 / (A[i][i] + shift - _dot(scaled, L[i])))
        y.append(b[i] - _dot(L[i], y))
    # x = L⁻ᵀ D⁻¹ y
    x = [as_expr(0)] * n
    for i in reversed(range(n)):
        below = sum((L[k][i] * x[k] for k in range(i + 1, n)), as_expr(0))
        x[i] = y[i] * inverse_pivots[i] - below
    return x


def _gram(rows: Rows) -> list[list[Expr]]:
    """Return the lower half of B Bᵀ."""
    return [[_dot(rows[i], rows[j]) for j in range(i + 1)] for i in range(len(rows))]


def _transposed_product(J: Rows, y: Sequence[Expr]) -> list[Expr]:
    return [_dot(column, y) for column in zip(*J, strict=True)]


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    # the shorter one counts: rows of L end at the diagonal
    return sum((x * y for x, y in zip(a, b, strict=False)), as_expr(0))
