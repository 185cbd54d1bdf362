"""Loops in machine code of this processor."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kernel.backends.native.kernel import WORTH_A_THREAD, Entry
from dalembert.kernel.backends.native.threads import run_range
from dalembert.kernel.call.arguments import as_rows
from dalembert.kernel.call.kernel import Call
from dalembert.kernel.call.loop import Loop, LoopKernel, LoopRun, Recorded
from dalembert.kernel.call.loop_arguments import loop_arguments

if TYPE_CHECKING:
    from dalembert.types import ArrayLike

# more than any number of steps: no record is ever due
NEVER = 1 << 62


class NativeLoop(LoopKernel):
    """A loop as machine code: a function of arrays and a number of steps."""

    def __init__(
        self,
        loop: Loop,
        single: Callable[[], Entry],
        wide: Callable[[], Entry],
        threads: int,
        fast_call: Callable[[int, Call], Call],
        dtype: str = "float64",
    ) -> None:
        super().__init__(loop)
        self.threads, self.dtype = threads, dtype
        self._make_single, self._make_wide, self._fast_call = single, wide, fast_call

    def with_fast_calls(self, steps: int, fallback: Call) -> Call:
        """Return a function of plain arrays of one sample; all other calls go to ``fallback``."""
        return fallback if self.loop.sequences else self._fast_call(steps, fallback)

    @cached_property
    def single(self) -> Entry:
        """The code that runs samples one by one."""
        return self._make_single()

    @cached_property
    def wide(self) -> Entry:
        """The code that runs samples side by side."""
        return self._make_wide()

    def __call__(self, *arrays: ArrayLike, steps: int, record: int = 0) -> LoopRun:
        """Run the steps."""
        loop, program, dtype = self.loop, self.loop.program, self.dtype
        checked, ports, batch = loop_arguments(loop, arrays, steps, record, dtype)
        outputs = tuple(np.zeros((*batch, *port.shape), dtype) for port in program.outputs)
        count = np.zeros(batch, dtype)
        rows, size = steps // record if record else 0, count.itemsize
        records = tuple(
            np.empty((*batch, rows, *program.outputs[k].shape), dtype) for k in loop.recorded
        )
        if not steps or not math.prod(batch):
            for k, number in enumerate(loop.memory):
                if number is not None:
                    outputs[k][...] = checked[number]
            return LoopRun(outputs, count, records if record else (), True)
        pairs = [as_rows(a, full, batch) for a, full in zip(checked, ports, strict=True)]
        pairs += [(o, size * port.size) for o, port in zip(outputs, program.outputs, strict=True)]
        pairs += [(count, size)]
        pairs += [
            (r, size * rows * program.outputs[k].size)
            for r, k in zip(records, loop.recorded, strict=True)
        ]
        numbers = [n for array, stride in pairs for n in (array.ctypes.data, stride)]
        numbers += [steps, record or NEVER]
        numbers += [size * port.size for k, port in enumerate(loop.inputs) if loop.is_sequence(k)]
        table = (ctypes.c_int64 * len(numbers))(*numbers)
        flag = self._run(table, math.prod(batch), steps)
        # the flag is a sum, which may overflow although its parts are finite
        is_finite = not flag or all(bool(np.isfinite(output).all()) for output in outputs)
        return LoopRun(outputs, count, records if record else (), is_finite)

    def recorder(self, steps: int) -> Callable[..., Recorded]:
        """Return a function with memory of its own for one sample; see `LoopKernel.recorder`."""
        loop, program, dtype = self.loop, self.loop.program, self.dtype
        sequences = [loop.is_sequence(k) for k in range(len(loop.inputs))]
        shapes = [
            (steps, *port.shape) if is_row else port.shape
            for port, is_row in zip(loop.inputs, sequences, strict=True)
        ]
        given = [np.empty(shape, dtype) for shape in shapes]
        records = [np.empty((steps, *program.outputs[k].shape), dtype) for k in loop.recorded]
        outputs = [np.empty(port.shape, dtype) for port in program.outputs]
        size, one = given[0].itemsize, np.empty((), dtype)
        memory = [*given, *outputs, one, *records]
        numbers = [n for array in memory for n in (array.ctypes.data, 0)] + [steps, 1]
        numbers += [
            size * port.size for port, is_row in zip(loop.inputs, sequences, strict=True) if is_row
        ]
        table: Any = (ctypes.c_int64 * len(numbers))(*numbers)
        # the table keeps the arrays alive
        table.arrays = memory
        entry, lock = self.single.run, threading.Lock()

        def run(*arrays: ArrayLike) -> Recorded:
            # threads share the memory
            with lock:
                for place, array in zip(given, arrays, strict=True):
                    place[...] = array
                flag = entry(table, 0, 1)
                is_finite = not flag or all(bool(np.isfinite(x).all()) for x in outputs)
                return Recorded(tuple(x.copy() for x in records), is_finite)

        return run

    def _run(self, table: Any, samples: int, steps: int) -> int:
        entry = self.wide if samples > 1 and samples >= self.wide.width else self.single
        work = samples * steps * max(self.loop.flops, 1)
        threads = min(self.threads, 1 + work // (1 + WORTH_A_THREAD))
        return run_range(entry.run, table, samples, threads, entry.width)
