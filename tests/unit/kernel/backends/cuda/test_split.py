"""Several kernels give the numbers of one: in every layout, to the last sample."""

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel.backends.cuda.compiling import CompiledKernel
from dalembert.kernel.backends.cuda.explained import explained
from dalembert.kernel.backends.cuda.layout import Layout
from dalembert.kernel.backends.cuda.source import THREADS, cuda_source
from dalembert.kernel.backends.cuda.split import steps
from dalembert.kernel.backends.cuda.split.choose import SIZES, Split, split
from dalembert.kernel.backends.cuda.split.links import Link
from dalembert.kernel.backends.cuda.split.segments import segments_of
from dalembert.kernel.backends.cuda.split.slices import slices_of
from dalembert.kernel.operation import Operation
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.reference import run
from dalembert.kernel.program.spec import validate
from tests.unit.kernel.backends.cuda.emulator import Emulator
from tests.unit.kernel.random_programs import random_program

I = Instruction


def by_links(
    program: Program, links: Sequence[Link], num_values: int, x: list[np.ndarray]
) -> list[np.ndarray]:
    """Return the outputs by running the programs of all links one after the other."""
    count = len(x[0])
    values = np.full((count, num_values), np.nan)
    outputs = [np.full((count, port.size), np.nan) for port in program.outputs]
    for link in links:
        validate(link.program)
        given = [values if k is None else x[k] for k in link.inputs]
        for y, (output, start) in zip(run(link.program, given), link.outputs, strict=True):
            memory = values if output is None else outputs[output]
            memory[:, start : start + y.shape[-1]] = y
    return [y.reshape(count, *p.shape) for y, p in zip(outputs, program.outputs, strict=True)]


@pytest.mark.parametrize(("size", "results"), [(10, 1), (25, 3), (1000, 100)])
def test_random_programs(size: int, results: int, draw: random.Random) -> None:
    """Every row is computed once, with the very operations of the program."""
    for _ in range(10):
        raw, points = random_program(draw, 120)
        program = optimise(raw)
        x = [np.array(points)]
        truth = run(program, x)
        segments, num_values = segments_of(program, size, results)
        slices = slices_of(program, size, results)
        ways = ((segments, num_values), ([part.link(program) for part in slices], 0))
        for links, count in ways:
            for found, expected in zip(by_links(program, links, count, x), truth, strict=True):
                np.testing.assert_array_equal(found, expected)


def products(n: int) -> Program:
    """The table of all products of n sums, each with every input in it."""
    code = [I("input", (), (0, k)) for k in range(n)] + [I("add", (0, 1))]
    for k in range(1, n):
        code.append(I("add", (len(code) - 1, k)))
    sums = range(n, 2 * n)
    code += [I("mul", (i, j)) for i in sums for j in sums]
    results = tuple(range(2 * n, 2 * n + n * n))
    return Program("f", (Port("x", (n,)),), (Port("y", (n, n)),), tuple(code), results)


def test_rows_that_share_work_stay_together() -> None:
    """Two rows of four numbers each need a chain of 50; the other two need nothing of it."""
    code = [I("input", (), (0, 0))] + [I("neg", (k,)) for k in range(50)]
    code += [I("add", (0, 0)), I("mul", (0, 0))]
    rows = (50, 49, 48, 47), (46, 45, 44, 43), (51, 51, 51, 51), (52, 52, 52, 52)
    results = tuple(i for row in rows for i in row)
    program = Program("f", (Port("x", ()),), (Port("y", (4, 4)),), tuple(code), results)
    found = slices_of(program, 50, 100)
    assert [(part.start, part.stop, part.work) for part in found] == [(0, 8, 50), (8, 16, 2)]
    assert [part.work for part in slices_of(program, 1000, 100)] == [52]
    assert [part.stop for part in slices_of(program, 1000, 4)] == [4, 8, 16]


class Emulated:
    """Kernels on the processor, with the arguments that those of CuPy take."""

    def __init__(self, dtype: str, folder: Path) -> None:
        self.dtype, self.folder, self.count = dtype, folder, 0

    def __call__(self, programs: Sequence[tuple[Program, tuple[str, ...]]]) -> list[CompiledKernel]:
        return [CompiledKernel(self._kernel(*item), THREADS, 0) for item in programs]

    def _kernel(self, program: Program, ways: tuple[str, ...]) -> Any:
        import ctypes

        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        ports = len(program.inputs) + len(program.outputs)
        text = cuda_source(program, self.dtype, "kernel", access=ways)
        emulate = Emulator(text, "kernel", ports, folder).function

        def launch(blocks: Any, threads: Any, arguments: list[int], shared_mem: int) -> None:
            columns = [arguments[k : 3 * ports : 3] for k in range(3)]
            samples, flag = arguments[3 * ports :]
            emulate(
                blocks[0],
                threads[0],
                (ctypes.c_void_p * ports)(*columns[0]),
                *((ctypes.c_longlong * ports)(*column) for column in columns[1:]),
                ctypes.c_longlong(samples),
                ctypes.c_void_p(flag),
            )

        return launch


@pytest.mark.parametrize("is_batch_last", [False, True])
@pytest.mark.parametrize("how", ["one", "slices", "segments"])
def test_steps_of_a_call(
    how: str,
    is_batch_last: bool,
    rng: np.random.Generator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chunks of 40 samples; each flag is that of its chunk; nothing else is touched."""
    monkeypatch.setattr(steps, "CHUNK", 40)
    n, N = 9, 101
    program = products(n)
    links, num_values = segments_of(program, 40, 30)
    parts = {
        "one": None,
        "slices": Split(tuple(s.link(program) for s in slices_of(program, 60, 30)), 0),
        "segments": Split(tuple(links), num_values),
    }[how]
    assert parts is None or len(parts.links) > 2
    x = rng.uniform(1, 2, (N, n))
    x[77, 0] = np.inf
    memory = np.full(n * n * (N + 2), 7.0)
    y = memory[n * n : -n * n]
    given = x.T.copy() if is_batch_last else x
    layouts = [Layout(1, N), Layout(1, N)] if is_batch_last else [Layout(n, 1), Layout(n * n, 1)]
    launch = steps.plan_steps(program, parts, layouts, N, Emulated("float64", tmp_path))
    values = np.full(launch.numbers + 1, np.nan)
    flags = np.zeros(4, np.uint64)
    launch.start([given.ctypes.data, y.ctypes.data], N, flags.ctypes.data, values.ctypes.data, 8)
    first = x[:, :1] + x[:, 1:2]
    sums = np.concatenate([first, first + np.cumsum(x[:, 1:], axis=1)], axis=1)
    truth = sums[:, :, None] * sums[:, None, :]
    found = y.reshape(n * n, N).T if is_batch_last else y.reshape(N, n * n)
    np.testing.assert_allclose(found.reshape(N, n, n), truth, rtol=1e-14)
    assert flags.tolist() == ([0, 38, 0, 0] if how == "segments" else [78, 0, 0, 0])
    assert (memory[: n * n] == 7).all()
    assert (memory[-n * n :] == 7).all()
    assert np.isnan(values[-1])


def test_short_programs_are_one_kernel() -> None:
    """Their rows need nearly all of them: slices would compute it again."""
    model = da.compile(da.textbook.robots.panda())
    gradient = Operation.of(model.program("forward_dynamics")).pullback.program
    sizes = SIZES["float64"]
    slices = slices_of(gradient, sizes.work, sizes.results)
    assert len(slices) > 1
    assert max(part.work for part in slices) > 0.9 * len(gradient.code)
    for program in (gradient, model.program("forward_dynamics_derivatives")):
        assert split(program, "float64") is None


def test_few_values_need_one_kernel() -> None:
    assert split(products(9), "float32") is None
    assert "one thread for each sample" in explained(products(9), "float32", 1 << 17)


def crossed(n: int, rows: int) -> Program:
    """n sums that wait for their products: all of them are alive at once."""
    code = [I("input", (), (0, k)) for k in range(2)] + [I("add", (0, 1))]
    code += [I("add", (k, 1)) for k in range(2, n + 1)]
    code += [I("mul", (2 + k, n + 1 - k)) for k in range(n)]
    ports = (Port("x", (2,)),), (Port("y", (rows, n // rows)),)
    return Program("h", *ports, tuple(code), tuple(range(n + 2, 2 * n + 2)))


@pytest.mark.parametrize(
    ("n", "rows", "words"), [(400, 40, "some rows of the outputs"), (20_000, 100, "hand on")]
)
def test_many_values_need_several(
    n: int, rows: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows where they need little in common; where each needs nearly all, values are handed on."""
    # 800 instructions count as many
    monkeypatch.setitem(SIZES, "float64", SIZES["float64"]._replace(work=min(2 * n - 100, 5000)))
    program = crossed(n, rows)
    parts = split(program, "float64")
    assert parts is not None
    assert words in explained(program, "float64", 1 << 17)
    x = [np.array([[0.5, 1e-3]])]
    for found, truth in zip(by_links(program, *parts, x), run(program, x), strict=True):
        np.testing.assert_array_equal(found, truth)
    sizes = [sum(math.prod(p.shape) for p in link.program.outputs) for link in parts.links]
    assert max(sizes) < 10_000
