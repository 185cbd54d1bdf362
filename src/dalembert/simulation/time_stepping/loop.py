"""The compiled loop of time steps: contacts, stops and friction of many robots in one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, parameters, substitute
from dalembert.simulation.problem.kernels import time_symbol
from dalembert.simulation.rollouts.arguments import Symbols
from dalembert.simulation.rollouts.loop import RolloutLoop, check_symbols
from dalembert.simulation.time_stepping.groups import Group
from dalembert.simulation.time_stepping.step import StepRecord, contact_step, num_impulses

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.time_stepping.method import TimeStepping
    from dalembert.types import Scalar


def stepping_loop(
    model: Model,
    law: Sequence[Scalar],
    method: TimeStepping,
    symbols: Mapping[str, Symbols],
    groups: Sequence[Group],
    *,
    has_controls: bool,
) -> RolloutLoop:
    """Return the loop of time steps of a model, made once; see `rollout_loop`.

    Beside the state it carries impulses, from which the next step starts, and its `StepRecord`.

    Raises:
        EvaluationError: the model has constraints, or a symbol has no value.
    """
    _check(model)
    key = ("stepping", tuple(law), method, tuple(symbols.items()), tuple(groups), has_controls)
    return model.once(key, lambda: _loop(model, law, method, symbols, groups, has_controls))


def _loop(
    model: Model,
    law: Sequence[Scalar],
    method: TimeStepping,
    symbols: Mapping[str, Symbols],
    groups: Sequence[Group],
    has_controls: bool,
) -> RolloutLoop:
    h, number = parameters("rollout_step rollout_number")
    count = num_impulses(groups)
    held = [parameters(f"rollout_impulse{k}")[0] for k in range(count)]
    names = "rollout_residual rollout_unsolved rollout_depth rollout_sweeps"
    before = StepRecord(*parameters(names))
    found = contact_step(model, law, groups, method, h, held, before)
    outputs: dict[str, list] = {
        "q_next": found.q,
        "qd_next": found.v,
        "said_next": list(found.record),
    }
    if count:
        outputs["impulses_next"] = found.impulses
    parts = [x for group in groups for row in group.rows for x in row if isinstance(x, Expr)]
    time = time_symbol(model, [*law, *parts])
    turns = found.turns
    used = [x for part in outputs.values() for x in part if isinstance(x, Expr)]
    own = {h, *held, *before, *model.symbols.q, *model.symbols.qd}
    if turns is not None:
        used += [as_expr(x) for each in (turns.start, turns.turn) for y in each.values() for x in y]
        own |= {x for symbols in turns.state.values() for x in symbols}
    check_symbols(model, used, law, symbols, own | {time}, has_controls=has_controls)
    if time is not None:
        at = {time: number * h}
        outputs = {name: substitute(x, at) for name, x in outputs.items()}
        turns = None if turns is None else turns.substituted(at)
    inputs: dict[str, Any] = {"q": model.symbols.q, "qd": model.symbols.qd, "said": list(before)}
    if count:
        inputs["impulses"] = held
    carried = {f"{name}_next": name for name in inputs}
    inputs["step"] = h
    if time is not None:
        inputs["number"], outputs["number_next"] = number, number + 1  # type: ignore[assignment]
        carried["number_next"] = "number"
    inputs |= symbols
    sequences: tuple[str, ...] = ()
    if has_controls:
        inputs["controls"], sequences = list(model.symbols.inputs), ("controls",)
    run = model.loop(
        outputs, inputs, carried, sequences=sequences, turns=turns, name="time_stepping"
    )
    memory = (np.zeros(len(before)), *([np.zeros(count)] if count else []))
    return RolloutLoop(run, time is not None, memory)


def _check(model: Model) -> None:
    """Raise unless time steps cover a model."""
    # a system has no joints, whose damping and bases the steps look at
    model.mechanism  # noqa: B018
    if model.description.has_constraints:
        raise EvaluationError(
            "expected a mechanism without loops and couplings for TimeStepping, got constraints: "
            "da.simulate takes them with contacts"
        )
