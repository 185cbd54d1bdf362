"""ẋ of a motion as expressions: what every integrator and every rollout works with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, as_expr, substitute
from dalembert.model.dry_friction import without_dry_friction

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Scalar


def state_rate(
    model: Model,
    inputs: Sequence[Scalar],
    *,
    is_audited: bool = False,
    rows: tuple[int, ...] | None = None,
    has_dry_friction: bool = True,
) -> list[Expr]:
    """Return ẋ = (dq/dt, q̈) at ``model.symbols.q`` and ``model.symbols.qd``, constraints included.

    Args:
        model: What moves.
        inputs: Expressions for ``model.symbols.inputs``; the symbols themselves leave them open.
        is_audited: Whether the power that comes in and the one that is dissipated follow.
        rows: The constraints that are kept; all if not given.
        has_dry_friction: Whether the dry friction of the model acts; a law may have it instead.
    """
    q, v, u = model.symbols.q, model.symbols.qd, model.symbols.inputs
    if rows is None:
        qdd = model.expressions("forward_dynamics", q, v, u)
    else:
        qdd, _ = model.expressions("constraint_dynamics", q, v, u, rows=rows)
    powers = model.expressions("powers", q, v, model.symbols.qdd, u) if is_audited else ()
    if not has_dry_friction:
        qdd, powers = without_dry_friction(qdd, v), without_dry_friction(powers, v)
    given = {x: as_expr(value) for x, value in zip(u, inputs, strict=True)}
    qdd = substitute([as_expr(x) for x in qdd], given)
    given |= dict(zip(model.symbols.qdd, qdd, strict=True))
    rate = [*model.expressions("configuration_rate", q, v), *qdd]
    return [*rate, *substitute([as_expr(x) for x in powers], given)]
