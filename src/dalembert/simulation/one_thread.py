"""Linear algebra of NumPy on one thread: small matrices gain nothing from others."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np

NAMES = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),
    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
)
"""Functions that ask and set the number of threads, of the libraries that NumPy is built with."""


class Threads(NamedTuple):
    """The number of threads of a library."""

    get: Callable[[], int]
    put: Callable[[int], None]


@cache
def blas_threads() -> Threads | None:
    """Return the threads of the library that NumPy calls, None if it cannot be asked."""
    try:
        # a name is also looked for in what the file depends on
        library = ctypes.CDLL(np.linalg._umath_linalg.__file__)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return None
    for get, put in NAMES:
        try:
            return Threads(getattr(library, get), getattr(library, put))
        except AttributeError:
            continue
    return None


_lock = threading.Lock()
_users: list[int] = []
"""What each run under way found; the last one to end sets what the first one found."""


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy's linear algebra run on one thread, and as many as before afterwards."""
    threads = blas_threads()
    if threads is None:
        yield
        return
    with _lock:
        _users.append(threads.get() if not _users else _users[0])
        threads.put(1)
    try:
        yield
    finally:
        with _lock:
            before = _users.pop()
            if not _users:
                threads.put(before)
