"""The CUDA text of loops, run on the CPU: what the reference computes, for every batch."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dalembert.errors import EvaluationError, UnknownName
from dalembert.kernel.backends.cuda.loop.source import loop_source
from dalembert.kernel.backends.numpy.loop import run_reference
from dalembert.kernel.call.loop import Loop
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
