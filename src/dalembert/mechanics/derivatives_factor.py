"""Factorisation M = Lᵀ D L along the branches of a tree, over any scalar.

Reference: R. Featherstone, Rigid body dynamics algorithms, 2008, section 6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import ratio


class Factor(NamedTuple):
    """M = Lᵀ D L: the entries of L below its unit diagonal, row by row, and 1/D.

    A row has only the velocities whose motion is felt there: those of the joints above.
    """

    rows: list[dict[int, Any]]
    inverse: list[Any]

    def solve(self, b: Sequence[Any]) -> list[Any]:
        """Return M⁻¹ b."""
        return self.outward([x if is_zero(x) else x * d for x, d in self.inward(b)])

    def inward(self, b: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Return L⁻ᵀ b, each entry with its 1/D."""
        y = list(b)
        for k in reversed(range(len(y))):
            if not is_zero(y[k]):
                for i, l in self.rows[k].items():
                    y[i] = y[i] - l * y[k]
        return list(zip(y, self.inverse, strict=True))

    def outward(self, y: Sequence[Any], last: int | None = None) -> list[Any]:
        """Return L⁻¹ y, or its entries up to the last one that is asked for."""
        x = list(y if last is None else y[: last + 1])
        for k in range(len(x)):
            for i, l in self.rows[k].items():
                if not is_zero(x[i]):
                    x[k] = x[k] - l * x[i]
        return x

    def matrix_inverse(self) -> list[list[Any]]:
        """Return M⁻¹: the entries below the diagonal are those above."""
        n = len(self.rows)
        result: list[list[Any]] = [[0] * n for _ in range(n)]
        for k in range(n):
            unit = [int(i == k) for i in range(n)]
            y = [x if is_zero(x) else x * d for x, d in self.inward(unit)]
            for i, x in enumerate(self.outward(y, last=k)):
                result[i][k] = result[k][i] = x
        return result


def factorise(M: Sequence[Sequence[Any]]) -> Factor:
    """Return Lᵀ D L of a symmetric positive definite matrix; zeros by structure are not touched."""
    n = len(M)
    A = [list(row[: i + 1]) for i, row in enumerate(M)]
    rows: list[dict[int, Any]] = [{} for _ in range(n)]
    inverse: list[Any] = [0] * n
    for k in reversed(range(n)):
        inverse[k] = ratio(1, A[k][k])
        above = [i for i in range(k) if not is_zero(A[k][i])]
        for i in above:
            l = A[k][i] * inverse[k]
            rows[k][i] = l
            for j in above:
                if j <= i:
                    A[i][j] = A[i][j] - l * A[k][j]
    return Factor(rows, inverse)
