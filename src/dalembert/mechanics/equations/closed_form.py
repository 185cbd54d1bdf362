"""Accelerations and multipliers in closed form, by exact elimination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.errors import SingularSystem, TooLarge
from dalembert.expr import Expr, Matrix, as_expr, symbol_text, total
from dalembert.recursions.constraints.factorization import factorise
from dalembert.ring import determinant, is_zero, rank, rebuild_matrix, solve
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


MAX_TERMS = 60
"""Terms of M and of C q̇ + N above which λ multiplied out fills pages."""


def multipliers(eq: Equations) -> Matrix:
    """Return λ, multiplied out where it is short, else in factors.

    Raises:
        SingularSystem: constraints depend on each other, or M is singular.
        TooLarge: M and A cannot be eliminated.
    """
    size = sum(map(len, eq.forms.M)) + sum(map(len, eq.bias_form))
    style = eq.notation._replace(letter="lam")
    # M alone must be regular to be factorised; M with A may be regular where it is not
    is_long = bool(eq.lam) and size > MAX_TERMS
    if is_long and determinant(eq.ring, eq.forms.M).is_surely_nonzero:
        return staged_multipliers(eq).printed_as(style._replace(is_graph=True))
    return closed_form(eq)[1].printed_as(style)


def staged_multipliers(eq: Equations) -> Matrix:
    """Return λ = (A M⁻¹ Aᵀ)⁻¹ (A M⁻¹ (h - Υ) - Ȧ q̇ - ḃ), factor by factor, not multiplied out.

    M and A M⁻¹ Aᵀ are factorised as Lᵀ D L: the graph holds every intermediate result once.

    Raises:
        SingularSystem: constraints depend on each other.
    """
    if rank(eq.ring, eq.forms.A) < len(eq.lam):
        raise SingularSystem(explain_singular(eq))
    inertia = factorise([list(row) for row in eq.M.rows])
    rows = [list(row) for row in eq.A.rows]
    # A M⁻¹ by rows
    solved = [inertia.solve(row) for row in rows]
    S = [[_dot(row, column) for column in solved] for row in rows]
    left = [h - y for h, y in zip(eq.bias, eq.forces, strict=True)]
    right = [
        _dot(x, left) - _dot(rate, eq.velocities) - drift
        for x, rate, drift in zip(solved, eq.Ad.rows, eq.drift_rate, strict=True)
    ]
    return Matrix.column(factorise(S).solve(right))


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Expr:
    return total([as_expr(x) * as_expr(y) for x, y in zip(a, b, strict=True)])


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
