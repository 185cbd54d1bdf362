"""Kernels on four devices of the processor: divided along the batch, values and gradients right.

A program of its own, because the number of devices is fixed when JAX starts: see `test_devices`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ |= {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from dalembert.kernel.backends.jax import jax_function
from tests.unit.kernel.backends.jax.programs import in_jax, two_ports

jax.config.update("jax_enable_x64", True)
if not hasattr(jax, "shard_map"):
    from jax.experimental.shard_map import shard_map
else:
    shard_map = jax.shard_map
P = PartitionSpec
DRAW = np.random.default_rng(0)
X, A = DRAW.normal(size=(16, 2)), DRAW.normal(size=16)


def losses(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a number for each sample, made of both outputs."""

    def loss(x: Any, a: Any) -> Any:
        y, z = f(x, a)
        return (y**2).sum(-1) + z

    return loss


def gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    return jax.grad(lambda x, a: losses(f)(x, a).sum(), argnums=(0, 1))


def batch_in_jax(x: Any, a: Any) -> Any:
    return jax.vmap(in_jax, (0, None if a.ndim == 0 else 0))(x, a)


def assert_divided(f: Callable[..., Any], expected: Any, arrays: Any, *, sums: bool) -> None:
    """Check values, that outputs lie on all devices, and that nothing was gathered for them."""
    found = jax.jit(f)(*arrays)
    text = jax.jit(f).lower(*arrays).compile().as_text() or ""
    assert "all-gather" not in text, text
    assert sums or "all-reduce" not in text
    assert_close(found, expected)
    for mine in jax.tree.leaves(found):
        if mine.ndim:
            assert len({shard.device for shard in mine.addressable_shards}) == 4
            assert {shard.data.shape[0] for shard in mine.addressable_shards} == {4}


def check_jit(kind: str) -> None:
    """Arrays of a mesh in jit; what all samples share lies on every device."""
    mesh = mesh_of(kind)
    f = jax_function(two_ports())
    x = jax.device_put(X, NamedSharding(mesh, P("batch")))
    for a in (jax.device_put(A, NamedSharding(mesh, P("batch"))), jnp.asarray(0.4)):
        theirs = losses(batch_in_jax)(X, np.asarray(a)), gradients(batch_in_jax)(X, np.asarray(a))
        assert_divided(losses(f), theirs[0], (x, a), sums=False)
        assert_divided(gradients(f), theirs[1], (x, a), sums=True)
    # of one scalar input, and over a batch of two axes, of which one is cut
    z = jax.device_put(A, NamedSharding(mesh, P("batch")))
    assert_divided(
        lambda a: f(X[0], a)[0], batch_in_jax(np.tile(X[0], (16, 1)), A)[0], (z,), sums=False
    )
    wide = jax.device_put(np.stack([X, 2 * X], axis=1), NamedSharding(mesh, P("batch")))
    expected = np.stack([batch_in_jax(X, A)[0], batch_in_jax(2 * X, A)[0]], axis=1)
    assert_divided(lambda x: f(x, z[:, None])[0], expected, (wide,), sums=False)


def check_scan(kind: str) -> None:
    """A gradient through a loop, as a rollout has one."""

    def end(f: Callable[..., Any]) -> Callable[..., Any]:
        def loss(x: Any, a: Any) -> Any:
            step = lambda x, _: (x + 0.1 * f(x, a)[0], None)  # noqa: E731
            return (jax.lax.scan(step, x, None, length=5)[0] ** 2).sum()

        return jax.grad(loss)

    place = NamedSharding(mesh_of(kind), P("batch"))
    arrays = jax.device_put(X, place), jax.device_put(A, place)
    expected = end(batch_in_jax)(X, A)
    assert_divided(end(jax_function(two_ports())), expected, arrays, sums=False)


def check_shard_map() -> None:
    """Every device calls the kernel on its part; a shared input has the sum of all gradients."""
    mesh, f = mesh_of("auto"), jax_function(two_ports())
    for a, place in ((A, P("batch")), (np.asarray(0.4), P())):
        given = {"mesh": mesh, "in_specs": (P("batch"), place)}
        values = shard_map(losses(f), **given, out_specs=P("batch"))
        slopes = jax.grad(lambda x, a, values=values: values(x, a).sum(), argnums=(0, 1))
        expected = gradients(batch_in_jax)(X, a)
        assert_close(jax.jit(values)(X, a), losses(batch_in_jax)(X, a))
        assert_close(jax.jit(slopes)(X, a), expected)
        # jax 0.6.0 cannot differentiate inside, not its own functions either
        if hasattr(jax, "shard_map"):
            inside = shard_map(gradients(f), **given, out_specs=(P("batch"), place))
            assert_close(jax.jit(inside)(X, a), expected)


def check_pmap() -> None:
    x, a = X.reshape(4, 4, 2), A.reshape(4, 4)
    f = jax_function(two_ports())
    assert_close(jax.pmap(f)(x, a), batch_in_jax(X, A))
    assert_close(jax.pmap(gradients(f))(x, a), gradients(batch_in_jax)(X, A))


def assert_close(found: Any, expected: Any) -> None:
    for mine, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.reshape(mine, other.shape), other, rtol=1e-12)


def mesh_of(kind: str) -> Mesh:
    types = getattr(jax.sharding, "AxisType", None)
    if types is None:
        return jax.make_mesh((4,), ("batch",))
    return jax.make_mesh((4,), ("batch",), axis_types=(getattr(types, kind.capitalize()),))


if __name__ == "__main__":
    for kind in ("auto", "explicit"):
        check_jit(kind)
        check_scan(kind)
    check_shard_map()
    check_pmap()
