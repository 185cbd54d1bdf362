"""NVRTC: from CUDA text to a kernel that fits the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.cuda.memory import WARP
from dalembert.kernel.backends.cuda.source import THREADS, cuda_source, memories, shared_bytes
from dalembert.kernel.program.liveness import live_counts
from dalembert.kernel.program.program import Program

MANY_VALUES = 100
"""Values alive at once above which every register counts."""
BLOCKS = {"float32": 5, "float64": 3}
"""Blocks of 128 threads that a multiprocessor holds at once: leaves 96 and 168 registers each."""
BLOCKS_OF_MANY_VALUES = 2


class CompiledKernel(NamedTuple):
    """A kernel, the threads of its blocks, and the bytes of shared memory of each."""

    kernel: Any
    threads: int
    shared: int


def compile_kernel(
    program: Program, dtype: str, access: Sequence[str], *, threads: int = THREADS
) -> CompiledKernel:
    """Return the kernel that reaches its ports in these ways, for the current device."""
    cupy = require_cupy()
    limit = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
    ways, threads = fitted(program, dtype, access, limit, threads=threads)
    shared = shared_bytes(program, dtype, ways, threads)
    blocks = max(1, min_blocks(program, dtype) * THREADS // threads)
    text = cuda_source(program, dtype, "kernel", access=ways, threads=threads, min_blocks=blocks)
    kernel = cupy.RawKernel(text, "kernel", options=("--std=c++17", "--fmad=true"))
    kernel.max_dynamic_shared_size_bytes = shared
    return CompiledKernel(kernel, threads, shared)


def min_blocks(program: Program, dtype: str) -> int:
    """Return how many blocks of the usual size a multiprocessor shall hold; measured."""
    many = max(live_counts(program), default=0) > MANY_VALUES
    return BLOCKS_OF_MANY_VALUES if many else BLOCKS[dtype]


def fitted(
    program: Program, dtype: str, access: Sequence[str], limit: int, *, threads: int = THREADS
) -> tuple[tuple[str, ...], int]:
    """Return ways and threads that fit into shared memory.

    Where it is short, blocks get smaller; at last the largest ports go without.
    """
    ways = list(access)
    while shared_bytes(program, dtype, ways, threads) > limit:
        if threads > WARP:
            threads //= 2
        else:
            tiles = [port.tile for port in memories(program, ways)]
            ways[tiles.index(max(tiles))] = "direct"
    return tuple(ways), threads
