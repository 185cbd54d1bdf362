"""Accelerations and multipliers of a constrained mechanism, over any scalar.

    M q̈ = f + Aᵀ λ,   A q̈ + b = 0

Rule for redundant constraints: rows of A are taken in order, and a row that depends on those
before it carries no force: its λ is 0. The accelerations do not depend on this choice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from dalembert.expr import Expr, sign
from dalembert.recursions.constraints.factorization import Factor, factorise
from dalembert.spatial.scalar import is_zero, step
from dalembert.spatial.vectors import Scalar, ratio


class Thresholds(NamedTuple):
    """What is rounding beside other rows.

    A row depends on earlier ones if they leave the part ``dependent``, or less, of its inverse
    inertia; it is rounding if that is the part ``negligible``, or less, of that of its group.
    """

    dependent: float
    negligible: float


THRESHOLDS = {"float64": Thresholds(1e-10, 1e-24), "float32": Thresholds(3e-5, 1e-11)}
"""By the dtype that the equations are computed in: the same powers of its rounding unit."""
DOUBLES = THRESHOLDS["float64"]

Rows = Sequence[Sequence[Scalar]]


def constrained_dynamics(
    M: Rows,
    force: Sequence[Scalar],
    A: Rows,
    bias: Sequence[Scalar],
    groups: Sequence[Hashable] | None = None,
    thresholds: Thresholds = DOUBLES,
) -> tuple[list[Scalar], list[Scalar]]:
    """Return q̈ and λ; see `Constrained`.

    Args:
        M: The mass matrix; where it has a zero on its diagonal, the constraints lend it inertia.
        force: f, all forces but those of the constraints.
        A: One row for each constraint.
        bias: b, one entry for each constraint.
        groups: For each row the vector that it is a component of: a component that is rounding
            beside the others does not count. Without them each row is for itself.
        thresholds: When rows count.
    """
    return Constrained.of(M, A, groups, thresholds).solve(force, bias)


class Constrained(NamedTuple):
    """The equations of a state with their matrices factorised, for any forces.

    With M = Lᵀ D L and w = D L q̈ the equations are w = L⁻ᵀ f + Σ λᵢ yᵢ and yᵢᵀ D⁻¹ w + bᵢ = 0 with
    the rows yᵢ = L⁻ᵀ Aᵢᵀ. So λ solves S λ = -(Y D⁻¹ L⁻ᵀ f + b) with the inverse inertia
    S = Y D⁻¹ Yᵀ = A M⁻¹ Aᵀ of the constraints. Rounding of S grows with the square of its
    condition, so what is left of the equations is solved for a second time.
    """

    A: Rows
    lends: bool
    factor: Factor
    Y: Rows
    Z: Rows
    inverse_inertia: Semidefinite

    @classmethod
    def of(
        cls,
        M: Rows,
        A: Rows,
        groups: Sequence[Hashable] | None = None,
        thresholds: Thresholds = DOUBLES,
    ) -> Constrained:
        """Return the factorised equations of M and A; see `constrained_dynamics`."""
        lends = any(is_zero(row[i]) for i, row in enumerate(M))
        factor = factorise(_with_lent_inertia(M, A) if lends else M)
        Y = [factor.inward(row) for row in A]
        # the rows of Y D⁻¹
        Z = [
            [0 if is_zero(y) else y * d for y, d in zip(row, factor.inverse, strict=True)]
            for row in Y
        ]
        S = [[_dot(z, y) for y in Y[: i + 1]] for i, z in enumerate(Z)]
        return cls(A, lends, factor, Y, Z, factorise_semidefinite(S, groups, thresholds))

    def solve(
        self, force: Sequence[Scalar], bias: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return q̈ and λ."""
        if self.lends:
            force = _with_lent_force(force, self.A, bias)
        w = self.factor.inward(force)
        lam: list[Scalar] = [0] * len(self.Y)
        for _ in range(2):
            right = [-(_dot(z, w) + b) for z, b in zip(self.Z, bias, strict=True)]
            change = self.inverse_inertia.solve(right)
            for y, size in zip(self.Y, change, strict=True):
                w = [x if is_zero(c) else x + c * size for x, c in zip(w, y, strict=True)]
            lam = [x + d for x, d in zip(lam, change, strict=True)]
        return self.factor.outward(w), lam


def constrained_dynamics_by_solves(
    solve: Callable[[Sequence[Scalar]], list[Scalar]],
    free: Sequence[Scalar],
    A: Rows,
    bias: Sequence[Scalar],
    groups: Sequence[Hashable] | None = None,
    thresholds: Thresholds = DOUBLES,
) -> tuple[list[Scalar], list[Scalar]]:
    """Return q̈ and λ where M⁻¹ times a vector is cheaper than M: long chains of links.

    With the rows zᵢ = M⁻¹ Aᵢᵀ it is S = A Zᵀ, and q̈ = free + Σ λᵢ zᵢ. Its effort is that of a solve
    for each constraint. What is left of the equations is solved for a second time.

    Args:
        solve: Returns M⁻¹ times a vector.
        free: q̈ without constraints.
        A: One row for each constraint.
        bias: b of A q̈ + b = 0, one entry for each constraint.
        groups: As in `constrained_dynamics`.
        thresholds: When rows count.
    """
    Z = [solve(row) for row in A]
    S = [[_dot(row, z) for z in Z[: i + 1]] for i, row in enumerate(A)]
    semidefinite = factorise_semidefinite(S, groups, thresholds)
    qdd, lam = list(free), list[Scalar]([0] * len(A))
    for _ in range(2):
        right = [-(_dot(row, qdd) + b) for row, b in zip(A, bias, strict=True)]
        change = semidefinite.solve(right)
        for z, size in zip(Z, change, strict=True):
            qdd = [x + c * size for x, c in zip(qdd, z, strict=True)]
        lam = [x + d for x, d in zip(lam, change, strict=True)]
    return qdd, lam


def _with_lent_inertia(M: Rows, A: Rows) -> list[list[Scalar]]:
    """Return M + Aᵀ A: with f - Aᵀ b the same q̈ and λ, for A q̈ + b = 0."""
    n = len(M)
    return [[M[i][j] + sum(row[i] * row[j] for row in A) for j in range(n)] for i in range(n)]


def _with_lent_force(force: Sequence[Scalar], A: Rows, bias: Sequence[Scalar]) -> list[Scalar]:
    """Return f - Aᵀ b."""
    return [
        f - sum(row[i] * b for row, b in zip(A, bias, strict=True)) for i, f in enumerate(force)
    ]


class Semidefinite(NamedTuple):
    """S = L D Lᵀ; 1/D is zero where a row depends on earlier ones."""

    L: list[list[Scalar]]
    inverse: list[Scalar]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return x with S x = b, if b is in the range of S; rows left out have x = 0."""
        # L y = b, then z = y / D, then Lᵀ x = z
        n, x = len(b), list(b)
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - self.L[i][k] * x[k]
        x = [y * r for y, r in zip(x, self.inverse, strict=True)]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - self.L[k][i] * x[k]
        return x


def factorise_semidefinite(
    S: Rows, groups: Sequence[Hashable] | None, thresholds: Thresholds
) -> Semidefinite:
    """Return the factors of a matrix that may be singular, of which the lower half is given.

    Without pivoting: where a pivot vanishes beside its diagonal entry, or is noise, the row is left
    out. There is no branch: straight-line code does the same.
    """
    n, noise = len(S), _noise(S, groups, thresholds.negligible)
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
        keep, leave = _switch(d - (thresholds.dependent * S[j][j] + noise[j]))
        # 1/d where the row counts, else 0/1: one term is exactly zero, in whatever order they come
        inverse[j] = ratio(keep, keep * d + leave)
        # L_ij = (S_ij - Σ L_ik L_jk D_k) / D_j
        for i in range(j + 1, n):
            value = S[i][j]
            for k in range(j):
                value = value - L[i][k] * L[j][k] * D[k]
            L[i][j] = value * inverse[j]
    return Semidefinite(L, inverse)


def _noise(S: Rows, groups: Sequence[Hashable] | None, negligible: float) -> list[Scalar]:
    """Return for each row the inverse inertia below which it is rounding beside its group."""
    totals: dict[Hashable, list[Scalar]] = {}
    keys = range(len(S)) if groups is None else groups
    for i, key in enumerate(keys):
        totals.setdefault(key, []).append(S[i][i])
    return [negligible * sum(totals[key]) if len(totals[key]) > 1 else 0 for key in keys]


def _switch(x: Scalar) -> tuple[Scalar, Scalar]:
    """Return 1 and 0 where x > 0, else 0 and 1."""
    if isinstance(x, Expr):
        # as products: a sum with 1 - keep could be put into an order that loses digits
        s = sign(x)
        return s * (1 + s) / 2, (1 - s) * (2 + s) / 2
    keep = step(x)
    return keep, 1 - keep


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total
