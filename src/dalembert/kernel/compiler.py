"""The backend of a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.errors import UnknownName, nearest
from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Program

Build = Callable[[Program], Kernel]
BuildLoop = Callable[[Loop], Any]

NAMES = ("llvm", "numpy", "c", "cuda", "jax")


def backend(name: str, *, threads: int | None = None, dtype: str | None = None) -> Build:
    """Return what turns a program into a kernel.

    ``threads`` is for kernels on the processor, ``dtype`` for those on a GPU.

    Raises:
        UnknownName: there is no backend of that name.
        MissingDependency: it needs a package that is not installed.
    """
    options: dict[str, Any] = {}
    match name:
        case "llvm":
            from dalembert.kernel.backends.llvm.build import build

            options = {"threads": threads}
        case "numpy":
            from dalembert.kernel.backends.numpy.kernel import build
        case "c":
            from dalembert.kernel.backends.c.build import build

            options = {"threads": threads}
        case "cuda":
            from dalembert.kernel.backends.cuda.launch import CudaKernel as build

            options = {"dtype": dtype or "float32"}
        case "jax":
            from dalembert.kernel.backends.jax.function import JaxKernel as build

            options = {"dtype": dtype or "float64"}
        case _:
            raise UnknownName(
                f"expected a backend of {', '.join(NAMES)}, got {name!r} ({nearest(name, NAMES)})"
            )
    _refuse_unused(name, options, threads=threads, dtype=dtype)
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise UnknownName(f"expected a number of threads= from 1, got {threads!r}")
    return lambda program: build(program, **options)


def loop_backend(name: str, *, threads: int | None = None, dtype: str | None = None) -> BuildLoop:
    """Return what turns a loop into a kernel.

    Raises:
        UnknownName: the backend does not run loops.
    """
    match name:
        case "llvm":
            from dalembert.kernel.backends.llvm.build import build_loop

            return lambda loop: build_loop(loop, threads=threads)
        case "numpy":
            from dalembert.kernel.backends.numpy.loop import NumpyLoop

            return NumpyLoop
        case "cuda":
            from dalembert.kernel.backends.cuda.loop.launch import CudaLoop

            return lambda loop: CudaLoop(loop, dtype or "float32")
        case _:
            raise UnknownName(
                f"expected a backend that runs loops, llvm, numpy or cuda, got {name!r}"
            )


def _refuse_unused(name: str, taken: dict[str, Any], **given: Any) -> None:
    for option, value in given.items():
        if value is not None and option not in taken:
            raise UnknownName(f"expected no {option}= with the backend {name!r}, got {value!r}")
