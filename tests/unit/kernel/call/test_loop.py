"""Loops on the processor: every batch, sequences, stopping, records, long programs, threads."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidExpression, UnknownName
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.llvm.write import kernel_text, pieces
from dalembert.kernel.backends.llvm.write import loop as loop_emit
from dalembert.kernel.backends.native import loop as native_loop
from dalembert.kernel.backends.numpy.loop import run_reference
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import Target, compile_program
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.trace import trace

I = Instruction
BATCHES = [(), (1,), (2,), (7,), (8,), (9,), (16,), (41,), (5, 7), (1, 3), (0,), (3, 0)]
# a few dozen steps that neither grow nor shrink
TOLERANCE = 1e-12


def oscillator(name: str = "oscillator") -> Program:
    """s' = (x + h y, y - h x' + h u); shown: r = 1/2 - x, and the pair (x y, sin x)."""
    x, y, h, u = da.parameters("x y h u")
    ahead = x + h * y
    outputs = {"next": [ahead, y - h * ahead + h * u], "r": Fraction(1, 2) - x}
    outputs["pair"] = [[x * y, da.sin(x)]]
    return trace(name, {"s": [x, y], "h": h, "u": u}, outputs)


def wide_state(n: int, name: str) -> Program:
    """A ring of n numbers, each turning towards its neighbour: more than fit into one block."""
    x, (k,) = da.parameters(" ".join(f"x{i}" for i in range(n))), da.parameters("k")
    new = [a + k * da.sin(x[(i + 1) % n] - a) for i, a in enumerate(x)]
    return trace(name, {"x": list(x), "k": k}, {"y": new, "total": sum(new[1:], new[0])})


def given_for(loop: Loop, batch: tuple[int, ...], rng: np.random.Generator, steps: int) -> Any:
    s = rng.normal(size=(*batch, 2))
    rows = (steps + 2,) if "u" in loop.sequences else ()
    return s, np.asarray(0.1), rng.normal(size=(*batch, *rows))


def assert_same(run: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    outputs, count, records = expected
    np.testing.assert_array_equal(run.steps, count)
    for a, b in zip((*run.outputs, *run.records), (*outputs, *records), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    assert run.is_finite


# ---- against the reference, and the reference against a plain loop


def test_reference_takes_the_steps_one_by_one() -> None:
    loop = Loop(oscillator(), (("next", "s"),), "r", ("u",))
    rng = np.random.default_rng(3)
    s, h, u = given_for(loop, (6,), rng, 20)
    outputs, count, records = run_reference(loop, (s, h, u), 20, 4)
    for i in range(6):
        x, y = s[i]
        rows, taken, is_going = [], 0, True
        r, pair = 1.0, (0.0, 0.0)
        for k in range(20):
            if is_going:
                r, pair = 0.5 - x, (x * y, np.sin(x))
                x = x + 0.1 * y
                y = y - 0.1 * x + 0.1 * u[i, k]
                taken, is_going = taken + 1, r > 0
            if k % 4 == 3:
                rows.append((x, y))
        np.testing.assert_allclose(outputs[0][i], (x, y), rtol=1e-14)
        np.testing.assert_allclose(outputs[1][i], r, rtol=1e-13)
        np.testing.assert_allclose(outputs[2][i, 0], pair, rtol=1e-13)
        np.testing.assert_allclose(records[0][i], rows, rtol=1e-14)
        assert count[i] == taken


@pytest.mark.parametrize("sequences", [(), ("u",)])
@pytest.mark.parametrize("stop", [None, "r"])
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_every_batch(
    backend: str, stop: str | None, sequences: tuple[str, ...], rng: np.random.Generator
) -> None:
    loop = Loop(oscillator(), (("next", "s"),), stop, sequences)
    run = Target(backend).loop(loop)
    for batch in BATCHES:
        for steps, record in ((23, 0), (23, 5), (24, 24), (3, 7), (1, 1)):
            given = given_for(loop, batch, rng, steps)
            assert_same(
                run(*given, steps=steps, record=record), _expected(loop, given, steps, record)
            )


def _expected(loop: Loop, given: Any, steps: int, record: int) -> Any:
    with np.errstate(all="ignore"):
        return run_reference(loop, given, steps, record)


def cut(monkeypatch: pytest.MonkeyPatch, longest: int, size: int) -> None:
    """Cut programs that are longer into pieces of a size."""
    monkeypatch.setattr(kernel_text, "LONG", longest)
    monkeypatch.setattr(kernel_text, "LONG_BATCH", longest)
    monkeypatch.setattr(pieces, "PIECE", size)


@pytest.mark.parametrize("name", ["whole", "in pieces"])
def test_large_state(name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """80 numbers: outputs and records are written by a loop, and the program in pieces."""
    if name == "in pieces":
        cut(monkeypatch, 50, 60)
    loop = Loop(wide_state(80, f"ring {name}"), (("y", "x"),))
    if name == "in pieces":
        assert loop_emit.loop_text(loop, 4, this_host()).count("@state_piece") > 4
    run = Target("llvm", threads=1).loop(loop)
    for batch in ((), (3,), (8,), (21,)):
        given = rng.uniform(-1, 1, (*batch, 80)), rng.uniform(0, 0.3, batch)
        assert_same(run(*given, steps=9, record=2), run_reference(loop, given, 9, 2))


@pytest.mark.parametrize("stop", [None, "r"])
def test_pieces_with_sequences_and_stop(
    stop: str | None, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut(monkeypatch, 2, 4)
    loop = Loop(oscillator(f"pieces {stop}"), (("next", "s"),), stop, ("u",))
    assert "@state_piece1" in loop_emit.loop_text(loop, 1, this_host())
    run = Target("llvm").loop(loop)
    for batch in BATCHES:
        given = given_for(loop, batch, rng, 17)
        assert_same(run(*given, steps=17, record=3), run_reference(loop, given, 17, 3))


def test_an_arm_with_its_passes(rng: np.random.Generator) -> None:
    """Semi-implicit steps of a seven-joint arm: thousands of instructions on all lanes."""
    model = da.compile(da.textbook.robots.panda(), threads=1)
    q, v, (h,) = list(model.symbols.q), list(model.symbols.qd), da.parameters("h")
    new = [
        x + h * a
        for x, a in zip(v, model.expressions("forward_dynamics", q, v, [0] * 7), strict=True)
    ]
    outputs = {"q2": [x + h * y for x, y in zip(q, new, strict=True)], "v2": new}
    run = model.loop(outputs, {"q": q, "v": v, "h": h}, {"q2": "q", "v2": "v"})
    q0, v0 = rng.uniform(-1, 1, (2, 13, 7))
    found = run(q0, v0, 1e-3, steps=30)
    for _ in range(30):
        v0 = v0 + 1e-3 * model.forward_dynamics(q0, v0, np.zeros(7))
        q0 = q0 + 1e-3 * v0
    np.testing.assert_allclose(found.outputs[0], q0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.outputs[1], v0, rtol=0, atol=1e-11)


# ---- what goes in


def test_inputs_of_every_layout(rng: np.random.Generator) -> None:
    loop = Loop(oscillator(), (("next", "s"),), None, ("u",))
    run = Target("llvm").loop(loop)
    s, u = rng.normal(size=(30, 2)), rng.normal(size=(30, 12))
    expected = run_reference(loop, (s, np.asarray(0.1), u), 10)
    for state in (s, np.asfortranarray(s), np.repeat(s, 2, axis=0)[::2], s.tolist()):
        for rows in (u, np.asfortranarray(u), np.repeat(u, 2, axis=1)[:, ::2], u[:, :10]):
            assert_same(run(state, 0.1, rows, steps=10), expected)
    assert_same(run(s.astype("f4"), 0.1, 0 * u, steps=10), _short(loop, s, u))


def _short(loop: Loop, s: np.ndarray, u: np.ndarray) -> Any:
    return run_reference(loop, (s.astype("f4").astype(float), np.asarray(0.1), 0 * u), 10)


def test_inputs_are_left_alone(rng: np.random.Generator) -> None:
    loop = Loop(oscillator(), (("next", "s"),))
    s = rng.normal(size=(9, 2))
    before = s.copy()
    Target("llvm").loop(loop)(s, 0.1, 0.0, steps=5)
    np.testing.assert_array_equal(s, before)


def test_broadcast_of_batches(rng: np.random.Generator) -> None:
    """States (4, 1), steps (3,), one sequence for all."""
    loop = Loop(oscillator(), (("next", "s"),), None, ("u",))
    given = rng.normal(size=(4, 1, 2)), np.array([0.01, 0.1, 0.2]), rng.normal(size=8)
    run = Target("llvm").loop(loop)(*given, steps=8, record=4)
    assert run.records[0].shape == (4, 3, 2, 2)
    assert_same(run, run_reference(loop, given, 8, 4))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_no_steps(backend: str, rng: np.random.Generator) -> None:
    loop = Loop(oscillator(), (("next", "s"),), None, ("u",))
    s = rng.normal(size=(3, 2))
    run = Target(backend).loop(loop)(s, 0.1, np.zeros((3, 0)), steps=0, record=2)
    np.testing.assert_array_equal(run.outputs[0], s)
    np.testing.assert_array_equal(run.outputs[1], np.zeros(3))
    np.testing.assert_array_equal(run.steps, np.zeros(3))
    assert run.records[0].shape == (3, 0, 2)
    assert run.is_finite


# ---- threads


def test_threads_do_the_same(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_loop, "WORTH_A_THREAD", 0)
    loop = Loop(oscillator(), (("next", "s"),), "r", ("u",))
    alone, together = (Target("llvm", threads=k).loop(loop) for k in (1, 3))
    for samples in (1, 7, 8, 23, 24, 25, 200):
        given = given_for(loop, (samples,), rng, 20)
        a, b = (run(*given, steps=20, record=5) for run in (alone, together))
        for x, y in zip(
            (*a.outputs, a.steps, *a.records), (*b.outputs, b.steps, *b.records), strict=True
        ):
            np.testing.assert_array_equal(x, y)


# ---- numbers that are none


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("samples", [1, 3, 8, 20])
def test_a_sample_that_leaves_the_numbers(backend: str, samples: int) -> None:
    """x' = x² from 2 overflows, and √(1 - x) from 2 is none; from 1/2 neither."""
    (x,) = da.parameters("x")
    for step, good in ((x**2, True), (da.sqrt(1 - x), True)):
        loop = Loop(trace("f", {"x": x}, {"y": step}), (("y", "x"),))
        run = Target(backend).loop(loop)
        start = np.full(samples, 0.5)
        assert run(start, steps=20).is_finite is good
        for place in {0, samples // 2, samples - 1}:
            bad = start.copy()
            bad[place] = 2.0
            found = run(bad, steps=20, record=20)
            assert not found.is_finite
            assert np.flatnonzero(~np.isfinite(found.outputs[0])).tolist() == [place]
            assert np.flatnonzero(~np.isfinite(found.records[0][:, 0])).tolist() == [place]


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_numbers_whose_sum_overflows(backend: str) -> None:
    x, y = da.parameters("x y")
    loop = Loop(trace("swap", {"s": [x, y]}, {"t": [y, x]}), (("t", "s"),))
    for batch in ((), (9,)):
        assert Target(backend).loop(loop)(np.full((*batch, 2), 1.7e308), steps=3).is_finite


def test_stop_at_what_is_no_number() -> None:
    """√x of a negative x is no number, and that is not positive: the loop ends."""
    (x,) = da.parameters("x")
    loop = Loop(trace("f", {"x": x}, {"y": x - 1, "r": da.sqrt(x)}), (("y", "x"),), "r")
    for samples in (1, 8):
        run = Target("llvm").loop(loop)(np.full(samples, 2.5), steps=50)
        np.testing.assert_array_equal(run.steps, np.full(samples, 4))
        np.testing.assert_array_equal(run.outputs[0], np.full(samples, -1.5))


# ---- refusals


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_refusals_of_arrays(backend: str) -> None:
    run = Target(backend).loop(Loop(oscillator(), (("next", "s"),), None, ("u",)))
    s, u = np.zeros((3, 2)), np.zeros((3, 9))
    cases = [
        ("3 arrays for oscillator", (s, 0.1), {}),
        (r"shape \(..., 2\) for s", (np.zeros((3, 3)), 0.1, u), {}),
        ("real numbers for h", (s, "a", u), {}),
        ("real numbers for h", (s, 1j, u), {}),
        (
            r"finite numbers for oscillator, got nan in s\[1, 0\]",
            (s + np.array([[0], [np.nan], [0]]), 0.1, u),
            {},
        ),
        ("finite numbers for oscillator, got inf in h", (s, np.inf, u), {}),
        ("9 rows or more in the sequence u", (s, 0.1, u[:, :8]), {}),
        ("9 rows or more in the sequence u", (s, 0.1, 1.0), {}),
        ("batch axes that broadcast", (s, 0.1, np.zeros((4, 9))), {}),
        ("whole number of steps", (s, 0.1, u), {"steps": -1}),
        ("whole number of steps", (s, 0.1, u), {"steps": 2.0}),
        ("whole number of steps", (s, 0.1, u), {"steps": True}),
        ("whole number of record", (s, 0.1, u), {"record": -2}),
    ]
    for message, arrays, options in cases:
        with pytest.raises(EvaluationError, match=message):
            run(*arrays, **{"steps": 9, **options})
    # what lies behind the steps does not matter
    u[:, 8] = np.nan
    steps: Any = np.int64(8)
    assert run(s, 0.1, u, steps=steps).is_finite


def test_refusals_of_loops() -> None:
    program = oscillator()
    good = (("next", "s"),)
    cases: list[tuple[str, Any]] = [
        ("an output of the program, got 'nxt'", ((("nxt", "s"),),)),
        ("an input of the program, got 't'", ((("next", "t"),),)),
        ("of one shape", ((("r", "s"),),)),
        ("each output to be carried once, got r twice", ((("r", "h"), ("r", "u")),)),
        ("each input to be carried once, got s twice", ((("next", "s"), ("pair", "s")),)),
        ("an output of the program, got 'x'", (good, "x")),
        ("one number to stop by", (good, "pair")),
        ("an input of the program, got 'v'", (good, None, ("v",))),
        ("either carried or a sequence", (good, None, ("s",))),
    ]
    for message, arguments in cases:
        with pytest.raises(InvalidExpression, match=message):
            Loop(program, *arguments)
    with pytest.raises(UnknownName, match="llvm, numpy or cuda, got 'jax'"):
        Target("jax").loop(Loop(oscillator(), (("next", "s"),)))


def test_nothing_carried() -> None:
    """A map over the rows of a sequence: the last row shows."""
    code = (I("input", (), (0, 0)), I("mul", (0, 0)))
    loop = Loop(Program("square", (Port("x", ()),), (Port("y", ()),), code, (1,)), (), None, ("x",))
    run = Target("llvm").loop(loop)(np.arange(24.0).reshape(3, 8), steps=8, record=2)
    np.testing.assert_array_equal(run.outputs[0], np.array([7.0, 15.0, 23.0]) ** 2)
    assert run.records == ()


# ---- one sample, by machine code alone


def newton_root() -> Loop:
    """x' = x - (x² - a)/(2x) while |x² - a| > 1e-9: the square root of a."""
    x, a = da.parameters("x a")
    left = (x * x - a) ** 2 - Fraction(1, 10**18)
    program = compile_program({"y": (x + a / x) / 2, "left": left}, {"x": x, "a": a}, name="root")
    return Loop(program, (("y", "x"),), "left")


def test_plain_arrays_of_one_sample_run_no_python() -> None:
    other: list[Any] = []
    kernel = Target("llvm").loop(newton_root())
    root = kernel.with_fast_calls(50, lambda *arrays: other.append(arrays))
    y, left, steps = root(np.array(1.0), np.array(2.0))
    run = kernel(1.0, 2.0, steps=50)
    assert y == pytest.approx(np.sqrt(2), abs=1e-15)
    assert (y, left, steps) == (*run.outputs, run.steps)
    assert not other
    few = kernel.with_fast_calls(2, lambda *arrays: None)
    assert few(np.array(1.0), np.array(2.0))[2] == 2


@pytest.mark.parametrize(
    "arrays",
    [(1.0, 2.0), (np.ones(3), np.ones(3)), (np.array(0.0), np.array(2.0)), (np.array(1.0),)],
    ids=["numbers", "a batch", "not finite", "too few"],
)
def test_other_calls_of_one_sample_go_on(arrays: Any) -> None:
    root = Target("llvm").loop(newton_root()).with_fast_calls(50, lambda *arrays: "other")
    assert root(*arrays) == "other"


def test_without_machine_code_all_calls_go_on() -> None:
    sequences = Loop(oscillator(), (("next", "s"),), None, ("u",))
    for loop in (
        Target("numpy").loop(newton_root()),
        Target("llvm").loop(sequences),
    ):
        assert loop.with_fast_calls(5, len) is len
