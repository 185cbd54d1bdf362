"""Accelerations and multipliers in closed form, by exact elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.errors import SingularSystem, TooLarge
from dalembert.expr import Matrix, symbol_text
from dalembert.ring import is_zero, rank, rebuild_matrix, solve
from dalembert.ring.algebra.null_space import null_space

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


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
        if any(not is_zero(x) for x in row)
    ]
    return (
        f"expected every coordinate to have inertia, got none along {', '.join(names) or 'one'}: "
        "M is singular there; give it a mass, constrain it, or remove the coordinate"
    )
