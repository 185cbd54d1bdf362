"""Rolled CUDA on the processor against the recursions: every joint kind, branches, long chains."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Mechanism
from dalembert.model.source.rolled_cuda import FUNCTIONS, THREADS, rolled_cuda
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism, random_state
from tests.unit.kernel.backends.cuda.emulator import Emulator
from tests.unit.model.source.test_rolled_c import with_resistance

N = 5
# of the largest number, times the depth of the tree and the condition of M
TOLERANCE = 1e-9


def emulated(
    mechanism: Mechanism, name: str, arrays: list[np.ndarray], folder: Path, *, passive: bool
) -> np.ndarray:
    """Return the output of the kernel for packed rows."""
    program, text = rolled_cuda(mechanism, name, "float64", passive=passive)
    folder.mkdir()
    y = np.full((len(arrays[0]), *program.outputs[0].shape), np.nan)
    kernel = Emulator(text, "kernel", len(arrays) + 1, folder)
    layouts = [(x[0].size, 1) for x in (*arrays, y)]
    assert kernel.run([*arrays, y], layouts, len(y), threads=THREADS) == 0
    return y


def check(
    mechanism: Mechanism, rng: np.random.Generator, folder: Path, *, passive: bool, names: tuple
) -> None:
    """Compare with the flat program on the processor."""
    model = da.compile(mechanism, "numpy", passive=passive)
    states = [random_state(rng, mechanism) for _ in range(N)]
    q, v = (np.array([state[k] for state in states]) for k in range(2))
    a = rng.normal(size=v.shape)
    for name in names:
        given = {"q": q, "qd": v, "qdd": a, "tau": a}
        arrays = [given[x] for x in FUNCTIONS[name].inputs]
        truth = getattr(model, name)(*arrays)
        found = emulated(mechanism, name, arrays, folder / name, passive=passive)
        assert np.abs(found - truth).max() <= TOLERANCE * np.abs(truth).max(initial=1e-3), name


@pytest.mark.parametrize("passive", [True, False])
def test_random_mechanisms(
    rng: np.random.Generator, tmp_path: Path, passive: bool, scale: float
) -> None:
    """All kinds of joints; springs and friction act, unless they are left out."""
    for case in range(num_cases(2, scale)):
        drawn = with_resistance(rng, random_mechanism(rng, 8, mimic=0.0))
        mechanism = replace(drawn, actuators=())
        folder = tmp_path / str(case)
        folder.mkdir()
        check(mechanism, rng, folder, passive=passive, names=tuple(FUNCTIONS))
