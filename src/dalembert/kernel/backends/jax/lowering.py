"""What an operation becomes on each kind of device."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dalembert.errors import MissingDependency
from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.jax.devices import attributes, is_cut, with_full_inputs
from dalembert.kernel.backends.jax.pure import PureFunction, require_jax
from dalembert.kernel.backends.jax.xla.layout import check_layout
from dalembert.kernel.backends.jax.xla.on_cpu import HANDLER_NAME, handler_code
from dalembert.kernel.operation import Operation, batch_of, leading
from dalembert.kernel.program.program import Program


class Registered(NamedTuple):
    """A kernel that XLA knows, and what its bare addresses need as long as the process lives.

    ``shared`` tells which inputs all samples share, None for a kernel of the processor.
    """

    program: Program
    dtype: str
    shared: tuple[bool, ...] | None
    kept: tuple[object, ...]


registered: dict[str, Registered] = {}
"""By the names of the targets."""

_lock = threading.Lock()


def dtype_of(arrays: Sequence[Any]) -> str:
    """Return what a program computes in; one without inputs in as many bits as JAX has."""
    if arrays:
        return str(arrays[0].dtype)
    return "float64" if require_jax().config.jax_enable_x64 else "float32"


def on_cpu(context: Any, *operands: Any, operation: Operation) -> Any:
    """Write a call of machine code, in the dtype of the arrays."""
    dtype = dtype_of(context.avals_in)
    return _call(cpu_target(operation.program, dtype), context, operands, operation)


def on_cuda(context: Any, *operands: Any, operation: Operation) -> Any:
    """Write a call of a kernel on XLA's stream, in the dtype of the arrays."""
    try:
        require_cupy()
    except MissingDependency as missing:
        from jax.interpreters import mlir  # pyright: ignore[reportMissingImports]

        warnings.warn(f"{missing}; JAX's own functions compute instead, slower", stacklevel=2)
        rule = mlir.lower_fun(on_other, multiple_results=True)
        return rule(context, *operands, operation=operation)
    types = context.avals_in
    has_batch = bool(batch_of(operation, types)) and not is_cut(context)
    shared = [
        has_batch and not leading(x.shape, port)
        for x, port in zip(types, operation.inputs, strict=True)
    ]
    target = cuda_target(operation.program, dtype_of(types), shared)
    return _call(target, context, operands, operation)


def on_other(*arrays: Any, operation: Operation) -> list[Any]:
    """Return the outputs as an expression of JAX's own functions."""
    return list(PureFunction(operation.program)(*arrays))


def _call(target: str, context: Any, operands: Sequence[Any], operation: Operation) -> Any:
    """Write a foreign call; on several devices one that XLA cuts along the batch."""
    import jax  # pyright: ignore[reportMissingImports]

    num_batch = len(batch_of(operation, context.avals_in))
    if not num_batch or not is_cut(context):
        return jax.ffi.ffi_lowering(target)(context, *operands)
    context, operands = with_full_inputs(context, operands, operation)
    said = attributes(context.avals_in, context.avals_out, num_batch)
    return jax.ffi.ffi_lowering(target, extra_attributes=said)(context, *operands)


def cpu_target(program: Program, dtype: str = "float64") -> str:
    """Return the name by which XLA knows a kernel; it is compiled and registered if need be.

    The name is the digest of the program, the same in every process, so that JAX's cache of
    compiled functions holds.
    """
    name = f"dalembert_{dtype}_{program.digest[:32]}"

    def make() -> tuple[int, tuple[object, ...]]:
        from dalembert.kernel.backends.llvm.host import this_host

        handler, kernel = handler_code(program, dtype, this_host())
        return handler.address(HANDLER_NAME), (handler, kernel)

    _register(name, program, dtype, None, make)
    return name


def cuda_target(program: Program, dtype: str, shared: Sequence[bool]) -> str:
    """Return the name by which XLA knows a kernel of the GPU, for inputs that samples share."""
    bits = "".join(str(int(x)) for x in shared)
    name = f"dalembert_cuda_{dtype}_{bits}_{program.digest[:32]}"

    def make() -> tuple[int, tuple[object, ...]]:
        from dalembert.kernel.backends.jax.xla.on_cuda import compiled_handler
        from dalembert.kernel.backends.llvm.host import this_host
        from dalembert.kernel.backends.llvm.jit import Code, machine_code

        text, kept = compiled_handler(program, dtype, shared)
        handler = Code(machine_code(text, this_host()), this_host())
        return handler.address("handler"), (handler, *kept)

    _register(name, program, dtype, tuple(shared), make)
    return name


def _register(
    name: str,
    program: Program,
    dtype: str,
    shared: tuple[bool, ...] | None,
    make: Callable[[], tuple[int, tuple[object, ...]]],
) -> None:
    """Register a handler of that name, unless there is one: ``make`` gives its address."""
    import jax  # pyright: ignore[reportMissingImports]

    with _lock:
        if name not in registered:
            check_layout()
            address, kept = make()
            platform = "cpu" if shared is None else "CUDA"
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform=platform)
            jax.ffi.register_ffi_target_as_batch_partitionable(name)
            registered[name] = Registered(program, dtype, shared, kept)
