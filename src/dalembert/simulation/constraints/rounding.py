"""Bounds on the rounding of expressions: what a value cannot be told from zero by."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import ZERO, Expr, abs_, as_expr, postorder
from dalembert.expr.functions import partials
from dalembert.types import Scalar

LEAVES = ("const", "pi", "symbol")


def rounding_bounds(expressions: Sequence[Scalar]) -> list[Expr]:
    """Return for each expression a bound of its rounding error, in units of the last place of 1.

    Every operation rounds its result once and passes on what its operands have lost:
    E(f) = |f| + Σ |∂f/∂aᵢ| E(aᵢ), and E(x) = |x| of a symbol or number. The bound has the unit of
    the expression, so that a tolerance made of it does not depend on units.
    N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.3.
    """
    roots = [as_expr(x) for x in expressions]
    bounds: dict[Expr, Expr] = {}
    for node in postorder(roots):
        total = abs_(node)
        if node.op == "neg":
            total = bounds[node.args[0]]
        elif node.op not in LEAVES:
            for slope, part in zip(partials(node), node.args, strict=True):
                total = total + abs_(slope) * bounds[part]
        bounds[node] = total if node.op != "const" or node.value else ZERO
    return [bounds[x] for x in roots]
