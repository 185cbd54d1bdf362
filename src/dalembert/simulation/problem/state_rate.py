"""ẋ of a motion as expressions: what every integrator and every rollout works with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.simulation.problem.energy import powers

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.types import Scalar


def state_rate(model: Model, inputs: Sequence[Scalar], *, is_audited: bool = False) -> list[Expr]:
    """Return ẋ = (dq/dt, q̈) at ``model.q`` and ``model.qd``, constraints included.

    Args:
        model: What moves.
        inputs: Expressions for ``model.inputs``; the symbols themselves leave them open.
        is_audited: Whether the power that comes in and the one that is dissipated follow.
    """
    qdd = model.apply("forward_dynamics", model.q, model.qd, inputs)
    rate = [*model.apply("configuration_rate", model.q, model.qd), *qdd]
    return [*rate, *powers(model, inputs, qdd)] if is_audited else rate
