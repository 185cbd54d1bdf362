"""Symmetric tensors of three as six numbers (xx, yy, zz, xy, xz, yz), and how they turn."""

from __future__ import annotations

from typing import Any, NamedTuple

from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Mat, Scalar, multiply, transpose

Sym = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
PLACE = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Where entry (i, j) is among the six numbers."""
OTHERS = ((1, 2), (0, 2), (0, 1))


class Turn(NamedTuple):
    """A rotation in a plane: ``axis`` of the child is ``sign`` times ``onto`` of the parent.

    In the two other axes it is (a, -sign' b; b, sign' a), with sign' = ± sign as det R = 1 wants.
    """

    axis: int
    onto: int
    sign: int
    a: Scalar
    b: Scalar


def plane_turn(R: Mat) -> Turn | None:
    """Return the turn in a plane that R is structurally, or None."""
    for i, row in enumerate(R):
        for j, x in enumerate(row):
            if not _is_unit(x):
                continue
            (i1, i2), (j1, j2) = OTHERS[i], OTHERS[j]
            if all(is_zero(k) for k in (row[j1], row[j2], R[i1][j], R[i2][j])):
                sign = 1 if x == 1 else -1
                return Turn(j, i, sign, R[i1][j1], R[i2][j1])
    return None


def _is_unit(x: Any) -> bool:
    return is_zero(x - 1) or is_zero(x + 1)


def matrix_of(S: Sym) -> Mat:
    """Return the full matrix."""
    xx, yy, zz, xy, xz, yz = S
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def sixfold(A: Mat) -> Sym:
    """Return the six numbers of a symmetric matrix, from its upper half."""
    return A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2]


def turned_symmetric(R: Mat, S: Sym) -> Sym:
    """Return R S Rᵀ; in a plane with the angle doubled once, about half the products."""
    A = turned(R, matrix_of(S))
    return sixfold(A)


def turned(R: Mat, A: Mat) -> Mat:
    """Return R A Rᵀ.

    In a plane, with (a, b) cosine and sine and d = A₁₁ - A₂₂: g = b d + a (A₁₂ + A₂₁) gives
    A₁₁ - b g, A₂₂ + b g, and off the diagonal a g - A₂₁ and a g - A₁₂.
    """
    turn = plane_turn(R)
    if turn is None:
        return multiply(multiply(R, A), transpose(R))
    j, i, sign, a, b = turn
    (i1, i2), (j1, j2) = OTHERS[i], OTHERS[j]
    # orientation of the plane
    e = sign if (i + j) % 2 == 0 else -sign
    g = b * (A[j1][j1] - A[j2][j2]) + a * (e * (A[j1][j2] + A[j2][j1]))
    bg, ag = b * g, a * g
    B: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    B[i1][i1], B[i2][i2] = A[j1][j1] - bg, A[j2][j2] + bg
    B[i1][i2], B[i2][i1] = ag - e * A[j2][j1], ag - e * A[j1][j2]
    B[i][i] = A[j][j]
    for k1, k2, x, y in (
        ((i1, i), (i2, i), A[j1][j], A[j2][j]),
        ((i, i1), (i, i2), A[j][j1], A[j][j2]),
    ):
        # (x, y) turns as a vector, with the sign of the axis
        x, y = sign * x, sign * e * y
        B[k1[0]][k1[1]] = a * x - b * y
        B[k2[0]][k2[1]] = b * x + a * y
    return tuple(tuple(row) for row in B)  # type: ignore[return-value]
