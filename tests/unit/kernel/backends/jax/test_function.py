"""Programs as functions of JAX: right values, any batch, derivatives, and 64 bits or a refusal."""

import math
import random
from typing import Any

import numpy as np
import pytest

from dalembert.errors import EvaluationError, UnknownName
from dalembert.expr import atan2, coordinates, cos, sin, sqrt, tanh
from dalembert.kernel.backends.jax import jax_function
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.program.program import Program
from tests.unit.kernel.random_programs import interpret, random_program

jax = pytest.importorskip("jax", reason="needs JAX: pip install jax flatbuffers")
jnp = jax.numpy

# a few roundings; single precision where it is asked for
TOLERANCE, SINGLE = 1e-12, 1e-4


@pytest.fixture(autouse=True)
def double():
    """Switch 64 bits on, and off again."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def pendulum() -> Program:
    """y = [[a sin q, a² cos q], [√(1 + a²), atan2(q, 2 + tanh a)]], z = q a: of q and a."""
    q, a = coordinates("q, a")
    y = [[a * sin(q), a**2 * cos(q)], [sqrt(1 + a**2), atan2(q, 2 + tanh(a))]]
    return compile_program({"y": y, "z": q * a}, {"q": q, "a": [a]}, name="pendulum")


def by_hand(q: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a = a[..., 0]
    q, a = np.broadcast_arrays(q, a)
    rows = [[a * np.sin(q), a**2 * np.cos(q)], [np.sqrt(1 + a**2), np.arctan2(q, 2 + np.tanh(a))]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1)), q * a


def test_random_programs(rng: np.random.Generator) -> None:
    """Every operation against Python's floats, over pieces of every length."""
    draw = random.Random(int(rng.integers(2**63)))
    for _ in range(3):
        program, points = random_program(draw, 60)
        y = jax_function(program)(np.array(points))
        expected = np.reshape([interpret(program, p) for p in points], (3, 2, 3))
        np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("q_axes", "a_axes"), [((), ()), ((5,), (5,)), ((4, 1), (3,)), ((0,), (0,)), ((2,), ())]
)
def test_batches_broadcast(
    q_axes: tuple[int, ...], a_axes: tuple[int, ...], rng: np.random.Generator
) -> None:
    q, a = rng.uniform(-1, 1, q_axes), rng.uniform(-1, 1, (*a_axes, 1))
    y, z = jax_function(pendulum())(q, a)
    expected = by_hand(q, a)
    assert y.dtype == z.dtype == jnp.float64
    np.testing.assert_allclose(y, expected[0], rtol=TOLERANCE)
    np.testing.assert_allclose(z, expected[1], rtol=TOLERANCE)


def test_transformations(rng: np.random.Generator) -> None:
    """Under jit, vmap, grad and jacfwd, against derivatives by hand."""
    f = jax_function(pendulum())
    q, a = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, (6, 1))
    y, _ = jax.jit(jax.vmap(f))(q, a)
    np.testing.assert_allclose(y, by_hand(q, a)[0], rtol=TOLERANCE)
    slope = jax.vmap(jax.grad(lambda q, a: f(q, a)[0][0, 1]))(q, a)
    np.testing.assert_allclose(slope, -(a[:, 0] ** 2) * np.sin(q), rtol=TOLERANCE)
    J = jax.jacfwd(lambda a: f(0.3, a)[0])(jnp.array([0.7]))
    assert J.shape == (2, 2, 1)
    np.testing.assert_allclose(J[0, 1, 0], 2 * 0.7 * math.cos(0.3), rtol=TOLERANCE)
    np.testing.assert_allclose(J[1, 0, 0], 0.7 / math.sqrt(1.49), rtol=TOLERANCE)
    twice = jax.grad(jax.grad(lambda q: f(q, jnp.array([2.0]))[0][0, 0]))(0.3)
    np.testing.assert_allclose(twice, -2 * math.sin(0.3), rtol=TOLERANCE)


def test_64_bits_or_a_refusal() -> None:
    """Without 64 bits the error gives the line that switches them on."""
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(EvaluationError, match=r'jax\.config\.update\("jax_enable_x64", True\)'):
        jax_function(pendulum())(0.1, [0.2])
    y, _ = jax_function(pendulum(), "float32")(0.1, [0.2])
    assert y.dtype == jnp.float32
    np.testing.assert_allclose(y[0, 0], 0.2 * math.sin(0.1), rtol=SINGLE)


@pytest.mark.parametrize("count", [3, 40, 20_000])
def test_single_precision(count: int, rng: np.random.Generator) -> None:
    """One by one, side by side and in portions: values and slopes in floats."""
    double, single = (jax_function(pendulum(), dtype) for dtype in ("float64", "float32"))
    q, a = rng.uniform(-1, 1, count), rng.uniform(1, 2, (count, 1))
    floats = jnp.asarray(q, "float32"), jnp.asarray(a, "float32")
    exact = tuple(np.asarray(x, float) for x in floats)
    for got, expected in zip(single(*floats), double(*exact), strict=True):
        assert got.dtype == jnp.float32
        np.testing.assert_allclose(got, expected, rtol=SINGLE, atol=SINGLE)
    slopes = jax.vmap(jax.grad(lambda q, a: single(q, a)[0][0, 0]))(*floats)
    expected = jax.vmap(jax.grad(lambda q, a: double(q, a)[0][0, 0]))(*exact)
    assert slopes.dtype == jnp.float32
    np.testing.assert_allclose(slopes, expected, rtol=SINGLE, atol=SINGLE)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_of_python_and_of_few_bits(dtype: str) -> None:
    """Numbers without a type of their own take that of the function, and short ones fit into it."""
    f = jax_function(pendulum(), dtype)
    for q, a in (
        (0.5, [2.0]),
        (0.5, [2]),
        (jnp.asarray(0.5, "bfloat16"), np.array([2], np.int8)),
        (np.float16(0.5), jnp.asarray([2.0], "float32")),
    ):
        _, z = f(q, a)
        assert z.dtype == dtype
        assert z == 1
    slope = jax.grad(lambda q: f(q, [2.0])[1])(0.5)
    assert slope.dtype == jnp.float64
    assert slope == 2


@pytest.mark.parametrize("wrong", [np.array(True), np.array(1j), jnp.asarray(1j)])
def test_what_is_no_real_number_is_refused(wrong: Any) -> None:
    with pytest.raises(EvaluationError, match=r"for q of pendulum, got \w+: convert it$"):
        jax_function(pendulum())(wrong, [1.0])


def test_refusals() -> None:
    f = jax_function(pendulum(), "float32")
    with pytest.raises(EvaluationError, match="expected float32 for q of pendulum, got float64"):
        f(np.zeros(3), np.zeros((3, 1), np.float32))
    with pytest.raises(EvaluationError, match=r"expected shape \(..., 1\) for a of pendulum"):
        jax_function(pendulum())(0.0, np.zeros(3))
    with pytest.raises(EvaluationError, match="expected 2 arrays for pendulum"):
        f(0.0)
    with pytest.raises(UnknownName, match="float64 or float32"):
        jax_function(pendulum(), "float16")


def test_constants_and_whole_numbers() -> None:
    """An output that does not depend on the input still has the batch; integers are numbers."""
    (x,) = coordinates("x")
    f = jax_function(compile_program({"y": [x * 0 + 3, x + 1]}, {"x": x}))
    np.testing.assert_array_equal(f(np.arange(4)), [[3, 1], [3, 2], [3, 3], [3, 4]])
