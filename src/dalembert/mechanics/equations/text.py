"""The equations of motion as a person reads them, in Unicode and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr, Notation, count_nodes
from dalembert.ring import Element, canonical
from dalembert.typeset.arrange.grouping import join
from dalembert.typeset.arrange.typed import MAX_NODES
from dalembert.typeset.printer import entry_trees
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.legend import legend
from dalembert.typeset.render.names import trig_index
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.render.trig_style import looks_like_a_sine
from dalembert.typeset.tree import Product, SymbolLeaf, leaf_tree, sum_tree

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
    positions = zip(eq.system.constraints, eq.forms.a, strict=True)
    return [*(as_written(eq, x, form) for x, form in positions), *eq.system.velocity_constraints]


def as_written(eq: Equations, typed: Expr, form: Element) -> Expr | Element:
    """Return what was typed, if it is small and equal to the form, for print to choose."""
    if count_nodes([typed]) <= MAX_NODES and canonical(eq.ring, typed) == form:
        return typed
    return form


def short_sines(eq: Equations) -> list[str]:
    """Return what the short sines of the equations stand for, ``s₁ = sin(q₁)``."""
    pairs, vanishing = _trees(eq)
    trees = [tree for pair in pairs for tree in pair]
    return legend(trees + vanishing, TextRenderer(eq.notation.trig == "short"))


def notation(eq: Equations) -> Notation:
    """Return how all objects of these equations are printed.

    Sines are short if every angle is made of joint coordinates q1 … q9 and no symbol is itself
    called c₁ or s₁; accelerations and velocities are read in the order of the coordinates.
    """
    multiples = [item for angle in eq.ring.angles for item in angle.form.items()]
    is_short = all(
        x.symbol is not None and trig_index(x.symbol) is not None and k.denominator == 1
        for x, k in multiples
    )
    symbols = [g.symbol for g in eq.ring.generators if g.symbol is not None]
    if any(map(looks_like_a_sine, symbols)):
        is_short = False
    order = tuple(q.symbol for q in eq.coordinates if q.symbol is not None)
    return Notation("short" if is_short else "long", order)


def equations_text(eq: Equations) -> str:
    """Return one line for each coordinate, then the constraints, then what short sines mean."""
    renderer = TextRenderer(eq.notation.trig == "short")
    pairs, vanishing = _trees(eq)
    text = renderer.render
    lines = [f"{text(left)} = {text(right)}" for left, right in pairs]
    lines += [f"{'with ' if i == 0 else '     '}{text(c)} = 0" for i, c in enumerate(vanishing)]
    explained = legend([tree for pair in pairs for tree in pair] + vanishing, renderer)
    if explained:
        lines.append(f"where {', '.join(explained)}")
    return "\n".join(lines)


def equations_latex(eq: Equations) -> str:
    """Return an aligned block of equations."""
    renderer = LatexRenderer(eq.notation.trig == "short")
    pairs, vanishing = _trees(eq)
    latex = renderer.render
    lines = [f"{latex(left)} &= {latex(right)}" for left, right in pairs]
    lines += [f"{latex(c)} &= 0" for c in vanishing]
    explained = legend([tree for pair in pairs for tree in pair] + vanishing, renderer)
    if explained:
        lines.append(r"& \text{where } " + r",\; ".join(explained))
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _trees(eq: Equations) -> tuple[list[tuple[Product, Product]], list[Product]]:
    """Return the print trees of both sides of each equation, and of what vanishes."""
    order = eq.notation.order
    right = entry_trees([x for _, x in sides(eq)], order)
    return list(zip(left_trees(eq), right, strict=True)), entry_trees(conditions(eq), order)


def left_trees(eq: Equations) -> list[Product]:
    """Return M q̈ + C q̇ + N row by row: a row of M, entry by entry, then the rest."""
    order = eq.notation.order
    M, h = eq.forms.M, entry_trees(eq.bias_form.entries, order)
    entries = {id(x): x for x in M}
    trees = dict(zip(entries, entry_trees(list(entries.values()), order), strict=True))
    symbols = [a.symbol for a in eq.system.accelerations if a.symbol is not None]
    rows = []
    for row, rest in zip(M.rows, h, strict=True):
        inertia = [
            join(trees[id(x)], leaf_tree(SymbolLeaf(a)))
            for x, a in zip(row, symbols, strict=True)
            if not x.is_zero
        ]
        rows.append(sum_tree([*inertia, *([rest] if rest.coefficient or not inertia else [])]))
    return rows
