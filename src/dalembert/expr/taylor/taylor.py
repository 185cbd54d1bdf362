"""The Taylor polynomial of expressions in several symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import InvalidExpression
from dalembert.expr.calculus import symbol_below
from dalembert.expr.graph import postorder
from dalembert.expr.node import Expr, Scalar, as_expr, total
from dalembert.expr.taylor.rules import Series, of_node, scaled

MAX_ORDER = 50


def taylor(
    roots: Sequence[Expr], about: Mapping[Expr, Scalar] | Sequence[Expr], order: int
) -> list[Expr]:
    """Return the Taylor polynomials of total degree ``order`` in some symbols, exactly.

    With xᵢ = aᵢ + ε (xᵢ - aᵢ) every node is a power series in ε; the polynomial is that series at
    ε = 1. A velocity is a symbol of its own: name it too where it is small.

    Args:
        roots: The expressions.
        about: The symbols with the point aᵢ of each, or only the symbols: about zero.
        order: The highest total degree in the differences xᵢ - aᵢ.

    Raises:
        InvalidExpression: a function is not smooth at the point.

    >>> from dalembert import coordinates, cos, sin
    >>> x, y = coordinates("x y")
    >>> taylor([sin(x), cos(x) * y], [x, y], 3)
    [x - x³/6, y (1 - x²/2)]
    """
    if not isinstance(order, int) or not 0 <= order <= MAX_ORDER:
        raise InvalidExpression(
            f"expected an order from 0 to {MAX_ORDER} for a Taylor polynomial, got {order}"
        )
    points = about if isinstance(about, Mapping) else dict.fromkeys(about, 0)
    start: dict[Expr, Series] = {}
    for given, at in points.items():
        x = symbol_below(roots, given)
        start[x] = scaled(x, as_expr(at), order + 1)
    done: dict[Expr, Series] = {}
    for node in postorder(list(roots)):
        args = [done[arg] for arg in node.args]
        done[node] = start[node] if node in start else of_node(node, args, order + 1)
    return [total(done[root]) for root in roots]
