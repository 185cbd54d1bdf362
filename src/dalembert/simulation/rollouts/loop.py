"""The compiled loop behind rollouts: one step of the closed loop, written as expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError, UnknownName
from dalembert.expr import Expr, parameters, substitute
from dalembert.expr.graph import free_symbols
from dalembert.model.formulas.rows import picked
from dalembert.simulation.problem.kernels import time_symbol
from dalembert.simulation.problem.state_rate import state_rate
from dalembert.simulation.rollouts.arguments import Symbols, symbols_of

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.explicit import ExplicitMethod
    from dalembert.types import Scalar


class RolloutLoop(NamedTuple):
    """A compiled loop of q, q̇, memory, step, [number of the step], parameters, [controls].

    ``memory`` has the first values of what else the steps carry from one to the next.
    """

    run: Callable[..., Any]
    is_timed: bool
    memory: tuple[np.ndarray, ...] = ()


def rollout_loop(
    model: Model,
    law: Sequence[Scalar],
    method: ExplicitMethod,
    groups: Mapping[str, Symbols],
    *,
    has_controls: bool,
    kept: tuple[int, ...] | None = None,
) -> RolloutLoop:
    """Return the loop of a model under a law, made once.

    Args:
        model: What moves.
        law: One expression for each of ``model.symbols.inputs``.
        method: Whose step to take; its length is an input of the loop.
        groups: Symbols whose values are inputs of the loop, one or a tuple, by the name of that
            input.
        has_controls: Whether the inputs in the law stand for a row of numbers each step.
        kept: The constraints that are kept, where the others depend on them; all if not given.

    Raises:
        UnknownName: a symbol with values is in neither the model nor the law.
        EvaluationError: a symbol has no value.
    """
    key = ("rollout", tuple(law), type(method), tuple(groups.items()), has_controls, kept)
    return model.once(key, lambda: _loop(model, law, method, groups, has_controls, kept))


def _loop(
    model: Model,
    law: Sequence[Scalar],
    method: ExplicitMethod,
    groups: Mapping[str, Symbols],
    has_controls: bool,
    kept: tuple[int, ...] | None,
) -> RolloutLoop:
    motion = SymbolicMotion(model, law, kept)
    known = {*motion.state, motion.time}
    check_symbols(model, motion.rates, law, groups, known, has_controls=has_controls)
    h, number = parameters("rollout_step rollout_number")
    t = number * h
    x, _ = method.advance(motion, t, np.array(motion.state, dtype=object), h)
    q, v = list(x[: model.nq]), list(x[model.nq :])
    q = model.expressions("normalized", q)
    if model.description.has_constraints:
        q, v = _projected(motion, t + h, q, v)
    outputs: dict[str, Any] = {"q_next": q, "qd_next": v}
    inputs: dict[str, Any] = {"q": list(model.symbols.q), "qd": list(model.symbols.qd), "step": h}
    carried = {"q_next": "q", "qd_next": "qd"}
    if motion.time is not None:
        # whole numbers do not round, as a sum of steps would
        inputs["number"], outputs["number_next"] = number, number + 1
        carried["number_next"] = "number"
    inputs |= groups
    sequences: tuple[str, ...] = ()
    if has_controls:
        inputs["controls"], sequences = list(model.symbols.inputs), ("controls",)
    run = model.loop(outputs, inputs, carried, sequences=sequences, name="rollout")
    return RolloutLoop(run, motion.time is not None)


class SymbolicMotion:
    """The motion of a model under a law, as expressions of any state and time.

    ``kept`` are the rows of constraints that act, None for all.
    """

    def __init__(
        self, model: Model, law: Sequence[Scalar], kept: tuple[int, ...] | None = None
    ) -> None:
        self.model, self.nq = model, model.nq
        self.state = (*model.symbols.q, *model.symbols.qd)
        self.time = time_symbol(model, law)
        self.rates = state_rate(model, law, rows=kept)
        self.kept = tuple(range(len(model.description.constraint_names))) if kept is None else kept

    def rate(self, t: Expr, x: np.ndarray) -> np.ndarray:
        """Return ẋ, an array of expressions."""
        return np.array(self.at(self.rates, t, list(x)), dtype=object)

    def moved(self, q: np.ndarray, v: np.ndarray, h: Expr) -> np.ndarray:
        """Return q + h dq/dt; quaternions are scaled to length one after the step."""
        rate = self.model.expressions("configuration_rate", list(q), list(v))
        return q + h * np.array(rate, dtype=object)

    def at(self, expressions: Sequence[Expr], t: Expr, x: Sequence[Expr]) -> list[Expr]:
        """Return expressions of the model's symbols at another state and time."""
        values = dict(zip(self.state, x, strict=True))
        if self.time is not None:
            values[self.time] = t
        return list(substitute(expressions, values))


def _projected(
    motion: SymbolicMotion, t: Expr, q: list[Expr], v: list[Expr]
) -> tuple[list[Expr], list[Expr]]:
    """Return the state after one step of Newton's method towards the constraints.

    A step leaves errors of a high power of its length, which Newton's method squares.
    """
    model = motion.model
    # A δ = -a(q), q ← q ⊕ δ
    rows = tuple(i for i in motion.kept if i < model.description.num_position_constraints)
    if rows:
        errors = picked(model.expressions("constraint_error", model.symbols.q), rows)
        change = _correction(model, q, motion.at(errors, t, [*q, *v]), rows)
        moved = zip(q, model.expressions("configuration_rate", q, change), strict=True)
        q = model.expressions("normalized", [x + d for x, d in moved])
    # A δ = -(A q̇ + what moves by itself), q̇ ← q̇ + δ
    velocity = model.expressions("constraint_velocity", model.symbols.q, model.symbols.qd)
    errors = motion.at(picked(velocity, motion.kept), t, [*q, *v])
    change = _correction(model, q, errors, motion.kept)
    return q, [x + d for x, d in zip(v, change, strict=True)]


def _correction(
    model: Model, q: list[Expr], errors: list[Expr], rows: tuple[int, ...]
) -> list[Expr]:
    """Return the smallest change of velocities that takes the errors of these rows away."""
    return model.expressions("constraint_correction", q, [-e for e in errors], rows=rows)


def check_symbols(
    model: Model,
    used_in: Sequence[Expr],
    law: Sequence[Scalar],
    groups: Mapping[str, Symbols],
    own: set[Expr | None],
    *,
    has_controls: bool,
) -> None:
    """Raise unless every symbol has a value, and every value a symbol; ``own`` have values."""
    given = [x for group in groups.values() for x in symbols_of(group)]
    used = dict.fromkeys(free_symbols(used_in))
    known = {*own, *given}
    if has_controls:
        known.update(model.symbols.inputs)
    missing = [x for x in used if x not in known]
    if missing:
        remedy = "give parameters={symbol: values}"
        if any(x in model.symbols.inputs for x in missing):
            remedy += ", and controls= for the inputs"
        raise EvaluationError(
            f"expected a value for {', '.join(map(str, missing))} in the rollouts, got none: "
            f"{remedy}"
        )
    used.update({x: None for e in law if isinstance(e, Expr) for x in e.symbols})
    for x in given:
        if x not in used and x not in model.symbols.parameters:
            raise UnknownName(
                f"expected parameters of the model or of the law, got {x}, which neither has"
            )
