"""Derivatives of the accelerations of any model, those with loops included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import ONE, ZERO, by_symbol, jacobian, substitute, tangent, time

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.calling import Time, Values
    from dalembert.types import Array


def slopes(
    model: Model, q: Array, v: Array, u: Array, *, t: Time = None, parameters: Values = None
) -> tuple[Array, Array, Array, Array]:
    """Return q̈, ∂q̈/∂η, ∂q̈/∂q̇ and ∂q̈/∂u; η are body-fixed deviations of orientations."""
    if not model.description.has_constraints:
        options = {"t": t, "parameters": parameters}
        qdd = model.forward_dynamics(q, v, u, **options)  # type: ignore[arg-type]
        return qdd, *model.forward_dynamics_derivatives(q, v, u, **options)  # type: ignore[arg-type]
    run = model.once("slopes of constrained accelerations", lambda: _kernel(model))
    values = _parameter_values(model, parameters)
    at = np.zeros(1) if t is None else np.asarray(t, float)[..., None]
    return tuple(run(q, v, u, at, values))  # type: ignore[return-value]


def _kernel(model: Model) -> Callable[..., Any]:
    """Return the compiled derivatives of the constrained accelerations, from their graph."""
    symbols = model.symbols
    q, v, u = symbols.q, symbols.qd, symbols.inputs
    qdd = model.expressions("forward_dynamics", q, v, u)
    rate = model.expressions("configuration_rate", q, v)
    columns = []
    for k in range(len(v)):
        # q moves with the unit velocity k
        unit = {x: ONE if i == k else ZERO for i, x in enumerate(v)}
        columns.append(tangent(qdd, dict(zip(q, substitute(rate, unit), strict=True))))
    outputs = {
        "qdd": qdd,
        "dqdd_dq": [[column[i] for column in columns] for i in range(len(v))],
        "dqdd_dv": jacobian(qdd, v),
        "dqdd_du": jacobian(qdd, u),
    }
    inputs = {"q": q, "qd": v, "u": u, "t": [time], "parameters": symbols.parameters}
    return model.compile(outputs, inputs, name="slopes")


def _parameter_values(model: Model, parameters: Values) -> Array:
    """Return the values of the open parameters in their order."""
    if parameters is None:
        return np.zeros(0)
    if not isinstance(parameters, Mapping):
        return np.asarray(parameters, float)
    values = by_symbol(model.symbols.parameters, parameters)
    return np.stack([np.asarray(values[x], float) for x in model.symbols.parameters], axis=-1)
