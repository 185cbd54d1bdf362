"""Kernels under the transformations of JAX: the same numbers, and derivatives of any order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import cos, parameters, sin, sqrt
from dalembert.kernel.backends.jax import jax_function
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.operation import Operation
from tests.unit.kernel.backends.jax.programs import in_jax, two_ports

jax: Any = pytest.importorskip("jax", reason="needs JAX: pip install jax flatbuffers")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def double():
    """Switch 64 bits on, and off again."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


X, A = np.array([0.7, -1.3]), np.array(0.4)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: f,
        lambda f: jax.jacfwd(f, argnums=(0, 1)),
        lambda f: jax.jacrev(f, argnums=(0, 1)),
        lambda f: jax.jacfwd(jax.jacrev(f, argnums=(0, 1)), argnums=(0, 1)),
        lambda f: jax.jacrev(jax.jacfwd(f, argnums=(0, 1)), argnums=(0, 1)),
        lambda f: jax.jacrev(jax.jacrev(f, argnums=0), argnums=1),
        lambda f: jax.jacfwd(jax.jacfwd(jax.jacrev(f))),
        lambda f: jax.linearize(f, X, A)[1],
    ],
    ids=["value", "fwd", "rev", "fwd-rev", "rev-fwd", "rev-rev", "third", "linearize"],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_transformations_of_every_order(transform: Callable[[Any], Any], compiled: bool) -> None:
    ours, theirs = transform(jax_function(two_ports())), transform(in_jax)
    if compiled:
        ours = jax.jit(ours)
    for mine, other in zip(jax.tree.leaves(ours(X, A)), jax.tree.leaves(theirs(X, A)), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (1, 0)])
@pytest.mark.parametrize("differentiate", [False, True])
def test_vmap_with_shared_inputs(axes: tuple[Any, Any], differentiate: bool) -> None:
    rng = np.random.default_rng(1)
    x = {0: rng.normal(size=(5, 2)), 1: rng.normal(size=(2, 5)), None: X}[axes[0]]
    a = A if axes[1] is None else rng.normal(size=5)

    def loss(f: Any) -> Any:
        return lambda x, a: jax.vmap(lambda *s: f(*s)[0].sum() * f(*s)[1], axes)(x, a).sum()

    ours, theirs = loss(jax_function(two_ports())), loss(in_jax)
    if differentiate:
        ours, theirs = (jax.grad(f, argnums=(0, 1)) for f in (ours, theirs))
    for mine, other in zip(jax.tree.leaves(ours(x, a)), jax.tree.leaves(theirs(x, a)), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


def test_nested_vmap() -> None:
    f, rng = jax_function(two_ports()), np.random.default_rng(2)
    x, a = rng.normal(size=(3, 2)), rng.normal(size=4)
    y, z = jax.vmap(jax.vmap(f, (None, 0)), (0, None))(x, a)
    assert y.shape == (3, 4, 2)
    assert z.shape == (3, 4)
    for i in range(3):
        for k in range(4):
            np.testing.assert_allclose(y[i, k], in_jax(x[i], a[k])[0], rtol=1e-13)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 100, 5001])
def test_batches_of_every_length(count: int) -> None:
    model = da.compile(da.textbook.robots.panda())
    arrays = np.random.default_rng(3).uniform(-1, 1, (3, count, 7))
    found = jax.jit(model.jax().forward_dynamics)(*arrays)
    assert_same(found, model.forward_dynamics(*arrays))


def assert_same(found: Any, expected: np.ndarray) -> None:
    """Compare with the kernel of the processor: bit for bit if JAX runs there too."""
    if jax.default_backend() == "cpu":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_gradient_of_dynamics_with_quaternions() -> None:
    # against the analytic derivatives along velocities, which are another route
    robot = (
        da.Builder("floater")
        .link("base", mass=2, inertia=(1, 2, 2.5))
        .floating("free", "base")
        .link("arm", mass=1, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.02))
        .revolute("shoulder", "arm", axis="y")
        .build()
    )
    model = da.compile(robot)
    rng = np.random.default_rng(4)
    q, v, a = model.random_configuration(5), *rng.normal(size=(2, model.nv))
    J = jax.jacrev(model.jax().inverse_dynamics, argnums=(1, 2))(q, v, a)
    _, by_v, M = model.inverse_dynamics_derivatives(q, v, a)
    np.testing.assert_allclose(J[0], by_v, atol=1e-12)
    np.testing.assert_allclose(J[1], M, atol=1e-12)


def test_scan_is_the_rollout() -> None:
    model = da.compile(da.textbook.robots.panda())
    fast, q0, v0 = model.jax(), np.full(7, 0.3), np.zeros(7)

    def step(state: Any, _: Any) -> Any:
        q, v = state
        v = v + 1e-3 * fast.forward_dynamics(q, v, jnp.zeros(7))
        return (q + 1e-3 * v, v), None

    q, v = jax.jit(lambda s: jax.lax.scan(step, s, None, length=200)[0])((q0, v0))
    runs = da.rollout(model, q0, v0, 200, method=da.simulation.SemiImplicitEuler(1e-3), record=None)
    np.testing.assert_allclose(q, runs.q[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(v, runs.qd[-1], rtol=0, atol=1e-10)


def test_many_threads_at_once() -> None:
    model = da.compile(da.textbook.robots.panda())
    arrays = np.random.default_rng(6).uniform(-1, 1, (3, 8192, 7))
    f, expected = jax.jit(model.jax().forward_dynamics), model.forward_dynamics(*arrays)
    wrong: list[bool] = []

    def run() -> None:
        for _ in range(10):
            wrong.append(not np.allclose(f(*arrays), expected, rtol=1e-9, atol=1e-9))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [False] * 80


def test_equal_programs_are_one_operation() -> None:
    assert Operation.of(two_ports()) == Operation.of(two_ports())
    assert len({Operation.of(two_ports()), Operation.of(two_ports())}) == 1
    (x,) = parameters("x")
    assert Operation.of(compile_program(cos(x), x)) != Operation.of(compile_program(sin(x), x))


def test_without_jit() -> None:
    """``jax.disable_jit`` is for looking into a function; kernels run all the same."""
    f = jax_function(two_ports())
    with jax.disable_jit():
        found, slope = f(X, A), jax.grad(lambda x: f(x, A)[1])(X)
    for mine, other in zip(found, in_jax(X, A), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-14)
    np.testing.assert_allclose(slope, [X[1] ** 2, 2 * X[0] * X[1]], rtol=1e-14)


@pytest.mark.parametrize(("kind", "found", "x"), [("nans", "nan", -4.0), ("infs", "infinite", 0.0)])
def test_what_is_not_finite_is_found_where_jax_looks(kind: str, found: str, x: float) -> None:
    (symbol,) = parameters("x")
    f = jax_function(compile_program({"y": [sqrt(symbol), 1 / symbol]}, symbol, name="both"))
    with getattr(jax, f"debug_{kind}")(True):
        np.testing.assert_array_equal(jax.jit(f)(4.0), [2, 0.25])
        with pytest.raises(FloatingPointError, match=f"from both, got y with {found} values"):
            jax.jit(lambda x: f(x).sum())(x)
    assert not np.isfinite(f(x)).all()


def test_gradient_does_not_make_the_tangent() -> None:
    """A gradient goes by way of a tangent; the program of that is not wanted."""
    f = jax_function(two_ports())
    operation = f._operation
    jax.jit(jax.grad(lambda x: f(x, A)[1]))(X)
    assert "program" in operation.pullback.__dict__
    assert "program" not in operation.tangent.__dict__
    jax.jvp(lambda x: f(x, A), (X,), (X,))
    assert "program" in operation.tangent.__dict__


def test_without_kernels_of_ours() -> None:
    """The expression of JAX's own functions, as devices that we do not know have it."""
    from dalembert.kernel.backends.jax.lowering import on_other

    operation = Operation.of(two_ports())
    for mine, other in zip(
        on_other(jnp.asarray(X), jnp.asarray(A), operation=operation), in_jax(X, A), strict=True
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-14)
