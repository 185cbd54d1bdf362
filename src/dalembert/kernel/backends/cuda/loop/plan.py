"""Where the numbers of a loop's arrays lie, checked without a device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.cuda.layout import layout
from dalembert.kernel.backends.cuda.plan import View, check_dtype
from dalembert.kernel.call.arguments import common_batch
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Port


class LoopPlan(NamedTuple):
    """The batch of a call, and the distances of each input as the kernel takes them."""

    batch: tuple[int, ...]
    distances: tuple[tuple[int, ...], ...]


def plan_loop(loop: Loop, dtype: str, views: Sequence[View], steps: int) -> LoopPlan:
    """Return the plan for these inputs.

    Raises:
        EvaluationError: another dtype or shape, a sequence with too few rows, or samples that are
            not evenly spaced.
    """
    program = loop.head
    samples: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    rows: list[tuple[int, ...]] = []
    for k, (view, port) in enumerate(zip(views, program.inputs, strict=True)):
        check_dtype(view, port, program, dtype)
        shape, strides, row = view.shape, view.strides, ()
        if loop.is_sequence(k):
            shape, strides, row = _without_rows(view, port, steps)
        samples.append((shape, strides))
        rows.append(row)
    batch = common_batch([shape for shape, _ in samples], program.inputs, program.name)
    distances = []
    for (shape, strides), port, row in zip(samples, program.inputs, rows, strict=True):
        place = layout(shape, strides, port, batch, program.name)
        distances.append((place.batch, *row, place.step))
    return LoopPlan(batch, tuple(distances))


def _without_rows(
    view: View, port: Port, steps: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return shape and strides of a sequence without the axis of its rows, and their distance."""
    axis = len(view.shape) - len(port.shape) - 1
    if axis < 0 or view.shape[axis] < steps:
        raise EvaluationError(
            f"expected {steps} rows or more in the sequence {port.name}, one for each step, got "
            f"an array of shape {view.shape}"
        )
    shape = (*view.shape[:axis], *view.shape[axis + 1 :])
    strides = (*view.strides[:axis], *view.strides[axis + 1 :])
    return shape, strides, (view.strides[axis],)


def result_distances(
    batch: Sequence[int], port: Port, rows: int | None, *, is_batch_last: bool
) -> tuple[int, ...]:
    """Return the distances of a new array: of samples, of rows where it has some, of numbers."""
    samples = math.prod(batch)
    if is_batch_last:
        # (rows, places, samples): neighbouring threads write neighbouring numbers
        return (1, samples) if rows is None else (1, port.size * samples, samples)
    return (port.size, 1) if rows is None else (rows * port.size, port.size, 1)
