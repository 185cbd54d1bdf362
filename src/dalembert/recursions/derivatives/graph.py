"""What derivatives on a graph need: symbols, directions of motion, other values for symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr import Expr, as_expr
from dalembert.expr.substitute import substitute
from dalembert.expr.symbols import Kind, symbol
from dalembert.mechanism import JointKind
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.scalar import is_symbolic
from dalembert.spatial.vectors import ZERO, Scalar, Vec, ratio, transpose


def symbols_of(letter: str, count: int) -> list[Expr]:
    """Return symbols for the entries of a vector, that no expression of a user contains."""
    return [symbol(Kind.PARAMETER, f"_{letter}_{i}") for i in range(count)]


def at_values(graphs: Sequence[Expr], values: Mapping[Expr, Scalar]) -> list[Scalar]:
    """Return expressions with values for their symbols: numbers, arrays or expressions."""
    if is_symbolic(*values.values()):
        return substitute(graphs, values)
    # numpy only where numbers are asked for
    from dalembert.expr.evaluate import evaluate

    return evaluate(graphs, values)


def directions(tree: Tree, q: Values) -> list[dict[Expr, Expr]]:
    """Return for each velocity the rates of the positions when it is 1 and all others are 0.

    A quaternion Q has the rate ½ Q (0, ω), and a free body's position the rate R u.
    """
    rates: list[dict[Expr, Expr]] = [{} for _ in range(tree.nv)]
    for node in tree.nodes:
        if not node.joint.nv or not node.positions:
            continue
        here = [q[i] for i in node.positions]
        units: list[Vec] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
        turns = units if not node.joint.is_scalar else []
        turned = [quaternion.product(_four(here[-4:]), (0, *w)) for w in turns]
        steps: list[list[Scalar]] = [[ratio(x, 2) for x in Q] for Q in turned]
        match node.joint.kind:
            case JointKind.SPHERICAL:
                pass
            case JointKind.FLOATING:
                columns = transpose(quaternion.to_matrix(_four(here[3:])))
                still = [0, 0, 0, 0]
                steps = [[*u, *still] for u in columns] + [[*ZERO, *step] for step in steps]
            case _:
                steps = [[1]]
        for place, step in zip(node.velocities, steps, strict=True):
            rates[place] = {x: as_expr(dx) for x, dx in zip(here, step, strict=True)}
    return rates


def _four(x: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    return x[0], x[1], x[2], x[3]
