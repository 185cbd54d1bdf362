"""Inertia of a link with everything that hangs on it by free joints: symmetric, 21 numbers."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.inertia.symmetric import Sym, matrix_of, sum_of, turned, turned_symmetric
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.se3 import Twist, Wrench
from dalembert.spatial.vectors import ZERO, Mat, Scalar, Vec, add, cross, rotate, skew, unrotate

NO_TENSOR: Sym = NO_INERTIA.I
NO_MATRIX: Mat = (ZERO, ZERO, ZERO)


class ArticulatedInertia(NamedTuple):
    """Blocks of wrench = A · twist: f = M v + Hᵀ ω and n = H v + I ω."""

    I: Sym = NO_TENSOR
    H: Mat = NO_MATRIX
    M: Sym = NO_TENSOR

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        """Return the inertia of a rigid body: H = ĥ, M = m 1."""
        m, h, I = inertia
        return cls(I, skew(h), (m, m, m, 0, 0, 0))

    def plus(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Return the sum."""
        rows = zip(self.H, other.H, strict=True)
        return ArticulatedInertia(
            sum_of(self.I, other.I),
            tuple(add(a, b) for a, b in rows),  # type: ignore[arg-type]
            sum_of(self.M, other.M),
        )

    def times(self, S: Twist) -> Wrench:
        """Return the wrench for a twist (v, ω)."""
        v, w = S
        f = add(rotate(matrix_of(self.M), v), unrotate(self.H, w))
        return f, add(rotate(self.H, v), rotate(matrix_of(self.I), w))

    def without(self, U: Wrench, W: Wrench) -> ArticulatedInertia:
        """Return A - U Wᵀ with W = U/D."""
        (Uf, Un), (Wf, Wn) = U, W
        # H couples moments with linear velocities: its rows lose U_n W_fᵀ
        rows = [_less(self.H[i], Un[i], Wf) for i in range(3)]
        return ArticulatedInertia(
            _less_square(self.I, Un, Wn), _matrix(rows), _less_square(self.M, Uf, Wf)
        )

    def with_row(self, k: int, U: Wrench) -> ArticulatedInertia:
        """Return A with row and column k (linear 0 to 2, angular 3 to 5) replaced by U."""
        f, n = U
        if k < 3:
            H = [_with_entry(row, k, x) for row, x in zip(self.H, n, strict=True)]
            return ArticulatedInertia(self.I, _matrix(H), _with_line(self.M, k, f))
        rows = list(self.H)
        rows[k - 3] = f
        return ArticulatedInertia(_with_line(self.I, k - 3, n), _matrix(rows), self.M)

    def moved(self, X_PC: Pose) -> ArticulatedInertia:
        """Return the inertia at the parent's origin, in its axes.

        Turned first; then with p: H' = H + p̂ M, I' = I + p̂ Hᵀ + H' p̂ᵀ.
        """
        R, p = X_PC
        I, H0, M = turned_symmetric(R, self.I), turned(R, self.H), turned_symmetric(R, self.M)
        if all(is_zero(x) for x in p):
            return ArticulatedInertia(I, H0, M)
        # H' = H + p̂ M, column by column
        columns = [cross(p, column) for column in matrix_of(M)]
        H = _matrix(
            [
                (
                    H0[i][0] + columns[0][i],
                    H0[i][1] + columns[1][i],
                    H0[i][2] + columns[2][i],
                )
                for i in range(3)
            ]
        )
        # I + p̂ Hᵀ + H' p̂ᵀ: with the rows h of H and h' of H', entry ij gains (p × hⱼ)ᵢ + (p × h'ᵢ)ⱼ
        old, new = [cross(p, row) for row in H0], [cross(p, row) for row in H]
        twice = [cross(p, add(a, b)) for a, b in zip(H0, H, strict=True)]
        I = (
            I[0] + twice[0][0],
            I[1] + twice[1][1],
            I[2] + twice[2][2],
            I[3] + (old[1][0] + new[0][1]),
            I[4] + (old[2][0] + new[0][2]),
            I[5] + (old[2][1] + new[1][2]),
        )
        return ArticulatedInertia(I, H, M)


def _matrix(rows: list[Vec]) -> Mat:
    return rows[0], rows[1], rows[2]


def _less(row: Vec, u: Scalar, w: Vec) -> Vec:
    return row[0] - u * w[0], row[1] - u * w[1], row[2] - u * w[2]


def _less_square(S: Sym, u: Vec, w: Vec) -> Sym:
    """Return S - u wᵀ, which is symmetric."""
    return (
        S[0] - u[0] * w[0],
        S[1] - u[1] * w[1],
        S[2] - u[2] * w[2],
        S[3] - u[0] * w[1],
        S[4] - u[0] * w[2],
        S[5] - u[1] * w[2],
    )


def _with_line(S: Sym, k: int, line: Vec) -> Sym:
    """Return the tensor with row and column k replaced."""
    (xx, yy, zz, xy, xz, yz), (a, b, c) = S, line
    if k == 0:
        return a, yy, zz, b, c, yz
    return (xx, b, zz, a, xz, c) if k == 1 else (xx, yy, c, xy, a, b)


def _with_entry(row: Vec, k: int, x: Scalar) -> Vec:
    return (x if k == 0 else row[0], x if k == 1 else row[1], x if k == 2 else row[2])
