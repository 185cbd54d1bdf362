"""Physical consistency: whether some distribution of mass has a given inertia, or the nearest.

The second moments Σ = ∫ r rᵀ dm = ½ tr(I) 1 - I, the first moment h and the mass m form the
pseudo-inertia J = [[Σ, h], [hᵀ, m]] = ∫ (r, 1) (r, 1)ᵀ dm. A distribution of mass exists exactly
when J is positive semidefinite; this contains m ≥ 0, I ⪰ 0 and the triangle inequalities of the
principal moments.

Reference: P. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically
consistent inertial parameter identification, IEEE Robotics and Automation Letters 3 (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from dalembert.errors import InvalidExpression
from dalembert.expr import Expr
from dalembert.spatial.exact import exact
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.vectors import Scalar

if TYPE_CHECKING:
    import numpy as np

# eigenvalues that were negative become this part of the largest one: far above the rounding of the
# eigenvectors, so that the repaired inertia passes the exact test, and far below what matters
FLOOR = 1e-9


def pseudo_inertia(inertia: Inertia) -> list[list[Scalar]]:
    """Return J = [[Σ, h], [hᵀ, m]] with Σ = ½ tr(I) 1 - I, over any scalar.

    >>> pseudo_inertia(Inertia(2, (0, 0, 4), (8, 8, 0, 0, 0, 0)))[2:]
    [[0, 0, Fraction(8, 1), 4], [0, 0, 4, 2]]
    """
    m, (x, y, z), (xx, yy, zz, xy, xz, yz) = inertia
    total = xx + yy + zz
    half = total * Fraction(1, 2) if isinstance(total, int) else total / 2
    return [
        [half - xx, -xy, -xz, x],
        [-xy, half - yy, -yz, y],
        [-xz, -yz, half - zz, z],
        [x, y, z, m],
    ]


def is_consistent(inertia: Inertia) -> bool:
    """Tell exactly whether some distribution of mass has this inertia: J ⪰ 0.

    Floats count by their decimal meaning.

    >>> is_consistent(Inertia(1, (0, 0, 0), (1, 1, 2, 0, 0, 0)))
    True
    >>> is_consistent(Inertia(1, (0, 0, 0), (1, 1, 2.0000001, 0, 0, 0)))
    False
    """
    return _is_semidefinite(pseudo_inertia(_numbers(inertia)))


def _numbers(inertia: Inertia) -> Inertia:
    def number(x: Scalar) -> Scalar:
        value = exact(x)
        if isinstance(value, Expr):
            raise InvalidExpression(f"expected numbers, got {value}: bind the parameters first")
        return value

    return inertia.map(number)


def _is_semidefinite(matrix: Sequence[Sequence[Scalar]]) -> bool:
    """Tell whether a symmetric rational matrix is positive semidefinite, by exact L D Lᵀ.

    Over whole numbers: a common denominator goes first, and each Schur complement is multiplied by
    its positive pivot.
    """
    common = lcm(*(x.denominator for row in matrix for x in row))
    A = [[x.numerator * (common // x.denominator) for x in row] for row in matrix]
    while A:
        (pivot, *row), *rest = A
        # a zero on the diagonal of a semidefinite matrix has zeros beside it
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        # A ← pivot A - a aᵀ
        A = [
            [(pivot or 1) * x - a * b for x, b in zip(line[1:], row, strict=True)]
            for a, line in zip(row, rest, strict=True)
        ]
    return True


def principal_second_moments(inertia: Inertia) -> tuple[np.ndarray, np.ndarray, Scalar]:
    """Return λ, V and an exact k > 0 with Σ_c = Σ - h hᵀ / m = k V diag(λ) Vᵀ, λ ascending.

    Without mass it is Σ itself. The exact factor keeps tiny and huge bodies from losing digits.
    """
    import numpy as np

    J = pseudo_inertia(_numbers(inertia))
    m = J[3][3]
    Sigma = [
        [J[i][j] - (Fraction(J[i][3] * J[j][3]) / m if m else 0) for j in range(3)]
        for i in range(3)
    ]
    k = max(abs(x) for row in Sigma for x in row) or 1
    values, V = np.linalg.eigh(np.array([[float(Fraction(x) / k) for x in row] for row in Sigma]))
    return values, V, k


def consistency_margin(inertia: Inertia) -> float:
    """Return λ_min(Σ_c) / Σ |λ|, in floats: negative when no body has this inertia.

    It is at most 1/3, 0 for a flat body and for a point mass, and -1 when the second moments about
    the centre of mass are those of a body turned inside out. A negative mass gives -1.
    """
    if inertia.m < 0 or (inertia.m == 0 and any(inertia.h)):
        return -1.0
    values, _, _ = principal_second_moments(inertia)
    size = float(abs(values).sum())
    return float(values[0]) / size if size else 0.0


def nearest_consistent(inertia: Inertia) -> Inertia:
    """Return the inertia itself when it is consistent, else the nearest consistent one.

    Mass and centre of mass stay. The second moments about the centre of mass Σ_c = Σ λ_i v_i v_iᵀ
    become Σ max(λ_i, ε) v_i v_iᵀ with ε = 1e-9 max(λ, 0): for ε → 0 the nearest positive
    semidefinite matrix in the Frobenius norm, whatever the axes.

    Reference: N. Higham, Computing a nearest symmetric positive semidefinite matrix, Linear Algebra
    and its Applications 103 (1988), Theorem 2.1.

    Raises:
        InvalidExpression: a negative mass, or none with a first moment; nothing is near to that.

    >>> body = nearest_consistent(Inertia(1, (0, 0, 0), (1, 1, 4, 0, 0, 0)))  # Σ_c = (2, 2, -1)
    >>> [float(k) for k in body.I[:3]]
    [2.000000002, 2.000000002, 4.0]
    """
    body = _numbers(inertia)
    if is_consistent(body):
        return inertia
    m, h = body.m, body.h
    if m < 0 or (m == 0 and any(h)):
        raise InvalidExpression(
            f"expected a mass that is not negative, got m = {m}, h = {h}: give the mass first"
        )
    # Σ_c = k V diag(λ) Vᵀ
    values, V, k = principal_second_moments(body)
    values = values.clip(min=FLOOR * max(float(values[-1]), 0.0))
    S = (V * values) @ V.T

    # back to exact numbers: Σ = Σ_c + h hᵀ / m,  I = tr(Σ) 1 - Σ
    def entry(i: int, j: int) -> Scalar:
        shift = Fraction(h[i] * h[j]) / m if m else 0
        return exact(float(S[min(i, j), max(i, j)])) * k + shift

    xx, yy, zz = entry(0, 0), entry(1, 1), entry(2, 2)
    return Inertia(
        m,
        h,
        tuple(map(exact, (yy + zz, xx + zz, xx + yy, -entry(0, 1), -entry(0, 2), -entry(1, 2)))),  # type: ignore[arg-type]
    )
