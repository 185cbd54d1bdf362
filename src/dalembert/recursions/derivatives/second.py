"""Second derivatives of inverse dynamics, by forward sweeps over the graph of the first ones.

One sweep for each position gives ∂/∂q of ∂τ/∂q, ∂τ/∂v and M together: they share everything but
their last steps. ∂²τ/∂v² needs no sweep where all joints are scalar, being Christoffel's symbols:

    ∂²τᵢ/∂vⱼ∂vₖ = ∂Mᵢⱼ/∂qₖ + ∂Mᵢₖ/∂qⱼ - ∂Mⱼₖ/∂qᵢ

Spherical and floating joints have velocities that are no rates of coordinates; their ∂²τ/∂v² is the
derivative of ∂τ/∂v, which is linear in v.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dalembert.expr import Expr, as_expr
from dalembert.expr.calculus import tangent
from dalembert.expr.node import ONE
from dalembert.recursions.derivatives.first import Rows, first_derivatives
from dalembert.recursions.derivatives.graph import at_values, directions, symbols_of
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.vectors import Scalar, Vec

Cube = list[list[list[Scalar]]]
"""Entries [i][j][k]."""


class SecondDerivatives(NamedTuple):
    """∂²τᵢ/∂qⱼ∂qₖ, ∂²τᵢ/∂qⱼ∂vₖ, ∂²τᵢ/∂vⱼ∂vₖ and ∂Mᵢⱼ/∂qₖ.

    Along the velocities of spherical and floating joints the order counts: ∂/∂qₖ of ∂τᵢ/∂qⱼ.
    """

    dqq: Cube
    dqv: Cube
    dvv: Cube
    dMq: Cube


def inverse_dynamics_second_derivatives(
    tree: Tree, q: Values, v: Values, a: Values, *, gravity: Vec | None = None
) -> SecondDerivatives:
    """Return the second derivatives of τ = M(q) a + h(q, v), of symbols, numbers or arrays.

    ``gravity`` replaces the mechanism's own.
    """
    given = [*q, *v, *a]
    if len(set(map(id, given))) == len(given) and all(_is_symbol(x) for x in given):
        return _by_sweeps(tree, q, v, a, gravity)
    Q, V, A = symbols_of("q", tree.nq), symbols_of("v", tree.nv), symbols_of("a", tree.nv)
    graphs = _by_sweeps(tree, Q, V, A, gravity)
    return _at(graphs, dict(zip([*Q, *V, *A], given, strict=True)))


def _is_symbol(x: Scalar) -> bool:
    return isinstance(x, Expr) and x.op == "symbol"


def _at(graphs: SecondDerivatives, values: Mapping[Expr, Scalar]) -> SecondDerivatives:
    """Return the graphs with values for their symbols."""
    flat = [as_expr(x) for cube in graphs for rows in cube for row in rows for x in row]
    n, left = len(graphs.dqq), iter(at_values(flat, values))
    cubes = [[[[next(left) for _ in range(n)] for _ in range(n)] for _ in range(n)] for _ in graphs]
    return SecondDerivatives(*cubes)


def _by_sweeps(
    tree: Tree, q: Values, v: Values, a: Values, gravity: Vec | None
) -> SecondDerivatives:
    tree = tree.map(as_expr)
    n = tree.nv
    dq, dv, M = first_derivatives(tree, q, v, a, gravity=gravity)
    is_scalar = all(node.joint.is_scalar for node in tree.nodes if node.velocities)
    dqq, dqv, dMq = (_cube(n) for _ in range(3))
    for k, seeds in enumerate(directions(tree, q)):
        # of symmetric pairs only one
        first = [row[: k + 1] if is_scalar else row for row in dq]
        lower = [row[: i + 1] for i, row in enumerate(M)]
        first, mixed, mass = _swept((first, dv, lower), seeds)
        for i in range(n):
            for j, x in enumerate(first[i]):
                dqq[i][j][k] = x
                if is_scalar:
                    dqq[i][k][j] = x
            dqv[i][k] = mixed[i]
            for j, x in enumerate(mass[i]):
                dMq[i][j][k] = dMq[j][i][k] = x
    dvv = _christoffel(dMq) if is_scalar else _along_velocities(dv, v)
    return SecondDerivatives(dqq, dqv, dvv, dMq)


def _christoffel(dMq: Cube) -> Cube:
    """Return ∂²τ/∂v² of scalar joints."""
    places = range(len(dMq))
    return [
        [[dMq[i][j][k] + dMq[i][k][j] - dMq[j][k][i] for k in places] for j in places]
        for i in places
    ]


def _along_velocities(dv: Rows, v: Values) -> Cube:
    """Return ∂²τ/∂v² of any joints."""
    rates = [_swept((dv,), {x: ONE})[0] for x in v]
    places = range(len(dv))
    return [[[rates[k][i][j] for k in places] for j in places] for i in places]


def _swept(matrices: Sequence[Rows], seeds: Mapping[Expr, Expr]) -> list[Rows]:
    """Return the rates of matrices whose rows may differ in length."""
    flat = [as_expr(x) for rows in matrices for row in rows for x in row]
    left = iter(tangent(flat, seeds))
    return [[[next(left) for _ in row] for row in rows] for rows in matrices]


def _cube(n: int) -> Cube:
    return [[[0] * n for _ in range(n)] for _ in range(n)]
