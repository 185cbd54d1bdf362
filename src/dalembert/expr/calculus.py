"""Derivatives on the graph: forward and reverse sweeps that share all common work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import InvalidExpression
from dalembert.expr.functions import partials
from dalembert.expr.graph import free_symbols, outline, postorder
from dalembert.expr.matrix import Matrix
from dalembert.expr.node import ONE, ZERO, Expr, Scalar, as_expr
from dalembert.expr.symbols import Kind, symbol


def tangent(roots: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> list[Expr]:
    """Push the rates of the symbols forward: ḟ = Σ ∂f/∂arg · arg˙, one sweep for all roots."""
    rate: dict[Expr, Expr] = {}
    for node in postorder(roots):
        if node.op == "symbol":
            rate[node] = seeds.get(node, ZERO)
        else:
            total = ZERO
            if any(rate[arg] is not ZERO for arg in node.args):
                for arg, slope in zip(node.args, partials(node), strict=True):
                    total = total + slope * rate[arg]
            rate[node] = total
    return [rate[root] for root in roots]


def gradient(e: Expr, xs: Sequence[Expr]) -> list[Expr]:
    """Pull the derivative of one expression back to every symbol: one reverse sweep.

    >>> from dalembert import coordinates, sin
    >>> x, y = coordinates("x y")
    >>> gradient(x * sin(y), [x, y])
    [sin(y), x cos(y)]
    """
    for x in xs:
        _require_symbol(x)
    adjoint: dict[Expr, Expr] = {e: ONE}
    for node in reversed(postorder([e])):
        bar = adjoint.get(node, ZERO)
        if bar is ZERO or not node.args:
            continue
        for arg, slope in zip(node.args, partials(node), strict=True):
            adjoint[arg] = adjoint.get(arg, ZERO) + bar * slope
    return [adjoint.get(x, ZERO) for x in xs]


def diff(e: Scalar, x: Expr) -> Expr:
    """Return the partial derivative ∂e/∂x with respect to a symbol."""
    _require_symbol(x)
    return tangent([as_expr(e)], {x: ONE})[0]


def jacobian(es: Sequence[Scalar] | Matrix, xs: Sequence[Expr] | Matrix) -> Matrix:
    """Return J[i, j] = ∂eᵢ/∂xⱼ, by the cheaper of forward and reverse sweeps.

    >>> from dalembert import coordinates, cos, sin
    >>> r, a = coordinates("r a")
    >>> print(jacobian([r * cos(a), r * sin(a)], [r, a]))
    ⎡cos(a)  -r sin(a)⎤
    ⎣sin(a)   r cos(a)⎦
    """
    rows = [as_expr(e) for e in es]
    columns = list(xs)
    for x in columns:
        _require_symbol(x)
    if len(columns) <= len(rows):
        by_column = [tangent(rows, {x: ONE}) for x in columns]
        return Matrix(list(zip(*by_column, strict=True))) if columns else Matrix.zeros(len(rows), 0)
    if not rows:
        return Matrix.zeros(0, len(columns))
    return Matrix([gradient(e, columns) for e in rows])


def hessian(e: Scalar, xs: Sequence[Expr]) -> Matrix:
    """Return H[i, j] = ∂²e/∂xᵢ∂xⱼ: a reverse sweep, then forward sweeps over it."""
    return jacobian(gradient(as_expr(e), xs), xs)


def ddt(e: Scalar) -> Expr:
    """Return the total time derivative: ∂e/∂t + Σ ∂e/∂q q̇ + Σ ∂e/∂q̇ q̈ + ….

    >>> from dalembert import coordinates, sin
    >>> (q,) = coordinates("q")
    >>> ddt(sin(q))
    cos(q) q̇
    """
    return ddt_all([as_expr(e)])[0]


def ddt_all(es: Sequence[Expr]) -> list[Expr]:
    """Return the total time derivatives of several expressions in one sweep."""
    return tangent(es, {x: symbol_rate(x) for x in free_symbols(es)})


def symbol_rate(x: Expr) -> Expr:
    """Return the time derivative of a symbol."""
    s = x.symbol
    assert s is not None
    match s.kind:
        case Kind.COORDINATE:
            return symbol(Kind.COORDINATE, s.name, s.order + 1)
        case Kind.PARAMETER:
            return ZERO
        case Kind.TIME:
            return ONE
        case _:
            raise InvalidExpression(
                f"expected no {s.kind.value} under d/dt, got {s.name}: its rate is not known; "
                "use a coordinate or an explicit function of da.time instead"
            )


def _require_symbol(x: object) -> None:
    if not isinstance(x, Expr) or x.op != "symbol":
        raise InvalidExpression(
            f"expected a symbol to differentiate by, got {outline(x)}: "
            "introduce a symbol, differentiate, then substitute with subs"
        )
