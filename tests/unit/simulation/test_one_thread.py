"""A simulation needs one thread of NumPy's linear algebra, and leaves the user's setting alone."""

import threading

import pytest

import dalembert as da
from dalembert.simulation import Crossing, simulate
from dalembert.simulation.one_thread import blas_threads, one_blas_thread


@pytest.fixture
def threads():
    found = blas_threads()
    if found is None:
        pytest.skip("the library of NumPy does not tell its number of threads")
    before = found.get()
    found.put(2)
    if found.get() != 2:
        pytest.skip("the library of NumPy has one thread only")
    yield found
    found.put(before)


@pytest.fixture(scope="module")
def spring():
    (x,) = da.coordinates("x")
    system = da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2, coordinates=[x])
    return da.compile(system)


def test_one_thread_inside_and_as_many_as_before_afterwards(threads, spring):
    seen = set()

    def looks(t, q, v):
        seen.add(threads.get())
        return 1.0

    motion = simulate(spring, [1.0], [0.0], 1.0, events=[Crossing(looks)])
    assert motion.ok
    assert seen == {1}
    assert threads.get() == 2


def test_a_failure_leaves_the_setting_too(threads, spring):
    def fails(t, q, v):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(spring, [1.0], [0.0], 1.0, events=[Crossing(fails)])
    assert threads.get() == 2


def test_runs_side_by_side(threads):
    """The one that ends last sets what the first one found."""
    first_is_in, second_is_done = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            first_is_in.set()
            second_is_done.wait(10)

    other = threading.Thread(target=first)
    other.start()
    first_is_in.wait(10)
    with one_blas_thread():
        second_is_done.set()
        other.join()
        assert threads.get() == 1
    assert threads.get() == 2
