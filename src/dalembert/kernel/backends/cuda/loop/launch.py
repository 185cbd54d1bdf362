"""A loop on a CUDA device: one thread runs all steps of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.cuda.arrays import FAMILIES, Family, family_of, require_cupy
from dalembert.kernel.backends.cuda.compiling import (
    MANY_VALUES,
    OPTIONS,
    REGISTERS_OF_A_MULTIPROCESSOR,
    registers,
)
from dalembert.kernel.backends.cuda.loop.plan import plan_loop, result_distances
from dalembert.kernel.backends.cuda.loop.source import THREADS, loop_arrays, loop_source
from dalembert.kernel.backends.cuda.split.steps import MAX_BLOCKS
from dalembert.kernel.backends.native.loop import NEVER
from dalembert.kernel.call.arguments import as_array, check_count
from dalembert.kernel.call.explain import check_inputs
from dalembert.kernel.call.loop import Loop, LoopKernel, LoopRun, check_steps
from dalembert.kernel.program.liveness import live_counts

if TYPE_CHECKING:
    from dalembert.types import ArrayLike


class CudaLoop(LoopKernel):
    """A loop on a CUDA device: a function of arrays and a number of steps.

    Arrays of CuPy, JAX or PyTorch stay on their device, and results are of the same kind. Numbers
    and arrays of NumPy are copied there; without any other array results are of CuPy. New arrays
    have their batch last in memory (not those of JAX).
    """

    def __init__(self, loop: Loop, dtype: str = "float32") -> None:
        real_type(dtype)
        super().__init__(loop)
        self.dtype = dtype
        self._kernels: dict[int, Any] = {}

    def source(self) -> str:
        """Return the CUDA text."""
        return loop_source(self.loop, self.dtype)

    def __call__(self, *arrays: ArrayLike, steps: int, record: int = 0) -> LoopRun:
        """Run the steps and wait for them; results lie where the arrays do.

        Raises:
            EvaluationError: wrong number, kind, device, dtype or shape of arrays.
        """
        loop, program = self.loop, self.loop.head
        check_count(arrays, program.inputs, f"for {program.name}")
        check_steps(steps, record, program.name)
        cupy = require_cupy()
        family, device = self._family(arrays)
        with cupy.cuda.Device(device), family.stream(device):
            given = [
                family.from_host(self._checked(a, k), self.dtype, device) if is_of_host(a) else a
                for k, a in enumerate(cast("tuple[Any, ...]", arrays))
            ]
            views = [family.view(array) for array in given]
            batch, distances = plan_loop(loop, self.dtype, views, steps)
            rows = steps // record if record else 0
            results = self._empty(family, batch, rows, device)
            flag = cupy.zeros(1, cupy.uint64)
            if math.prod(batch):
                numbers: list[int] = []
                is_batch_last = not family.waits
                for view, each in zip(views, distances, strict=True):
                    numbers += (view.address, *each)
                for array, at in zip(results, loop_arrays(loop)[len(views) :], strict=True):
                    count = rows if at.has_rows else None
                    each = result_distances(batch, at.port, count, is_batch_last=is_batch_last)
                    numbers += (family.view(array).address, *each)
                numbers += (math.prod(batch), steps, record or NEVER, flag.data.ptr)
                self._launch(device, math.prod(batch), numbers)
            is_finite = not int(flag[0])
            finished = [family.finished(array) for array in results]
        n = len(loop.outputs)
        records = tuple(finished[n + 1 :]) if record else ()
        return LoopRun(tuple(finished[:n]), finished[n], records, is_finite)

    def _family(self, arrays: Sequence[Any]) -> tuple[Family, int]:
        """Return the package of the arrays on a device; CuPy and the current one without any."""
        there = [array for array in arrays if not is_of_host(array)]
        if there:
            return family_of(there, self.loop.name)
        return FAMILIES["cupy"], int(require_cupy().cuda.Device().id)

    def _checked(self, value: Any, k: int) -> np.ndarray:
        """Return numbers of the host, all finite."""
        program = self.loop.head
        port = program.inputs[k]
        array = as_array(value, port, program.name)
        check_inputs(replace(program, inputs=(port,)), [array])
        return array

    def _empty(self, family: Family, batch: Sequence[int], rows: int, device: int) -> list[Any]:
        """Return new arrays for outputs, steps and records."""
        results = []
        for at in loop_arrays(self.loop)[len(self.loop.inputs) :]:
            dtype = "float64" if at.type == "double" else self.dtype
            inner = (rows, *at.port.shape) if at.has_rows else at.port.shape
            if family.waits:
                results.append(family.empty((*batch, *inner), dtype, device))
                continue
            array = family.empty((*inner, *batch), dtype, device)
            n = len(inner)
            results.append(family.permuted(array, (*range(n, n + len(batch)), *range(n))))
        return results

    def _launch(self, device: int, samples: int, numbers: Sequence[int]) -> None:
        if device not in self._kernels:
            # a state lives on besides
            alive = max(MANY_VALUES + 1, *live_counts(self.loop.program))
            blocks = REGISTERS_OF_A_MULTIPROCESSOR // (registers(alive, self.dtype) * THREADS)
            text = loop_source(self.loop, self.dtype, "kernel", min_blocks=blocks)
            kernel = require_cupy().RawKernel(text, "kernel", options=OPTIONS)
            kernel.preferred_shared_memory_carveout = 0
            self._kernels[device] = kernel
        blocks = min(-(-samples // THREADS), MAX_BLOCKS)
        self._kernels[device]((blocks,), (THREADS,), tuple(numbers))


def is_of_host(array: object) -> bool:
    """Tell whether numbers are in the memory of the host."""
    return isinstance(array, np.ndarray | np.generic | int | float | list | tuple)
