"""The steps that end a derivation: solved for q̈, λ in closed form, independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import SingularSystem, TooLarge, Undecided
from dalembert.expr import BySymbol, Expr, Matrix, Scalar, as_expr, symbol_text
from dalembert.expr.node import printer
from dalembert.mechanics.equations.closed_form import closed_form
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes.letters import has_bias, own
from dalembert.mechanics.equations.step import DerivationStep, equation_line
from dalembert.mechanics.equations.text import equations_page, sides
from dalembert.ring import Element

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_TERMS, MAX_UNKNOWNS = 30, 10
"""Terms of M and h, and accelerations with multipliers, of which a closed form is tried."""

SHORT, SHORT_RATES = 900, 680
"""Characters of λ and of q̈ in closed form that are read, not counted, and fit on a page."""


def solved(eq: Equations) -> list[DerivationStep]:
    """Return the step of λ and q̈ in closed form, or none where they fill pages."""
    size = sum(map(len, eq.forms.M)) + sum(map(len, eq.bias_form))
    if size > MAX_TERMS or len(eq.coordinates) + len(eq.lam) > MAX_UNKNOWNS:
        return []
    try:
        q2, lam = closed_form(eq)
    except (SingularSystem, TooLarge, Undecided):
        return []
    steps = []
    if eq.lam and _is_short(eq, lam, SHORT):
        M, C, N, A = (own(eq, x) for x in "MCNA")
        velocity_terms = f"{C} q̇ + {N}" if eq.is_quadratic else f"{N}"
        if has_bias(eq):
            velocity_terms = str(own(eq, "h"))
        drift = "" if all(x.is_surely_zero for x in eq.forms.drift_rate) else " - ḃ"
        dotted = own(eq, "A").rate_line(eq.forms.Ad).left
        sentence = (
            f"{A} q̈ + {dotted} q̇{' + ḃ' * bool(drift)} = 0 with q̈ put in gives "
            f"λ = ({A} {M}⁻¹ {A}ᵀ)⁻¹ ({A} {M}⁻¹ ({velocity_terms} - Υ) - {dotted} q̇{drift})."
        )
        line = DerivationLine("λ", "\\lambda", lam)
        steps.append(DerivationStep("Multipliers", sentence, (line,)))
    if _is_short(eq, q2, SHORT_RATES):
        sentence = "The accelerations as functions of the state"
        sentence += (
            " and of the inputs." if any(x.is_surely_nonzero for x in eq.forms.forces) else "."
        )
        line = DerivationLine("q̈", "\\ddot{q}", q2)
        steps.append(DerivationStep("Solved for the accelerations", sentence, (line,)))
    return steps


def _is_short(eq: Equations, a: Matrix, most: int) -> bool:
    return len(printer().text(a, notation=eq.notation)) <= most


def admissible(eq: Equations, Z: Matrix, letter: str) -> DerivationStep:
    """Return the step of the displacements that the constraints allow, δq = Z δu."""
    A = own(eq, "A")
    free = Z.shape[1]
    sentence = (
        f"{A} δq = 0 leaves δq = {letter} δu with {free} free displacement{'s' * (free != 1)}. "
        f"The constraint forces {A}ᵀλ do no work on them: {letter}ᵀ{A}ᵀ = 0."
    )
    remark = f"The columns of {letter} are independent at almost every configuration."
    line = DerivationLine(letter, letter, Z)
    return DerivationStep("Admissible displacements", sentence, (line,), (remark,))


def projected(
    eq: Equations, Z: Matrix, letter: str, E: str, forces: Sequence[Element]
) -> DerivationStep:
    """Return the step of Zᵀ E = 0, the equations of motion without multipliers."""
    rows = Z.T @ Matrix.column(forces)
    lines = tuple(DerivationLine("0", "0", row) for row in rows)
    A, dotted = own(eq, "A"), own(eq, "A").rate_line(eq.forms.Ad).left
    drift = "" if all(x.is_surely_zero for x in eq.forms.drift_rate) else " + ḃ"
    sentence = (
        f"{letter}ᵀ{E} = 0 for every δu. With {A} q̈ + {dotted} q̇{drift} = 0 these equations "
        f"determine the motion. No multiplier is needed; {A}ᵀλ = {E} gives them afterwards."
    )
    return DerivationStep("Equations of motion", sentence, lines)


def independent(
    eq: Equations, positions: BySymbol[Scalar], coordinates: Sequence[Expr | str] | None = None
) -> DerivationStep:
    """Return the step of other coordinates, q = h(y): H = ∂h/∂y, HᵀMH, HᵀCH + HᵀMḢ, HᵀN, HᵀΥ."""
    from dalembert.mechanics.system.coordinates import transformed_parts

    new = eq.change_coordinates(positions, coordinates)
    parts = transformed_parts(eq, positions, new.coordinates)
    H, M, C, N, A = (own(eq, x) for x in "HMCNA")
    given = {symbol_text(q) if isinstance(q, Expr) else q: as_expr(x) for q, x in positions.items()}
    y, h = own(eq, "y"), Matrix.column([given.get(symbol_text(q), q) for q in eq.coordinates])
    Hd = parts["H"].map(lambda e: e.dot)
    h_T, l_T = f"{H}ᵀ", f"{H.latex}^\\top"
    rate = H.rate_line(Hd)
    lines = [
        DerivationLine("q", "q", h),
        H.line(parts["H"]),
        rate,
        DerivationLine(f"{h_T}{M}{H}", f"{l_T} {M.latex} {H.latex}", new.M),
        DerivationLine(
            f"{h_T}{C}{H} + {h_T}{M}{rate.left}",
            f"{l_T} {C.latex} {H.latex} + {l_T} {M.latex} {rate.left_latex}",
            new.C,
        ),
        DerivationLine(f"{h_T}{N}", f"{l_T} {N.latex}", new.N),
        DerivationLine(f"{h_T}Υ", f"{l_T} \\Upsilon", new.forms.forces),
    ]
    page, rights = equations_page(new), sides(new)
    # in the sines of the other steps
    lines += [equation_line(eq, left, rights[k][1]) for k, (left, _) in enumerate(page.pairs)]
    sentence = (
        f"q = h({y}) gives q̇ = {H} {y}̇ with {H} = ∂h/∂{y}, and {h_T} times the equations those of "
        f"the new coordinates"
    )
    if eq.lam and not new.lam:
        sentence += f"; h satisfies the constraints, {A} {H} = 0, so that λ is gone"
    return DerivationStep("Independent coordinates", f"{sentence}.", tuple(lines))
