"""What an operation becomes on each kind of device."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from dalembert.errors import MissingDependency
from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.jax.pure import PureFunction
from dalembert.kernel.backends.jax.xla.layout import check_layout
from dalembert.kernel.backends.jax.xla.on_cpu import cpu_handler
from dalembert.kernel.operation import Operation, batch_of, leading
from dalembert.kernel.program.program import Program

_registered: dict[str, tuple[object, ...]] = {}
"""What XLA has bare addresses of, by the name of the target: it lives as long as the process."""

_lock = threading.Lock()


def on_cpu(*arrays: Any, operation: Operation) -> list[Any]:
    """Return the outputs of machine code; numbers of 32 bits are computed in 64."""
    target = cpu_target(operation.program)
    dtype = arrays[0].dtype if arrays else "float64"
    # also where the user has 64 bits switched off
    with _64_bits():
        wide = [x.astype("float64") for x in arrays]
        return [y.astype(dtype) for y in _call(target, operation, wide, "float64")]


def _64_bits() -> AbstractContextManager[object]:
    """Return the context in which JAX makes numbers of 64 bits."""
    import jax  # pyright: ignore[reportMissingImports]

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    # before jax 0.8
    from jax.experimental import enable_x64  # pyright: ignore[reportAttributeAccessIssue]

    return enable_x64()


def on_cuda(*arrays: Any, operation: Operation) -> list[Any]:
    """Return the outputs of a kernel on XLA's stream, in the dtype of the arrays."""
    try:
        require_cupy()
    except MissingDependency as missing:
        warnings.warn(f"{missing}; JAX's own functions compute instead, slower", stacklevel=2)
        return on_other(*arrays, operation=operation)
    dtype = str(arrays[0].dtype) if arrays else "float64"
    batch = batch_of(operation, arrays)
    ports = operation.program.inputs
    shared = [
        bool(batch) and not leading(x.shape, port) for x, port in zip(arrays, ports, strict=True)
    ]
    return _call(cuda_target(operation.program, dtype, shared), operation, arrays, dtype)


def on_other(*arrays: Any, operation: Operation) -> list[Any]:
    """Return the outputs as an expression of JAX's own functions."""
    return list(PureFunction(operation.program)(*arrays))


def _call(target: str, operation: Operation, arrays: Sequence[Any], dtype: str) -> list[Any]:
    import jax  # pyright: ignore[reportMissingImports]

    batch = batch_of(operation, arrays)
    shapes = [
        jax.ShapeDtypeStruct((*batch, *port.shape), dtype) for port in operation.program.outputs
    ]
    return list(jax.ffi.ffi_call(target, shapes)(*arrays))


def cpu_target(program: Program) -> str:
    """Return the name by which XLA knows a kernel; it is compiled and registered if need be.

    The name is the digest of the program, the same in every process, so that JAX's cache of
    compiled functions holds.
    """
    name = f"dalembert_{program.digest[:32]}"

    def make() -> tuple[int, tuple[object, ...]]:
        from dalembert.kernel.backends.llvm.build import build
        from dalembert.kernel.backends.llvm.jit import Code, machine_code
        from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME

        kernel = build(program)
        codes = [entry.run.code for entry in (kernel.single, kernel.wide)]  # type: ignore[attr-defined]
        single, wide = (code.address(ENTRY_NAME) for code in codes)
        handler = Code(machine_code(cpu_handler(program, single, wide, kernel.wide.width)))
        return handler.address("handler"), (kernel, handler, *codes)

    _register(name, "cpu", make)
    return name


def cuda_target(program: Program, dtype: str, shared: Sequence[bool]) -> str:
    """Return the name by which XLA knows a kernel of the GPU, for inputs that samples share."""
    bits = "".join(str(int(x)) for x in shared)
    name = f"dalembert_cuda_{dtype}_{bits}_{program.digest[:32]}"

    def make() -> tuple[int, tuple[object, ...]]:
        from dalembert.kernel.backends.jax.xla.on_cuda import compiled_handler
        from dalembert.kernel.backends.llvm.jit import Code, machine_code

        text, kept = compiled_handler(program, dtype, shared)
        handler = Code(machine_code(text))
        return handler.address("handler"), (handler, *kept)

    _register(name, "CUDA", make)
    return name


def _register(name: str, platform: str, make: Callable[[], tuple[int, tuple[object, ...]]]) -> None:
    """Register a handler of that name, unless there is one: ``make`` gives its address."""
    import jax  # pyright: ignore[reportMissingImports]

    with _lock:
        if name not in _registered:
            check_layout()
            address, kept = make()
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform=platform)
            _registered[name] = kept
