"""The plans of joints as compiled functions of rows of numbers, one row for each joint."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.control.references.jerk.plan import (
    BRAKES,
    RISES,
    Plan,
    Question,
    earliest_arrival,
    plan,
    state_at,
)
from dalembert.expr import Expr, parameters
from dalembert.model import compile_function

if TYPE_CHECKING:
    from dalembert.types import Array

LANES = 8
"""Rows that run side by side on the widest processors: fewer take as long."""

SAME = 1e-12
"""Part of a duration that counts as none."""

NUM_BRAKE = BRAKES + 2
NUM_PHASES = len(RISES)
NUM_PLAN = NUM_BRAKE + 2 * NUM_PHASES + 1
"""Numbers of a plan: its brake, both motions, the part of the first."""


class Written(NamedTuple):
    """The outputs and inputs of a function, as expressions by name."""

    outputs: dict[str, Any]
    inputs: dict[str, Any]


def written(name: str) -> Written:
    """Return "arrival", "plan" or "state" as expressions."""
    (T,) = parameters("T")
    asked = Question(*parameters(" ".join(Question._fields)))
    if name == "arrival":
        (after,) = parameters("after")
        found = {"arrival": earliest_arrival(after, asked)}
        return Written(found, {"after": after, "asked": list(asked)})
    if name == "plan":
        return Written({"plan": flat(plan(T, asked))}, {"T": T, "asked": list(asked)})
    numbers = list(parameters(" ".join(f"plan{i}" for i in range(NUM_PLAN))))
    start = (asked.p0, asked.v0, asked.a0)
    state = state_at(T, start, nested(numbers), asked.J)
    names: list[str] = ["position", "velocity", "acceleration", "jerk"]
    outputs: dict[str, Any] = dict(zip(names, state, strict=True))
    return Written(outputs, {"t": T, "asked": list(asked), "plan": numbers})


@cache
def kernel(name: str) -> Any:
    """Return one of the functions, compiled at the first call."""
    made = written(name)
    return compile_function(made.outputs, made.inputs, name=f"jerk_{name}")


def flat(found: Plan) -> list[Any]:
    """Return a plan as a list of numbers."""
    return [*found.brake, *found.upper, *found.lower, found.part]


def nested(numbers: list[Expr]) -> Plan:
    """Return a plan of a list of numbers."""
    first, second = NUM_BRAKE, NUM_BRAKE + NUM_PHASES
    brake, upper, lower = numbers[:first], numbers[first:second], numbers[second:-1]
    return Plan(brake, upper, lower, numbers[-1])


def padded(rows: Array) -> Array:
    """Return rows with copies of the last behind them, so that all run side by side."""
    missing = -len(rows) % LANES
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)]) if missing else rows
