"""Symmetric tensors of three as six numbers (xx, yy, zz, xy, xz, yz), and how they turn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from dalembert.expr import Expr
from dalembert.ring import Element
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Mat, Scalar, multiply, transpose

Sym = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
OTHERS = ((1, 2), (0, 2), (0, 1))
"""The two other axes."""


class Turn(NamedTuple):
    """A rotation in a plane: ``axis`` of the child is ``sign`` times axis ``onto`` of the parent.

    Of the two other axes of the child the first is (a, b) in those of the parent.
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
            if _is_unit(x):
                (i1, i2), (j1, j2) = OTHERS[i], OTHERS[j]
                if all(is_zero(k) for k in (row[j1], row[j2], R[i1][j], R[i2][j])):
                    return Turn(j, i, 1 if x == 1 else -1, R[i1][j1], R[i2][j1])
    return None


def _is_unit(x: Any) -> bool:
    """Tell whether a scalar is 1 or -1 structurally; an array never is."""
    return isinstance(x, int | float | Fraction | Expr | Element) and bool(x == 1 or x == -1)


def matrix_of(S: Sym) -> Mat:
    """Return the full matrix."""
    xx, yy, zz, xy, xz, yz = S
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def sum_of(a: Sym, b: Sym) -> Sym:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def turned_symmetric(R: Mat, S: Sym) -> Sym:
    """Return R S Rᵀ of a symmetric tensor."""
    A = turned(R, matrix_of(S))
    return A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2]


def turned(R: Mat, A: Mat) -> Mat:
    """Return R A Rᵀ; where R turns in a plane only, with a third of the products."""
    turn = plane_turn(R)
    return multiply(multiply(R, A), transpose(R)) if turn is None else _turned_in_plane(turn, A)


def _turned_in_plane(turn: Turn, A: Mat) -> Mat:
    """Return R A Rᵀ for a turn.

    In the plane, with d = A₁₁ - A₂₂ and g = b d + a (A₁₂ + A₂₁): A₁₁ - b g and A₂₂ + b g on the
    diagonal, a g - A₂₁ and a g - A₁₂ off it; the rest turns as two vectors.
    """
    j, i, sign, a, b = turn
    (i1, i2), (j1, j2) = OTHERS[i], OTHERS[j]
    # det R = 1 says which way the second axis of the plane goes
    e = sign if (i + j) % 2 == 0 else -sign
    g = b * (A[j1][j1] - A[j2][j2]) + a * (e * (A[j1][j2] + A[j2][j1]))
    bg, ag = b * g, a * g
    B: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    B[i1][i1], B[i2][i2], B[i][i] = A[j1][j1] - bg, A[j2][j2] + bg, A[j][j]
    B[i1][i2], B[i2][i1] = ag - e * A[j2][j1], ag - e * A[j1][j2]
    # column and row of the axis
    x, y = sign * A[j1][j], sign * e * A[j2][j]
    B[i1][i], B[i2][i] = a * x - b * y, b * x + a * y
    x, y = sign * A[j][j1], sign * e * A[j][j2]
    B[i][i1], B[i][i2] = a * x - b * y, b * x + a * y
    return tuple(map(tuple, B))  # type: ignore[return-value]
