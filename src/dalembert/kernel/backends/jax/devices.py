"""Arrays on several devices: a call of a kernel is cut along the batch, and nothing is gathered.

Types of JAX say where an array lies: the axes of a mesh that its own axes are cut along, and inside
of ``shard_map`` those along which its values vary. Outputs get them from the inputs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.kernel.backends.jax.pure import require_jax
from dalembert.kernel.operation import Operation, batch_of, leading

if TYPE_CHECKING:
    from dalembert.kernel.operation import Shape


def output_types(operation: Operation, types: Sequence[Any], dtype: str) -> list[Any]:
    """Return the types of the outputs: their batch lies where that of the inputs does."""
    from jax import numpy  # pyright: ignore[reportMissingImports]
    from jax.core import ShapedArray  # pyright: ignore[reportMissingImports]
    from jax.sharding import NamedSharding, PartitionSpec  # pyright: ignore[reportMissingImports]

    batch, kind = batch_of(operation, types), numpy.dtype(dtype)
    # of the inputs that have the batch one that is cut, if there is any
    ports = operation.inputs
    full = [x for x, port in zip(types, ports, strict=True) if leading(x.shape, port) == batch]
    model = max(full, key=lambda x: _num_cut(x, len(batch)), default=None)
    found = []
    for port in operation.outputs:
        shape = (*batch, *port.shape)
        if model is None:
            found.append(ShapedArray(shape, kind))
            continue
        spec = PartitionSpec(*model.sharding.spec[: len(batch)], *(None for _ in port.shape))
        place = NamedSharding(model.sharding.mesh, spec)
        found.append(model.update(shape=shape, dtype=kind, weak_type=False, sharding=place))
    return found


def _num_cut(given: Any, num_axes: int) -> int:
    return sum(name is not None for name in given.sharding.spec[:num_axes])


def alike(arrays: Sequence[Any]) -> list[Any]:
    """Return arrays that all vary along the same manual axes; a derivative sums over new ones."""
    typeof = require_jax().typeof
    own = [varying_axes(typeof(x)) for x in arrays]
    union = frozenset().union(*own)
    return [
        x if axes == union else _vary(x, union - axes) for x, axes in zip(arrays, own, strict=True)
    ]


def varying_axes(given: Any) -> frozenset[str]:
    """Return the manual axes along which the values of a type vary; jax before 0.6.1 has none."""
    newer = getattr(given, "mat", None)
    return getattr(given, "vma", frozenset()) if newer is None else newer.varying


def _vary(array: Any, axes: frozenset[str]) -> Any:
    lax = require_jax().lax
    names = tuple(sorted(axes))
    cast = getattr(lax, "pcast", None)
    return lax.pvary(array, names) if cast is None else cast(array, names, to="varying")


def is_cut(context: Any) -> bool:
    """Return whether a function is compiled for several devices, among which XLA divides it."""
    return getattr(context.module_context.axis_context, "num_devices", 1) > 1


def with_full_inputs(
    context: Any, operands: Sequence[Any], operation: Operation
) -> tuple[Any, Sequence[Any]]:
    """Return inputs that all have the batch in front of another axis, as the partitioner wants."""
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]
    from jax.core import ShapedArray  # pyright: ignore[reportMissingImports]
    from jax.interpreters import mlir  # pyright: ignore[reportMissingImports]

    batch = batch_of(operation, context.avals_in)
    shapes = [(*batch, *(port.shape or (1,))) for port in operation.inputs]

    def spread(*arrays: Any) -> list[Any]:
        deep = [
            x if port.shape else x[..., None]
            for x, port in zip(arrays, operation.inputs, strict=True)
        ]
        return [jnp.broadcast_to(x, shape) for x, shape in zip(deep, shapes, strict=True)]

    found = mlir.lower_fun(spread, multiple_results=True)(context, *operands)
    types = [ShapedArray(shape, x.dtype) for shape, x in zip(shapes, context.avals_in, strict=True)]
    return context.replace(avals_in=types), found


def attributes(types: Sequence[Any], outputs: Sequence[Any], num_batch: int) -> dict[str, Any]:
    """Return what tells both partitioners of XLA that the first axes are a batch."""
    from jax.interpreters.mlir import ir  # pyright: ignore[reportMissingImports]

    number = ir.StringAttr.get(str(num_batch))
    found: dict[str, Any] = {
        "mhlo.frontend_attributes": ir.DictAttr.get({"num_batch_dims": number})
    }
    if require_jax().config.jax_use_shardy_partitioner:
        shapes = [x.shape for x in types], [x.shape for x in outputs]
        found["sdy.sharding_rule"] = ir.Attribute.parse(sharding_rule(*shapes, num_batch))
    return found


def sharding_rule(inputs: Sequence[Shape], outputs: Sequence[Shape], num_batch: int) -> str:
    """Return a rule of Shardy: the batch axes are factors of all arrays, other axes of one.

    >>> sharding_rule([(8, 2), (8, 3)], [(8, 2)], 1)
    '#sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=8, j=2, k=3, l=2}, custom>'
    """
    names = (_factor(k) for k in itertools.count(num_batch))
    batch = [_factor(k) for k in range(num_batch)]
    sizes = dict(zip(batch, (inputs or outputs)[0], strict=False))

    def factors(shape: Shape) -> str:
        own = [next(names) for _ in shape[num_batch:]]
        sizes.update(zip(own, shape[num_batch:], strict=True))
        return f"[{', '.join([*batch, *own])}]"

    sides = [", ".join(factors(shape) for shape in side) for side in (inputs, outputs)]
    said = ", ".join(f"{name}={size}" for name, size in sizes.items())
    return f"#sdy.op_sharding_rule<({sides[0]})->({sides[1]}) {{{said}}}, custom>"


def _factor(number: int) -> str:
    """Return i, j, …, z, z_1, …: the names that Shardy has for factors."""
    letters = "ijklmnopqrstuvwxyz"
    last = len(letters) - 1
    return letters[number] if number <= last else f"z_{number - last}"
