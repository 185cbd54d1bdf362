"""Programs as a primitive of JAX: compiled kernels inside jit, vmap, jvp, grad, scan.

An operation is a parameter of the one primitive here. JAX asks for shapes, for the same over one
more axis (vmap), for rates (jvp) and for adjoints of what is linear (transpose); the last two are
operations again, so derivatives of any order exist, each a kernel. On the processor, and on a GPU
of NVIDIA where CuPy is installed, XLA calls the machine code itself; elsewhere the program is an
expression of JAX's own functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from dalembert.kernel.backends.jax.devices import alike, output_types
from dalembert.kernel.backends.jax.lowering import dtype_of, on_cpu, on_cuda, on_other
from dalembert.kernel.backends.jax.pure import require_jax
from dalembert.kernel.operation import Operation, leading, spreads


@cache
def primitive() -> Any:
    """Return the primitive, made once."""
    from jax.extend.core import Primitive  # pyright: ignore[reportMissingImports]
    from jax.interpreters import ad, batching, mlir  # pyright: ignore[reportMissingImports]

    call = Primitive("dalembert")
    call.multiple_results = True
    call.def_impl(_run)
    call.def_abstract_eval(_types)
    batching.primitive_batchers[call] = _batch
    ad.primitive_jvps[call] = _jvp
    ad.primitive_transposes[call] = _transpose
    mlir.register_lowering(call, mlir.lower_fun(on_other, multiple_results=True))
    mlir.register_lowering(call, on_cpu, platform="cpu")
    mlir.register_lowering(call, on_cuda, platform="cuda")
    return call


def bind(operation: Operation, *arrays: Any) -> list[Any]:
    """Return the outputs of an operation; arrays have the batch axes of all, or none."""
    return primitive().bind(*alike(arrays), operation=operation)


def _run(*arrays: Any, operation: Operation) -> list[Any]:
    """Return the outputs for arrays; where JAX looks for NaN, it asks step by step.

    Raises:
        FloatingPointError: an output is NaN or infinite, and JAX was told to look for such.
    """
    jax = require_jax()
    # by jit in any case, which alone can call a kernel; it would come back here to look for NaN
    with jax.disable_jit(False), jax.debug_nans(False), jax.debug_infs(False):
        found = _jitted(operation)(*arrays)
    looks = {"nan": jax.config.jax_debug_nans, "infinite": jax.config.jax_debug_infs}
    tests = {"nan": jax.numpy.isnan, "infinite": jax.numpy.isinf}
    for kind in (kind for kind, is_wanted in looks.items() if is_wanted):
        for port, y in zip(operation.outputs, found, strict=True):
            if bool(tests[kind](y).any()):
                raise FloatingPointError(
                    f"expected finite numbers from {operation.program.name}, got {port.name} with "
                    f"{kind} values"
                )
    return found


@cache
def _jitted(operation: Operation) -> Any:
    import jax  # pyright: ignore[reportMissingImports]

    return jax.jit(partial(bind, operation))


def _types(*arrays: Any, operation: Operation) -> list[Any]:
    return output_types(operation, arrays, dtype_of(arrays))


def _batch(arrays: Sequence[Any], axes: Sequence[Any], *, operation: Operation) -> Any:
    """Return the outputs over one more axis, the first of all batch axes."""
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    count = next(x.shape[axis] for x, axis in zip(arrays, axes, strict=True) if axis is not None)
    moved = [
        x if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(arrays, axes, strict=True)
    ]
    shapes = [x.shape for x in moved]
    how = spreads(operation, shapes, [axis is not None for axis in axes], count)
    full = [
        x if spread is None else jnp.broadcast_to(x.reshape(spread.reshaped), spread.full)
        for x, spread in zip(moved, how, strict=True)
    ]
    outputs = bind(operation, *full)
    return outputs, [0] * len(outputs)


def _jvp(primals: Sequence[Any], rates: Sequence[Any], *, operation: Operation) -> Any:
    from jax.interpreters import ad  # pyright: ignore[reportMissingImports]

    values = bind(operation, *primals)
    return values, bind(operation.tangent, *primals, *map(ad.instantiate_zeros, rates))


def _transpose(cotangents: Sequence[Any], *arrays: Any, operation: Operation) -> list[Any]:
    """Return cotangents of the inputs in which a tangent or a pullback is linear."""
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]
    from jax.interpreters import ad  # pyright: ignore[reportMissingImports]

    assert operation.origin is not None
    n = len(operation.origin.inputs)
    given = arrays[:n]
    found = bind(operation.transpose, *given, *map(ad.instantiate_zeros, cotangents))
    results: list[Any] = [None] * n
    for u, w, port in zip(arrays[n:], found, operation.inputs[n:], strict=True):
        if not ad.is_undefined_primal(u):
            results.append(None)
            continue
        # an input that all samples share has the sum of theirs
        extra = w.ndim - len(port.shape) - len(leading(u.aval.shape, port))
        results.append(jnp.sum(w, axis=tuple(range(extra))) if extra else w)
    return results
