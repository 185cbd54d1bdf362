"""A CUDA loop on the CPU: its text compiled as C++, threads one after the other."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dalembert.kernel.backends.cuda.loop.plan import plan_loop, result_distances
from dalembert.kernel.backends.cuda.loop.source import loop_arrays, loop_source
from dalembert.kernel.backends.cuda.pieces import MAX_INSTRUCTIONS
from dalembert.kernel.backends.cuda.plan import View
from dalembert.kernel.backends.native.loop import NEVER
from dalembert.kernel.call.loop import Loop, LoopRun
from tests.unit.kernel.backends.cuda.emulator import COMPILER, PREFIX

SUFFIX = """
extern "C" void emulate(int blocks, int threads, void** data, const long long* distance,
                        long long samples, long long steps, long long between,
                        unsigned long long* flag)
{{
    blockDim.x = threads;
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
            k({arguments}, samples, steps, between, flag);
}}
"""


class EmulatedLoop:
    """Call it as a loop of the device."""

    def __init__(
        self, loop: Loop, dtype: str, folder: Path, max_instructions: int = MAX_INSTRUCTIONS
    ) -> None:
        if COMPILER is None:
            pytest.skip("no C++ compiler")
        self.loop, self.dtype, self.arrays = loop, dtype, loop_arrays(loop)
        arguments, at = [], 0
        for number, array in enumerate(self.arrays):
            arguments.append(f"({array.type}*)data[{number}]")
            for _ in range(3 if array.has_rows else 2):
                arguments.append(f"distance[{at}]")
                at += 1
        source = loop_source(loop, dtype, "k", max_instructions=max_instructions)
        text = PREFIX + source + SUFFIX.format(arguments=", ".join(arguments))
        (folder / "loop.cpp").write_text(text, encoding="ascii")
        flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-Wall", "-Werror"]
        # a loop may not need every result of a step
        flags += ["-Wno-unused-variable", "-Wno-unused-but-set-variable"]
        command = [COMPILER, *flags, "loop.cpp", "-o", "loop.so"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.function = ctypes.CDLL(str(folder / "loop.so")).emulate

    def __call__(
        self, *arrays: np.ndarray, steps: int, record: int = 0, is_batch_last: bool = True
    ) -> LoopRun:
        """Run the steps with results in either layout."""
        loop = self.loop
        given = [np.asarray(a, self.dtype) for a in arrays]
        batch, distances = plan_loop(loop, self.dtype, [view(a) for a in given], steps)
        rows = steps // record if record else 0
        results = []
        numbers = list(distances)
        for at in self.arrays[len(given) :]:
            inner = (rows, *at.port.shape) if at.has_rows else at.port.shape
            dtype = "float64" if at.type == "double" else self.dtype
            shape = (*inner, *batch) if is_batch_last else (*batch, *inner)
            # a number that nothing wrote shows
            results.append(np.full(shape, np.nan, dtype))
            count = rows if at.has_rows else None
            numbers.append(result_distances(batch, at.port, count, is_batch_last=is_batch_last))
        flag = self._run([*given, *results], numbers, batch, steps, record)
        if is_batch_last:
            axes = range(-len(batch), 0)
            results = [np.moveaxis(a, axes, range(len(batch))) for a in results]
        n = len(loop.program.outputs)
        return LoopRun(tuple(results[:n]), results[n], tuple(results[n + 1 :]), not flag)

    def _run(
        self,
        arrays: Sequence[np.ndarray],
        distances: Sequence[Sequence[int]],
        batch: Sequence[int],
        steps: int,
        record: int,
    ) -> int:
        flag = ctypes.c_ulonglong(0)
        flat = [n for each in distances for n in each]
        self.function(
            2,
            32,
            (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays)),
            (ctypes.c_longlong * len(flat))(*flat),
            ctypes.c_longlong(int(np.prod(batch))),
            ctypes.c_longlong(steps),
            ctypes.c_longlong(record or NEVER),
            ctypes.byref(flag),
        )
        return flag.value


def view(array: np.ndarray) -> View:
    """Return an array of the host as if it were on the device."""
    strides = tuple(s // array.itemsize for s in array.strides)
    return View(array.ctypes.data, array.shape, strides, array.dtype.name, array)
