"""Loops over numpy arrays: the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kernel.backends.base import checked_dtype
from dalembert.kernel.call.inner import Inner
from dalembert.kernel.call.loop import Loop, LoopKernel, LoopRun
from dalembert.kernel.call.loop_arguments import loop_arguments
from dalembert.kernel.program.program import Program
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
    program, ports = loop.program, loop.inputs
    values = [np.asarray(a) for a in arrays]
    dtype = np.result_type(np.float32, *values)
    values = [a.astype(dtype) for a in values]
    batch = np.broadcast_shapes(
        *(
            a.shape[: a.ndim - len(port.shape) - loop.is_sequence(k)]
            for k, (a, port) in enumerate(zip(values, ports, strict=True))
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
            for k, (a, port) in enumerate(zip(values, ports, strict=True))
        ]
        if loop.inner is not None:
            now = _turned(loop.inner, program, now, active)
        for k, value in enumerate(run(program, now)):
            outputs[k] = _chosen(active, value, outputs[k])
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


def _turned(inner: Inner, program: Program, arrays: Sequence[Any], active: np.ndarray) -> list[Any]:
    """Return what a program reads after the turns of a step."""
    started = run(inner.start, arrays)
    values: list[Any] = [started[k] for k in inner.begin]
    outputs: list[Any] = []
    for _ in range(inner.most):
        found = run(inner.turn, values)
        outputs = [_chosen(active, x, y) for x, y in zip(found, outputs or found, strict=True)]
        for number, value in zip(inner.memory, outputs, strict=True):
            if number is not None:
                values[number] = value
        active = active & (outputs[inner.stop_number] > 0)
        if not active.any():
            break
    known = {"loop": arrays, "start": started, "turn": outputs}
    return [known[kind][number] for kind, number in inner.sources(program)]


def _chosen(active: np.ndarray, new: Any, old: Any) -> Any:
    """Return what is new of the samples that are active."""
    return np.where(active.reshape((*active.shape, *(1,) * (new.ndim - active.ndim))), new, old)
