"""Print expressions and matrices from their canonical form.

Stages: expression → canonical form → folded and collected print tree → Unicode text, LaTeX,
MathML or Typst.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dalembert.errors import DalembertError, TooLarge, Undecided
from dalembert.expr import PI, Expr, Matrix, Notation, Symbol, count_nodes
from dalembert.ring.canonical import canonical_all
from dalembert.ring.choose.build import ring_of
from dalembert.ring.ring import Element
from dalembert.typeset.arrange.layout import element_tree
from dalembert.typeset.arrange.typed import keeps_a_form, typed_tree
from dalembert.typeset.parts.graph import free_letter, is_taken
from dalembert.typeset.parts.write import (
    Board,
    board,
    graph_board,
    is_wide,
    latex_with_parts,
    longest_entry,
    matrix_with_parts,
    named_entries,
    part_lines,
    text_with_parts,
)
from dalembert.typeset.render.latex import LatexRenderer, matrix_latex
from dalembert.typeset.render.lines import LATEX_WIDTH, WIDTH, term_lines
from dalembert.typeset.render.mathml import MathmlRenderer, matrix_mathml
from dalembert.typeset.render.renderer import Renderer
from dalembert.typeset.render.text import TextRenderer, matrix_text
from dalembert.typeset.render.trig_style import is_short
from dalembert.typeset.render.typst import TypstRenderer, matrix_typst, symbol_typst
from dalembert.typeset.tree import PiLeaf, Product, SymbolLeaf, TextLeaf, leaf_tree, leaves, number

MAX_TERMS = 5_000
MAX_NODES = 20_000
MAX_GRAPH = 3_000

LARGE = "expression"

# how long what was typed may be, compared with what is collected, by which of them keep a form
LONGEST = {(True, False): 1.15, (True, True): 0.99, (False, True): 0.75, (False, False): 0.75}


def expr_tree(e: Expr, order: tuple[Symbol, ...] = ()) -> Product:
    """Return the print tree of an expression; ``order`` lists the coordinates as they are read."""
    if e.symbol is not None:
        return leaf_tree(SymbolLeaf(e.symbol))
    if e.op == "const":
        return number(e.value)
    if e is PI:
        return leaf_tree(PiLeaf())
    return _expr_tree(e, order)


@lru_cache(maxsize=1000)
def _expr_tree(e: Expr, order: tuple[Symbol, ...]) -> Product:
    return _tree_or_words(e, order)


def entry_trees(
    entries: Sequence[Expr | Element], order: tuple[Symbol, ...] = (), in_equation: bool = False
) -> list[Product]:
    """Return the print trees of expressions and ring elements; too large ones give words."""
    return [
        _element_tree(x, order, in_equation) if isinstance(x, Element) else expr_tree(x, order)
        for x in entries
    ]


def _element_tree(x: Element, order: tuple[Symbol, ...], in_equation: bool) -> Product:
    if len(x) > MAX_TERMS:
        return _words(f"{len(x):,} terms")
    return element_tree(x, order, in_equation)


def _tree_or_words(e: Expr, order: tuple[Symbol, ...]) -> Product:
    nodes = count_nodes([e])
    if nodes <= MAX_NODES:
        try:
            element = canonical_all(ring_of([e], ordered=True), [e], MAX_TERMS)[0]
            return _shorter(typed_tree(e), element_tree(element, order))
        except (TooLarge, Undecided):
            # also 1/u where u may be zero: it has no canonical quotient
            typed = typed_tree(e)
            if typed is not None:
                return typed
        except DalembertError:
            # 1/(x - x): only numbers could say what it is
            return _words(f"undefined expression of {nodes:,} nodes")
    return _words(f"{LARGE} of {nodes:,} nodes")


def _shorter(typed: Product | None, arranged: Product) -> Product:
    """Return the tree that is shorter to read; a product or a square that was typed is kept."""
    if typed is None:
        return arranged
    render = TextRenderer(is_short([typed, arranged])).render
    longest = LONGEST[keeps_a_form(typed), keeps_a_form(arranged)]
    return typed if len(render(typed)) <= longest * len(render(arranged)) else arranged


def _words(words: str) -> Product:
    return leaf_tree(TextLeaf(words))


def text(
    x: Expr | Element | Matrix,
    *,
    trig: str | None = None,
    notation: Notation | None = None,
    named: bool = True,
    most: int = WIDTH,
) -> str:
    """Return an expression, a ring element or a matrix of either as Unicode text.

    ``notation`` is that of the system the object belongs to, by default the matrix's own; ``trig``
    overrides its sines: "short" (s₁, c₁₂), "long" (sin(q₁)) or "auto". What is longer than a line
    of ``most`` columns is written with named parts, unless ``named`` is False.

    >>> from dalembert import coordinates, cos
    >>> q1, q2 = coordinates("q1 q2")
    >>> text(cos(q1 + q2) * q1.dot)
    'c₁₂ q̇₁'
    """
    trees, short = _trees(x, trig, notation)
    plain = _text(x, trees, short)
    if not named or not (is_wide(plain, most) or _is_too_large(x, trees)):
        return plain
    if isinstance(x, Matrix):
        found = _matrix_board(x, trees, short, notation, most)
        return f"{_text(x, found.trees, short)}\n{part_lines(found.parts, short, most=most)}"
    return text_with_parts(_board(x, trees, short), short, most)


def latex(
    x: Expr | Element | Matrix,
    *,
    trig: str | None = None,
    notation: Notation | None = None,
    named: bool = True,
) -> str:
    """Return LaTeX without delimiters; the arguments are those of `text`."""
    trees, short = _trees(x, trig, notation)
    plain = _text(x, trees, short)
    too_large = _is_too_large(x, trees)
    if not named or not (is_wide(plain, LATEX_WIDTH) or too_large):
        return _latex(x, trees, short)
    if isinstance(x, Matrix):
        found = _matrix_board(x, trees, short, notation, LATEX_WIDTH)
        return matrix_with_parts(_latex(x, found.trees, short), found.parts, short)
    is_wall = is_wide(plain, WIDTH) or too_large
    found = _board(x, trees, short) if is_wall else Board(trees, [])
    return latex_with_parts(found, short)


def mathml(x: Expr | Element | Matrix, *, notation: Notation | None = None) -> list[list[str]]:
    """Return the lines of MathML of an object and, where it is long, of its parts ``D = …``."""
    found, short = _on_a_page(x, notation)
    renderer = MathmlRenderer(short)
    if isinstance(x, Matrix):
        main = [matrix_mathml(_rows(x, [renderer.render(tree) for tree in found.trees]))]
    else:
        main = term_lines(found.trees[0], renderer)
    names = [renderer.render(leaf_tree(SymbolLeaf(s))) + "<mo>=</mo>" for s, _ in found.parts]
    return [main, *_named(names, found, renderer)]


def typst(x: Expr | Element | Matrix, *, notation: Notation | None = None) -> list[list[str]]:
    """Return the lines of Typst mathematics of an object and of its named parts ``D = …``."""
    found, short = _on_a_page(x, notation)
    renderer = TypstRenderer(short)
    if isinstance(x, Matrix):
        entries = [renderer.render(tree) for tree in found.trees]
        main = [matrix_typst(_rows(x, entries), x.shape[1])]
    else:
        main = term_lines(found.trees[0], renderer)
    names = [f"{symbol_typst(s)} = " for s, _ in found.parts]
    return [main, *_named(names, found, renderer)]


def _named(names: Sequence[str], found: Board, renderer: Renderer) -> list[list[str]]:
    """Return the lines of each named part, the name in front of the first."""
    lines = [term_lines(tree, renderer) for _, tree in found.parts]
    return [[name + first, *more] for name, (first, *more) in zip(names, lines, strict=True)]


def _on_a_page(x: Expr | Element | Matrix, notation: Notation | None) -> tuple[Board, bool]:
    """Return the trees of an object, long ones with named parts, and whether sines are short."""
    trees, short = _trees(x, None, notation)
    plain = _text(x, trees, short)
    if isinstance(x, Matrix):
        if is_wide(plain, LATEX_WIDTH):
            return _matrix_board(x, trees, short, notation, LATEX_WIDTH), short
    elif is_wide(plain, WIDTH) or _is_too_large(x, trees):
        return _board(x, trees, short), short
    return Board(list(trees), []), short


def _trees(
    x: Expr | Element | Matrix, trig: str | None, notation: Notation | None
) -> tuple[list[Product], bool]:
    """Return the trees of the entries, and whether their sines are short: one style for all."""
    own = x.notation if isinstance(x, Matrix) else None
    style = notation or own or Notation()
    trees = entry_trees(x.entries if isinstance(x, Matrix) else (x,), style.order)
    return trees, is_short(trees, trig or style.trig)


def _text(x: Expr | Element | Matrix, trees: Sequence[Product], short: bool) -> str:
    texts = [TextRenderer(short).render(tree) for tree in trees]
    return matrix_text(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def _latex(x: Expr | Element | Matrix, trees: Sequence[Product], short: bool) -> str:
    texts = [LatexRenderer(short).render(tree) for tree in trees]
    return matrix_latex(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def _is_too_large(x: Expr | Element | Matrix, trees: Sequence[Product]) -> bool:
    """Tell whether an expression could not be multiplied out, but its graph can be written."""
    (tree, *_) = trees or [number(0)]
    words = tree.factors[0].base if len(tree.factors) == 1 else None
    if not isinstance(x, Expr) or not isinstance(words, TextLeaf):
        return False
    return words.words.startswith(LARGE) and count_nodes([x]) <= MAX_GRAPH


def _board(x: Expr | Element, trees: Sequence[Product], short: bool) -> Board:
    graphs = [x] if isinstance(x, Expr) and count_nodes([x]) <= MAX_GRAPH else []
    if graphs and _is_too_large(x, trees):
        return graph_board(graphs, expr_tree)
    return board(trees, short, graphs, expr_tree)


def _matrix_board(
    a: Matrix, trees: Sequence[Product], short: bool, notation: Notation | None, most: int
) -> Board:
    """Return the entries with named sums, those that are still long as letters."""
    used = [leaf.symbol.name for t in trees for leaf in leaves(t) if isinstance(leaf, SymbolLeaf)]
    wanted = (notation or a.notation or Notation()).letter
    letter = wanted if wanted and not is_taken(wanted, used) else free_letter(used, ["u", "D"])
    longest = longest_entry(trees, a.shape[1], most, short)
    entries = named_entries(trees, letter, a.shape[1], longest, short)
    inside = board([tree for _, tree in entries.parts], short)
    names = [name for name, _ in entries.parts]
    return Board(entries.trees, [*zip(names, inside.trees, strict=True), *inside.parts])


def _rows(a: Matrix, texts: Sequence[str]) -> list[Sequence[str]]:
    m, n = a.shape
    return [texts[i * n : (i + 1) * n] for i in range(m)]
