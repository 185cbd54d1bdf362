"""From expressions to code that runs, stage by stage.

1. *trace*: expressions become a straight-line program (`program/trace.py`).
2. *validate*: the program is what `program/spec.py` says; asked again after each pass.
3. *optimise*: passes turn it into an equal program that is cheaper (`passes/pipeline.py`).
4. *write*: a backend writes its text, LLVM, C or CUDA (`backends/<name>/`).
5. *build*: the text becomes machine code, which is kept on disk (`cache.py`).
6. *call*: arrays are checked and given to the code (`call/`).

Stages 1 to 3 are `compile_program`. A `Target` does the rest; backends that compile do so at the
first call. A new backend is a folder with a ``backend.py`` and an entry in `BACKENDS`.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from dalembert.errors import InvalidExpression, UnknownName, nearest
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.spec import validate
from dalembert.kernel.program.trace import Expressions, trace

if TYPE_CHECKING:
    from dalembert.kernel.backends.base import Backend
    from dalembert.kernel.backends.llvm.series.kernel import TaylorKernel
    from dalembert.kernel.backends.llvm.zeros.kernel import BoundsKernel
    from dalembert.kernel.call.door import Door
    from dalembert.kernel.call.kernel import Call, Kernel
    from dalembert.kernel.call.loop import Loop, LoopKernel
    from dalembert.kernel.program.program import Program

BACKENDS = ("llvm", "numpy", "c", "cuda", "jax", "torch")
"""The folders of `dalembert.kernel.backends` that a user may name."""

ON_HOST = ("llvm", "c", "numpy")
"""Those that compute on the processor, with arrays of NumPy."""


def compile_program(
    outputs: Expressions | Mapping[str, Expressions],
    inputs: Expressions | Mapping[str, Expressions],
    *,
    name: str = "function",
) -> Program:
    """Return the program that computes expressions from symbols, after all passes.

    Args:
        outputs: An expression, a list of any depth, a Matrix, or several of these by name; one
            without a name is called y.
        inputs: Symbols in the same forms; one without a name is called x.
        name: The name of the program.
    """
    named_outputs = outputs if isinstance(outputs, Mapping) else {"y": outputs}
    named_inputs = inputs if isinstance(inputs, Mapping) else {"x": inputs}
    if not named_outputs:
        raise InvalidExpression(f"expected an output of {name}, got none")
    with collection_paused():
        program = trace(name, named_inputs, named_outputs)
        validate(program)
        return optimise(program)


def compile_function(
    outputs: Expressions | Mapping[str, Expressions],
    inputs: Expressions | Mapping[str, Expressions],
    *,
    name: str = "function",
    backend: str = "llvm",
    threads: int | None = None,
    dtype: str | None = None,
) -> Kernel:
    """Return a compiled function of any expressions.

    Args:
        outputs: An expression, a list of any depth, a Matrix, or several of these by name.
        inputs: Symbols in the same forms; one array of the function for each name.
        name: The name that errors and generated code show.
        backend: "llvm", "numpy", "c", "cuda", "jax" or "torch".
        threads: Cores for large batches, for "llvm" and "c"; all unless given.
        dtype: "float64" or "float32"; unless given the first, for "cuda" the second.

    >>> import dalembert as da
    >>> x, y = da.parameters("x y")
    >>> f = da.compile_function(x * da.sin(y), {"x": x, "y": y})
    >>> float(f(2.0, 0.5))
    0.958851077208406
    """
    target = Target(backend, threads, dtype)
    return target.kernel(compile_program(outputs, inputs, name=name))


def compile_loop(
    outputs: Mapping[str, Expressions],
    inputs: Mapping[str, Expressions],
    carried: Mapping[str, str],
    *,
    sequences: Sequence[str] = (),
    name: str = "loop",
) -> LoopKernel:
    """Return a compiled recursion on this processor: steps on their own results.

    Args:
        outputs: One step, by name.
        inputs: Symbols by name.
        carried: The input that an output becomes in the next step.
        sequences: Inputs with a row for each step.
        name: The name that errors show.
    """
    from dalembert.kernel.call.loop import Loop

    program = compile_program(outputs, inputs, name=name)
    return Target().loop(Loop(program, tuple(carried.items()), None, tuple(sequences)))


def compile_series(
    rates: Sequence[Expressions],
    state: Sequence[Expressions],
    constants: Mapping[str, Expressions] | None = None,
    *,
    order: int,
    is_timed: bool = False,
    name: str = "taylor",
) -> TaylorKernel:
    """Return the Taylor coefficients of the solution of ẋ = f(x) as a function of x.

    With ``is_timed`` the last entry of the state is the time, whose rate is 1.

    They are machine code of this processor: LLVM is the only backend that writes them.
    """
    from dalembert.kernel.backends.llvm.series.kernel import TaylorKernel

    inputs = {"x": list(state), **(constants or {})}
    program = compile_program({"rate": list(rates)}, inputs, name=name)
    return TaylorKernel(program, order, is_timed=is_timed)


def compile_bounds(
    bounds: Sequence[Expressions],
    inputs: Mapping[str, Expressions],
    *,
    name: str = "bounds",
) -> BoundsKernel:
    """Return bounds of a quantity, which is then searched for sign changes.

    Args:
        bounds: Value, radius, rate, radius of the rate, and rounding bound.
        inputs: Four lists of symbols of equal length: centres and radii of what the quantity
            depends on, the time last, then of their rates.
        name: The name of the program.

    They are machine code of this processor: LLVM is the only backend that writes them.
    """
    from dalembert.kernel.backends.llvm.zeros.kernel import BoundsKernel

    return BoundsKernel(compile_program({"bounds": list(bounds)}, inputs, name=name))


@dataclass(frozen=True)
class Target:
    """A backend and its options: where programs run.

    Args:
        backend: One of `BACKENDS`.
        threads: Cores for large batches, of backends on the processor.
        dtype: "float64" or "float32"; that of the backend unless given.

    Raises:
        UnknownName: there is no such backend, or it does not take an option that is given.
        MissingDependency: the backend needs a package that is not installed.
    """

    backend: str = "llvm"
    threads: int | None = None
    dtype: str | None = None

    def __post_init__(self) -> None:
        taken = self._backend.options
        for option, value in (("threads", self.threads), ("dtype", self.dtype)):
            if value is not None and option not in taken:
                raise UnknownName(
                    f"expected no {option}= with the backend {self.backend!r}, got {value!r}"
                )
        if self.threads is not None and (not isinstance(self.threads, int) or self.threads < 1):
            raise UnknownName(f"expected a number of threads= from 1, got {self.threads!r}")

    @property
    def result_dtype(self) -> str:
        """The dtype of what programs compute, "float64" or "float32"."""
        return str(self._options.get("dtype", "float64"))

    def kernel(self, program: Program) -> Kernel:
        """Return a program as a function of arrays."""
        kernel = self._backend.kernel(program, **self._options)
        kernel.origin = kernel_again, (program, *self._given)
        return kernel

    def loop(self, loop: Loop) -> LoopKernel:
        """Return a loop as a function of arrays and a number of steps.

        Raises:
            UnknownName: the backend does not run loops.
        """
        if self._backend.loop is None:
            raise UnknownName(
                "expected a backend that runs loops, such as llvm, numpy or cuda, "
                f"got {self.backend!r}"
            )
        kernel = self._backend.loop(loop, **self._options)
        kernel.origin = loop_again, (loop, *self._given)
        return kernel

    def door(self, fallback: Call, inputs: int, option: str | None = None) -> Door | None:
        """Return a door in front of a function; None where all calls run Python."""
        return self._backend.door and self._backend.door(fallback, inputs, option)

    @cached_property
    def _backend(self) -> Backend:
        if self.backend not in BACKENDS:
            raise UnknownName(
                f"expected a backend of {', '.join(BACKENDS)}, got {self.backend!r} "
                f"({nearest(self.backend, BACKENDS)})"
            )
        return import_module(f"dalembert.kernel.backends.{self.backend}.backend").BACKEND

    @property
    def _given(self) -> tuple[str, int | None, str | None]:
        return self.backend, self.threads, self.dtype

    @property
    def _options(self) -> dict[str, object]:
        given = {"threads": self.threads, "dtype": self.dtype}
        return {
            option: default if given[option] is None else given[option]
            for option, default in self._backend.options.items()
        }


def kernel_again(program: Program, backend: str, threads: int | None, dtype: str | None) -> Kernel:
    """Return the kernel of a program in another process; its code is in the cache, or made anew."""
    return Target(backend, threads, dtype).kernel(program)


def loop_again(loop: Loop, backend: str, threads: int | None, dtype: str | None) -> LoopKernel:
    """Return the kernel of a loop in another process."""
    return Target(backend, threads, dtype).loop(loop)


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the garbage collector from walking a growing graph that has no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
