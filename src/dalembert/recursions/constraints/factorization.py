"""Symmetric positive definite matrices over any scalar: M = Lᵀ D L, keeping the zeros of M.

With the joints of a tree numbered from the root, eliminating the tips first fills no zero: rows of
L are as long as the path to the root. Reference: R. Featherstone, Rigid body dynamics algorithms,
2008, section 6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar, ratio

Row = dict[int, Scalar]
"""Entries left of the diagonal by their places: the velocities of the joints above."""


class Factor(NamedTuple):
    """M = Lᵀ D L: rows of L and of D L left of the diagonal, and 1/D."""

    L: list[Row]
    DL: list[Row]
    inverse: list[Scalar]

    def negative(self) -> Factor:
        """Return the factor of -M."""
        flipped = [{i: -x for i, x in row.items()} for row in self.DL]
        return Factor(self.L, flipped, [-d for d in self.inverse])

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return M⁻¹ b."""
        return self.outward(self.inward(b))

    def inward(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return y = L⁻ᵀ b."""
        # from the last row up: y_i = b_i - Σ L_ki y_k
        y = list(b)
        for k in reversed(range(len(y))):
            if not is_zero(y[k]):
                for i, l in self.L[k].items():
                    y[i] = y[i] - l * y[k]
        return y

    def outward(self, y: Sequence[Scalar]) -> list[Scalar]:
        """Return x = (D L)⁻¹ y: x = (y - Σ (D L) x) / D; of a part of y that part of x."""
        # from the first row down
        x: list[Scalar] = []
        for k, total in enumerate(y):
            for i, l in self.DL[k].items():
                if not is_zero(x[i]):
                    total = total - l * x[i]
            x.append(0 if is_zero(total) else total * self.inverse[k])
        return x

    def matrix_inverse(self) -> list[list[Scalar]]:
        """Return M⁻¹: the entries below the diagonal are those above."""
        n = len(self.L)
        result: list[list[Scalar]] = [[0] * n for _ in range(n)]
        for k in range(n):
            # column k, as far as the diagonal
            y = self.inward([int(i == k) for i in range(n)])
            for i, x in enumerate(self.outward(y[: k + 1])):
                result[i][k] = result[k][i] = x
        return result


def factorise(M: Sequence[Sequence[Scalar]]) -> Factor:
    """Return Lᵀ D L of a symmetric positive definite matrix; zeros by structure are not touched."""
    n = len(M)
    # lower half, in which eliminated rows are replaced by what is left
    A = [list(row[: i + 1]) for i, row in enumerate(M)]
    L: list[Row] = [{} for _ in range(n)]
    DL: list[Row] = [{} for _ in range(n)]
    inverse: list[Scalar] = [0] * n
    for k in reversed(range(n)):
        # D_k = A_kk, and (D L)_ki = A_ki
        inverse[k] = ratio(1, A[k][k])
        DL[k] = {i: A[k][i] for i in range(k) if not is_zero(A[k][i])}
        for i, x in DL[k].items():
            # L_ki = A_ki / D_k;  A_ij ← A_ij - L_ki A_kj
            L[k][i] = l = x * inverse[k]
            for j in DL[k]:
                if j <= i:
                    A[i][j] = A[i][j] - l * A[k][j]
    return Factor(L, DL, inverse)


def solve_symmetric(M: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """Return M⁻¹ b."""
    return factorise(M).solve(b)
