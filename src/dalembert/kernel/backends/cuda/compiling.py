"""NVRTC: from CUDA text to a kernel that fits the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.cuda.memory import WARP
from dalembert.kernel.backends.cuda.source import THREADS, cuda_source, memories, shared_bytes
from dalembert.kernel.program.liveness import live_counts
from dalembert.kernel.program.program import Program

OPTIONS = ("--std=c++17", "--fmad=true")
MANY_VALUES = 100
"""Values alive at once above which every register counts."""
FEW_THREADS = 64
"""Threads of a block then: its registers are free again when its last warp has ended."""
REGISTERS = {"float32": ((MANY_VALUES, 96), (180, 168)), "float64": ((MANY_VALUES, 168),)}
"""Registers of a thread by the most values alive at once; measured on an H200."""
ALL_REGISTERS = 255
FEW_WARPS = 3
"""Warps of a multiprocessor below which slots in shared memory do not pay."""
REGISTERS_OF_A_MULTIPROCESSOR = 65536
THREADS_OF_TEXT = 64
"""Threads of a block of a kernel with a text of its own."""


class CompiledKernel(NamedTuple):
    """A kernel, the threads of its blocks, and the bytes of shared memory of each."""

    kernel: Any
    threads: int
    shared: int


def compile_kernel(
    program: Program, dtype: str, access: Sequence[str], *, threads: int | None = None
) -> CompiledKernel:
    """Return the kernel that reaches its ports in these ways, for the current device.

    ``threads`` of a block are chosen unless given.
    """
    cupy = require_cupy()
    limit = shared_memory_limit()
    # what other kernels computed is far away: it is read once
    alive = max(live_counts(program, with_inputs="tiled" in access), default=0)
    wanted = registers(alive, dtype)
    if threads is None:
        threads = FEW_THREADS if alive > MANY_VALUES else THREADS
    ways, threads = fitted(program, dtype, access, limit, threads=threads)
    shared = shared_bytes(program, dtype, ways, threads)
    blocks = max(1, REGISTERS_OF_A_MULTIPROCESSOR // (wanted * threads))
    text = cuda_source(program, dtype, "kernel", access=ways, threads=threads, min_blocks=blocks)
    kernel = cupy.RawKernel(text, "kernel", options=OPTIONS)
    kernel.max_dynamic_shared_size_bytes = shared
    kernel.preferred_shared_memory_carveout = carveout(blocks * shared, limit)
    return CompiledKernel(kernel, threads, shared)


def compile_text(text: str) -> CompiledKernel:
    """Return a kernel of a text of its own, which uses no shared memory."""
    kernel = require_cupy().RawKernel(text, "kernel", options=OPTIONS)
    kernel.preferred_shared_memory_carveout = 0
    return CompiledKernel(kernel, THREADS_OF_TEXT, 0)


def shared_memory_limit() -> int:
    """Return the bytes of shared memory that a block may have on the current device."""
    return int(require_cupy().cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])


def carveout(shared: int, limit: int) -> int:
    """Return how many hundredths of the fast memory shall be shared memory, for all blocks.

    The rest caches values for which there are no registers. Unasked, the driver leaves what the
    kernel before had, and one without shared memory runs four times as long.
    """
    return min(100, -(-100 * shared // limit))


def registers(alive: int, dtype: str) -> int:
    """Return how many registers a thread shall have for so many values alive at once.

    With fewer of them more threads are under way; with more of them fewer values go to memory.
    """
    return next((count for most, count in REGISTERS[dtype] if alive <= most), ALL_REGISTERS)


def fitted(
    program: Program, dtype: str, access: Sequence[str], limit: int, *, threads: int = THREADS
) -> tuple[tuple[str, ...], int]:
    """Return ways and threads that fit into shared memory.

    Where it is short, slots leave it if they would let few warps run; then blocks get smaller; at
    last the largest ports go without.
    """
    ways = list(access)
    if FEW_WARPS * shared_bytes(program, dtype, ways, WARP) > limit:
        ways = ["local" if way == "slots" else way for way in ways]
    while shared_bytes(program, dtype, ways, threads) > limit:
        if threads > WARP:
            threads //= 2
        else:
            tiles = [port.tile for port in memories(program, ways)]
            ways[tiles.index(max(tiles))] = "direct"
    return tuple(ways), threads
