"""Derivatives of what moves the inertia of springs, on the graph of symbols, over any scalar."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.expr import Expr, as_expr, tangent
from dalembert.expr.node import ONE
from dalembert.recursions.derivatives.graph import at_values, directions, symbols_of
from dalembert.recursions.node import Values
from dalembert.recursions.resistance.spring_inertia import spring_torques
from dalembert.recursions.tree import Tree
from dalembert.spatial.vectors import Scalar

Rows = list[list[Scalar]]


def spring_torque_slopes(tree: Tree, q: Values, v: Values, a: Values) -> tuple[Rows, Rows]:
    """Return ∂/∂q, along velocities, and ∂/∂v of the torques that move the inertia of springs."""
    tree = tree.map(as_expr)
    Q, V, A = symbols_of("q", tree.nq), symbols_of("v", tree.nv), symbols_of("a", tree.nv)
    tau = [as_expr(x) for x in spring_torques(tree, Q, V, A)]
    values = dict(zip([*Q, *V, *A], [*q, *v, *a], strict=True))
    along_q = [_rates(tau, seeds, values) for seeds in directions(tree, Q)]
    along_v = [_rates(tau, {x: ONE}, values) for x in V]
    return _transposed(along_q), _transposed(along_v)


def _rates(
    graphs: list[Expr], seeds: Mapping[Expr, Expr], values: Mapping[Expr, Scalar]
) -> list[Scalar]:
    return at_values(tangent(graphs, seeds), values)


def _transposed(columns: Rows) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]
