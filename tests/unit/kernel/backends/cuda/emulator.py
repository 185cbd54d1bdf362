"""A CUDA kernel on the CPU: its text compiled as C++, each thread of a block a thread here."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dalembert.kernel.backends.cuda.source import THREADS

COMPILER = shutil.which("g++") or shutil.which("clang++")

PREFIX = """
#include <math.h>
#include <pthread.h>
#define __global__
#define __shared__
#define __device__
#define __noinline__
#define __launch_bounds__(...)
#define __ldg(address) (*(address))
#define __syncwarp() pthread_barrier_wait(&warps[threadIdx.x / 32])
struct Index { unsigned x; };
static thread_local Index threadIdx;
static Index blockIdx, blockDim, gridDim;
pthread_barrier_t warps[32];
"""

SUFFIX = """
real tiles[1 << 16];
static real** data_;
static const long long *batch_, *step_;
static long long samples_;
static unsigned long long* flag_;

static void* thread(void* number)
{{
    threadIdx.x = (unsigned)(long)number;
    {name}({arguments}, samples_, flag_);
    return 0;
}}

extern "C" void emulate(int blocks, int threads, real** data, const long long* batch,
                        const long long* step, long long samples, unsigned long long* flag)
{{
    data_ = data, batch_ = batch, step_ = step, samples_ = samples, flag_ = flag;
    blockDim.x = threads;
    gridDim.x = blocks;
    for (int w = 0; w < threads / 32; ++w) pthread_barrier_init(&warps[w], 0, 32);
    for (int b = 0; b < blocks; ++b) {{
        blockIdx.x = b;
        // what one block leaves behind is garbage to the next
        for (real& x : tiles) x = NAN;
        pthread_t team[1024];
        for (long t = 0; t < threads; ++t) pthread_create(&team[t], 0, thread, (void*)t);
        for (long t = 0; t < threads; ++t) pthread_join(team[t], 0);
    }}
}}
"""


class Emulator:
    """A compiled kernel with ``count`` arrays."""

    def __init__(self, source: str, name: str, count: int, folder: Path) -> None:
        if COMPILER is None:
            pytest.skip("no C++ compiler")
        arguments = ", ".join(f"data_[{k}], batch_[{k}], step_[{k}]" for k in range(count))
        text = PREFIX + source + SUFFIX.format(name=name, arguments=arguments)
        (folder / "kernel.cpp").write_text(text, encoding="ascii")
        flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-pthread", "-Wall", "-Werror"]
        # a kernel may not need every input
        flags += ["-Wno-unknown-pragmas", "-Wno-unused-variable"]
        command = [COMPILER, *flags, "kernel.cpp", "-o", "kernel.so"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.function = ctypes.CDLL(str(folder / "kernel.so")).emulate

    def run(
        self,
        arrays: Sequence[np.ndarray],
        layouts: Sequence[tuple[int, int]],
        samples: int,
        blocks: int = 2,
        threads: int = THREADS,
    ) -> int:
        """Run over the memory of arrays; return what the kernel left in its flag."""
        flag = ctypes.c_ulonglong(0)
        count = len(arrays)
        self.function(
            blocks,
            threads,
            (ctypes.c_void_p * count)(*(array.ctypes.data for array in arrays)),
            (ctypes.c_longlong * count)(*(batch for batch, _ in layouts)),
            (ctypes.c_longlong * count)(*(step for _, step in layouts)),
            ctypes.c_longlong(samples),
            ctypes.byref(flag),
        )
        return flag.value
