"""Kernels on a device: every kind of array, layouts, results that are not finite."""

from typing import Any

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.cuda.launch import CudaKernel
from dalembert.kernel.backends.cuda.split.choose import Split
from dalembert.kernel.backends.cuda.split.segments import segments_of
from dalembert.kernel.backends.cuda.split.slices import slices_of
from dalembert.kernel.program.program import Instruction, Port, Program

cupy = pytest.importorskip("cupy", reason="needs CuPy and a GPU: pip install cupy-cuda12x")
if not cupy.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

N = 1000


def quotient() -> Program:
    """y = (sin a, b / c, c) of x = (a, b) and c."""
    code = (
        Instruction("input", (), (0, 0)),
        Instruction("input", (), (0, 1)),
        Instruction("input", (), (1, 0)),
        Instruction("sincos", (0,)),
        Instruction("sin_of", (3,)),
        Instruction("div", (1, 2)),
    )
    return Program(
        "quotient", (Port("x", (2,)), Port("c", ())), (Port("y", (3,)),), code, (4, 5, 2)
    )


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x, c = rng.uniform(-1e3, 1e3, (N, 2)), rng.uniform(1, 2, N)
    return x, c, np.stack([np.sin(x[:, 0]), x[:, 1] / c, c], -1)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 3e-7), ("float64", 1e-15)])
def test_layouts(dtype: str, tolerance: float, data: tuple) -> None:
    x, c = (a.astype(dtype) for a in data[:2])
    truth = np.stack([np.sin(x[:, 0].astype(float)), x[:, 1].astype(float) / c, c], -1)
    f: Any = CudaKernel(quotient(), dtype)
    x, c = cupy.asarray(x), cupy.asarray(c)
    wide = cupy.zeros((N, 5), dtype)
    wide[:, 1:5:3] = x
    soa = cupy.ascontiguousarray(x.T).T
    for given in (x, soa, wide[:, 1:5:3]):
        np.testing.assert_allclose(f(given, c).get(), truth, rtol=tolerance, atol=tolerance)
    assert f(soa, c).strides[0] == c.itemsize
    y = f(x.reshape(10, 100, 2), c.reshape(10, 100)).get().reshape(N, 3)
    np.testing.assert_allclose(y, truth, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(f(x[7], c[7]).get(), truth[7], rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(f(x[7], c).get()[:, 0], f(x[7], c[7]).get()[0])
    assert f(x[:0], c[:0]).shape == (0, 3)


def test_prepared_calls_see_new_numbers(data: tuple) -> None:
    f: Any = CudaKernel(quotient(), "float64")
    x, c = cupy.asarray(data[0]), cupy.asarray(data[1])
    y = cupy.zeros((N, 3))
    run = f.prepare(x, c, out=y)
    y[...] = 0
    run()
    f.check()
    np.testing.assert_allclose(y.get(), data[2], rtol=1e-15, atol=1e-15)
    x[:, 1] *= 2
    run()
    f.check()
    np.testing.assert_allclose(y.get()[:, 1], 2 * data[2][:, 1], rtol=1e-15)
    c[5] = 0
    run()
    with pytest.raises(EvaluationError, match="sample 5"):
        f.check()


def test_out(data: tuple) -> None:
    x, c, truth = (cupy.asarray(a) for a in data)
    f: Any = CudaKernel(quotient(), "float64")
    out = cupy.full((N + 2, 3), 7.0)
    assert f(x, c, out=out[1:-1]).data.ptr == out[1:-1].data.ptr
    cupy.testing.assert_allclose(out[1:-1], truth, rtol=1e-15)
    assert (out[[0, -1]] == 7.0).all()
    with pytest.raises(EvaluationError, match="a place of its own for every number"):
        f(x, c, out=cupy.broadcast_to(cupy.zeros(3), (N, 3)))


def test_not_finite(data: tuple) -> None:
    x, c = (cupy.asarray(a) for a in data[:2])
    f: Any = CudaKernel(quotient(), "float64")
    c[17] = 0.0
    with pytest.raises(EvaluationError, match=r"y with others in 1 samples, first \(17,\)"):
        f(x, c)
    y = f(x, c, check=False)
    assert not cupy.isfinite(y[17, 1])
    with pytest.raises(EvaluationError, match="in sample 17 of a batch"):
        f.check()
    f.check()
    c[17] = 1.0
    f(x, c)


def test_torch(data: tuple) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    x, c, truth = (torch.tensor(a, device="cuda") for a in data)
    f: Any = CudaKernel(quotient(), "float64")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = f(x * 1, c * 1, check=False) * 2
    torch.cuda.current_stream().wait_stream(stream)
    torch.testing.assert_close(y, 2 * truth, rtol=1e-15, atol=0)
    assert f(x.T.contiguous().T, c).stride() == (1, N)
    with pytest.raises(EvaluationError, match=r"give x\.detach\(\)"):
        f(x.requires_grad_(), c)
    with pytest.raises(EvaluationError, match="on one CUDA device"):
        f(x.detach().cpu(), c)


def test_jax(data: tuple) -> None:
    jax = pytest.importorskip("jax", reason="needs JAX")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX without a GPU")
    x, c, truth = (jax.numpy.asarray(a.astype("float32")) for a in data)
    f: Any = CudaKernel(quotient())
    y = f(x * 1, c * 1)
    assert isinstance(y, jax.Array)
    # the sine of 1000 rad in single precision
    np.testing.assert_allclose(np.asarray(y[:, 1:]), np.asarray(truth[:, 1:]), rtol=3e-7)
    with pytest.raises(EvaluationError, match="use the jax backend"):
        jax.jit(f)(x, c)


def test_refusals(data: tuple) -> None:
    f: Any = CudaKernel(quotient(), "float64")
    with pytest.raises(EvaluationError, match=r"cupy\.asarray\(x\) copies"):
        f(*data[:2])
    x, c = (cupy.asarray(a) for a in data[:2])
    with pytest.raises(EvaluationError, match="expected float64 for c of quotient, got float32"):
        f(x, c.astype("float32"))


@pytest.mark.parametrize("way", ["slots", "local"])
def test_large_outputs(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A symmetric matrix of 12 × 12 of each sample, in rows and as a structure of arrays."""
    n = 12
    code = [Instruction("input", (), (0, k)) for k in range(n)]
    pairs = {}
    for i in range(n):
        for j in range(i + 1):
            pairs[i, j] = len(code)
            code.append(Instruction("mul", (i, j)))
    results = tuple(pairs[max(i, j), min(i, j)] for i in range(n) for j in range(n))
    program = Program("f", (Port("x", (n,)),), (Port("M", (n, n)),), tuple(code), results)
    ways = lambda program, layouts: ("rows", way)  # noqa: E731
    monkeypatch.setattr("dalembert.kernel.backends.cuda.split.steps.access", ways)
    f: Any = CudaKernel(program, "float64")
    x = np.random.default_rng(2).uniform(-1, 1, (N + 7, n))
    truth = x[:, :, None] * x[:, None, :]
    given = cupy.asarray(x)
    assert np.array_equal(f(given).get(), truth)
    turned = cupy.zeros((n, n, N + 7)).transpose(2, 0, 1)
    f(given, out=turned)
    assert np.array_equal(turned.get(), truth)


def products(n: int) -> Program:
    """All products of n numbers."""
    code = [Instruction("input", (), (0, k)) for k in range(n)]
    code += [Instruction("mul", (i, j)) for i in range(n) for j in range(n)]
    results = tuple(range(n, n + n * n))
    return Program("f", (Port("x", (n,)),), (Port("M", (n, n)),), tuple(code), results)


def in_slices(program: Program, dtype: str) -> Split:
    return Split(tuple(part.link(program) for part in slices_of(program, 30, 30)), 0)


def in_segments(program: Program, dtype: str) -> Split:
    links, num_values = segments_of(program, 20, 30)
    return Split(tuple(links), num_values)


@pytest.mark.parametrize("how", [lambda program, dtype: None, in_slices, in_segments])
@pytest.mark.parametrize("samples", [1, 31, 33, (1 << 20) + 1])
def test_any_number_of_samples(samples: int, how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One kernel or several; nothing behind the last sample is touched."""
    monkeypatch.setattr("dalembert.kernel.backends.cuda.launch.split", how)
    f: Any = CudaKernel(products(9), "float32")
    x = cupy.random.default_rng(3).uniform(1, 2, (samples, 9), dtype="float32")
    truth = x[:, :, None] * x[:, None, :]
    memory = cupy.full((samples + 1, 9, 9), 7, "float32")
    assert (f(x, out=memory[:samples], check=True) == truth).all()
    assert (memory[samples:] == 7).all()
    again = f.prepare(x, out=memory[:samples])
    x += 1
    again()
    f.check()
    assert (memory[:samples] == x[:, :, None] * x[:, None, :]).all()


@pytest.mark.parametrize("how", [in_slices, in_segments])
def test_several_kernels(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, a structure of arrays, one sample for all; results that are not finite."""
    monkeypatch.setattr("dalembert.kernel.backends.cuda.launch.split", how)
    f: Any = CudaKernel(products(9), "float64")
    x = cupy.random.default_rng(3).uniform(1, 2, (100_000, 9))
    truth = x[:, :, None] * x[:, None, :]
    assert (f(x) == truth).all()
    assert (f(cupy.ascontiguousarray(x.T).T) == truth).all()
    assert (f(x[5]) == truth[5]).all()
    assert f(x[:0]).shape == (0, 9, 9)
    turned = cupy.zeros((9, 9, 100_000)).transpose(2, 0, 1)
    assert (f(x, out=turned) == truth).all()
    x[70_000, 8] = cupy.inf
    with pytest.raises(EvaluationError, match=r"first \(70000,\)"):
        f(x)
    f(x, out=turned)
    with pytest.raises(EvaluationError, match="in sample 70000 of a batch"):
        f.check()
    f.check()


def test_out_in_the_memory_of_an_input(data: tuple) -> None:
    x, c = (cupy.asarray(a) for a in data[:2])
    f: Any = CudaKernel(quotient(), "float64")
    wide = cupy.zeros((N, 6))
    wide[:, :2] = x
    y = f(wide[:, :2], c, out=wide[:, 3:])
    cupy.testing.assert_allclose(y, cupy.asarray(data[2]), rtol=1e-15)
    with pytest.raises(EvaluationError, match="shares some with x"):
        f(wide[:, :2], c, out=wide[:, 1:4])
