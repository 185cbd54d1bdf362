"""Matrices as lists of rows of expressions, and their sums and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dalembert.expr import Expr, as_expr, jacobian
from dalembert.expr.node import Scalar
from dalembert.model.formulas.formula import Rows
from dalembert.recursions.manifold import configuration_rate
from dalembert.recursions.tree import Tree

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


def along_velocities(tree: Tree, q: Sequence[Expr], values: Sequence[Scalar]) -> list[list[Expr]]:
    """Return the derivatives of expressions of q in the direction of each velocity."""
    by_q, n = jacobian([as_expr(x) for x in values], q), tree.nv
    # along the velocity j: dq = N(q) e_j
    rates = [configuration_rate(tree, q, [int(i == j) for i in range(n)]) for j in range(n)]
    return [[dot(row, rate) for rate in rates] for row in by_q.rows]
