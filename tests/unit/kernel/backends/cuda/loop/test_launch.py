"""Loops on a device: every kind of array, sequences, records, steps that stop."""

from fractions import Fraction

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.cuda.loop.launch import CudaLoop
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Instruction, Port, Program

cupy = pytest.importorskip("cupy", reason="needs CuPy and a GPU: pip install cupy-cuda12x")
if not cupy.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

N, STEPS = 1000, 40


def decay() -> Program:
    """x' = x / 2 + u on a pair x, while x[0] > 1."""
    code = [Instruction("input", (), (0, 0)), Instruction("input", (), (0, 1))]
    code += [Instruction("input", (), (1, 0)), Instruction("const", (), Fraction(1, 2))]
    code += [Instruction("fma", (0, 3, 2)), Instruction("fma", (1, 3, 2))]
    code += [Instruction("const", (), Fraction(1)), Instruction("sub", (4, 6))]
    ports = (Port("x", (2,)), Port("u", ())), (Port("y", (2,)), Port("more", ()))
    return Program("decay", *ports, tuple(code), (4, 5, 7))


def truth(x: np.ndarray, u: np.ndarray, stop: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the last state, the steps taken and every tenth state."""
    x, active = x.astype(float).copy(), np.ones(len(x), bool)
    count, rows = np.zeros(len(x)), []
    for k in range(STEPS):
        x[active] = x[active] / 2 + u[k]
        count += active
        if stop:
            active &= x[:, 0] > 1
        if k % 10 == 9:
            rows.append(x.copy())
    return x, count, np.stack(rows, 1)


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.uniform(2, 1e6, (N, 2)), rng.uniform(0, 0.4, STEPS)


@pytest.mark.parametrize("stop", [None, "more"])
@pytest.mark.parametrize("package", ["numpy", "cupy", "torch", "jax"])
def test_every_kind_of_array(package: str, stop: str | None, data: tuple) -> None:
    x, u = data
    dtype = "float64"
    if package == "torch":
        torch = pytest.importorskip("torch", reason="needs PyTorch")
        given = [torch.tensor(a, device="cuda") for a in data]
    elif package == "jax":
        jax = pytest.importorskip("jax", reason="needs JAX")
        if jax.default_backend() != "gpu":
            pytest.skip("JAX without a GPU")
        dtype = "float32"
        given = [jax.numpy.asarray(a.astype(dtype)) for a in data]
    else:
        given = [cupy.asarray(a) for a in data] if package == "cupy" else list(data)
    run = CudaLoop(Loop(decay(), (("y", "x"),), stop, ("u",)), dtype)(
        *given, steps=STEPS, record=10
    )
    final, count, rows = truth(x, u, stop is not None)
    tolerance = 1e-14 if dtype == "float64" else 1e-6
    expected = "cupy" if package == "numpy" else package
    assert type(run.outputs[0]).__module__.startswith(expected[:3])
    for a, b in zip((run.outputs[0], run.steps, run.records[0]), (final, count, rows), strict=True):
        a = a.cpu().numpy() if package == "torch" else cupy.asnumpy(cupy.from_dlpack(a))
        np.testing.assert_allclose(a, b, rtol=tolerance)
    assert run.is_finite


def test_without_batch_and_without_samples(data: tuple) -> None:
    x, u = data
    loop = CudaLoop(Loop(decay(), (("y", "x"),), None, ("u",)), "float64")
    final = truth(x[:1], u, False)[0][0]
    np.testing.assert_allclose(loop(x[0], u, steps=STEPS).outputs[0].get(), final, rtol=1e-14)
    none = loop(x[:0], u, steps=STEPS, record=10)
    assert none.outputs[0].shape == (0, 2)
    assert none.records[0].shape == (0, 4, 2)
    many = loop(x.reshape(10, 100, 2), u, steps=STEPS, record=10)
    assert many.records[0].shape == (10, 100, 4, 2)
    flat = many.records[0].get().reshape(N, 4, 2)
    np.testing.assert_allclose(flat, truth(x, u, False)[2], rtol=1e-14)


def test_not_finite(data: tuple) -> None:
    x, u = data
    loop = CudaLoop(Loop(decay(), (("y", "x"),), None, ("u",)), "float64")
    bad = cupy.asarray(x)
    bad[17, 1] = cupy.inf
    assert not loop(bad, u, steps=STEPS).is_finite
    with pytest.raises(EvaluationError, match=r"got inf in x\[17, 1\]"):
        loop(bad.get(), u, steps=STEPS)
    with pytest.raises(EvaluationError, match="expected float64 for x of decay, got float32"):
        loop(bad.astype("float32"), u, steps=STEPS)
    with pytest.raises(EvaluationError, match="a whole number of steps"):
        loop(x, u, steps=-1)
