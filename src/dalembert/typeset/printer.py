"""Print expressions and matrices from their canonical form.

Stages: expression → canonical form → folded and collected print tree → Unicode text or LaTeX.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dalembert.errors import DalembertError, TooLarge
from dalembert.expr import PI, Expr, Matrix, Notation, Symbol, count_nodes
from dalembert.ring.canonical import canonical_all
from dalembert.ring.choose.build import ring_of
from dalembert.ring.ring import Element
from dalembert.typeset.arrange.layout import element_tree
from dalembert.typeset.arrange.typed import keeps_a_form, typed_tree
from dalembert.typeset.render.latex import LatexRenderer, matrix_latex
from dalembert.typeset.render.text import TextRenderer, matrix_text
from dalembert.typeset.render.trig_style import is_short
from dalembert.typeset.tree import PiLeaf, Product, SymbolLeaf, TextLeaf, leaf_tree, number

MAX_TERMS = 5_000
MAX_NODES = 20_000

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


def entry_trees(entries: Sequence[Expr | Element], order: tuple[Symbol, ...] = ()) -> list[Product]:
    """Return the print trees of expressions and ring elements; too large ones give words."""
    return [
        _element_tree(x, order) if isinstance(x, Element) else expr_tree(x, order) for x in entries
    ]


def _element_tree(x: Element, order: tuple[Symbol, ...]) -> Product:
    return element_tree(x, order) if len(x) <= MAX_TERMS else _words(f"{len(x):,} terms")


def _tree_or_words(e: Expr, order: tuple[Symbol, ...]) -> Product:
    nodes = count_nodes([e])
    if nodes <= MAX_NODES:
        try:
            element = canonical_all(ring_of([e]), [e], MAX_TERMS)[0]
            return _shorter(typed_tree(e), element_tree(element, order))
        except TooLarge:
            typed = typed_tree(e)
            if typed is not None:
                return typed
        except DalembertError:
            # 1/(x - x): only numbers could say what it is
            return _words(f"undefined expression of {nodes:,} nodes")
    return _words(f"expression of {nodes:,} nodes")


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
    x: Expr | Element | Matrix, *, trig: str | None = None, notation: Notation | None = None
) -> str:
    """Return an expression, a ring element or a matrix of either as Unicode text.

    ``notation`` is that of the system the object belongs to, by default the matrix's own; ``trig``
    overrides its sines: "short" (s₁, c₁₂), "long" (sin(q₁)) or "auto".

    >>> from dalembert import coordinates, cos
    >>> q1, q2 = coordinates("q1 q2")
    >>> text(cos(q1 + q2) * q1.dot)
    'c₁₂ q̇₁'
    """
    texts = _rendered(x, TextRenderer, trig, notation)
    return matrix_text(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def latex(
    x: Expr | Element | Matrix, *, trig: str | None = None, notation: Notation | None = None
) -> str:
    """Return LaTeX without delimiters; ``trig`` and ``notation`` as in `text`."""
    texts = _rendered(x, LatexRenderer, trig, notation)
    return matrix_latex(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def _rendered(
    x: Expr | Element | Matrix,
    renderer: type[TextRenderer | LatexRenderer],
    trig: str | None,
    notation: Notation | None,
) -> list[str]:
    own = x.notation if isinstance(x, Matrix) else None
    trig_style, order = notation or own or Notation()
    trees = entry_trees(x.entries if isinstance(x, Matrix) else (x,), order)
    # the style is one for all entries of a matrix
    render = renderer(is_short(trees, trig or trig_style)).render
    return [render(tree) for tree in trees]


def _rows(a: Matrix, texts: Sequence[str]) -> list[Sequence[str]]:
    m, n = a.shape
    return [texts[i * n : (i + 1) * n] for i in range(m)]
