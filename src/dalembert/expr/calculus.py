"""Derivatives on the graph: forward and reverse sweeps that share all common work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import InvalidExpression
from dalembert.expr.functions import partials
from dalembert.expr.graph import Kind, outline, postorder
from dalembert.expr.node import ONE, ZERO, Expr, Scalar, as_expr, make
from dalembert.expr.symbols import is_kind, occurring, symbol_named


def tangent(roots: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> list[Expr]:
    """Push the rates of the symbols forward: ḟ = Σ ∂f/∂arg · arg˙, one sweep for all roots."""
    return _pushed(postorder(roots), roots, seeds)


def _pushed(nodes: Sequence[Expr], roots: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> list[Expr]:
    rate: dict[Expr, Expr] = {}
    for node in nodes:
        if node.op == "symbol":
            rate[node] = seeds.get(node, ZERO)
        else:
            total = ZERO
            if any(rate[arg] is not ZERO for arg in node.args):
                for arg, slope in zip(node.args, partials(node), strict=True):
                    total = total + slope * rate[arg]
            rate[node] = total
    return [rate[root] for root in roots]


def gradient(e: Expr, xs: Sequence[Expr | str]) -> list[Expr]:
    """Pull the derivative of one expression back to every symbol or name: one reverse sweep.

    >>> from dalembert import coordinates, sin
    >>> x, y = coordinates("x y")
    >>> gradient(x * sin(y), [x, y])
    [sin(y), x cos(y)]
    """
    symbols = [symbol_below([e], x) for x in xs]
    adjoint: dict[Expr, Expr] = {e: ONE}
    for node in reversed(postorder([e])):
        bar = adjoint.get(node, ZERO)
        if bar is ZERO or not node.args:
            continue
        for arg, slope in zip(node.args, partials(node), strict=True):
            adjoint[arg] = adjoint.get(arg, ZERO) + bar * slope
    return [adjoint.get(x, ZERO) for x in symbols]


def diff(e: Scalar, x: Expr | str) -> Expr:
    """Return the partial derivative ∂e/∂x with respect to a symbol, or to the name of one."""
    e = as_expr(e)
    return tangent([e], {symbol_below([e], x): ONE})[0]


def require_one_meaning(e: Expr, x: Expr | str) -> None:
    """Refuse ``e.diff(time)`` of what contains coordinates: d/dt or ∂/∂t can be meant.

    Raises:
        InvalidExpression: it is that.
    """
    is_time = isinstance(x, Expr) and is_kind(x, Kind.TIME)
    if is_time and any(is_kind(q, Kind.COORDINATE) for q in e.symbols):
        raise InvalidExpression(
            "expected no coordinates in a derivative by time, got one: write da.ddt(e) for the "
            "total rate, or da.jacobian([e], [da.time])[0, 0] for ∂e/∂t"
        )


def ddt(e: Scalar) -> Expr:
    """Return the total time derivative: ∂e/∂t + Σ ∂e/∂q q̇ + Σ ∂e/∂q̇ q̈ + ….

    >>> from dalembert import coordinates, sin
    >>> (q,) = coordinates("q")
    >>> ddt(sin(q))
    cos(q) q̇
    """
    e = as_expr(e)
    return symbol_rate(e) if e.op == "symbol" else ddt_all([e])[0]


def ddt_all(es: Sequence[Expr]) -> list[Expr]:
    """Return the total time derivatives of several expressions in one sweep."""
    nodes = postorder(es)
    return _pushed(nodes, es, {x: symbol_rate(x) for x in nodes if x.op == "symbol"})


def symbol_rate(x: Expr) -> Expr:
    """Return the time derivative of a symbol."""
    s = x.symbol
    assert s is not None
    match s.kind:
        case Kind.COORDINATE:
            return of_order(x, s.order + 1)
        case Kind.PARAMETER:
            return ZERO
        case Kind.TIME:
            return ONE
        case _:
            raise InvalidExpression(
                f"expected no {s.kind.value} under d/dt, got {s.name}: its rate is not known; "
                "use a coordinate or an explicit function of da.time instead"
            )


def of_order(x: Expr, order: int) -> Expr:
    """Return the time derivative of this order of the coordinate that ``x`` is a rate of."""
    s = x.symbol
    assert s is not None
    return make("symbol", (), s._replace(order=order))


def symbol_below(roots: Sequence[Expr], x: Expr | str) -> Expr:
    """Return the symbol to differentiate by, given itself or by its name below the roots.

    Raises:
        InvalidExpression: an expression that is no symbol.
        UnknownName: a name that no symbol below the roots has.
    """
    if isinstance(x, str):
        return symbol_named(x, occurring(roots))
    if not isinstance(x, Expr) or x.op != "symbol":
        raise InvalidExpression(
            f"expected a symbol to differentiate by, got {outline(x)}: "
            "introduce a symbol, differentiate, then substitute with subs"
        )
    return x
