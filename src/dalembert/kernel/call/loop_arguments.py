"""Arrays as a loop takes them: checked, sequences cut to the steps that are taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.call.arguments import as_array, check_count, common_batch
from dalembert.kernel.call.explain import check_inputs
from dalembert.kernel.call.loop import Loop, check_steps
from dalembert.kernel.program.program import Port

MOST_STEPS = {"float64": 1 << 53, "float32": 1 << 24}
"""Whole numbers up to these have no gaps."""


class LoopArguments(NamedTuple):
    """Arrays, their ports (sequences with an axis for the steps), and the common batch axes."""

    arrays: list[np.ndarray]
    ports: list[Port]
    batch: tuple[int, ...]


def loop_arguments(
    loop: Loop, arrays: Sequence[Any], steps: int, record: int, dtype: str = "float64"
) -> LoopArguments:
    """Return what a loop is called with.

    Raises:
        EvaluationError: a shape, type or number does not fit, or an input is not finite.
    """
    program = loop.head
    check_count(arrays, program.inputs, f"for {program.name}")
    check_steps(steps, record, program.name)
    if steps > MOST_STEPS[dtype]:
        raise EvaluationError(
            f"expected at most {MOST_STEPS[dtype]} steps of {program.name} in {dtype}, which "
            f"counts no further, got {steps}: run them in parts, or compile with dtype='float64'"
        )
    ports = [_long(port, steps, loop.is_sequence(k)) for k, port in enumerate(program.inputs)]
    checked = [
        _cut(as_array(a, port, program.name, dtype=dtype), port, full, steps)
        for a, port, full in zip(arrays, program.inputs, ports, strict=True)
    ]
    check_inputs(program, checked)
    batch = common_batch([a.shape for a in checked], ports, program.name)
    return LoopArguments(checked, ports, batch)


def _long(port: Port, steps: int, is_sequence: bool) -> Port:
    """Return the port with an axis for the steps if it is a sequence."""
    return Port(port.name, (steps, *port.shape)) if is_sequence else port


def _cut(array: np.ndarray, port: Port, full: Port, steps: int) -> np.ndarray:
    """Return a sequence without the steps that are not taken."""
    if full == port:
        return array
    axis = array.ndim - len(full.shape)
    if axis < 0 or array.shape[axis] < steps:
        got = array.shape[axis] if axis >= 0 else 1
        raise EvaluationError(
            f"expected {steps} rows or more in the sequence {port.name}, one for each step, got "
            f"{got}"
        )
    index = (slice(None),) * axis + (slice(0, steps),)
    return array[index]
