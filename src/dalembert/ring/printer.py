"""Print expressions and matrices from their canonical form.

Stages: expression → canonical form → folded and collected print tree → Unicode text or LaTeX.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dalembert.errors import DalembertError, TooLarge
from dalembert.expr import PI, Expr, Matrix, count_nodes
from dalembert.ring.build import ring_of
from dalembert.ring.canonical import canonical_all
from dalembert.ring.latex import LatexRenderer, matrix_latex
from dalembert.ring.layout import element_tree
from dalembert.ring.ring import Element
from dalembert.ring.text import TextRenderer, matrix_text
from dalembert.ring.tree import (
    PiLeaf,
    Product,
    SymbolLeaf,
    TextLeaf,
    leaf_tree,
    number,
)
from dalembert.ring.trig_style import is_short

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


def entry_trees(entries: Sequence[Any]) -> list[Product]:
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


class CanonicalPrinter:
    """The faces of an expression, of a ring element and of a matrix of either.

    ``trig`` is "short" (s₁, c₁₂), "long" (sin(q₁)) or "auto": short where it is unambiguous.
    """

    def text(self, x: Expr | Element | Matrix, *, trig: str = "auto") -> str:
        """Return Unicode text.

        >>> from dalembert import coordinates, cos
        >>> q1, q2 = coordinates("q1 q2")
        >>> CanonicalPrinter().text(cos(q1 + q2) * q1.dot)
        'c₁₂ q̇₁'
        """
        entries = x.entries if isinstance(x, Matrix) else (x,)
        trees = entry_trees(entries)
        renderer = TextRenderer(is_short(trees, trig))
        texts = [renderer.render(tree) for tree in trees]
        return texts[0] if not isinstance(x, Matrix) else matrix_text(_rows(x, texts), x.shape[1])

    def latex(self, x: Expr | Element | Matrix, *, trig: str = "auto") -> str:
        """Return LaTeX without delimiters."""
        entries = x.entries if isinstance(x, Matrix) else (x,)
        trees = entry_trees(entries)
        renderer = LatexRenderer(is_short(trees, trig))
        texts = [renderer.render(tree) for tree in trees]
        return texts[0] if not isinstance(x, Matrix) else matrix_latex(_rows(x, texts), x.shape[1])


def _rows(a: Matrix, texts: Sequence[str]) -> list[Sequence[str]]:
    m, n = a.shape
    return [texts[i * n : (i + 1) * n] for i in range(m)]
