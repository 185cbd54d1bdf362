"""Matrices as lists of rows of expressions, and their sums and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dalembert.expr import Expr, as_expr
from dalembert.expr.node import Scalar
from dalembert.model.formulas.formula import Rows

T = TypeVar("T")


def picked(rows: Sequence[T], which: Sequence[int] | None) -> list[T]:
    """Return some of the rows; all of them for None."""
    return list(rows) if which is None else [rows[i] for i in which]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Expr:
    """Return aᵀb."""
    return as_expr(sum(as_expr(x) * y for x, y in zip(a, b, strict=True)))


def plus(a: Rows, b: Rows) -> Rows:
    """Return a + b."""
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def minus(a: Rows, b: Rows) -> Rows:
    """Return a - b."""
    return [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def times(a: Rows, b: Rows) -> Rows:
    """Return the matrix product a b."""
    columns = list(zip(*b, strict=True))
    return [[sum((x * y for x, y in zip(r, c, strict=True)), 0) for c in columns] for r in a]


def is_zero(x: Scalar) -> bool:
    """Tell whether an expression is the constant zero."""
    return bool(as_expr(x) == 0)
