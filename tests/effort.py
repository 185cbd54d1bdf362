"""Bounds on the work of a call that hold on a loaded machine."""

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.cases import num_cases

T = TypeVar("T")
TRIES = 3
SECONDS = 5.0  # refusals take milliseconds; what they guard against takes minutes or never ends


def effort(count: int) -> int:
    """Return how many cases a long test tries: ``count`` times DALEMBERT_TEST_SCALE."""
    return num_cases(count, float(os.environ.get("DALEMBERT_TEST_SCALE", "1")))


def peak_memory() -> int:
    """Return the most bytes that this process has held.

    ``ru_maxrss`` of a child begins with the peak of the process that started it; VmHWM does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"^VmHWM:\s*(\d+) kB", status.read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def at_once(work: Callable[[], T], seconds: float = SECONDS) -> T:
    """Return what the work returns; fail if it needs too much processor time in every try.

    Processor time does not count what other processes do; a second try forgives a first one that
    filled caches or collected garbage.
    """
    used = []
    for _ in range(TRIES):
        start = time.process_time()
        result = work()
        used.append(time.process_time() - start)
        if used[-1] < seconds:
            return result
    pytest.fail(f"expected at most {seconds:g} s of processor time, used {used}")


def refused_at_once(
    error: type[Exception] | tuple[type[Exception], ...], work: Callable[[], object]
) -> Exception:
    """Return the error that the work raises, soon."""

    def refused() -> Exception:
        with pytest.raises(error) as found:
            work()
        return found.value

    return at_once(refused)
