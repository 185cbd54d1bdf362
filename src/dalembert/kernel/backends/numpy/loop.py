"""Loops over numpy arrays: the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kernel.backends.base import checked_dtype
from dalembert.kernel.call.loop import Loop, LoopKernel, LoopRun
from dalembert.kernel.call.loop_arguments import loop_arguments
from dalembert.kernel.program.reference import run

if TYPE_CHECKING:
    from dalembert.types import ArrayLike


class NumpyLoop(LoopKernel):
    """One numpy operation for each instruction of each step."""

    def __init__(self, loop: Loop, dtype: str = "float64") -> None:
        super().__init__(loop)
        self.dtype = checked_dtype(dtype)

    def __call__(self, *arrays: ArrayLike, steps: int, record: int = 0) -> LoopRun:
        """Run the steps."""
        given = loop_arguments(self.loop, arrays, steps, record, self.dtype).arrays
        with np.errstate(all="ignore"):
            outputs, count, records = run_reference(self.loop, given, steps, record)
        is_finite = all(bool(np.isfinite(o).all()) for o in outputs)
        return LoopRun(outputs, count, records, is_finite)


def run_reference(
    loop: Loop, arrays: Sequence[Any], steps: int, record: int = 0
) -> tuple[tuple[Any, ...], Any, tuple[Any, ...]]:
    """Return outputs, steps and records by the reference backend, one step after the other."""
    program = loop.program
    values = [np.asarray(a) for a in arrays]
    dtype = np.result_type(np.float32, *values)
    values = [a.astype(dtype) for a in values]
    batch = np.broadcast_shapes(
        *(
            a.shape[: a.ndim - len(port.shape) - loop.is_sequence(k)]
            for k, (a, port) in enumerate(zip(values, program.inputs, strict=True))
        )
    )
    outputs = [np.zeros((*batch, *port.shape), dtype) for port in program.outputs]
    for k, number in enumerate(loop.memory):
        if number is not None:
            outputs[k] = np.broadcast_to(values[number], outputs[k].shape).copy()
    active, count = np.ones(batch, bool), np.zeros(batch, dtype)
    names = [port.name for port in program.outputs]
    records: list[list[Any]] = [[] for _ in loop.recorded]
    for step in range(steps):
        now = [
            a[(..., step, *(slice(None),) * len(port.shape))] if loop.is_sequence(k) else a
            for k, (a, port) in enumerate(zip(values, program.inputs, strict=True))
        ]
        for k, value in enumerate(run(program, now)):
            chosen = active.reshape((*batch, *(1,) * (value.ndim - len(batch))))
            outputs[k] = np.where(chosen, value, outputs[k])
            number = loop.memory[k]
            if number is not None:
                values[number] = outputs[k]
        count += active
        if loop.stop is not None:
            active = active & (outputs[names.index(loop.stop)].reshape(batch) > 0)
        if record and (step + 1) % record == 0:
            for place, k in enumerate(loop.recorded):
                records[place].append(outputs[k])
    stacked = tuple(
        np.stack(r, axis=len(batch))
        if r
        else np.zeros((*batch, 0, *program.outputs[k].shape), dtype)
        for r, k in zip(records, loop.recorded, strict=True)
    )
    return tuple(outputs), count, stacked if record else ()
