"""The CUDA text of loops, run on the CPU: what the reference computes, for every batch."""

import math
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dalembert.errors import EvaluationError, UnknownName
from dalembert.expr import parameters
from dalembert.expr.functions import abs_
from dalembert.kernel.backends.cuda.loop.source import loop_source
from dalembert.kernel.backends.numpy.loop import run_reference
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.iteration import Iteration, compile_iteration
from dalembert.kernel.program.program import Instruction, Port, Program
from tests.unit.kernel.backends.cuda.loop.emulator import EmulatedLoop

I = Instruction
STEPS, RECORD = 47, 5

# oscillations of fifty steps: each rounds a few times
TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


def oscillator() -> Program:
    """s' = (x + h y, y - h x' + h u), shown: r = 1/2 - x, and the pair (x y, x)."""
    code = [I("input", (), (0, 0)), I("input", (), (0, 1)), I("input", (), (1, 0))]
    code += [I("input", (), (2, 0)), I("const", (), Fraction(1, 2))]
    code += [I("fma", (2, 1, 0)), I("fnma", (2, 5, 1)), I("fma", (2, 3, 6)), I("sub", (4, 0))]
    code += [I("mul", (0, 1))]
    ports = (Port("s", (2,)), Port("h", ()), Port("u", ()))
    shown = (Port("next", (2,)), Port("r", ()), Port("pair", (1, 2)))
    return Program("oscillator", ports, shown, tuple(code), (5, 7, 8, 9, 0))


@pytest.mark.parametrize("sequences", [(), ("u",)])
@pytest.mark.parametrize("stop", [None, "r"])
@pytest.mark.parametrize(("dtype", "longest"), [("float32", 99), ("float64", 99), ("float64", 4)])
def test_agrees_with_the_reference(
    stop: str | None,
    sequences: tuple[str, ...],
    dtype: str,
    longest: int,
    rng: np.random.Generator,
    tmp_path: Path,
) -> None:
    loop = Loop(oscillator(), (("next", "s"),), stop, sequences)
    run = EmulatedLoop(loop, dtype, tmp_path, longest)
    for batch in ((), (1,), (31,), (64,), (65,), (200,), (5, 7)):
        s = rng.normal(size=(*batch, 2)).astype(dtype)
        u = rng.normal(size=(*batch, STEPS + 3) if sequences else batch).astype(dtype)
        h = np.asarray(0.125)
        outputs, count, records = run_reference(loop, (s, h, u), STEPS, RECORD)
        for is_batch_last in (True, False):
            given = run(s, h, u, steps=STEPS, record=RECORD, is_batch_last=is_batch_last)
            np.testing.assert_array_equal(given.steps, count)
            for a, b in zip((*given.outputs, *given.records), (*outputs, *records), strict=True):
                np.testing.assert_allclose(a, b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
            assert given.is_finite


def turning() -> Loop:
    """s' = s/2 + √u by turns x' = (x + u/x)/2 from x = u, while |x² - u| > 1e-6: Heron's roots.

    Shown: the turns that were taken.
    """
    s, u, x, k = parameters("s u x k")
    turns = Iteration(
        {"x": [x], "k": [k]},
        {"x": [u], "k": [0]},
        {"x": [(x + u / x) / 2], "k": [k + 1]},
        abs_(x * x - u) - Fraction(1, 10**6),
        30,
    )
    outputs = {"next": s / 2 + x, "turns": [k], "left": 9 - s}
    program, inner = compile_iteration(outputs, {"s": s, "u": u}, turns, "roots")
    return Loop(program, (("next", "s"),), "left", ("u",), inner)


@pytest.mark.parametrize(("dtype", "longest"), [("float32", 99), ("float64", 99), ("float64", 4)])
def test_turns(dtype: str, longest: int, rng: np.random.Generator, tmp_path: Path) -> None:
    run = EmulatedLoop(turning(), dtype, tmp_path, longest)
    s = rng.normal(size=70).astype(dtype)
    u = rng.uniform(0.1, 20, (70, STEPS)).astype(dtype)
    found = run(s, u, steps=STEPS)
    for i in range(70):
        x, taken = float(s[i]), 0
        for taken in range(1, STEPS + 1):
            going = 9 - x > 0
            x = x / 2 + math.sqrt(u[i, taken - 1])
            if not going:
                break
        assert found.steps[i] == taken
        # of the roots 1e-6, and of single precision
        np.testing.assert_allclose(found.outputs[0][i], x, rtol=2e-6)
    assert 3 < found.outputs[1].mean() < 10


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc, NVIDIA's compiler")
def test_nvidias_compiler_takes_the_text(tmp_path: Path) -> None:
    (tmp_path / "loop.cu").write_text(loop_source(turning()), encoding="ascii")
    command = ["nvcc", "-ptx", "-o", "loop.ptx", "loop.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert ".visible .entry roots" in (tmp_path / "loop.ptx").read_text()


def test_layouts_of_inputs(rng: np.random.Generator, tmp_path: Path) -> None:
    """Structures of arrays, every second number, one value for all, one sequence for all."""
    loop = Loop(oscillator(), (("next", "s"),), sequences=("u",))
    run = EmulatedLoop(loop, "float64", tmp_path)
    s = rng.normal(size=(70, 2))
    u = rng.normal(size=20)
    truth = run_reference(loop, (s, np.asarray(0.1), u), 20)[0]
    wide = np.zeros((70, 5))
    wide[:, 1:5:3] = s
    for given in (s, np.asfortranarray(s), wide[:, 1:5:3]):
        outputs = run(given, np.asarray(0.1), u, steps=20).outputs
        np.testing.assert_allclose(outputs[0], truth[0], rtol=1e-12)


def test_no_step(tmp_path: Path, rng: np.random.Generator) -> None:
    """The state stays, and what steps would have shown is zero."""
    loop = Loop(oscillator(), (("next", "s"),))
    s = rng.normal(size=(9, 2))
    run = EmulatedLoop(loop, "float64", tmp_path)(s, np.asarray(0.1), np.asarray(0.0), steps=0)
    np.testing.assert_array_equal(run.outputs[0], s)
    np.testing.assert_array_equal(run.outputs[1], np.zeros(9))
    np.testing.assert_array_equal(run.steps, np.zeros(9))


def test_a_sample_that_leaves_the_numbers(tmp_path: Path) -> None:
    """x' = x² from 2 overflows, from 1/2 it does not."""
    code = (I("input", (), (0, 0)), I("mul", (0, 0)))
    loop = Loop(Program("square", (Port("x", ()),), (Port("y", ()),), code, (1,)), (("y", "x"),))
    run = EmulatedLoop(loop, "float64", tmp_path)
    assert run(np.full(40, 0.5), steps=20).is_finite
    x = np.full(40, 0.5)
    x[33] = 2.0
    found = run(x, steps=20)
    assert not found.is_finite
    assert np.isinf(found.outputs[0][33])
    assert np.isfinite(np.delete(found.outputs[0], 33)).all()


def test_refusals(tmp_path: Path) -> None:
    loop = Loop(oscillator(), (("next", "s"),), sequences=("u",))
    with pytest.raises(UnknownName, match="float64 or float32, got 'half'"):
        loop_source(loop, "half")
    run = EmulatedLoop(loop, "float64", tmp_path)
    s, h = np.zeros((3, 2)), np.asarray(0.1)
    with pytest.raises(EvaluationError, match="10 rows or more in the sequence u"):
        run(s, h, np.zeros((3, 9)), steps=10)
    with pytest.raises(EvaluationError, match="10 rows or more in the sequence u"):
        run(s, h, np.asarray(1.0), steps=10)
    with pytest.raises(EvaluationError, match=r"that broadcast in .*, got s"):
        run(s, h, np.zeros((4, 10)), steps=10)
    with pytest.raises(EvaluationError, match=r"expected shape \(..., 2\) for s"):
        run(np.zeros((3, 3)), h, np.zeros(10), steps=10)


def test_names_are_only_names() -> None:
    """No name of a model reaches the compiler as code."""
    code = (I("input", (), (0, 0)),)
    program = Program('k(){} /* "\n', (Port("*/ x /*", ()),), (Port("\\\n*/", ()),), code, (0,))
    text = loop_source(Loop(program, (("\\\n*/", "*/ x /*"),)))
    assert text.isascii()
    assert "k(){}" not in text.replace("// k(){}", "")
    assert text.count("*/") == text.count("/*") == 4
