"""The conditions of a program, collected one by one: bounds of unknowns, rows, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr import ZERO, Expr, as_expr
from dalembert.expr.node import Scalar
from dalembert.quadratic import UNBOUNDED
from dalembert.spatial.scalar import is_zero
from dalembert.tasks.base import Rows


class Conditions:
    """Bounds of n unknowns and rows over them, as `Program` wants them.

    Args:
        names: One for each unknown, for its bounds.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.num_unknowns = len(names)
        self._names = list(names)
        self._lower: list[Expr] = [as_expr(-UNBOUNDED)] * len(names)
        self._upper: list[Expr] = [as_expr(UNBOUNDED)] * len(names)
        self._rows: Rows = []

    def bound(self, place: int, lower: Scalar, upper: Scalar) -> None:
        """Set the bounds of an unknown."""
        self._lower[place], self._upper[place] = as_expr(lower), as_expr(upper)

    def add(
        self, row: Mapping[int, Expr], name: str, lower: Scalar | None, upper: Scalar | None
    ) -> int:
        """Add a row, by the places of its entries; return its place among the rows.

        A bound is None where there is none; equal bounds make an equation.
        """
        entries = [ZERO] * self.num_unknowns
        for place, x in row.items():
            entries[place] = as_expr(x)
        self._rows.append(entries)
        self._lower.append(as_expr(-UNBOUNDED if lower is None else lower))
        self._upper.append(as_expr(UNBOUNDED if upper is None else upper))
        self._names.append(name)
        return len(self._rows) - 1

    @property
    def names(self) -> tuple[str, ...]:
        """One for each entry of the bounds."""
        return tuple(self._names)

    @property
    def outputs(self) -> dict[str, list[Expr] | Rows]:
        """The rows and the bounds, of unknowns first, for a kernel."""
        return {"A": self._rows, "lower": self._lower, "upper": self._upper}


def sparse(row: Sequence[Expr], first: int = 0) -> dict[int, Expr]:
    """Return the entries of a row that are not zero, by their places from ``first`` on."""
    return {first + k: x for k, x in enumerate(row) if not is_zero(x)}


def normal_equations(
    rows: Sequence[Sequence[Expr]], right: Sequence[Expr], damping: Sequence[float]
) -> tuple[Rows, list[Expr]]:
    """Return H and f of |A x - b|² + Σ damping x²; entries that are zero cost nothing."""
    n = len(damping)
    H: Rows = [[ZERO] * n for _ in range(n)]
    f = [ZERO] * n
    for row, b in zip(rows, right, strict=True):
        entries = sparse(row)
        for i, x in entries.items():
            f[i] = f[i] - x * b
            for k, y in entries.items():
                if k <= i:
                    H[i][k] = H[i][k] + x * y
    for i in range(n):
        H[i][i] = H[i][i] + damping[i]
        for k in range(i):
            H[k][i] = H[i][k]
    return H, f
