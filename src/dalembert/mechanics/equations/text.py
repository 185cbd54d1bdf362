"""The equations of motion as a person reads them, in Unicode and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.expr.node import printer
from dalembert.ring import Element

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def sides(eq: Equations) -> list[tuple[Element, Element]]:
    """Return (M q̈ + C q̇ + N, Υ + Aᵀλ) for each coordinate as ring elements."""
    left = eq.forms.M @ eq.second_rates + eq.bias_form
    right = eq.forms.forces
    if eq.lam:
        right = right + eq.forms.A.T @ eq.ring.column(eq.lam)
    return list(zip(left, right, strict=True))


def conditions(eq: Equations) -> list[Element | Expr]:
    """Return the constraints, which vanish."""
    return [*eq.forms.a, *eq.system.velocity_constraints]


def equations_text(eq: Equations) -> str:
    """Return one line for each coordinate, then the constraints."""
    text = printer().text
    lines = [f"{text(left)} = {text(right)}" for left, right in sides(eq)]
    lines += [
        f"{'with ' if i == 0 else '     '}{text(c)} = 0" for i, c in enumerate(conditions(eq))
    ]
    return "\n".join(lines)


def equations_latex(eq: Equations) -> str:
    """Return an aligned block of equations."""
    latex = printer().latex
    lines = [f"{latex(left)} &= {latex(right)}" for left, right in sides(eq)]
    lines += [f"{latex(c)} &= 0" for c in conditions(eq)]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
