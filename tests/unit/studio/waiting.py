"""Wait for what another thread does."""

import threading
from collections.abc import Callable

import pytest

WAIT = 120.0  # seconds until something counts as not happening, on a loaded machine
TICK = 0.02


def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds; fail after a long time."""
    tick = threading.Event()
    for _ in range(round(WAIT / TICK)):
        if condition():
            return
        tick.wait(TICK)
    pytest.fail("it did not happen")
