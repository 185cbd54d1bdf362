"""Print expressions and matrices from their canonical form.

Stages: expression → canonical form → folded and collected print tree → Unicode text or LaTeX.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dalembert.errors import DalembertError, TooLarge
from dalembert.expr import PI, Expr, Matrix, count_nodes
from dalembert.ring.canonical import canonical_all
from dalembert.ring.choose.build import ring_of
from dalembert.ring.ring import Element
from dalembert.typeset.arrange.layout import element_tree
from dalembert.typeset.render.latex import LatexRenderer, matrix_latex
from dalembert.typeset.render.text import TextRenderer, matrix_text
from dalembert.typeset.render.trig_style import is_short
from dalembert.typeset.tree import PiLeaf, Product, SymbolLeaf, TextLeaf, leaf_tree, number

MAX_TERMS = 5_000
MAX_NODES = 20_000


def expr_tree(e: Expr) -> Product:
    """Return the print tree of an expression."""
    if e.symbol is not None:
        return leaf_tree(SymbolLeaf(e.symbol))
    if e.op == "const":
        return number(e.value)
    if e is PI:
        return leaf_tree(PiLeaf())
    return _expr_tree(e)


@lru_cache(maxsize=1000)
def _expr_tree(e: Expr) -> Product:
    return entry_trees([e])[0]


def entry_trees(entries: Sequence[Expr | Element]) -> list[Product]:
    """Return the print trees of expressions and ring elements; too large ones give words."""
    trees = []
    for x in entries:
        if isinstance(x, Element):
            trees.append(element_tree(x) if len(x) <= MAX_TERMS else _words(f"{len(x):,} terms"))
        elif x.op in ("symbol", "const", "pi"):
            trees.append(expr_tree(x))
        else:
            trees.append(_tree_or_words(x))
    return trees


def _tree_or_words(e: Expr) -> Product:
    nodes = count_nodes([e])
    if nodes <= MAX_NODES:
        try:
            element = canonical_all(ring_of([e]), [e], MAX_TERMS)[0]
            return element_tree(element)
        except TooLarge:
            pass
        except DalembertError:
            # 1/(x - x): only numbers could say what it is
            return _words(f"undefined expression of {nodes:,} nodes")
    return _words(f"expression of {nodes:,} nodes")


def _words(words: str) -> Product:
    return leaf_tree(TextLeaf(words))


def text(x: Expr | Element | Matrix, *, trig: str = "auto") -> str:
    """Return an expression, a ring element or a matrix of either as Unicode text.

    ``trig`` is "short" (s₁, c₁₂), "long" (sin(q₁)) or "auto": short where it is unambiguous.

    >>> from dalembert import coordinates, cos
    >>> q1, q2 = coordinates("q1 q2")
    >>> text(cos(q1 + q2) * q1.dot)
    'c₁₂ q̇₁'
    """
    texts = _rendered(x, TextRenderer, trig)
    return matrix_text(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def latex(x: Expr | Element | Matrix, *, trig: str = "auto") -> str:
    """Return LaTeX without delimiters; ``trig`` as in `text`."""
    texts = _rendered(x, LatexRenderer, trig)
    return matrix_latex(_rows(x, texts), x.shape[1]) if isinstance(x, Matrix) else texts[0]


def _rendered(
    x: Expr | Element | Matrix, renderer: type[TextRenderer | LatexRenderer], trig: str
) -> list[str]:
    trees = entry_trees(x.entries if isinstance(x, Matrix) else (x,))
    # the style is one for all entries of a matrix
    render = renderer(is_short(trees, trig)).render
    return [render(tree) for tree in trees]


def _rows(a: Matrix, texts: Sequence[str]) -> list[Sequence[str]]:
    m, n = a.shape
    return [texts[i * n : (i + 1) * n] for i in range(m)]
