"""Accelerations and multipliers at given numbers, redundant constraints included."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import SingularSystem
from dalembert.expr import BySymbol, symbol_text
from dalembert.ring import rebuild_matrix

if TYPE_CHECKING:
    import numpy as np

    from dalembert.mechanics.equations.equations import Equations
    from dalembert.types import Array

RANK_TOLERANCE = 1e-10


class NumericalSolution(NamedTuple):
    """Accelerations q̈, multipliers λ and the rank of A at one point."""

    accelerations: np.ndarray
    multipliers: np.ndarray
    constraint_rank: int

    def __str__(self) -> str:
        lines = [f"q̈ = {_numbers(self.accelerations)}"]
        if len(self.multipliers):
            lines += [f"λ = {_numbers(self.multipliers)}", f"rank A = {self.constraint_rank}"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"


def _numbers(values: np.ndarray) -> str:
    return f"({', '.join(f'{x:.9g}' for x in values)})"


def numerical(eq: Equations, values: BySymbol[float]) -> NumericalSolution:
    """Solve for q̈ and λ at given numbers for every symbol.

    With redundant rows in A the accelerations are still unique, and of all λ that produce them
    the one of smallest norm is returned. Contradicting rows raise `SingularSystem`.
    """
    import numpy as np

    n, m = len(eq.coordinates), len(eq.lam)
    M, right = eq.M.evaluate(values), (eq.forces - eq.bias).evaluate(values)[:, 0]
    if not m:
        _require_full_rank(eq, M, n)
        return NumericalSolution(np.linalg.solve(M, right), np.zeros(0), 0)
    A = eq.A.evaluate(values)
    gamma = -rebuild_matrix(eq.forms.Ad @ eq.rates + eq.forms.drift_rate).evaluate(values)[:, 0]
    _require_full_rank(eq, np.vstack([M, A]), n)
    # orthonormal bases of the range and the null space of A
    u, s, vt = np.linalg.svd(A)
    r = int(np.sum(s > RANK_TOLERANCE * max(s[0], 1e-300)))
    particular = vt[:r].T @ ((u[:, :r].T @ gamma) / s[:r])
    if np.linalg.norm(A @ particular - gamma) > 1e-8 * (1 + np.linalg.norm(gamma)):
        raise SingularSystem(
            f"expected consistent constraints, got {m} of rank {r} whose accelerations contradict "
            "each other: check that the velocities satisfy A q̇ = 0"
        )
    Z = vt[r:].T
    free = np.linalg.solve(Z.T @ M @ Z, Z.T @ (right - M @ particular))
    qdd = particular + Z @ free
    # Aᵀλ = M q̈ - right; the pseudo-inverse takes the smallest λ
    lam = u[:, :r] @ ((vt[:r] @ (M @ qdd - right)) / s[:r])
    return NumericalSolution(qdd, lam, r)


def free_directions(eq: Equations, values: BySymbol[float]) -> Array:
    """Return an orthonormal basis of {δq : A δq = 0} at given numbers, one column for each."""
    import numpy as np

    if not eq.lam:
        return np.eye(len(eq.coordinates))
    _, s, vt = np.linalg.svd(eq.A.evaluate(values))
    r = int(np.sum(s > RANK_TOLERANCE * max(s[0], 1e-300)))
    return vt[r:].T.copy()


def _require_full_rank(eq: Equations, stacked: np.ndarray, n: int) -> None:
    import numpy as np

    _, s, vt = np.linalg.svd(stacked)
    if np.sum(s > RANK_TOLERANCE * s[0]) < n:
        worst = int(np.argmax(np.abs(vt[-1])))
        raise SingularSystem(
            f"expected every coordinate to have inertia or a constraint, got none along "
            f"{symbol_text(eq.coordinates[worst])} at this point: the accelerations are not "
            "determined there"
        )
