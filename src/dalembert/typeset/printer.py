"""Print expressions and matrices from their canonical form.

Stages: expression → canonical form → folded and collected print tree → Unicode text, LaTeX,
MathML or Typst.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dalembert.errors import DalembertError, TooLarge, Undecided
from dalembert.expr import PI, Expr, Matrix, Notation, Symbol, count_nodes
from dalembert.ring.canonical import canonical_all
from dalembert.ring.choose.build import ring_of
from dalembert.ring.ring import Element
from dalembert.typeset.arrange.fractions import element_tree
from dalembert.typeset.arrange.typed import keeps_a_form, typed_tree
from dalembert.typeset.parts.letters import free_letter, names_in_trees, own_letter
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
from dalembert.typeset.rounding import Rounding, is_rounded, relation
from dalembert.typeset.tree import PiLeaf, Product, SymbolLeaf, TextLeaf, leaf_tree, number

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
    of ``most`` columns is written with named parts, unless ``named`` is False. What holds rounded
    numbers begins with ≈; `text_layout` has the exact ones.

    >>> from dalembert import coordinates, cos
    >>> q1, q2 = coordinates("q1 q2")
    >>> text(cos(q1 + q2) * q1.dot)
    'c₁₂ q̇₁'
    """
    found, short, _, _ = text_layout(x, trig=trig, notation=notation, named=named, most=most)
    about = "≈ " if any(map(is_rounded, found.trees)) else ""
    if not isinstance(x, Matrix):
        return about + (text_with_parts(found, short, most) if named else _text(x, found, short))
    main = _text(x, found, short)
    if about:
        first, *more = main.split("\n")
        main = "\n".join([about + first, *(f"  {line}" for line in more)])
    return f"{main}\n{part_lines(found.parts, short, most=most)}" if found.parts else main


def latex(
    x: Expr | Element | Matrix,
    *,
    trig: str | None = None,
    notation: Notation | None = None,
    named: bool = True,
) -> str:
    """Return LaTeX without delimiters; the arguments are those of `text`."""
    found, short, is_broken, _ = latex_layout(x, trig=trig, notation=notation, named=named)
    about = r"\approx " if any(map(is_rounded, found.trees)) else ""
    if not is_broken:
        return about + _latex(x, found, short)
    if isinstance(x, Matrix):
        return matrix_with_parts(about + _latex(x, found, short), found.parts, short)
    return latex_with_parts(found, short, about)


def mathml(
    x: Expr | Element | Matrix,
    *,
    notation: Notation | None = None,
    style: type[MathmlRenderer] = MathmlRenderer,
) -> list[list[str]]:
    """Return the lines of MathML of an object and, where it is long, of its parts ``D = …``."""
    found, short, _, _ = page_layout(x, notation=notation)
    renderer = style(short)
    if isinstance(x, Matrix):
        main = [matrix_mathml(_rows(x, [renderer.render(tree) for tree in found.trees]))]
    else:
        main = term_lines(found.trees[0], renderer)
    if any(map(is_rounded, found.trees)):
        main[0] = f"<mo>≈</mo>{main[0]}"
    names = [
        f"{renderer.render(leaf_tree(SymbolLeaf(s)))}<mo>{relation([tree])}</mo>"
        for s, tree in found.parts
    ]
    return [main, *_named(names, found, renderer)]


def typst(x: Expr | Element | Matrix, *, notation: Notation | None = None) -> list[list[str]]:
    """Return the lines of Typst mathematics of an object and of its named parts ``D = …``."""
    found, short, _, _ = page_layout(x, notation=notation)
    renderer = TypstRenderer(short)
    if isinstance(x, Matrix):
        entries = [renderer.render(tree) for tree in found.trees]
        main = [matrix_typst(_rows(x, entries), x.shape[1])]
    else:
        main = term_lines(found.trees[0], renderer)
    if any(map(is_rounded, found.trees)):
        main[0] = f"≈ {main[0]}"
    names = [f"{symbol_typst(s)} {relation([tree])} " for s, tree in found.parts]
    return [main, *_named(names, found, renderer)]


class Layout(NamedTuple):
    """What a print shows: trees with their named parts, and the numbers that it rounds.

    ``exact`` has the number behind the digits of each that is rounded.
    """

    board: Board
    short: bool
    is_broken: bool
    exact: dict[str, Fraction]


def text_layout(
    x: Expr | Element | Matrix,
    *,
    trig: str | None = None,
    notation: Notation | None = None,
    named: bool = True,
    most: int = WIDTH,
) -> Layout:
    """Return what `text` prints."""
    if isinstance(x, Matrix) and (x.notation or Notation()).is_graph:
        return _graph_layout(x, trig)
    trees, short = _trees(x, trig, notation)
    plain = _layout(x, Board(trees, []), short, notation)
    if named and (is_wide(_text(x, plain.board, short), most) or _is_too_large(x, trees)):
        return _layout(x, _parted(x, plain, trees, notation, most), short, notation, True)
    return plain


def latex_layout(
    x: Expr | Element | Matrix,
    *,
    trig: str | None = None,
    notation: Notation | None = None,
    named: bool = True,
) -> Layout:
    """Return what `latex` prints."""
    if isinstance(x, Matrix) and (x.notation or Notation()).is_graph:
        return _graph_layout(x, trig)
    trees, short = _trees(x, trig, notation)
    plain = _layout(x, Board(trees, []), short, notation)
    line = _text(x, plain.board, short)
    too_large = _is_too_large(x, trees)
    if not named or not (is_wide(line, LATEX_WIDTH) or too_large):
        return plain
    if isinstance(x, Matrix) or is_wide(line, WIDTH) or too_large:
        wide = _parted(x, plain, trees, notation, LATEX_WIDTH)
        return _layout(x, wide, short, notation, True)
    return plain._replace(is_broken=True)


def page_layout(x: Expr | Element | Matrix, *, notation: Notation | None = None) -> Layout:
    """Return what `mathml` and `typst` print."""
    if isinstance(x, Matrix) and (x.notation or Notation()).is_graph:
        return _graph_layout(x, None)
    trees, short = _trees(x, None, notation)
    plain = _layout(x, Board(trees, []), short, notation)
    line = _text(x, plain.board, short)
    most = LATEX_WIDTH if isinstance(x, Matrix) else WIDTH
    if is_wide(line, most) or (not isinstance(x, Matrix) and _is_too_large(x, trees)):
        wide = _parted(x, plain, trees, notation, LATEX_WIDTH)
        return _layout(x, wide, short, notation, True)
    return plain


def _graph_layout(a: Matrix, trig: str | None) -> Layout:
    """Return a matrix whose entries are letters, explained by what their graphs share."""
    style = a.notation or Notation()
    named = graph_board(a.entries, expr_tree)
    letter = own_letter(style.letter or "u", names_in_trees(named.trees))
    short = is_short([*named.trees, *(tree for _, tree in named.parts)], trig or style.trig)
    entries = named_entries(named.trees, letter, a.shape[1], 0, short)
    found = Board(entries.trees, [*entries.parts, *named.parts])
    return _layout(a, found, short, style, True)


def _layout(
    x: Expr | Element | Matrix,
    found: Board,
    short: bool,
    notation: Notation | None,
    is_broken: bool = False,
) -> Layout:
    """Return a board with its long numbers rounded."""
    style = notation or (x.notation if isinstance(x, Matrix) else None) or Notation()
    rounding = Rounding(style.digits)
    names = [name for name, _ in found.parts]
    trees = rounding.trees([*found.trees, *(tree for _, tree in found.parts)])
    n = len(found.trees)
    rounded = Board(trees[:n], [*zip(names, trees[n:], strict=True)])
    return Layout(rounded, short, is_broken, rounding.exact)


def _parted(
    x: Expr | Element | Matrix,
    plain: Layout,
    trees: Sequence[Product],
    notation: Notation | None,
    most: int,
) -> Board:
    """Return the exact trees with named parts; widths are measured with rounded numbers."""
    if isinstance(x, Matrix):
        return _matrix_board(x, plain.board.trees, plain.short, notation, most)
    return _board(x, trees, plain.short)


def _named(names: Sequence[str], found: Board, renderer: Renderer) -> list[list[str]]:
    """Return the lines of each named part, the name in front of the first."""
    lines = [term_lines(tree, renderer) for _, tree in found.parts]
    return [[name + first, *more] for name, (first, *more) in zip(names, lines, strict=True)]


def _trees(
    x: Expr | Element | Matrix, trig: str | None, notation: Notation | None
) -> tuple[list[Product], bool]:
    """Return the trees of the entries, and whether their sines are short: one style for all."""
    own = x.notation if isinstance(x, Matrix) else None
    style = notation or own or Notation()
    trees = entry_trees(x.entries if isinstance(x, Matrix) else (x,), style.order)
    return trees, is_short(trees, trig or style.trig)


def _text(x: Expr | Element | Matrix, found: Board, short: bool) -> str:
    texts = [TextRenderer(short).render(tree) for tree in found.trees]
    return matrix_text(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def _latex(x: Expr | Element | Matrix, found: Board, short: bool) -> str:
    texts = [LatexRenderer(short).render(tree) for tree in found.trees]
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
    used = names_in_trees(trees)
    wanted = (notation or a.notation or Notation()).letter
    letter = own_letter(wanted, used) if wanted else free_letter(used, ["u", "D"])
    longest = longest_entry(trees, a.shape[1], most, short)
    entries = named_entries(trees, letter, a.shape[1], longest, short)
    inside = board([tree for _, tree in entries.parts], short, taken=[*used, letter])
    names = [name for name, _ in entries.parts]
    return Board(entries.trees, [*zip(names, inside.trees, strict=True), *inside.parts])


def _rows(a: Matrix, texts: Sequence[str]) -> list[Sequence[str]]:
    m, n = a.shape
    return [texts[i * n : (i + 1) * n] for i in range(m)]
