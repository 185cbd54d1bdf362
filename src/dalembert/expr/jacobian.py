"""Matrices of derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient, symbol_below, tangent
from dalembert.expr.matrix import Matrix
from dalembert.expr.node import ONE, Expr, Scalar, as_expr


def jacobian(es: Sequence[Scalar] | Matrix, xs: Sequence[Expr | str] | Matrix) -> Matrix:
    """Return J[i, j] = ∂eᵢ/∂xⱼ, by the cheaper of forward and reverse sweeps.

    ``xs`` are symbols, or names of symbols that occur.

    >>> from dalembert import coordinates, cos, sin
    >>> r, a = coordinates("r a")
    >>> print(jacobian([r * cos(a), r * sin(a)], [r, a]))
    ⎡cos(a)  -r sin(a)⎤
    ⎣sin(a)   r cos(a)⎦
    """
    rows = [as_expr(e) for e in es]
    columns = [symbol_below(rows, x) for x in xs]
    if len(columns) <= len(rows):
        by_column = [tangent(rows, {x: ONE}) for x in columns]
        return Matrix(list(zip(*by_column, strict=True))) if columns else Matrix.zeros(len(rows), 0)
    if not rows:
        return Matrix.zeros(0, len(columns))
    return Matrix([gradient(e, columns) for e in rows])


def hessian(e: Scalar, xs: Sequence[Expr | str]) -> Matrix:
    """Return H[i, j] = ∂²e/∂xᵢ∂xⱼ: a reverse sweep, then forward sweeps over it."""
    e = as_expr(e)
    symbols = [symbol_below([e], x) for x in xs]
    return jacobian(gradient(e, symbols), symbols)
