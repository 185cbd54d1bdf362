"""Write trees and their named parts on lines: what is meant first, then ``with D = …``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dalembert.expr import Expr, Kind, Symbol
from dalembert.typeset.parts.graph import name_shared
from dalembert.typeset.parts.sums import name_sums
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.lines import LATEX_WIDTH, WIDTH, term_lines, wrap
from dalembert.typeset.render.names import symbol_glyphs, symbol_latex
from dalembert.typeset.render.text import TextRenderer, width
from dalembert.typeset.rounding import relation
from dalembert.typeset.tree import Product, SymbolLeaf, leaf_tree

# columns of the name of an entry, and between entries
LETTER, GAP = 4, 2

# how much shorter parts of the graph must be than terms that keep their kinds together
GAIN = 0.8

# columns of a side that stands on a line of the other, long one
SHORT_SIDE = 20


class Board(NamedTuple):
    """Trees that stand by themselves, and the named parts that they contain."""

    trees: list[Product]
    parts: list[tuple[Symbol, Product]]

    def length(self, short: bool) -> int:
        """Return the number of characters of all lines."""
        render = TextRenderer(short).render
        return sum(width(render(tree)) for tree in (*self.trees, *(p for _, p in self.parts)))


def board(
    trees: Sequence[Product],
    short: bool,
    graphs: Sequence[Expr] = (),
    tree_of: Callable[[Expr], Product] | None = None,
    taken: Sequence[str] = (),
) -> Board:
    """Return the trees with named parts: named sums, or what the graphs share if that is shorter.

    ``tree_of`` makes the tree of an expression; without it, or without graphs, sums are named.
    ``taken`` are names that sums must not have.
    """
    by_sums = Board(*name_sums(trees, short, taken))
    if not graphs or tree_of is None:
        return by_sums
    by_graph = graph_board(graphs, tree_of)
    return by_graph if by_graph.length(short) < GAIN * by_sums.length(short) else by_sums


def graph_board(graphs: Sequence[Expr], tree_of: Callable[[Expr], Product]) -> Board:
    """Return expressions with what their graphs share as named parts."""
    named = name_shared(graphs)
    parts = [(part.value, tree_of(value)) for part, value in named.parts]
    return Board([tree_of(root) for root in named.roots], parts[::-1])


def part_lines(
    parts: Sequence[tuple[Symbol, Product]], short: bool, head: str = "with", most: int = WIDTH
) -> str:
    """Return one line for each part, ``with D = …``, broken where it is too long."""
    render = TextRenderer(short).render
    blank = " " * len(head)
    lines = []
    for i, (name, tree) in enumerate(parts):
        sign = relation([tree])
        line = f"{blank if i else head} {symbol_glyphs(name)} {sign} {render(tree)}"
        lines.append(wrap(line, blank + " " * 5, most))
    return "\n".join(lines)


def text_with_parts(found: Board, short: bool, most: int = WIDTH) -> str:
    """Return one expression and its parts."""
    main = wrap(TextRenderer(short).render(found.trees[0]), most=most)
    parts = part_lines(found.parts, short, most=most)
    return f"{main}\n{parts}" if parts else main


def latex_with_parts(found: Board, short: bool, about: str = "") -> str:
    """Return one expression and its parts as an aligned block, broken between terms."""
    renderer = LatexRenderer(short)
    first, *more = _continued(found.trees[0], renderer)
    lines = [f"& {about}{first}", *(f"& {line}" for line in more)]
    return aligned([*lines, *latex_parts(found.parts, renderer)])


def matrix_with_parts(matrix: str, parts: Sequence[tuple[Symbol, Product]], short: bool) -> str:
    """Return the LaTeX of a matrix with the parts of its entries below it."""
    return aligned([f"& {matrix}", *latex_parts(parts, LatexRenderer(short))])


def latex_parts(
    parts: Sequence[tuple[Symbol, Product]], renderer: LatexRenderer, head: str = "with"
) -> list[str]:
    """Return the lines of the parts, ``with D = …``."""
    lines = []
    for i, (name, tree) in enumerate(parts):
        words = rf"\text{{{head} }} " if not i else rf"\phantom{{\text{{{head} }}}} "
        blank = rf"\phantom{{\text{{{head} }}}} \quad"
        first, *more = _continued(tree, renderer)
        lines += [f"& {words}{symbol_latex(name)} {latex_relation([tree])} {first}"]
        lines += [f"& {blank} {line}" for line in more]
    return lines


def equation_lines(left: Product, right: Product, renderer: LatexRenderer) -> list[str]:
    """Return ``left &= right``; if it is long, the left side on lines of its own.

    A short side stands on a line of the other.
    """
    plain = TextRenderer(renderer.short)
    tail = width(plain.render(right))
    sign = latex_relation([left, right])
    if width(plain.render(left)) + tail <= LATEX_WIDTH:
        return [f"{renderer.render(left)} &{sign} {renderer.render(right)}"]
    if width(plain.render(left)) <= SHORT_SIDE:
        first, *more = _continued(right, renderer)
        return [f"& {renderer.render(left)} {sign} {first}", *(f"& {line}" for line in more)]
    if tail <= SHORT_SIDE:
        *lines, last = _continued(left, renderer, LATEX_WIDTH - tail - 3)
        return [f"& {line}" for line in [*lines, f"{last} {sign} {renderer.render(right)}"]]
    lines = [f"& {line}" for line in _continued(left, renderer)]
    first, *more = term_lines(right, renderer)
    return [*lines, rf"& \quad {sign} {first}", *(rf"& \qquad {line}" for line in more)]


def latex_relation(trees: Sequence[Product]) -> str:
    """Return = or, of rounded numbers, ≈."""
    return {"=": "=", "≈": r"\approx"}[relation(trees)]


def _unaligned(line: str) -> str:
    return line.replace("&=", "=", 1).replace(r"&\approx", r"\approx", 1)


def packed(items: Sequence[str], most: int = 4) -> list[str]:
    """Return short formulas side by side, a few on each line."""
    groups = [items[i : i + most] for i in range(0, len(items), most)]
    return [r",\; ".join(group) for group in groups]


def aligned(lines: Sequence[str]) -> str:
    """Return lines as an aligned block.

    If one is not aligned at its equals sign, such as a line of a broken equation, all begin at the
    left: an equation that begins at the equals sign of others would leave the page.
    """
    if any(line.startswith("& ") for line in lines):
        lines = [x if x.startswith("& ") else f"& {_unaligned(x)}" for x in lines]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _continued(p: Product, renderer: LatexRenderer, most: int = LATEX_WIDTH) -> list[str]:
    first, *more = term_lines(p, renderer, most)
    return [first, *(rf"\quad {line}" for line in more)]


def named_entries(
    trees: Sequence[Product], letter: str, num_columns: int, most: int, short: bool
) -> Board:
    """Return letters a₁₂ for the entries of a matrix that are longer than ``most``.

    Beyond nine rows or columns each index has two digits: a₁₁₁ would be two entries.
    """
    render = TextRenderer(short).render
    entries, parts = [], []
    names: dict[Product, Symbol] = {}
    size = max(num_columns, -(-len(trees) // max(num_columns, 1)))
    for place, tree in enumerate(trees):
        if width(render(tree)) <= most:
            entries.append(tree)
            continue
        if tree not in names:
            i, j = divmod(place, num_columns)
            index = f"{i + 1}" if num_columns == 1 else entry_index(i, j, size)
            names[tree] = part_symbol(f"{letter}{index}")
            parts.append((names[tree], tree))
        entries.append(leaf_tree(SymbolLeaf(names[tree])))
    return Board(entries, parts)


def entry_index(i: int, j: int, size: int) -> str:
    """Return the digits of an entry of a matrix with so many rows: 12, or 0112 beyond nine."""
    digits = len(str(size))
    return f"{i + 1:0{digits}}{j + 1:0{digits}}"


def longest_entry(trees: Sequence[Product], num_columns: int, most: int, short: bool) -> int:
    """Return how long entries of a matrix may be: so that it fits if longer ones are letters."""
    render = TextRenderer(short).render
    widths = [width(render(tree)) for tree in trees]
    for longest in sorted(set(widths), reverse=True):
        shown = [w if w <= longest else LETTER for w in widths]
        columns = [max(shown[j::num_columns]) + GAP for j in range(num_columns)]
        if sum(columns) <= most:
            return longest
    return most // max(num_columns, 1) - LETTER + 1


def part_symbol(name: str) -> Symbol:
    """Return the symbol of a part."""
    return Symbol(Kind.PARAMETER, name)


def is_wide(text: str, most: int) -> bool:
    """Tell whether a line of the text has more than so many columns."""
    return any(width(line) > most for line in text.split("\n"))
