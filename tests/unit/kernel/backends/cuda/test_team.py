"""Warps that share a program: the same numbers as one thread, in every layout, to the last sample."""

from pathlib import Path

import numpy as np
import pytest

from dalembert.kernel.backends.cuda.team.choose import team_for, wants_team
from dalembert.kernel.backends.cuda.team.plan import TeamPlan, pitch
from dalembert.kernel.backends.cuda.team.source import team_source
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.reference import run
from tests.unit.kernel.backends.cuda.emulator import Emulator
from tests.unit.kernel.backends.cuda.test_source import TOLERANCE, every_operation, expected
from tests.unit.kernel.random_programs import random_program

WARPS = 3


def emulated(program: Program, dtype: str, size: int, samples: int, folder: Path) -> Emulator:
    """Return the kernel of three warps with parts of some size."""
    source = team_source(TeamPlan(program, WARPS, size), dtype, "k", samples=samples)
    return Emulator(source, "k", len(program.inputs) + len(program.outputs), folder)


@pytest.mark.parametrize(
    ("dtype", "size", "samples"), [("float32", 4, 32), ("float64", 2, 5), ("float64", 100, 31)]
)
@pytest.mark.parametrize("is_batch_last", [False, True])
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
