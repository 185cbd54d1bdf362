"""Long programs: compiled in pieces, with memory of their own, to the same bits."""

import threading
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.kernel.backends.llvm import rows
from dalembert.kernel.backends.llvm.build import text
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.llvm.reals import real_of
from dalembert.kernel.backends.llvm.write import kernel_text, pieces
from dalembert.kernel.compiler import compile_program

SEED = 1
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics_derivatives")


def results() -> list[np.ndarray]:
    """Return what a batch, a single state and a small batch give."""
    model = da.compile(da.textbook.robots.panda(), threads=1)
    q, qd, qdd = np.random.default_rng(SEED).uniform(-1, 1, (3, 21, 7))
    found: list[np.ndarray] = []
    for name in FUNCTIONS:
        for part in (slice(None), 3, slice(0, 3)):
            state = (q[part], qd[part], qdd[part])
            kernel = model.kernel(name)
            value = kernel(*(state[:1] if name == "mass_matrix" else state))
            found += value if isinstance(value, tuple) else [value]
    return found


@pytest.fixture(scope="module")
def whole() -> list[np.ndarray]:
    """The results of programs in one piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DALEMBERT_CACHE", "")
        cut(patch, 10**9)
        return results()


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache knows programs, not the limits that these tests move."""
    monkeypatch.setenv("DALEMBERT_CACHE", "")


def cut(monkeypatch: pytest.MonkeyPatch, longest: int) -> None:
    """Cut programs of more than so many instructions into small pieces."""
    monkeypatch.setattr(kernel_text, "LONG", longest)
    monkeypatch.setattr(kernel_text, "LONG_BATCH", longest)
    monkeypatch.setattr(pieces, "PIECE", 60)


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("registers", [4, 28])
def test_pieces_give_the_same_bits(
    registers: int, whole: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut(monkeypatch, 100)
    monkeypatch.setattr(pieces, "SPARE", this_host().registers - registers)
    assert all(np.array_equal(a, b) for a, b in zip(whole, results(), strict=True))


@pytest.mark.usefixtures("no_cache")
def test_pieces_see_numbers_that_are_not_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    cut(monkeypatch, 100)
    model = da.compile(da.textbook.robots.panda())
    q = np.zeros((20, 7))
    q[11, 2] = np.nan
    with pytest.raises(da.EvaluationError, match=r"got nan in q\[11, 2\]"):
        model.mass_matrix(q)


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("large", [0, 64])
def test_memory_on_the_heap_gives_the_same_bits(
    large: int, whole: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "STACK_BYTES", 0)
    # outputs in loops as well
    monkeypatch.setattr(kernel_text, "LARGE", 8 if large == 0 else large)
    assert all(np.array_equal(a, b) for a, b in zip(whole, results(), strict=True))


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("place", [0, 64, 69])
@pytest.mark.parametrize("batch", [(), (9,)])
def test_loops_that_write_outputs_see_what_is_not_finite(
    place: int, batch: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # 70 numbers, more than are written one by one: the last of them in a tile that is moved back
    cut(monkeypatch, 1)
    x = da.parameters(" ".join(f"x{i}" for i in range(70)))
    inverse = da.compile_function([1 / a for a in x], list(x), threads=1)
    given = np.full((*batch, 70), 2.0)
    np.testing.assert_array_equal(inverse(given), np.full((*batch, 70), 0.5))
    given[..., place] = 0.0
    with pytest.raises(da.EvaluationError):
        inverse(given)


@pytest.mark.usefixtures("no_cache")
def test_many_outputs_fit_a_thread_with_a_small_stack() -> None:
    x = da.parameters(" ".join(f"x{i}" for i in range(70)))
    outer = da.compile_function([[a * b for a in x] for b in x], list(x), threads=1)
    given, found = np.random.default_rng(3).uniform(-1, 1, (40, 70)), []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(outer(given)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    np.testing.assert_array_equal(found[0], given[:, :, None] * given[:, None, :])


def test_few_instructions_with_many_results_are_long() -> None:
    """Thousands of stores take LLVM as long as thousands of instructions."""
    x, y = da.parameters("x y")
    program = compile_program([[x * y, 0] for _ in range(1000)], [x, y])
    assert len(program.code) < 10
    assert kernel_text.is_long(program, 8)
    assert not kernel_text.is_long(program, 1)


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("count", [3, 9, 40])
def test_zeros_between_results_are_there_in_every_block(count: int) -> None:
    x, y = da.parameters("x y")
    rows = [[x * y, 0, x + y, 0, 0, 1] for _ in range(300)]
    found: Any = da.compile_function(rows, [x, y], threads=1)
    given = np.random.default_rng(4).uniform(-1, 1, (count, 2))
    out = np.full((count, 300, 6), 7.0)
    found(given, out=out)
    a, b = given.T
    expected = np.array([a * b, 0 * a, a + b, 0 * a, 0 * a, 1 + 0 * a]).T
    np.testing.assert_array_equal(out, np.repeat(expected[:, None], 300, axis=1))


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_inputs_of_many_numbers_are_read_in_a_loop(count: int, dtype: str) -> None:
    """Code that reads a thousand numbers one by one took LLVM seconds."""
    x, y = (da.parameters(" ".join(f"{name}{i}" for i in range(300))) for name in "xy")
    outputs = {"a": [p * q for p, q in zip(x, y, strict=True)], "b": list(reversed(x))}
    found: Any = da.compile_function(outputs, {"x": x, "y": y}, threads=1, dtype=dtype)
    given = np.random.default_rng(5).uniform(-1, 1, (2, count, 300)).astype(dtype)
    a, b = found(*given)
    np.testing.assert_array_equal(a, given[0] * given[1])
    np.testing.assert_array_equal(b, given[0][:, ::-1])
    for width in (1, 8):
        assert "%read0" in text(found.program, width, real=real_of(dtype))


@pytest.mark.parametrize("place", [0, 7, 299])
def test_a_number_that_is_not_finite_in_many_is_refused(place: int) -> None:
    x = da.parameters(" ".join(f"x{i}" for i in range(300)))
    # no result shows what is not finite
    found: Any = da.compile_function([1 / (1 + k * k) for k in x], {"x": x})
    given = np.ones(300)
    given[place] = np.inf
    with pytest.raises(EvaluationError, match="finite"):
        found(given)
