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

    def inverted(self) -> Inverse:
        """Return M⁻¹ as a product of triangles, for many right sides."""
        # L N = L - 1, row by row: N_k = L_k - Σ L_kj N_j
        N: list[Row] = []
        for row in self.L:
            left = dict(row)
            for j, l in row.items():
                for i, x in N[j].items():
                    left[i] = left[i] - l * x if i in left else -(l * x)
            N.append(left)
        return Inverse(N, self.L, self.inverse)

    def matrix_inverse(self) -> list[list[Scalar]]:
        """Return M⁻¹: the entries below the diagonal are those above."""
        return self.inverted().matrix()


class Inverse(NamedTuple):
    """M⁻¹ = (1 - N) D⁻¹ (1 - N)ᵀ: N has entries where L has them, between a joint and those above.

    A column that is zero but for one branch of a tree leaves through the joints that all branches
    share; solving with L passes through every joint of the others.
    """

    N: list[Row]
    L: list[Row]
    inverse: list[Scalar]

    def negative(self) -> Inverse:
        """Return -M⁻¹."""
        return self._replace(inverse=[-d for d in self.inverse])

    def times(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return M⁻¹ b."""
        y = Factor(self.L, [], []).inward(b)
        z = [0 if is_zero(x) else x * d for x, d in zip(y, self.inverse, strict=True)]
        # x_k = z_k - Σ N_ki z_i
        x: list[Scalar] = []
        for total, row in zip(z, self.N, strict=True):
            for i, l in row.items():
                if not is_zero(z[i]):
                    total = total - l * z[i]
            x.append(total)
        return x

    def matrix(self) -> list[list[Scalar]]:
        """Return M⁻¹."""
        n = len(self.N)
        result: list[list[Scalar]] = [[0] * n for _ in range(n)]
        for j, above in enumerate(self.N):
            # row j of N D⁻¹, without the 1 of the diagonal and with it
            scaled = {k: x * self.inverse[k] for k, x in above.items()}
            for i in range(j, n):
                total: Scalar = self.inverse[j] if i == j else 0
                if j in self.N[i]:
                    total = -(self.N[i][j] * self.inverse[j])
                for k, x in scaled.items():
                    if k in self.N[i]:
                        total = total + x * self.N[i][k]
                result[i][j] = result[j][i] = total
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
