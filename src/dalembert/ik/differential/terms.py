"""The quadratic program of a tick of differential kinematics, as one compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.expr import Expr
from dalembert.tasks.base import RateTask
from dalembert.tasks.conditions import Conditions, normal_equations, sparse
from dalembert.tasks.speeds import SpeedLimits
from dalembert.tasks.stack import Stack, symbol_list, weighted

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.tasks.limits import Clearance


class Terms(NamedTuple):
    """A function of q, targets and the last velocity, and the names of its conditions.

    It returns H, f, A, lower, upper and the weighted errors; of several priorities H and f hold
    the damping alone, and behind the errors follow the rows and the right side of each.
    """

    kernel: Any
    names: tuple[str, ...]


def terms_of(
    model: Model,
    stack: Stack,
    speeds: SpeedLimits,
    *,
    gain: float,
    damping: float,
    clearances: Sequence[Clearance],
) -> Terms:
    """Return the compiled program of a tick; see `DifferentialIK`."""
    n, pull = model.nv, gain / speeds.dt
    q, before = list(model.symbols.q), symbol_list("before{}", n)
    # min |J v - gain e/dt|² + damping |v|²
    costs, errors = [], []
    for task, e, J in zip(stack.tasks, stack.errors, stack.jacobians, strict=True):
        weights, factor = task.weights, 1 if isinstance(task, RateTask) else pull
        scaled = [w * x for w, x in zip(weights, e, strict=True)]
        costs.append((weighted(weights, J), [factor * x for x in scaled]))
        errors += scaled
    levels = stack.levels(costs)
    H, f = normal_equations(*(levels[0] if len(levels) == 1 else ([], [])), [damping] * n)
    conditions = Conditions([f"limits of {name}" for name in model.configuration.v_names])
    for i, (low, high) in enumerate(
        zip(*speeds.bounds(model, q, before, is_held=False), strict=True)
    ):
        conditions.bound(i, low, high)
    for clearance in clearances:
        _keep_apart(conditions, model, q, clearance, speeds.dt)
    _close_loops(conditions, model, q, pull)
    outputs: dict[str, Any] = {"H": H, "f": f, **conditions.outputs, "e": errors}
    if len(levels) > 1:
        for k, (A, b) in enumerate(levels):
            outputs |= {f"A_{k}": A, f"b_{k}": b}
    inputs = {"q": q, **stack.inputs, "before": before}
    return Terms(model.compile(outputs, inputs, name="ik_tick"), conditions.names)


def _keep_apart(
    conditions: Conditions,
    model: Model,
    q: Sequence[Expr],
    clearance: Clearance,
    dt: float,
) -> None:
    """Add ḋ ≥ -(d - margin)/dt for pairs of shapes."""
    shapes = clearance.shapes(model)
    distances, *_, J = model.expressions("distances", q, pairs=shapes)
    for pair, d, row in zip(shapes, distances, J, strict=True):
        conditions.add(sparse(row), pair.name, (clearance.margin - d) / dt, None)


def _close_loops(conditions: Conditions, model: Model, q: Sequence[Expr], pull: float) -> None:
    """Add A v = -gain a/dt for loops and couplings."""
    if not model.description.has_constraints:
        return
    names = model.description.constraint_names
    a, A = (model.expressions(f"constraint_{x}", q) for x in ("error", "jacobian"))
    for name, error, row in zip(names, a, A, strict=True):
        conditions.add(sparse(row), f"loop {name}", -pull * error, -pull * error)
