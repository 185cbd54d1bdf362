"""The equations of motion as a person reads them, in Unicode and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from dalembert.expr import Expr, Notation, Symbol, count_nodes
from dalembert.mechanics.equations.graph_form import GraphForm, graph_form
from dalembert.mechanics.equations.routes.letters import explained, own, written_form
from dalembert.ring import Element, canonical
from dalembert.typeset.arrange.grouping import join
from dalembert.typeset.arrange.typed import MAX_NODES, typed_tree
from dalembert.typeset.parts.distances import is_square_root, name_distances
from dalembert.typeset.parts.graph import name_shared
from dalembert.typeset.parts.letters import free_letter, names_in, own_letter
from dalembert.typeset.parts.write import (
    aligned,
    entry_index,
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
from dalembert.typeset.render.sentences import latex_sentence
from dalembert.typeset.render.text import TextRenderer, width
from dalembert.typeset.render.trig_style import looks_like_a_sine
from dalembert.typeset.rounding import Rounding, relation
from dalembert.typeset.tree import Product, SymbolLeaf, leaf_tree, number, sum_tree

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.system.system import System


# terms above which equations are written as graphs; characters above which an entry of M is named
LARGE = 1500
MAX_ENTRY = 30

FILE_DIGITS = 6
"""Digits of numbers in the equations of a mechanism; those of a system were typed by a person."""


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
    # numbers of a file have as many digits as a program wrote
    digits = FILE_DIGITS if eq.tree is not None else Notation().digits
    return Notation("short" if is_short else "long", order, digits=digits)


class Page(NamedTuple):
    """Equations as print trees: both sides of each, what vanishes, named parts.

    ``numbers`` are the exact ones behind the digits of those that are rounded, ``graphs`` what the
    equations were written from if they are too large to be multiplied out.
    """

    pairs: list[tuple[Product, Product]]
    vanishing: list[Product]
    parts: list[tuple[Symbol, Product]]
    numbers: dict[str, Fraction]
    graphs: GraphForm | None = None

    @property
    def trees(self) -> list[Product]:
        """All trees of the page."""
        sides = [tree for pair in self.pairs for tree in pair]
        return [*sides, *self.vanishing, *(tree for _, tree in self.parts)]

    @property
    def distances(self) -> dict[Symbol, Product]:
        """The named parts that are square roots."""
        return {name: tree for name, tree in self.parts if is_square_root(tree)}


def equations_text(eq: Equations) -> str:
    """Return one line for each coordinate, the constraints, named parts, and the short sines."""
    return page_text(equations_page(eq), eq.notation.trig == "short")


def page_text(page: Page, short: bool) -> str:
    """Return a page as text."""
    renderer = TextRenderer(short)
    text = renderer.render
    lines = [wrap(f"{text(a)} {relation([a, b])} {text(b)}") for a, b in page.pairs]
    for i, tree in enumerate(page.vanishing):
        head = "     " if i else "with "
        lines.append(wrap(f"{head}{text(tree)} {relation([tree])} 0", " " * 9))
    if page.parts:
        lines.append(part_lines(page.parts, renderer.short, "where"))
    listed = legend(page.trees, renderer)
    if listed:
        lines.append(f"{'  and' if page.parts else 'where'} {', '.join(listed)}")
    return "\n".join(lines)


def equations_latex(eq: Equations) -> str:
    """Return an aligned block of equations, long ones broken between terms."""
    latex = page_latex(equations_page(eq), eq.notation.trig == "short")
    if not eq.letters:
        return latex
    # what the letters are, below the equations
    said = f"In letters {written_form(eq)}: {explained(eq)}."
    return aligned([f"& {latex}", rf"& \text{{{latex_sentence(said)}}}"])


def page_latex(page: Page, short: bool) -> str:
    """Return a page as LaTeX."""
    renderer = LatexRenderer(short)
    lines = []
    for left, right in page.pairs:
        lines += equation_lines(left, right, renderer)
    for i, tree in enumerate(page.vanishing):
        first, *more = equation_lines(tree, number(0), renderer)
        start, rest = ("& ", first[2:]) if first.startswith("& ") else ("", first)
        lines += [rf"{start}\text{{with }} {rest}" if not i else first, *more]
    lines += latex_parts(page.parts, renderer, "where")
    listed = legend(page.trees, renderer)
    if listed:
        head = rf"\text{{{'and' if page.parts else 'where'} }}"
        first, *more = packed(listed)
        lines += [f"& {head} {first}", *(rf"& \phantom{{{head}}} {line}" for line in more)]
    return aligned(lines)


def equations_page(eq: Equations) -> Page:
    """Return the equations, arranged once for text, LaTeX, derivation and proof."""
    if eq not in _pages:
        _pages[eq] = _arranged(eq)
    return _pages[eq]


# kept as long as their equations
_pages: WeakKeyDictionary[Equations, Page] = WeakKeyDictionary()


def _arranged(eq: Equations) -> Page:
    """Return the equations, long entries of M as M₁₂ where a line would be too long.

    Equations that are too large to be written term by term are written with what L shares.
    """
    order, short = eq.notation.order, eq.notation.trig == "short"
    right = entry_trees(right_sides(eq), order)
    vanishing = entry_trees(conditions(eq), order)
    if is_large(eq):
        graphs = graph_form(eq)
        if graphs is not None:
            names = names_in(eq.ring.generators)
            digits, letters = eq.notation.digits, (own(eq, "M").glyph, own(eq, "h").glyph)
            return graph_page(eq.system, graphs, names, right, vanishing, digits, letters)
    h = entry_trees(eq.bias_form.entries, order, in_equation=True)
    n = len(h)
    # a coordinate may stand in its acceleration alone, which comes later
    letters = names_in(eq.system.accelerations)
    trees, parts = name_distances([*h, *_entries(eq), *right, *vanishing], short, letters)
    h, entries, right, vanishing = _cut(trees, n, n * n, n)
    digits, accelerations = eq.notation.digits, eq.system.accelerations
    rows = list(zip(_rows(accelerations, entries, h), right, strict=True))
    page = _page(digits, rows, vanishing, parts)
    render = TextRenderer(short).render
    if not any(width(f"{render(a)} = {render(b)}") > WIDTH for a, b in page.pairs):
        return page
    measured = Rounding(digits).trees(entries)
    letter = own(eq, "M").glyph
    named = named_entries(measured, letter, n, MAX_ENTRY, short)
    rows = list(zip(_rows(accelerations, named.trees, h), right, strict=True))
    return _page(digits, rows, vanishing, [*named.parts, *parts])


def _cut(trees: Sequence[Product], *sizes: int) -> list[list[Product]]:
    """Return lists of the given sizes, one after the other, and what is left."""
    found, start = [], 0
    for size in (*sizes, len(trees)):
        found.append(list(trees[start : start + size]))
        start += size
    return found


def _page(
    digits: int,
    pairs: list[tuple[Product, Product]],
    vanishing: Sequence[Product],
    parts: list[tuple[Symbol, Product]],
    graphs: GraphForm | None = None,
) -> Page:
    """Return a page with long numbers rounded."""
    rounding = Rounding(digits)
    plain = Page(pairs, list(vanishing), parts, {})
    trees = iter(rounding.trees(plain.trees))
    return Page(
        [(next(trees), next(trees)) for _ in pairs],
        [next(trees) for _ in vanishing],
        [(name, next(trees)) for name, _ in parts],
        rounding.exact,
        graphs,
    )


def _entries(eq: Equations) -> list[Product]:
    """Return the trees of the entries of M, row by row, equal ones made once."""
    elements = {id(x): x for x in eq.forms.M}
    made = entry_trees(list(elements.values()), eq.notation.order)
    trees = dict(zip(elements, made, strict=True))
    return [trees[id(x)] for x in eq.forms.M]


def _rows(
    accelerations: Sequence[Expr], entries: Sequence[Product], h: Sequence[Product]
) -> list[Product]:
    """Return M q̈ + h row by row."""
    n = len(h)
    letters = [a.symbol for a in accelerations if a.symbol is not None]
    rows = []
    for i, rest in enumerate(h):
        terms = [
            join(x, leaf_tree(SymbolLeaf(a)))
            for x, a in zip(entries[i * n : (i + 1) * n], letters, strict=True)
            if x.coefficient
        ]
        rows.append(sum_tree([*terms, rest] if rest.coefficient or not terms else terms))
    return rows


def graph_page(
    system: System,
    graphs: GraphForm,
    used: Sequence[str],
    right: Sequence[Product | Expr],
    vanishing: Sequence[Product | Expr],
    digits: int,
    letters: tuple[str, str] = ("M", "h"),
) -> Page:
    """Return a page with rows M₁₁ q̈₁ + … + h₁, and M, h and what they share as parts.

    ``used`` are names that no part may have, ``letters`` those for M and h. Right sides and what
    vanishes share these parts if they are given as expressions.
    """
    n, M = len(graphs.h), own_letter(letters[0], used)
    is_free = letters[1] not in {parse_name(name).base for name in used}
    bias = letters[1] if is_free else free_letter(used, [M])
    others = [x for x in (*right, *vanishing) if isinstance(x, Expr)]
    taken = [*used, M, bias]
    named = name_shared([*(x for row in graphs.M for x in row), *graphs.h, *others], taken)
    trees = iter([_tree_of(x) for x in named.roots])
    parts: list[tuple[Symbol, Product]] = []
    entries = [number(0)] * (n * n)
    for i in range(n):
        for j in range(i + 1):
            tree = next(trees)
            if tree.coefficient:
                entry = part_symbol(f"{M}{entry_index(j, i, n)}")
                parts.append((entry, tree))
                entries[i * n + j] = entries[j * n + i] = leaf_tree(SymbolLeaf(entry))
    h = []
    for i in range(n):
        parts.append((part_symbol(f"{bias}{i + 1}"), next(trees)))
        h.append(leaf_tree(SymbolLeaf(parts[-1][0])))
    right, vanishing = (
        [next(trees) if isinstance(x, Expr) else x for x in side] for side in (right, vanishing)
    )
    shared = [(name.value, _tree_of(value)) for name, value in named.parts]
    rows = list(zip(_rows(system.accelerations, entries, h), right, strict=True))
    return _page(digits, rows, vanishing, [*parts, *shared[::-1]], graphs)


def _tree_of(x: Expr) -> Product:
    return typed_tree(x) or expr_tree(x)


def short_sines(eq: Equations) -> list[str]:
    """Return what the short sines of the equations stand for, ``s₁ = sin(q₁)``."""
    return legend(equations_page(eq).trees, TextRenderer(eq.notation.trig == "short"))
