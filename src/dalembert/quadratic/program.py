"""A quadratic program: a cost, bounds of the unknowns, and named rows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dalembert.types import Array

UNBOUNDED = 1e30
"""A bound that is none, in the unit of its row: compiled code takes finite numbers."""

DEPENDENT = 1e-10
"""Part of the largest diagonal entry of R below which an equation depends on others."""

ACTIVE = 1e-9
"""Distance to a bound, beside values of size one, at which a condition holds with equality."""


@cache
def _solver() -> Any:
    """Return LAPACK's solution of H x = f by a Cholesky factor; an import costs a microsecond."""
    from scipy.linalg import get_lapack_funcs

    (posv,) = get_lapack_funcs(("posv",), dtype=float)
    return posv


class Squares(NamedTuple):
    """The cost |A x - b|² of a level; A is ``(k, n)``."""

    A: Array
    b: Array


class Program(NamedTuple):
    """Minimise ½ xᵀH x + fᵀx for H ≻ 0 under lower ≤ (x, A x) ≤ upper.

    Attributes:
        H, f: ``(n, n)`` and ``(n,)``.
        A: Rows ``(m, n)``.
        lower, upper: ``(n + m,)``, of x first; `UNBOUNDED` where there is no bound. Equal ones make
            an equation.
        names: One for each entry of lower and upper.
    """

    H: Array
    f: Array
    A: Array
    lower: Array
    upper: Array
    names: tuple[str, ...]

    @property
    def n(self) -> int:
        """How many unknowns there are."""
        return len(self.f)

    def values(self, x: Array) -> Array:
        """Return what the bounds hold for, (x, A x)."""
        return np.concatenate([x, self.A @ x])

    def active(self, x: Array) -> tuple[str, ...]:
        """Return the names of conditions at a bound, equations aside."""
        values = self.values(x)
        size = ACTIVE * np.maximum(1, np.abs(values))
        at_bound = (values - self.lower <= size) | (self.upper - values <= size)
        found = np.flatnonzero(at_bound & (self.lower < self.upper))
        return tuple(self.names[k] for k in found)

    def violation(self, x: Array) -> float:
        """Return by how much x exceeds a bound at most."""
        values = self.values(x)
        return float(max(np.max(self.lower - values), np.max(values - self.upper), 0.0))

    def free_minimum(self) -> Array | None:
        """Return -H⁻¹ f where no condition excludes it, which is then the solution; else None."""
        _, x, info = _solver()(self.H, self.f)
        if info:
            return None
        x = -x
        values = self.values(x) if len(self.A) else x
        outside = (values < self.lower) | (values > self.upper)
        return None if np.count_nonzero(outside) else x

    def keeping(self, kept: Array) -> Program:
        """Return the program with some of its conditions, by a mask ``(n + m,)``."""
        n, rows = self.n, kept[self.n :]
        some = np.concatenate([np.ones(n, bool), rows])
        free = ~kept[:n]
        lower, upper = self.lower[some], self.upper[some]
        lower[:n][free], upper[:n][free] = -UNBOUNDED, UNBOUNDED
        names = tuple(name for name, keep in zip(self.names, some, strict=True) if keep)
        return self._replace(A=self.A[rows], lower=lower, upper=upper, names=names)

    def without_dependent_equations(self) -> Program:
        """Return the program without equations that follow from others; itself if there is none.

        Equations that contradict others stay.
        """
        from scipy.linalg import qr

        n = self.n
        places = n + np.flatnonzero(self.lower[n:] == self.upper[n:])
        fixed = self.lower[:n] == self.upper[:n]
        # what fixed unknowns say is known: the rest of each equation is left
        E = self.A[places - n]
        right = self.lower[places] - E[:, fixed] @ self.lower[:n][fixed]
        E = np.where(fixed, 0.0, E)
        size = np.linalg.norm(E, axis=1)
        size[size == 0] = 1.0
        E, right = E / size[:, None], right / size
        found: tuple[Array, Array, Array] = qr(E.T, mode="economic", pivoting=True)  # type: ignore[assignment]
        Q, R, order = found
        pivots = np.abs(np.diag(R))
        rank = int((pivots > DEPENDENT * pivots.max(initial=0.0)).sum())
        if rank == len(places):
            return self
        first, others = order[:rank], order[rank:]
        # x of the first ones, and whether it fulfils the others
        x = Q[:, :rank] @ np.linalg.solve(R[:rank, :rank].T, right[first])
        scale = 1.0 + np.abs(right).max(initial=0.0)
        follows = others[np.abs(E[others] @ x - right[others]) <= ACTIVE * scale]
        kept = np.ones(len(self.lower), bool)
        kept[places[follows]] = False
        return self.keeping(kept)
