"""Arrays of every kind into compiled functions: a right answer or a clear error, never silence."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.native import kernel as native
from dalembert.kernel.backends.native.share import STACK_BYTES, TEXT, compiled

BACKENDS = ("llvm", "numpy")
W = this_host().width


def expected(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return what `kernels` computes, by numpy alone."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    first = np.stack([np.sin(a[..., 0]) * b[..., 1], a[..., 1] + b[..., 0] / (2 + a[..., 2])], -1)
    second = np.cos(a[..., 1]) * b[..., 0] - a[..., 2] * b[..., 1]
    return first, second


def build(backend: str, **options: Any) -> Any:
    a = da.parameters("a1 a2 a3")
    b = da.parameters("b1 b2")
    outputs = {
        "first": [da.sin(a[0]) * b[1], a[1] + b[0] / (2 + a[2])],
        "second": da.cos(a[1]) * b[0] - a[2] * b[1],
    }
    return da.compile_function(outputs, {"a": a, "b": b}, name="f", backend=backend, **options)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Code of this run only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DALEMBERT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def kernels() -> Any:
    """One kernel for each backend."""
    return {name: build(name) for name in BACKENDS}


@pytest.fixture(params=BACKENDS)
def f(request: pytest.FixtureRequest, kernels: Any) -> Any:
    return kernels[request.param]


@pytest.fixture
def states(rng: np.random.Generator) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    def draw(*batch: int) -> tuple[np.ndarray, np.ndarray]:
        return rng.uniform(-1, 1, (*batch, 3)), rng.uniform(-1, 1, (*batch, 2))

    return draw


def close(got: Any, a: Any, b: Any) -> None:
    right = expected(a, b)
    assert isinstance(got, tuple)
    assert len(got) == 2
    for x, y in zip(got, right, strict=True):
        assert isinstance(x, np.ndarray)
        assert x.dtype == np.float64
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=4e-15, atol=4e-15)


# ---- what is accepted


@pytest.mark.parametrize(
    "batch",
    [(), (1,), (W - 1,), (W,), (W + 1,), (3 * W - 1,), (1000,), (0,), (3, 0), (2, 1, 3), (1, 1)],
)
def test_batches_of_every_size(f: Any, states: Any, batch: tuple[int, ...]) -> None:
    a, b = states(*batch)
    close(f(a, b), a, b)


def test_batch_axes_broadcast(f: Any, states: Any) -> None:
    a, b = states(6)
    one, _ = states()
    for left, right in ((one, b), (a, b[0]), (a[:1], b), (a[:, None], b), (a, b[None, None])):
        lead = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
        full = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in (left, right)]
        close(f(left, right), *full)
    left, right = states(4, 1)[0], states(5)[1]
    assert f(left, right)[0].shape == (4, 5, 2)
    close(f(left, right), np.broadcast_to(left, (4, 5, 3)), np.broadcast_to(right, (4, 5, 2)))


def odd_views(a: np.ndarray) -> dict[str, np.ndarray]:
    """Return the same numbers (n, k) in memory of every layout."""
    n, k = a.shape
    wide = np.full((2 * n, 3 * k), np.nan)
    wide[::2, ::3] = a
    rows = np.full((n, k + 5), np.nan)
    rows[:, 2 : 2 + k] = a
    packed = np.zeros(8 * n * k + 1, np.uint8)
    shifted = packed[1:].view(np.float64).reshape(n, k)
    shifted[...] = a
    fields = np.zeros(n, np.dtype([("tag", "i1"), ("value", "f8", (k,))]))
    fields["value"] = a
    locked = a.copy()
    locked.flags.writeable = False
    return {
        "fortran": np.asfortranarray(a),
        "transposed": np.ascontiguousarray(a.T).T,
        "strided": wide[::2, ::3],
        "backwards": np.ascontiguousarray(a[::-1])[::-1],
        "backwards in both": np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
        "part of longer rows": rows[:, 2 : 2 + k],
        "read-only": locked,
        "misaligned": shifted,
        "of packed records": fields["value"],
        "big endian": a.astype(">f8"),
        "subclass": a.view(np.recarray),
        "memory map order": np.lib.stride_tricks.as_strided(a, (n, k), a.strides),
    }


@pytest.mark.parametrize("count", [1, 2, W + 3])
def test_memory_of_every_layout(f: Any, states: Any, count: int) -> None:
    a, b = states(count)
    before = a.copy(), b.copy()
    right = f(a, b)
    others = odd_views(b)
    for name, view in odd_views(a).items():
        other = others[name]
        given = view.copy(order="K"), other.copy(order="K")
        results = [f(view, other), f(view, b), f(a, other)]
        for result in results:
            for x, y in zip(result, right, strict=True):
                assert np.array_equal(x, y), name
        # single states out of the same memory
        for x, y in zip(f(view[-1], other[-1]), right, strict=True):
            assert np.array_equal(x, y[-1]), name
        assert np.array_equal(view, given[0]), name
        assert np.array_equal(other, given[1]), name
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])


def test_one_state_repeated_by_a_stride_of_zero(f: Any, states: Any) -> None:
    a, b = states()
    many = np.broadcast_to(a, (2 * W + 1, 3))
    close(f(many, b), many, np.broadcast_to(b, (2 * W + 1, 2)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "g", "i1", "i8", "u4", ">i2"])
def test_real_types_are_converted(f: Any, dtype: str) -> None:
    a = np.array([[1, 2, 3], [0, -1, 5]]).astype(dtype)
    b = np.array([[2, 1], [4, 3]]).astype(dtype)
    close(f(a, b), a, b)
    close(f(a[0], b[0]), a[0], b[0])


def test_lists_and_tuples(f: Any) -> None:
    close(f([1, 2.5, 3], (2, 1)), [1, 2.5, 3], [2, 1])
    close(f([[1, 2, 3], [4, 5, 6]], [2, 1]), [[1, 2, 3], [4, 5, 6]], [[2, 1], [2, 1]])
    # further objects with a buffer
    from array import array

    close(f(array("d", [1, 2, 3]), memoryview(array("d", [1, 1]))), [1, 2, 3], [1, 1])


def test_complex_numbers(kernels: Any) -> None:
    a, b = np.array([0.3, 0.2, 0.5]), np.array([1.5, -0.5])
    h = 1e-30
    first, second = kernels["numpy"](a + 1j * h * np.array([1, 0, 0]), b)
    np.testing.assert_allclose(first.imag / h, [np.cos(0.3) * b[1], 0], rtol=1e-15)
    assert first.dtype == np.complex128
    assert second.imag == 0
    # half the digits in, but computed with all of them
    narrow = np.array([0.5, 0.25, 1], np.complex64)
    result, _ = kernels["numpy"](narrow, b)
    assert result.dtype == np.complex128
    assert abs(result[0] - np.sin(0.5) * b[1]) < 1e-15
    for narrow in (a + 0j, a.astype("c8")):
        with pytest.raises(EvaluationError, match=r"a of f, got dtype complex.*numpy backend"):
            kernels["llvm"](narrow, b)


# ---- what is refused

WRONG: dict[str, tuple[Any, str]] = {
    "too short": (np.zeros(2), r"shape \(\.\.\., 3\) for a of f, got \(2,\)"),
    "too long": (np.zeros((5, 4)), r"shape \(\.\.\., 3\) for a of f, got \(5, 4\)"),
    "a number": (1.0, r"shape \(\.\.\., 3\) for a of f, got \(\)"),
    "truth values": (np.array([True, False, True]), "real numbers for a of f, got dtype bool"),
    "objects": (np.array([1.0, 2.0, 3.0], object), "real numbers for a of f"),
    "huge integers": ([10**400, 1, 1], "real numbers for a of f"),
    "text": ("abc", "real numbers for a of f, got dtype <U3"),
    "nothing": (None, "real numbers for a of f, got None"),
    "uneven rows": ([[1.0, 2.0, 3.0], [1.0]], "real numbers for a of f"),
    "an expression": (da.parameters("u v w"), "real numbers for a of f"),
    "dates": (np.zeros(3, "M8[s]"), "real numbers for a of f, got dtype datetime64"),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_wrong_arrays_are_named(kernels: Any, backend: str, what: str, is_first: bool) -> None:
    # the first call of a kernel goes another way than later ones
    f = build(backend) if is_first else kernels[backend]
    if not is_first:
        f(np.ones(3), np.ones(2))
    value, message = WRONG[what]
    with pytest.raises(EvaluationError, match=message):
        f(value, np.ones(2))
    close(f(np.ones(3), np.ones(2)), np.ones(3), np.ones(2))


def test_wrong_counts_and_names(f: Any, states: Any) -> None:
    a, b = states()
    for given in ((), (a,), (a, b, b)):
        with pytest.raises(EvaluationError, match=rf"2 arrays for f \(a, b\), got {len(given)}"):
            f(*given)
    with pytest.raises(TypeError, match="b"):
        f(a, b=b)
    with pytest.raises(EvaluationError, match=r"broadcast in f, got a \(3, 3\), b \(2, 2\)"):
        f(np.ones((3, 3)), np.ones((2, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("count", [None, 2, 2 * W + 1])
def test_inputs_that_are_not_finite(f: Any, states: Any, bad: float, count: int | None) -> None:
    batch = () if count is None else (count,)
    for which, size in enumerate((3, 2)):
        for place in range(size):
            arrays = states(*batch)
            at = (place,) if count is None else (count - 1, place)
            arrays[which][at] = bad
            where = (
                rf"finite numbers for f, got {bad} in {'ab'[which]}\[{', '.join(map(str, at))}\]"
            )
            with pytest.raises(EvaluationError, match=where):
                f(*arrays)


FORGETFUL = {
    "tanh": da.tanh,
    "1/x": lambda x: 1 / x,
    "exp(-x²)": lambda x: da.exp(-(x**2)),
    "atan2": lambda x: da.atan2(x, 2),
    "atan2 of x": lambda x: da.atan2(2, x),
    "sign": da.sign,
    "x^(-1/3)": lambda x: (x**2 + 1) ** Fraction(-1, 3),
    "nothing": lambda x: 3 + 0 * x,
    "a quotient": lambda x: da.sin(1 / (1 + x**2)),
}


@pytest.mark.parametrize("name", FORGETFUL)
@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_that_forget_infinity_do_not_hide_it(name: str, backend: str) -> None:
    x, y = da.parameters("x y")
    g = da.compile_function([FORGETFUL[name](x), y], [x, y], name="g", backend=backend)
    assert np.isfinite(g([0.5, 1.0])).all()
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(EvaluationError, match=rf"got {bad} in x\[0\]"):
            g([bad, 1.0])
        batch = np.full((W + 2, 2), 0.5)
        batch[W, 0] = bad
        with pytest.raises(EvaluationError, match=rf"got {bad} in x\[{W}, 0\]"):
            g(batch)


@pytest.mark.parametrize("angle", [1e5, 1.7e6, -1e7, 1e22, 1e300, 1.7e308, 5e-324])
def test_angles_of_every_size(f: Any, states: Any, angle: float) -> None:
    import flint

    exact = float(flint.arb(angle).sin().mid()), float(flint.arb(angle).cos().mid())
    a, b = states(2 * W + 1)
    a[W, :2] = angle
    first, second = f(a, b)
    for one, two in ((first[W], second[W]), f(a[W], b[W])):
        np.testing.assert_allclose(one[0], exact[0] * b[W, 1], rtol=1e-15)
        np.testing.assert_allclose(two, exact[1] * b[W, 0] - a[W, 2] * b[W, 1], atol=1e-15)
    others = np.arange(2 * W + 1) != W
    close((first[others], second[others]), a[others], b[others])


SINGULAR = {
    "division": (lambda x: 1 / x, 0.0, "division by zero.*singular"),
    "root": (lambda x: da.sqrt(x), -2.0, "root of a negative number .*-2"),
    "logarithm": (lambda x: da.log(x), 0.0, "logarithm of a number that is not positive"),
    "arc sine": (lambda x: da.asin(x), 1.5, "arc sine beyond"),
    "arc cosine": (lambda x: da.acos(x), -1.5, "arc cosine beyond"),
    "overflow": (lambda x: da.exp(x), 800.0, "overflow"),
}


@pytest.mark.parametrize("what", SINGULAR)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_result_without_value_is_explained(what: str, backend: str) -> None:
    function, bad, message = SINGULAR[what]
    x, y = da.parameters("x y")
    g = da.compile_function([function(x) + y, y], [x, y], name="g", backend=backend)
    with pytest.raises(EvaluationError, match=f"finite result of g, got an? {message}"):
        g([bad, 1.0])
    batch = np.full((2 * W, 2), 0.5)
    batch[1, 0] = bad
    with pytest.raises(EvaluationError, match=f"finite result of g, got an? {message}"):
        g(batch)
    batch[1, 0] = 0.25
    assert np.isfinite(g(batch)).all()


def test_finite_results_whose_sum_is_not(f: Any) -> None:
    """The code adds results to find infinities: a sum that overflows is no error."""
    for count in (1, W):
        a = np.broadcast_to([0.0, 1.7e308, -1.5], (count, 3))
        b = np.broadcast_to([0.0, 1.1e308], (count, 2))
        first, second = f(a, b)
        assert (first[:, 1] == 1.7e308).all()
        assert (second == 1.5 * 1.1e308).all()


# ---- where results go


def test_results_are_new_arrays(f: Any, states: Any) -> None:
    for batch in ((), (3,), (W,), (2, W)):
        a, b = states(*batch)
        one, two = f(a, b), f(a, b)
        kept = [x.copy() for x in one]
        f(a + 1, b)
        for x, y, z in zip(one, two, kept, strict=True):
            assert x.flags.writeable
            assert not any(np.shares_memory(x, other) for other in (y, a, b))
            assert np.array_equal(x, z)


@pytest.mark.parametrize("batch", [(), (1,), (W + 1,), (2, 3), (0,)])
def test_out_takes_the_results(kernels: Any, states: Any, batch: tuple[int, ...]) -> None:
    f = kernels["llvm"]
    a, b = states(*batch)
    out = np.full((*batch, 2), np.nan), np.full(batch, np.nan)
    got = f(a, b, out=out)
    assert got[0] is out[0]
    assert got[1] is out[1]
    close(got, a, b)
    close(f(a, b, out=list(out)), a, b)


@pytest.mark.parametrize("n", [4, 2 * W])
def test_out_that_does_not_fit(kernels: Any, states: Any, n: int) -> None:
    f = kernels["llvm"]
    a, b = states(n)
    f(a, b)
    second = np.empty(n)
    locked = np.empty((n, 2))
    locked.flags.writeable = False
    packed = np.zeros(16 * n + 1, np.uint8)
    wrong = {
        "shape": (np.empty((n - 1, 2)), rf"shape \({n}, 2\), got float64 \({n - 1}, 2\)"),
        "one state": (np.empty(2), rf"shape \({n}, 2\), got float64 \(2,\)"),
        "batch": (np.empty((1, n, 2)), rf"shape \({n}, 2\)"),
        "dtype": (np.empty((n, 2), np.float32), "doubles.*got float32"),
        "order": (np.empty((n, 2), order="F"), "not contiguous"),
        "locked": (locked, "read-only"),
        "endian": (np.empty((n, 2), ">f8"), "got >f8"),
        "aligned": (packed[1:].view(np.float64).reshape(n, 2), "not aligned"),
        "list": ([[0.0] * 2] * n, "got list"),
    }
    for what, (first, message) in wrong.items():
        with pytest.raises(EvaluationError, match=message):
            f(a, b, out=(first, second))
        assert what
    with pytest.raises(EvaluationError, match=r"2 arrays in out= of f \(first, second\), got 1"):
        f(a, b, out=np.empty((n, 2)))
    with pytest.raises(EvaluationError, match="2 arrays for f"):
        f(a, b, np.empty((n, 2)), out=second)
    # all inputs shared: one result
    with pytest.raises(EvaluationError, match=r"shape \(2,\)"):
        f(a[0], b[0], out=(np.empty((n, 2)), second))


def test_out_of_plain_arrays_runs_no_python(kernels: Any, states: Any) -> None:
    f = kernels["llvm"]
    for batch in ((), (W,)):
        a, b = states(*batch)
        out = np.empty((*batch, 2)), np.empty(batch)
        f(a, b, out=out)
        seen: list[str] = []

        def note(frame: Any, event: str, arg: object, seen: list[str] = seen) -> None:
            if event == "call":
                seen.append(frame.f_code.co_name)

        sys.setprofile(note)
        try:
            f(a, b, out=out)
        finally:
            sys.setprofile(None)
        # the call itself, and the ports that it counts
        assert set(seen) <= {"__call__", "inputs", "outputs", "_returned"}
        close(out, a, b)


@pytest.mark.usefixtures("old_objects_left_out")
def test_out_leaks_nothing(kernels: Any, states: Any) -> None:
    f = kernels["llvm"]
    for batch in ((), (W,)):
        a, b = states(*batch)
        out = np.empty((*batch, 2)), np.empty(batch)
        f(a, b, out=out)
        check_leaks(lambda a=a, b=b, out=out: f(a, b, out=out), OTHER_CALLS, a, b, *out)


def test_out_apart_in_large_batches(kernels: Any, states: Any) -> None:
    f = kernels["llvm"]
    n = 2 * W
    a, b = states(n)
    f(a, b)
    memory = np.ones(6 * n)
    inside, across = memory[: 3 * n].reshape(n, 3), memory[2 * n : 4 * n].reshape(n, 2)
    with pytest.raises(EvaluationError, match="shared memory"):
        f(inside, b, out=(across, np.empty(n)))
    with pytest.raises(EvaluationError, match="shared memory"):
        f(a, b, out=(across, memory[4 * n - 1 : 5 * n - 1]))
    # side by side is apart
    got = f(inside, b, out=(memory[3 * n : 5 * n].reshape(n, 2), memory[5 * n :]))
    close(got, np.ones((n, 3)), b)


def test_out_apart_from_inputs_and_itself(kernels: Any, states: Any) -> None:
    f = kernels["llvm"]
    _, b = states(4)
    memory = np.ones(40)
    with pytest.raises(EvaluationError, match="shared memory"):
        f(memory[4:16].reshape(4, 3), b, out=(memory[:8].reshape(4, 2), np.empty(4)))
    a = states(4)[0]
    with pytest.raises(EvaluationError, match="shared memory"):
        f(a, b, out=(memory[:8].reshape(4, 2), memory[7:11]))
    assert (memory == 1).all()
    f(a, b, out=(memory[:8].reshape(4, 2), memory[8:12]))


def test_out_is_repaired_too(kernels: Any, states: Any) -> None:
    count = max(W + 1, 4)
    a, b = states(count)
    a[3, 0] = 1e9
    out = np.empty((count, 2)), np.empty(count)
    kernels["llvm"](a, b, out=out)
    close(out, a, b)


# ---- the same bits however it is called


def test_a_row_of_a_batch_is_the_single_call(kernels: Any, states: Any) -> None:
    f = kernels["llvm"]
    a, b = states(3 * W + 2)
    a[:, 0] *= 1e5
    for count in (2, W, W + 1, 3 * W + 2):
        first, second = f(a[:count], b[:count])
        for k in range(count):
            one, two = f(a[k], b[k])
            assert np.array_equal(one, first[k])
            assert np.array_equal(two, second[k])


def test_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch, states: Any) -> None:
    monkeypatch.setattr(native, "WORTH_A_THREAD", 0)
    a, b = states(41 * W + 3)
    a[5, 0] = 1e8
    kernels = [build("llvm", threads=k) for k in (1, 2, 5)]
    for count in (W, 2 * W - 1, 2 * W, 2 * W + 1, 5 * W - 1, 5 * W, 5 * W + 1, 7 * W, 41 * W + 3):
        right, *others = [f(a[:count], b[:count]) for f in kernels]
        close(right, a[:count], b[:count])
        for other in others:
            assert all(np.array_equal(x, y) for x, y in zip(right, other, strict=True))


@pytest.mark.parametrize("count", [W, 2 * W - 1, 5 * W + 1, 37 * W + 3])
def test_threads_of_python_do_the_same(
    monkeypatch: pytest.MonkeyPatch, states: Any, count: int
) -> None:
    """As on Windows."""
    monkeypatch.setattr(native, "WORTH_A_THREAD", 0)
    a, b = states(count)
    right = build("llvm", threads=1)(a, b)
    monkeypatch.setattr("dalembert.kernel.backends.native.threads.sys.platform", "win32")
    other = build("llvm", threads=3)(a, b)
    assert all(np.array_equal(x, y) for x, y in zip(right, other, strict=True))


@pytest.mark.skipif(sys.platform == "win32", reason="threads of POSIX")
def test_threads_that_the_system_refuses_are_not_missed() -> None:
    """No thread gets a stack of 2⁶⁰ bytes: the caller does all chunks."""
    calls: list[tuple[int, int]] = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

    def run(_table: object, start: int, stop: int) -> int:
        calls.append((start, stop))
        return -(start == 20)

    function = kind(run)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    text = TEXT.replace(str(STACK_BYTES), str(1 << 60))
    assert compiled(text, this_host())(address, None, 47, 10, 4) == -1
    assert calls == [(0, 10), (10, 20), (20, 30), (30, 47)]


def test_an_error_in_a_thread_reaches_the_caller(
    monkeypatch: pytest.MonkeyPatch, states: Any
) -> None:
    monkeypatch.setattr(native, "WORTH_A_THREAD", 0)
    f = build("llvm", threads=3)
    for place in (0, 5 * W, 9 * W - 1):
        a, b = states(9 * W)
        a[place, 2] = np.nan
        with pytest.raises(EvaluationError, match=rf"a\[{place}, 2\]"):
            f(a, b)


@pytest.mark.parametrize("worth", [0, native.WORTH_A_THREAD])
def test_calls_from_many_threads(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, worth: int
) -> None:
    """They share one kernel that nobody has called before."""
    monkeypatch.setattr(native, "WORTH_A_THREAD", worth)
    f = build("llvm", threads=2)
    faults: list[Any] = []

    def work(seed: int) -> None:
        mine = np.random.default_rng(seed)
        try:
            for k in range(150):
                batch = () if k % 3 else (int(mine.integers(1, 5 * W)),)
                a, b = mine.uniform(-1, 1, (*batch, 3)), mine.uniform(-1, 1, (*batch, 2))
                close(f(a, b), a, b)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(int(rng.integers(2**31)),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


# ---- memory

SINGLE_CALLS = 20_000
OTHER_CALLS = 1000
"""Calls of which each may leak: the smallest object is noticed after 3,000, an array after 700."""


@pytest.fixture(scope="module")
def old_objects_left_out() -> Iterator[None]:
    """Look at new objects only when garbage is collected: the others take half a second."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("old_objects_left_out")
@pytest.mark.parametrize("outputs", ["one", "two"])
def test_single_calls_leak_nothing(outputs: str) -> None:
    x, y = da.parameters("x y")
    shown: Any = {"s": [x * y, da.sin(x)]}
    g = da.compile_function(shown if outputs == "one" else {**shown, "p": x + y}, [x, y])
    a = np.array([0.5, 2.0])
    g(a)
    check_leaks(lambda: g(a), SINGLE_CALLS, a)


def slow_calls() -> dict[str, tuple[Any, ...]]:
    return {
        "a list": ([0.5, 2.0],),
        "floats": (np.array([0.5, 2.0], np.float32),),
        "strided": (np.array([0.5, 0, 2.0, 0])[::2],),
        "a huge angle": (np.array([1e9, 2.0]),),
        "nan": (np.array([np.nan, 2.0]),),
        "wrong shape": (np.zeros(3),),
        "no argument": (),
        "two arguments": (np.zeros(2), np.zeros(2)),
        "a batch": (np.ones((W + 1, 2)),),
    }


@pytest.mark.usefixtures("old_objects_left_out")
@pytest.mark.parametrize("what", slow_calls())
def test_other_calls_leak_nothing(what: str) -> None:
    x, y = da.parameters("x y")
    g = da.compile_function({"s": [x * y, da.sin(x)], "p": x + y}, [x, y])
    g(np.ones(2))
    args = slow_calls()[what]

    def call() -> None:
        with contextlib.suppress(EvaluationError):
            g(*args)

    check_leaks(call, OTHER_CALLS, *args)


def check_leaks(call: Callable[[], Any], count: int, *watched: Any) -> None:
    for _ in range(200):
        call()
    # garbage may hold what is watched: it goes first
    gc.collect()
    references = [sys.getrefcount(x) for x in watched]
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(count):
            call()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # an array that leaks has a hundred bytes a call; caches of Python's own fill up to some 30,000
    assert after - before < 64_000
    assert [sys.getrefcount(x) for x in watched] == references
    none = sys.getrefcount(None)
    for _ in range(100):
        call()
    assert abs(sys.getrefcount(None) - none) < 50


def test_kernels_and_models_are_freed() -> None:
    kernel = build("llvm")
    kernel(np.ones(3), np.ones(2))
    kernel(np.ones((W, 3)), np.ones(2))
    model = da.compile(da.textbook.robots.panda())
    for _ in range(2):
        model.mass_matrix(np.ones(model.nq))
    watched = [weakref.ref(kernel), weakref.ref(model)]
    del kernel, model
    gc.collect()
    assert [ref() for ref in watched] == [None, None]


# ---- functions of odd form


@pytest.mark.parametrize("backend", BACKENDS)
class TestForms:
    def test_no_input(self, backend: str) -> None:
        f = da.compile_function({"c": [2 * da.pi, 3], "d": 1}, {}, backend=backend)
        c, d = f()
        assert c.tolist() == [2 * np.pi, 3.0]
        assert d.shape == ()
        assert d == 1
        with pytest.raises(EvaluationError, match="0 arrays"):
            f(1.0)

    def test_no_output(self, backend: str) -> None:
        (x,) = da.parameters("x")
        with pytest.raises(da.InvalidExpression, match="output"):
            da.compile_function({}, x, backend=backend)

    def test_an_empty_input_and_output(self, backend: str) -> None:
        (x,) = da.parameters("x")
        f = da.compile_function({"e": [], "y": 2 * x}, {"x": x, "u": []}, backend=backend)
        for batch in ((), (W + 1,)):
            e, y = f(np.ones(batch), np.ones((0,)))
            assert e.shape == (*batch, 0)
            assert (y == 2).all()
            assert y.shape == batch

    def test_scalars(self, backend: str) -> None:
        x, y = da.parameters("x y")
        f = da.compile_function(x * y + 1, {"x": x, "y": y}, backend=backend)
        assert f(2.0, 3.0) == 7
        assert f(2, 3).shape == ()
        assert f(np.arange(3.0), 2).tolist() == [1, 3, 5]
        assert f(np.arange(3.0)[:, None], np.arange(W + 1.0)).shape == (3, W + 1)

    def test_matrices(self, backend: str, rng: np.random.Generator) -> None:
        names = [[da.parameters(f"A{i}{j}")[0] for j in range(3)] for i in range(3)]
        A = da.Matrix(names)
        x = da.parameters("x1 x2 x3")
        f = da.compile_function(
            {"AA": A @ A, "Ax": A @ da.Matrix.column(x)}, {"A": A, "x": x}, backend=backend
        )
        for batch in ((), (2,), (W, 2), (2 * W + 1,)):
            M, v = rng.normal(size=(*batch, 3, 3)), rng.normal(size=(*batch, 3))
            for given in (M, np.asfortranarray(M), np.swapaxes(M, -1, -2).copy().swapaxes(-1, -2)):
                AA, Ax = f(given, v)
                np.testing.assert_allclose(AA, M @ M, rtol=1e-13, atol=1e-13)
                np.testing.assert_allclose(Ax, M @ v[..., None], rtol=1e-13, atol=1e-13)
        with pytest.raises(EvaluationError, match=r"\(\.\.\., 3, 3\) for A of function"):
            f(np.ones((3, 4)), np.ones(3))

    def test_outputs_that_are_inputs_constants_and_each_other(self, backend: str) -> None:
        x, y = da.parameters("x y")
        s = da.sin(x)
        outputs = {"x": x, "two": 2, "s": s, "again": s, "both": [y, x, s, s, 0]}
        f = da.compile_function(outputs, {"x": x, "y": y}, backend=backend)
        for count in (None, W + 1):
            a = 0.5 if count is None else np.linspace(0.1, 1, count)
            given, two, one, again, both = f(a, 2.0)
            assert np.array_equal(given, a)
            assert (two == 2).all()
            assert np.array_equal(one, again)
            np.testing.assert_allclose(one, np.sin(a), rtol=1e-15)
            assert not np.shares_memory(given, np.asarray(a))
            assert not np.shares_memory(one, again)
            assert (both[..., 0] == 2).all()
            assert (both[..., 4] == 0).all()

    def test_many_outputs_and_inputs(self, backend: str, rng: np.random.Generator) -> None:
        inputs = {f"x{k}": da.parameters(f"x{k}_1 x{k}_2") for k in range(11)}
        flat = [x for pair in inputs.values() for x in pair]
        outputs = {f"y{k}": [flat[k % 22] * flat[(k + 1) % 22], k] for k in range(60)}
        f = da.compile_function(outputs, inputs, backend=backend)
        for batch in ((), (W + 3,)):
            values = rng.normal(size=(11, *batch, 2))
            numbers = np.moveaxis(values, 0, -2).reshape(*batch, 22)
            results = f(*values)
            assert len(results) == 60
            for k, y in enumerate(results):
                assert np.array_equal(y[..., 0], numbers[..., k % 22] * numbers[..., (k + 1) % 22])
                assert (y[..., 1] == k).all()

    def test_constants_beyond_doubles(self, backend: str) -> None:
        (x,) = da.parameters("x")
        with pytest.raises(EvaluationError, match=r"constants below 2\^1024"):
            da.compile_function(x * 10**400, x, backend=backend)(1.0)


def test_options_of_backends() -> None:
    (x,) = da.parameters("x")
    with pytest.raises(UnknownName, match="did you mean llvm"):
        da.compile_function(x, x, backend="lvm")
    with pytest.raises(UnknownName, match="no threads= with the backend 'numpy'"):
        da.compile_function(x, x, backend="numpy", threads=2)
    for backend in ("llvm", "c", "numpy"):
        with pytest.raises(UnknownName, match=r"dtype float64 or float32, got 'float23'.*float32"):
            da.compile_function(x, x, backend=backend, dtype="float23")
    for wrong in (0, -1, 1.5, "two"):
        with pytest.raises(UnknownName, match="threads= from 1"):
            da.compile_function(x, x, threads=wrong)  # type: ignore[arg-type]


def test_forms_of_complex_steps() -> None:
    """|x|, sign x and atan2 have the derivatives of the real functions."""
    x, y = da.parameters("x y")
    f = da.compile_function([da.abs(x), da.sign(x), da.atan2(y, x)], [x, y], backend="numpy")
    h = 1e-30
    for a in (-1.5, -0.2, 0.3, 2.0):
        for b in (-1.0, -0.1, 0.2, 3.0):
            got = f(np.array([a + 1j * h, b]))
            right = [abs(a), np.sign(a), np.arctan2(b, a)]
            np.testing.assert_allclose(got.real, right, rtol=1e-15)
            slopes = [np.sign(a), 0, -b / (a * a + b * b)]
            np.testing.assert_allclose(got.imag / h, slopes, rtol=1e-14)
            slope = f(np.array([a, b + 1j * h])).imag[2] / h
            np.testing.assert_allclose(slope, a / (a * a + b * b), rtol=1e-14)
