"""Warps that share a program: the numbers of one thread, in every layout, to the last sample."""

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dalembert.kernel.backends.cuda.explained import explained
from dalembert.kernel.backends.cuda.team.choose import Team, team_for, wants_team
from dalembert.kernel.backends.cuda.team.plan import TeamPlan
from dalembert.kernel.backends.cuda.team.source import team_source
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.program import Instruction, Port, Program
from tests.unit.kernel.backends.cuda.emulator import Emulator
from tests.unit.kernel.backends.cuda.test_source import TOLERANCE, every_operation, expected
from tests.unit.kernel.random_programs import random_program

WARPS = 3
I = Instruction


def emulated(program: Program, dtype: str, size: int, samples: int, folder: Path) -> Emulator:
    """Return the kernel of three warps with parts of some size."""
    source = team_source(TeamPlan(program, WARPS, size), dtype, "k", samples=samples)
    return Emulator(source, "k", len(program.inputs) + len(program.outputs), folder)


@pytest.mark.parametrize(
    ("dtype", "size", "samples", "is_batch_last"),
    [("float32", 4, 32, False), ("float64", 2, 5, True), ("float64", 100, 31, False)],
)
def test_every_operation(
    dtype: str,
    size: int,
    samples: int,
    is_batch_last: bool,
    rng: np.random.Generator,
    tmp_path: Path,
) -> None:
    """Any number of samples; what no thread is asked to write stays."""
    program = every_operation()
    n = len(program.results)
    kernel = emulated(program, dtype, size, samples, tmp_path)
    for N in (1, 31, 33, 150):
        x = rng.uniform(0.1, 0.9, (N, 2)).astype(dtype)
        given = x.T.copy() if is_batch_last else x
        memory = np.full(n * (N + 2), 7.0, dtype)
        y = memory[n:-n].reshape((n, N) if is_batch_last else (N, n))
        layouts = [(1, N), (1, N)] if is_batch_last else [(2, 1), (n, 1)]
        assert kernel.run([given, y], layouts, N, threads=32 * WARPS) == 0
        found = y.T if is_batch_last else y
        np.testing.assert_allclose(found, expected(x), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
        assert (memory[:n] == 7).all()
        assert (memory[-n:] == 7).all()


def test_constants_inputs_and_several_outputs(tmp_path: Path, rng: np.random.Generator) -> None:
    """y = M x and M itself, of one M for all samples; outputs of nothing but leaves."""
    code = [I("input", (), (0, k)) for k in range(4)] + [I("input", (), (1, k)) for k in range(2)]
    code += [I("mul", (0, 4)), I("fma", (1, 5, 6)), I("mul", (2, 4)), I("fma", (3, 5, 8))]
    code.append(I("const", (), Fraction(5)))
    ports = (Port("M", (2, 2)), Port("x", (2,))), (Port("y", (2,)), Port("K", (2, 3)))
    program = Program("f", *ports, tuple(code), (7, 9, 10, 3, 2, 1, 0, 10))
    kernel = emulated(program, "float64", 1, 32, tmp_path)
    M, x = rng.normal(size=(2, 2)), rng.normal(size=(40, 2))
    y, K = np.zeros((40, 2)), np.zeros((40, 6))
    layouts = [(0, 1), (2, 1), (2, 1), (6, 1)]
    assert kernel.run([M, x, y, K], layouts, 40, threads=32 * WARPS) == 0
    np.testing.assert_allclose(y, x @ M.T, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(K, np.tile([5, *M.ravel()[::-1], 5], (40, 1)))


def test_nothing_to_compute(tmp_path: Path) -> None:
    """y = (7, x, 7): no work, an input without numbers, and an output without."""
    code = (I("const", (), Fraction(7)), I("input", (), (1, 0)))
    ports = (Port("none", (0,)), Port("x", ())), (Port("y", (3,)), Port("nil", (0,)))
    kernel = emulated(Program("f", *ports, code, (0, 1, 0)), "float64", 8, 32, tmp_path)
    x, y, nothing = np.arange(33.0), np.zeros((33, 3)), np.zeros(1)
    layouts = [(0, 1), (1, 1), (3, 1), (0, 1)]
    assert kernel.run([nothing, x, y, nothing], layouts, 33, threads=32 * WARPS) == 0
    np.testing.assert_array_equal(y, np.stack([x * 0 + 7, x, x * 0 + 7], -1))


def test_flag_of_values_that_are_not_finite(tmp_path: Path) -> None:
    code = (I("input", (), (0, 0)), I("pow", (0,), Fraction(-1)), I("neg", (1,)))
    program = Program("f", (Port("x", ()),), (Port("y", (2,)),), code, (1, 2))
    kernel = emulated(program, "float64", 1, 31, tmp_path)
    x, y = np.full(80, 2.0), np.zeros((80, 2))
    assert kernel.run([x, y], [(1, 1), (2, 1)], 80, threads=32 * WARPS) == 0
    np.testing.assert_array_equal(y, np.tile([0.5, -0.5], (80, 1)))
    x[79] = 0.0
    assert kernel.run([x, y], [(1, 1), (2, 1)], 80, threads=32 * WARPS) == 80


@pytest.mark.parametrize(("warps", "size"), [(1, 4), (2, 5), (4, 20)])
def test_no_slot_is_written_while_others_read_it(
    warps: int, size: int, draw: random.Random
) -> None:
    """Warps meet only between stages, so within one each slot has readers or one writer."""
    for _ in range(10):
        program = optimise(random_program(draw, 120)[0])
        plan = TeamPlan(program, warps, size)
        holds = {slot: i for i, slot in plan.slots.items() if program.code[i].op == "input"}
        holds |= {plan.slots[i]: i for i in plan.constants}
        for number, runs in enumerate(plan.writes):
            stage = plan.stages[number] if number < len(plan.stages) else ()
            reads: dict[int, set[int]] = {}
            for w, part in enumerate(stage):
                for a in (a for i in part for a in program.code[i].args if a not in part):
                    if program.code[a].op != "const":
                        assert holds[plan.slots[a]] == a
                        reads.setdefault(plan.slots[a], set()).add(w)
            for run in runs:
                for i in plan.shown(run):
                    assert holds[plan.slots[i]] == i
                    reads.setdefault(plan.slots[i], set()).add(-1)
            new = {plan.slots[i]: i for part in stage for i in part if i in plan.slots}
            assert len(new) == sum(i in plan.slots for part in stage for i in part)
            assert reads.keys().isdisjoint(new)
            holds |= new


def squares(n: int) -> Program:
    """All products of n numbers."""
    code = [I("input", (), (0, k)) for k in range(n)]
    code += [I("mul", (i, j)) for i in range(n) for j in range(n)]
    results = tuple(range(n, n + n * n))
    return Program("f", (Port("x", (n,)),), (Port("y", (n, n)),), tuple(code), results)


def test_a_block_takes_what_its_memory_holds() -> None:
    """32 samples, an odd distance of slots, fewer samples with less memory, at last no team."""
    program = squares(6)
    team = team_for(program, "float32", 1 << 18)
    assert isinstance(team, Team)
    slots = team.plan.num_slots
    assert 36 <= slots <= 42
    assert team.samples == 32
    assert team.shared == 33 * 4 * slots
    short = team_for(program, "float64", 15 * 8 * slots)
    assert short is not None
    assert (short.samples, short.shared) == (15, 15 * 8 * slots)
    assert team_for(program, "float64", 5 * 8 * slots) is None


def test_many_values_alive_want_a_team() -> None:
    assert not wants_team(255, "float32")
    assert wants_team(255, "float64")
    assert wants_team(632, "float32")


def test_explained() -> None:
    """A chain keeps one value alive; 400 sums that wait for their products keep 400."""
    chain = Program("g", (Port("x", ()),), (Port("y", ()),), (I("input", (), (0, 0)),), (0,))
    text = explained(chain, "float32", 1 << 17)
    assert text.startswith("g: one thread for each sample, 128 in a block")
    assert "1 instructions, at most 0 values of float32" in text
    code = [I("input", (), (0, k)) for k in range(2)] + [I("add", (0, 1))]
    code += [I("add", (k, 1)) for k in range(2, 401)]
    code += [I("mul", (2 + k, 401 - k)) for k in range(400)]
    ports = (Port("x", (2,)),), (Port("y", (400,)),)
    wide = Program("h", *ports, tuple(code), tuple(range(402, 802)))
    text = explained(wide, "float32", 1 << 17)
    assert text.startswith("h: 16 warps share the work of")
    assert "at most 400 values" in text
    assert "local memory" in text
    assert explained(squares(9), "float32", 1 << 17).endswith(
        "y waits in shared memory, then warps write it side by side"
    )
