"""Loops of one sample that are run again and again in memory of their own."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import Target, compile_program


def counter(backend: str = "llvm"):
    """Return a loop that adds rows to a pair of numbers."""
    x, y, a = da.parameters("x y a")
    program = compile_program(
        {"sum": [x + a, y * a]}, {"carried": [x, y], "row": [a]}, name="counter"
    )
    return Target(backend).loop(Loop(program, (("sum", "carried"),), sequences=("row",)))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_records_of_every_step(backend: str) -> None:
    run = counter(backend).recorder(4)
    rows = np.array([[1.0], [2.0], [3.0], [4.0]])
    (first,), is_finite = run(np.array([10.0, 1.0]), rows)
    (second,), _ = run(np.array([0.0, 1.0]), rows[::-1])
    assert is_finite
    # results of one call are not those of the next
    np.testing.assert_array_equal(first, [[11, 1], [13, 2], [16, 6], [20, 24]])
    np.testing.assert_array_equal(second, [[4, 4], [7, 12], [9, 24], [10, 24]])


def test_a_number_that_is_not_finite_is_told() -> None:
    run = counter().recorder(2)
    _, is_finite = run(np.array([0.0, 1e300]), np.array([[1e300], [1e300]]))
    assert not is_finite


def test_threads_share_a_recorder() -> None:
    run = counter().recorder(200)
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(200):
            (found,), _ = run(np.array([0.0, 1.0]), np.full((200, 1), k))
            if found[-1, 0] != 200 * k:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
