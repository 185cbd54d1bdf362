"""A batch over the cores: each thread runs a range of samples without the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

Run = Callable[[int, int], int]

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_range(run: Run, count: int, threads: int, unit: int) -> int:
    """Run [0, count) in equal ranges, each of ``unit`` samples or more; return any flag.

    Raises:
        MemoryError: the code found no memory to work in.
    """
    threads = min(threads, count // unit)
    if threads < 2:
        return _flag([run(0, count)])
    # ranges in whole units, the rest to the last
    share = count // unit // threads * unit
    starts = [k * share for k in range(threads)]
    stops = [*starts[1:], count]
    others = [_pool(threads).submit(run, a, b) for a, b in zip(starts[1:], stops[1:], strict=True)]
    # this thread works too
    flags = [run(starts[0], stops[0])]
    return _flag(flags + [other.result() for other in others])


def _flag(flags: Sequence[int]) -> int:
    if min(flags) < 0:
        raise MemoryError("a kernel found no memory to work in")
    return max(flags)


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads - 1, "dalembert")
        return _pools[threads]


def _forget_pools() -> None:
    """A forked child has none of its parent's threads."""
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
