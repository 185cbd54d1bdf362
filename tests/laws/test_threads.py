"""Threads that do the same at the same time get the same: what is shared keeps its promises.

With a free-threaded Python they truly run at once; with others they take turns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import count_nodes

NUM_THREADS = 6


def at_once(work: Callable[[], object]) -> list[object]:
    """Return what each of the threads got; all begin together."""
    barrier = threading.Barrier(NUM_THREADS)
    found: list[object] = [None] * NUM_THREADS

    def run(k: int) -> None:
        barrier.wait()
        try:
            found[k] = work()
        except Exception as error:
            found[k] = repr(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(NUM_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def built() -> object:
    """Expressions that are equal are one object, whoever makes them."""
    x, y = da.coordinates("x y")
    e = x
    for k in range(60):
        e = da.sin(e * y + k % 7) + x * e
    return count_nodes([e.diff(x)]), e.diff(y) is e.diff(y)


def derived() -> object:
    eq = da.textbook.cart_pole().equations()
    return str(eq), [str(proof) for proof in eq.prove()]


def first_calls(model: da.Model) -> object:
    """Compile what the others compile at the same time, one state and a batch."""
    q = np.linspace(0, 1, 33 * model.nq).reshape(33, model.nq)
    results = model.mass_matrix(q), model.gravity(q[0]), model.forward_dynamics(q, q, q)
    return [x.tobytes() for x in results]


def moved(model: da.Model) -> object:
    motion = da.simulate(model, [0.3] * model.nq, None, 0.2)
    return motion.status, motion.q.tobytes()


@pytest.mark.parametrize("work", [built, derived])
def test_expressions_and_equations(work: Callable[[], object]) -> None:
    found = at_once(work)
    assert found == [work()] * NUM_THREADS


@pytest.mark.parametrize("work", [first_calls, moved])
def test_one_model_for_all(
    work: Callable[[da.Model], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    # every code is compiled here, none comes from the disk
    monkeypatch.setenv("DALEMBERT_CACHE", "")
    model = da.compile(da.textbook.robots.ur5e())
    found = at_once(lambda: work(model))
    assert found == [work(da.compile(da.textbook.robots.ur5e()))] * NUM_THREADS
