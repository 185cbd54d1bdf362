"""The equations of motion as a person reads them, in Unicode and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, Notation, Symbol, count_nodes
from dalembert.mechanics.equations.graph_form import GraphForm, graph_form
from dalembert.ring import Element, canonical
from dalembert.typeset.arrange.grouping import join
from dalembert.typeset.arrange.typed import MAX_NODES, typed_tree
from dalembert.typeset.parts.graph import free_letter, is_taken, name_shared
from dalembert.typeset.parts.write import (
    aligned,
    equation_lines,
    latex_parts,
    named_entries,
    packed,
    part_lines,
    part_symbol,
)
from dalembert.typeset.printer import entry_trees, expr_tree
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.legend import legend
from dalembert.typeset.render.lines import WIDTH, wrap
from dalembert.typeset.render.names import parse_name, trig_index
from dalembert.typeset.render.text import TextRenderer, width
from dalembert.typeset.render.trig_style import looks_like_a_sine
from dalembert.typeset.tree import Product, SymbolLeaf, leaf_tree, number, sum_tree

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


# terms above which equations are written as graphs; characters above which an entry of M is named
LARGE = 1500
MAX_ENTRY = 30


def sides(eq: Equations) -> list[tuple[Element, Element]]:
    """Return (M q̈ + C q̇ + N, Υ + Aᵀλ) for each coordinate as ring elements."""
    left = eq.forms.M @ eq.second_rates + eq.bias_form
    return list(zip(left, right_sides(eq), strict=True))


def right_sides(eq: Equations) -> list[Element]:
    """Return Υ + Aᵀλ for each coordinate as ring elements."""
    right = eq.forms.forces
    return list(right + eq.forms.A.T @ eq.ring.column(eq.lam) if eq.lam else right)


def is_large(eq: Equations) -> bool:
    """Tell whether M q̈ + C q̇ + N has more terms than a person reads."""
    M, C, N = (sum(map(len, part)) for part in (eq.forms.M, eq.forms.C, eq.forms.N))
    # C q̇ collects equal products; where C is huge it is not multiplied out to find out
    return M + N > LARGE or C > 10 * LARGE or M + sum(map(len, eq.bias_form)) > LARGE


def conditions(eq: Equations) -> list[Element | Expr]:
    """Return the constraints, which vanish."""
    positions = zip(eq.system.constraints, eq.forms.a, strict=True)
    return [*(as_written(eq, x, form) for x, form in positions), *eq.system.velocity_constraints]


def as_written(eq: Equations, typed: Expr, form: Element) -> Expr | Element:
    """Return what was typed, if it is small and equal to the form, for print to choose."""
    if count_nodes([typed]) <= MAX_NODES and canonical(eq.ring, typed) == form:
        return typed
    return form


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


class Page(NamedTuple):
    """Equations as print trees: both sides of each, what vanishes, named parts."""

    pairs: list[tuple[Product, Product]]
    vanishing: list[Product]
    parts: list[tuple[Symbol, Product]]

    @property
    def trees(self) -> list[Product]:
        """All trees of the page."""
        sides = [tree for pair in self.pairs for tree in pair]
        return [*sides, *self.vanishing, *(tree for _, tree in self.parts)]


def equations_text(eq: Equations) -> str:
    """Return one line for each coordinate, the constraints, named parts, and the short sines."""
    renderer = TextRenderer(eq.notation.trig == "short")
    page = equations_page(eq)
    text = renderer.render
    lines = [wrap(f"{text(left)} = {text(right)}") for left, right in page.pairs]
    for i, tree in enumerate(page.vanishing):
        lines.append(wrap(f"{'     ' if i else 'with '}{text(tree)} = 0", " " * 9))
    if page.parts:
        lines.append(part_lines(page.parts, renderer.short, "where"))
    explained = legend(page.trees, renderer)
    if explained:
        lines.append(f"{'  and' if page.parts else 'where'} {', '.join(explained)}")
    return "\n".join(lines)


def equations_latex(eq: Equations) -> str:
    """Return an aligned block of equations, long ones broken between terms."""
    renderer = LatexRenderer(eq.notation.trig == "short")
    page = equations_page(eq)
    lines = []
    for left, right in page.pairs:
        lines += equation_lines(left, right, renderer)
    for i, tree in enumerate(page.vanishing):
        first, *more = equation_lines(tree, number(0), renderer)
        start, rest = ("& ", first[2:]) if first.startswith("& ") else ("", first)
        lines += [rf"{start}\text{{with }} {rest}" if not i else first, *more]
    lines += latex_parts(page.parts, renderer, "where")
    explained = legend(page.trees, renderer)
    if explained:
        head = rf"\text{{{'and' if page.parts else 'where'} }}"
        first, *more = packed(explained)
        lines += [f"& {head} {first}", *(rf"& \phantom{{{head}}} {line}" for line in more)]
    return aligned(lines)


def equations_page(eq: Equations) -> Page:
    """Return the equations, long entries of M as M₁₂ where a line would be too long.

    Equations that are too large to be written term by term are written with what L shares.
    """
    order, short = eq.notation.order, eq.notation.trig == "short"
    right = entry_trees(right_sides(eq), order)
    vanishing = entry_trees(conditions(eq), order)
    if is_large(eq):
        graphs = graph_form(eq)
        if graphs is not None:
            rows, parts = _rows_of_graphs(eq, graphs)
            return Page(list(zip(rows, right, strict=True)), vanishing, parts)
    h = entry_trees(eq.bias_form.entries, order, in_equation=True)
    pairs = list(zip(_rows(eq, _entries(eq), h), right, strict=True))
    render = TextRenderer(short).render
    if not any(width(f"{render(a)} = {render(b)}") > WIDTH for a, b in pairs):
        return Page(pairs, vanishing, [])
    named = named_entries(_entries(eq), _letter(eq), len(h), MAX_ENTRY, short)
    return Page(list(zip(_rows(eq, named.trees, h), right, strict=True)), vanishing, named.parts)


def _entries(eq: Equations) -> list[Product]:
    """Return the trees of the entries of M, row by row, equal ones made once."""
    elements = {id(x): x for x in eq.forms.M}
    made = entry_trees(list(elements.values()), eq.notation.order)
    trees = dict(zip(elements, made, strict=True))
    return [trees[id(x)] for x in eq.forms.M]


def _rows(eq: Equations, entries: Sequence[Product], h: Sequence[Product]) -> list[Product]:
    """Return M q̈ + h row by row."""
    n = len(h)
    accelerations = [a.symbol for a in eq.system.accelerations if a.symbol is not None]
    rows = []
    for i, rest in enumerate(h):
        terms = [
            join(x, leaf_tree(SymbolLeaf(a)))
            for x, a in zip(entries[i * n : (i + 1) * n], accelerations, strict=True)
            if x.coefficient
        ]
        rows.append(sum_tree([*terms, rest] if rest.coefficient or not terms else terms))
    return rows


def _rows_of_graphs(
    eq: Equations, graphs: GraphForm
) -> tuple[list[Product], list[tuple[Symbol, Product]]]:
    """Return rows M₁₁ q̈₁ + … + h₁, and M, h and what they share as parts."""
    n, M = len(graphs.h), _letter(eq)
    used = [g.symbol.name for g in eq.ring.generators if g.symbol is not None]
    bias = "h" if "h" not in {parse_name(name).base for name in used} else free_letter(used, [M])
    named = name_shared([*(x for row in graphs.M for x in row), *graphs.h], [M, bias])
    trees = iter([_tree_of(x) for x in named.roots])
    parts: list[tuple[Symbol, Product]] = []
    entries = [number(0)] * (n * n)
    for i in range(n):
        for j in range(i + 1):
            tree = next(trees)
            if tree.coefficient:
                entry = part_symbol(f"{M}{j + 1}{i + 1}")
                parts.append((entry, tree))
                entries[i * n + j] = entries[j * n + i] = leaf_tree(SymbolLeaf(entry))
    h = []
    for i in range(n):
        parts.append((part_symbol(f"{bias}{i + 1}"), next(trees)))
        h.append(leaf_tree(SymbolLeaf(parts[-1][0])))
    shared = [(name.value, _tree_of(value)) for name, value in named.parts]
    return _rows(eq, entries, h), [*parts, *shared[::-1]]


def _tree_of(x: Expr) -> Product:
    return typed_tree(x) or expr_tree(x)


def _letter(eq: Equations) -> str:
    """Return M, or another letter if a symbol of the system is called M₁."""
    used = [g.symbol.name for g in eq.ring.generators if g.symbol is not None]
    return free_letter(used) if is_taken("M", used) else "M"


def short_sines(eq: Equations) -> list[str]:
    """Return what the short sines of the equations stand for, ``s₁ = sin(q₁)``."""
    return legend(equations_page(eq).trees, TextRenderer(eq.notation.trig == "short"))
