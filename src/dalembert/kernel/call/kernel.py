"""A program on a machine: a function of arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from dalembert.errors import EvaluationError, InvalidExpression
from dalembert.kernel.program.program import Cost, Port, Program

if TYPE_CHECKING:
    from typing import Self

    from dalembert.kernel.call.loop import LoopKernel
    from dalembert.types import Array, ArrayLike

Call = Callable[..., Any]
"""A function of arrays: one for each input; returns one array, or a tuple of them."""


Origin = tuple[Callable[..., Any], tuple[Any, ...]]
"""The function and its arguments that make a kernel again, in another process."""


def origin_of(kernel: Kernel | LoopKernel) -> Origin:
    """Return what makes a kernel again: its program and its target, never code."""
    if kernel.origin is None:
        raise InvalidExpression(
            "expected a kernel of da.compile_function or of a model to pickle, got one that was "
            "made by hand"
        )
    return kernel.origin


class Kernel(ABC):
    """A function of arrays, one for each input; leading axes are a batch and broadcast.

    One output is returned as an array, several as a tuple of arrays.
    """

    dtype = "float64"

    takes_out = False
    """Whether a call writes into arrays given as ``out=``."""

    origin: Origin | None = None

    def __init__(self, program: Program) -> None:
        self.program = program

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.name

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Name and shape of every input."""
        return self.program.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Name and shape of every output."""
        return self.program.outputs

    @property
    def cost(self) -> Cost:
        """Operations and bytes of one run."""
        return self.program.cost

    def explain(self) -> str:
        """Return how the function runs, and why so.

        >>> import dalembert as da
        >>> (x,) = da.parameters("x")
        >>> print(da.compile_function(x * x + 1, x, name="f").explain())
        f: 2 flops, 0 divisions and roots, 0 functions, 16 bytes
        3 instructions, at most 0 values alive at once
        """
        from dalembert.kernel.program.liveness import live_counts

        alive = max(live_counts(self.program), default=0)
        count = len(self.program.code)
        return (
            f"{self.name}: {self.cost}\n{count} instructions, at most {alive} values alive at once"
        )

    def __reduce__(self) -> Origin:
        """Pickle as the program and where it runs: code is never part of it."""
        return origin_of(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @abstractmethod
    def __call__(self, *arrays: ArrayLike) -> Array:
        """Return the outputs for these inputs: an array, or a tuple of arrays."""

    def prepare(self, *arrays: ArrayLike, out: Array | Sequence[Array]) -> Callable[[], object]:
        """Return the call with these arrays, to be made again and again with little overhead.

        Numbers in the arrays may change from call to call, not the arrays.

        >>> import dalembert as da, numpy as np
        >>> (x,) = da.parameters("x")
        >>> f = da.compile_function(x * x, x)
        >>> a, b = np.zeros(3), np.zeros(3)
        >>> run = f.prepare(a, out=b)
        >>> a += 5
        >>> run() is b, b
        (True, array([25., 25., 25.]))

        Raises:
            EvaluationError: wrong number or shape of arrays, or a backend that returns new arrays.
        """
        if not self.takes_out:
            raise EvaluationError(
                f"expected a kernel that writes into arrays to prepare {self.name}, got one of "
                f"{type(self).__name__}, which returns new arrays"
            )
        call = cast("Call", self)
        call(*arrays, out=out)
        return partial(call, *arrays, out=out)

    def _returned(self, outputs: Sequence[Any]) -> Any:
        """Return one output as it is, several as a tuple."""
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def on_compiled(self, notify: Callable[[Kernel], None]) -> None:
        """Call ``notify(self)`` each time that new code makes `with_fast_calls` faster.

        Kernels that compile no code of that kind never call it.
        """
        del notify

    def with_fast_calls(self, fallback: Call) -> Call:
        """Return a function like ``fallback``, which plain arrays do not pass through.

        Arrays that need no conversion are given to machine code at once, all other arguments to
        ``fallback``, whose name, docstring and signature it has. Without such code it is
        ``fallback`` itself.
        """
        return fallback

    def writer(self, fallback: Call) -> Call | None:
        """Return a function of the inputs and an array for the output, which runs no Python.

        Arrays that it cannot use are given to ``fallback``. None where there is no such code yet.
        """
        del fallback
        return None

    def __repr__(self) -> str:
        def listed(ports: tuple[Port, ...]) -> str:
            return ", ".join(f"{port.name}{list(port.shape)}" for port in ports)

        return f"{self.name}({listed(self.inputs)}) -> {listed(self.outputs)}: {self.cost}"
