"""ẋ of a motion as expressions: what every integrator and every rollout works with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.types import Scalar


def state_rate(
    model: Model,
    inputs: Sequence[Scalar],
    *,
    is_audited: bool = False,
    rows: tuple[int, ...] | None = None,
) -> list[Expr]:
    """Return ẋ = (dq/dt, q̈) at ``model.symbols.q`` and ``model.symbols.qd``, constraints included.

    Args:
        model: What moves.
        inputs: Expressions for ``model.symbols.inputs``; the symbols themselves leave them open.
        is_audited: Whether the power that comes in and the one that is dissipated follow.
        rows: The constraints that are kept; all if not given.
    """
    q, v = model.symbols.q, model.symbols.qd
    if rows is None:
        qdd = model.expressions("forward_dynamics", q, v, inputs)
    else:
        qdd, _ = model.expressions("constraint_dynamics", q, v, inputs, rows=rows)
    rate = [*model.expressions("configuration_rate", q, v), *qdd]
    return [*rate, *model.expressions("powers", q, v, qdd, inputs)] if is_audited else rate
