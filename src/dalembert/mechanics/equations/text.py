"""The equations of motion as a person reads them, in Unicode and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.ring import rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def sides(eq: Equations) -> list[tuple[Expr, Expr]]:
    """Return (M q̈ + C q̇ + N, Υ + Aᵀλ) for each coordinate."""
    left = rebuild_matrix(eq.forms.M @ eq.second_rates + eq.bias_form)
    right = eq.forms.forces
    if eq.lam:
        lam = eq.ring.column(eq.lam)
        right = right + eq.forms.A.T @ lam
    return list(zip(left, rebuild_matrix(right), strict=True))


def conditions(eq: Equations) -> list[Expr]:
    """Return the constraints, expressions that vanish."""
    return [*eq.a, *eq.system.velocity_constraints]


def equations_text(eq: Equations) -> str:
    """Return one line for each coordinate, then the constraints."""
    lines = [f"{left} = {right}" for left, right in sides(eq)]
    lines += [f"{'with ' if i == 0 else '     '}{c} = 0" for i, c in enumerate(conditions(eq))]
    return "\n".join(lines)


def equations_latex(eq: Equations) -> str:
    """Return an aligned block of equations."""
    lines = [f"{left.latex()} &= {right.latex()}" for left, right in sides(eq)]
    lines += [f"{c.latex()} &= 0" for c in conditions(eq)]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
