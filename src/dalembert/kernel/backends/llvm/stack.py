"""Work that needs a deep stack, whatever thread asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

STACK_BYTES = 16 << 20
"""For LLVM's code generator and its loader: they take up to 64 kB for small kernels on x86-64, more
than 384 kB on ARM."""

_lock = threading.Lock()


def with_deep_stack(work: Callable[[], T]) -> T:
    """Return what the work returns; outside the main thread it runs in a thread of its own.

    Programs may give their threads little stack, and running out of it ends the process. The stack
    of the main thread is the user's to choose.
    """
    if threading.current_thread() is threading.main_thread():
        return work()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    if not _ran(threading.Thread(target=run, name="dalembert compiler")):
        return work()
    for error in errors:
        raise error
    return results[0]


def _ran(thread: threading.Thread) -> bool:
    """Run a thread with a deep stack to its end; tell whether the system lets it."""
    # the size counts for all threads that are started from now on: it is given back at once
    with _lock:
        before = threading.stack_size()
        try:
            threading.stack_size(STACK_BYTES)
            thread.start()
        except RuntimeError:
            return False
        finally:
            threading.stack_size(before)
    thread.join()
    return True
