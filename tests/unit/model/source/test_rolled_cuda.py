"""Rolled CUDA on the processor against the recursions: every joint kind, branches, long chains."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.kernel.backends.cuda.compiling import THREADS_OF_TEXT
from dalembert.mechanism import Mechanism
from dalembert.model.source.rolled_cuda import FUNCTIONS, rolled_cuda, rolled_kernel
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
    assert kernel.run([*arrays, y], layouts, len(y), threads=THREADS_OF_TEXT) == 0
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


def chain(count: int) -> Mechanism:
    """Return rods of 10 cm, hinged about y and z in turn."""
    builder = da.Builder("chain")
    for i in range(count):
        builder.link(f"link{i}", mass=0.3, com=(0.05, 0, 0), inertia=(1e-4, 3e-4, 3e-4))
        origin = (0.1 if i else 0, 0, 0)
        builder.revolute(f"joint{i}", f"link{i}", axis="yz"[i % 2], origin=origin)
    return builder.build()


def test_a_long_chain_in_small_text(rng: np.random.Generator, tmp_path: Path) -> None:
    """Of 200 links: FD undoes ID; the code does not grow, only the tables do."""
    long = chain(200)
    q, v, a = rng.uniform(-0.3, 0.3, (3, N, 200))
    (tmp_path / "x").mkdir()
    folder = tmp_path / "x"
    tau = emulated(long, "inverse_dynamics", [q, v, a], folder / "id", passive=True)
    found = emulated(long, "forward_dynamics", [q, v, tau], folder / "fd", passive=True)
    np.testing.assert_allclose(found, a, rtol=0, atol=1e-6)
    M = emulated(long, "mass_matrix", [q], folder / "m", passive=True)
    h = emulated(long, "bias", [q, v], folder / "h", passive=True)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", M, a) + h, tau, rtol=1e-10, atol=1e-10)

    def code(count: int) -> int:
        text = rolled_cuda(chain(count), "forward_dynamics")[1]
        return sum("{" not in line or "(" in line for line in text.splitlines())

    assert code(200) - code(100) < 9 * 100


def test_what_gets_loops() -> None:
    assert rolled_kernel(chain(8), "inverse_dynamics", "float32", passive=True) is None
    assert rolled_kernel(chain(80), "jacobian", "float32", passive=True) is None
    kernel = rolled_kernel(chain(80), "mass_matrix", "float64", passive=True)
    assert kernel is not None
    assert kernel.outputs[0].shape == (80, 80)
    assert kernel.explain() == (
        "chain: mass_matrix, by loops over joints: one thread for each sample, 64 in a block"
    )


def test_a_model_takes_loops() -> None:
    """From 64 velocities on, unless options or friction ask for straight lines; also unpickled."""
    model = da.compile(chain(64), backend="cuda", dtype="float64")
    kernel: Any = model.kernel("forward_dynamics")
    assert "by loops over joints" in kernel.explain()
    assert [port.name for port in (*kernel.inputs, *kernel.outputs)] == ["q", "qd", "tau", "qdd"]
    assert repr(kernel) == kernel.explain()
    with pytest.raises(EvaluationError, match="cost of forward_dynamics, got loops"):
        _ = kernel.cost
    again = pickle.loads(pickle.dumps(kernel))
    assert again.source() == kernel.source()
    assert again.dtype == "float64"
    smooth = da.compile(chain(64), backend="cuda", smoothing=0.1)
    assert smooth.description.rolled_kernel("gravity", "float32") is None


def test_refusals(rng: np.random.Generator) -> None:
    mechanism = random_mechanism(rng, 8, mimic=1.0, kinds=("revolute",))
    with pytest.raises(InvalidMechanism, match="a velocity of its own for every joint"):
        rolled_cuda(mechanism, "forward_dynamics")
    with pytest.raises(EvaluationError, match=r"1000 velocities and 648000 bytes in float64"):
        rolled_kernel(chain(1000), "forward_dynamics", "float64", passive=True)
    assert rolled_kernel(chain(1000), "forward_dynamics", "float32", passive=True) is not None
