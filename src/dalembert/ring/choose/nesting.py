"""How deep the functions of an expression, as it is written, stand inside each other."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import Expr, postorder

ARITHMETIC = ("const", "pi", "symbol", "add", "sub", "mul", "div", "neg")


def nesting(e: Expr) -> int:
    """Return how many functions stand inside each other in an expression.

    >>> from dalembert import coordinates, sin
    >>> (x,) = coordinates("x")
    >>> nesting(x), nesting(x + 2 * sin(x)), nesting(sin(x + sin(x)))
    (0, 1, 2)
    """
    return 0 if e.op == "symbol" else nestings(postorder([e]))[e]


def nestings(nodes: Sequence[Expr]) -> dict[Expr, int]:
    """Return the nesting of each node; arguments come before the nodes that use them."""
    found: dict[Expr, int] = {}
    for node in nodes:
        inside = max((found[arg] for arg in node.args), default=0)
        found[node] = inside + (node.op not in ARITHMETIC and not _is_whole_power(node))
    return found


def _is_whole_power(node: Expr) -> bool:
    return node.op == "pow" and node.value.denominator == 1
