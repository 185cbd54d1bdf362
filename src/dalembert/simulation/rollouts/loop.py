"""The compiled loop behind rollouts: one step of the closed loop, written as expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import EvaluationError, UnknownName
from dalembert.expr import parameters, substitute
from dalembert.simulation.problem.kernels import time_symbol
from dalembert.simulation.rollouts.arguments import symbols_of
from dalembert.simulation.rollouts.steps import Flow, Vector, step_of

if TYPE_CHECKING:
    from dalembert.model import Model


class RolloutLoop(NamedTuple):
    """A compiled loop of q, q̇, the step, [the number of the step], parameters, [controls]."""

    run: Any
    is_timed: bool


def rollout_loop(
    model: Model,
    law: Sequence[Any],
    method: str,
    groups: Mapping[str, Any],
    *,
    has_controls: bool,
) -> RolloutLoop:
    """Return the loop of a model under a law, made once.

    Args:
        law: One expression for each of ``model.symbols.inputs``.
        method: Name of the step.
        groups: Symbols whose values are inputs of the loop, one or a tuple, by the name of that
            input.
        has_controls: Whether the inputs in the law stand for a row of numbers each step.

    Raises:
        UnknownName: a symbol with values is in neither the model nor the law.
        EvaluationError: a symbol has no value.
    """
    key = ("rollout", tuple(law), method, tuple(groups.items()), has_controls)

    def make() -> RolloutLoop:
        return _Writer(model, law, groups, has_controls).loop(method)

    return model.once(key, make)


class _Writer:
    """One step as expressions of the state, of time and of all that has values."""

    def __init__(
        self, model: Model, law: Sequence[Any], groups: Mapping[str, Any], has_controls: bool
    ) -> None:
        self.model, self.groups, self.has_controls = model, groups, has_controls
        self.time = time_symbol(model, law)
        # q̈ of the closed loop
        self.qdd = list(
            model.expressions("forward_dynamics", model.symbols.q, model.symbols.qd, law)
        )
        self._check_symbols(law)

    def loop(self, method: str) -> RolloutLoop:
        """Return the compiled loop of a method."""
        model = self.model
        h, number = parameters("rollout_step rollout_number")
        q, v = list(model.symbols.q), list(model.symbols.qd)
        t = None if self.time is None else number * h
        flow = Flow(self._position_rate, self._acceleration)
        next_q, next_v = step_of(method)(flow, t, q, v, h)
        next_q = model.expressions("normalized", next_q)
        if model.description.has_constraints:
            next_q, next_v = self._projected(None if t is None else t + h, next_q, next_v)
        outputs: dict[str, Any] = {"q_next": next_q, "qd_next": next_v}
        inputs: dict[str, Any] = {"q": q, "qd": v, "step": h}
        carried = {"q_next": "q", "qd_next": "qd"}
        if t is not None:
            # whole numbers do not round, as a sum of steps would
            inputs["number"], outputs["number_next"] = number, number + 1
            carried["number_next"] = "number"
        inputs |= self.groups
        sequences: tuple[str, ...] = ()
        if self.has_controls:
            inputs["controls"], sequences = list(model.symbols.inputs), ("controls",)
        run = model.loop(outputs, inputs, carried, sequences=sequences, name="rollout")
        return RolloutLoop(run, t is not None)

    def _position_rate(self, q: Vector, v: Vector) -> Vector:
        return self.model.expressions("configuration_rate", q, v)

    def _acceleration(self, t: Any, q: Vector, v: Vector) -> Vector:
        return self._at(self.qdd, t, q, v)

    def _projected(self, t: Any, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state after one step of Newton's method towards the constraints.

        A step leaves errors of a high power of its length, which Newton's method squares.
        """
        model = self.model
        errors = self._at(model.expressions("constraint_error", model.symbols.q), t, q, v)
        if errors:
            change = self._correction(q, errors)
            moved = zip(q, self._position_rate(q, change), strict=True)
            q = model.expressions("normalized", [x + d for x, d in moved])
        rates = self._at(
            model.expressions("constraint_velocity", model.symbols.q, model.symbols.qd), t, q, v
        )
        change = self._correction(q, rates)
        return q, [x + d for x, d in zip(v, change, strict=True)]

    def _correction(self, q: Vector, errors: Vector) -> Vector:
        """Return the smallest change of velocities that takes these errors away."""
        right = [-e for e in errors]
        return self.model.expressions("constraint_correction", q, right, rows=len(right))

    def _at(self, expressions: Sequence[Any], t: Any, q: Vector, v: Vector) -> Vector:
        """Return expressions of the model's symbols at another state."""
        model = self.model
        values = dict(zip((*model.symbols.q, *model.symbols.qd), (*q, *v), strict=True))
        if self.time is not None:
            values[self.time] = t
        return list(substitute(expressions, values))

    def _check_symbols(self, law: Sequence[Any]) -> None:
        """Raise unless every symbol has a value, and every value a symbol."""
        model = self.model
        given = [x for group in self.groups.values() for x in symbols_of(group)]
        used = {x: None for e in self.qdd for x in e.symbols}
        known = {*model.symbols.q, *model.symbols.qd, *given, self.time}
        if self.has_controls:
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
        used.update({x: None for e in law if hasattr(e, "symbols") for x in e.symbols})
        for x in given:
            if x not in used and x not in model.symbols.parameters:
                raise UnknownName(
                    f"expected parameters of the model or of the law, got {x}, which neither has"
                )
