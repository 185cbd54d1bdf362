"""Accelerations and multipliers: in closed form by exact elimination, or at given numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import SingularSystem, TooLarge
from dalembert.expr import Expr, Matrix, symbol_text
from dalembert.ring import null_space, rank, rebuild_matrix, solve

if TYPE_CHECKING:
    from dalembert.mechanics.equations import Equations

RANK_TOLERANCE = 1e-10


def closed_form(eq: Equations) -> tuple[Matrix, Matrix]:
    """Return (q̈, λ) from the exact solution of

    [ M  -Aᵀ ] [q̈]   [ Υ - C q̇ - N  ]
    [ A   0  ] [λ ] = [ -Ȧ q̇ - ḃ     ]
    """
    ring, f = eq.ring, eq.forms
    n, m = len(eq.coordinates), len(eq.lam)
    zero = Matrix([[ring.zero] * m for _ in range(m)], m)
    left = f.M.beside(-f.A.T).stack(f.A.beside(zero)) if m else f.M
    right = f.forces - eq.bias_form
    if m:
        right = right.stack(-(f.Ad @ eq.rates) - f.drift_rate)
    try:
        x = solve(ring, left, right)
    except SingularSystem:
        raise SingularSystem(explain_singular(eq)) from None
    except TooLarge as error:
        raise TooLarge(
            f"expected a closed form of moderate size, got {n} accelerations and {m} multipliers "
            f"with {sum(len(e) for e in f.M)} terms in M ({error}); use eq.solve({{...}}) with "
            "numbers for every symbol"
        ) from None
    exprs = rebuild_matrix(x)
    return Matrix.column(exprs.entries[:n]), Matrix.column(exprs.entries[n:])


def explain_singular(eq: Equations) -> str:
    """Return a sentence that names what makes the equations singular."""
    f = eq.forms
    if eq.lam and rank(eq.ring, f.A) < len(eq.lam):
        return (
            f"expected independent constraints, got {len(eq.lam)} of rank "
            f"{rank(eq.ring, f.A)}: drop the redundant ones, or use eq.solve({{...}}) for the "
            "smallest λ"
        )
    stacked = f.M.stack(f.A) if eq.lam else f.M
    free = null_space(eq.ring, stacked)
    names = [
        symbol_text(q)
        for q, row in zip(eq.coordinates, free.rows, strict=True)
        if any(not x.is_zero for x in row)
    ]
    return (
        f"expected every coordinate to have inertia, got none along {', '.join(names) or 'one'}: "
        "M is singular there; give it a mass, constrain it, or remove the coordinate"
    )


class NumericalSolution(NamedTuple):
    """Accelerations q̈, multipliers λ and the rank of A at one point."""

    accelerations: np.ndarray
    multipliers: np.ndarray
    constraint_rank: int


def numerical(eq: Equations, values: Mapping[Expr, Any]) -> NumericalSolution:
    """Solve for q̈ and λ at given numbers for every symbol.

    With redundant rows in A the accelerations are still unique, and of all λ that produce them
    the one of smallest norm is returned. Contradicting rows raise `SingularSystem`.
    """
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


def _require_full_rank(eq: Equations, stacked: np.ndarray, n: int) -> None:
    _, s, vt = np.linalg.svd(stacked)
    if np.sum(s > RANK_TOLERANCE * s[0]) < n:
        worst = int(np.argmax(np.abs(vt[-1])))
        raise SingularSystem(
            f"expected every coordinate to have inertia or a constraint, got none along "
            f"{symbol_text(eq.coordinates[worst])} at this point: the accelerations are not "
            "determined there"
        )
