"""Dry friction, which jumps with the sign of a velocity: whether a model has it, and without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import ZERO, Expr, as_expr, postorder
from dalembert.expr.functions import rebuild

if TYPE_CHECKING:
    from dalembert.model.model import Model
    from dalembert.types import Scalar


def has_dry_friction(model: Model) -> bool:
    """Tell whether joints or motors have dry friction that switches with the sign of a velocity."""

    def look() -> bool:
        force, _ = model.expressions("dry_friction", model.symbols.q, model.symbols.qd)
        return any(node.op == "sign" for node in postorder([as_expr(f) for f in force]))

    return model.once("has dry friction", look)


def without_dry_friction(expressions: Sequence[Scalar], v: Sequence[Expr]) -> list[Expr]:
    """Return expressions with zero in the place of the sign of every velocity."""
    roots, velocities = [as_expr(x) for x in expressions], set(v)
    done: dict[Expr, Expr] = {}
    for node in postorder(roots):
        if node.op == "sign" and velocities.intersection(node.symbols):
            done[node] = ZERO
        else:
            done[node] = rebuild(node, tuple(done[part] for part in node.args))
    return [done[x] for x in roots]
