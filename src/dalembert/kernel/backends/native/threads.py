"""A batch over the cores: each thread runs chunks of samples without the GIL."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Run = Callable[[Any, int, int], int]

CHUNKS = 4
"""Chunks for each thread: a slow one delays the others by one of them at most."""


def run_range(run: Run, table: Any, count: int, threads: int, unit: int) -> int:
    """Run samples [0, count) in chunks of ``unit`` or more; return any flag.

    Raises:
        MemoryError: the code found no memory to work in.
    """
    threads = min(threads, count // unit)
    if threads < 2:
        return _checked(run(table, 0, count))
    # whole units; what is left belongs to the last chunk
    chunk = max(1, count // unit // (threads * CHUNKS)) * unit
    if sys.platform == "win32":
        return _checked(run_in_python(run, table, count, threads, chunk))
    from dalembert.kernel.backends.native.share import share

    address = ctypes.cast(run, ctypes.c_void_p).value  # pyright: ignore[reportArgumentType]
    assert address is not None
    return _checked(share()(address, table, count, chunk, threads))


def run_in_python(run: Run, table: Any, count: int, threads: int, chunk: int) -> int:
    """Run all chunks by threads of Python; return the least flag if negative, else the largest."""
    starts = range(0, count - chunk + 1, chunk)
    stops = [*starts[1:], count]
    with ThreadPoolExecutor(threads, "dalembert") as pool:
        flags = list(pool.map(lambda a, b: run(table, a, b), starts, stops))
    return min(flags) if min(flags) < 0 else max(flags)


def _checked(flag: int) -> int:
    if flag < 0:
        raise MemoryError("a kernel found no memory to work in")
    return flag
