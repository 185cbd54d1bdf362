"""Kernels in machine code of this processor, called through a table of addresses."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.native.threads import run_range
from dalembert.kernel.call.arguments import as_rows, check_count, check_out, checked_arrays
from dalembert.kernel.call.explain import repair
from dalembert.kernel.call.kernel import Call, Kernel
from dalembert.kernel.call.units import check_units
from dalembert.kernel.program.program import Program

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

# below this many operations a second thread costs more than it gives
WORTH_A_THREAD = 2_000_000


class Entry(NamedTuple):
    """Machine code that runs samples, ``width`` of them side by side.

    ``run`` takes a table of addresses and a range of samples. ``fast_call`` makes a compiled
    function of plain arrays out of a fallback, to which it gives all other calls; None where this
    Python has no interface for it. ``into_call`` makes one that takes arrays for the outputs too.
    """

    run: Callable[[Any, int, int], int]
    width: int
    fast_call: Callable[[Call], Call] | None
    into_call: Callable[[Call], Call] | None = None


def samples_for_one_thread(program: Program) -> int:
    """Return the largest batch that a second thread would not make quicker."""
    return WORTH_A_THREAD // max(program.cost.flops, 1)


class NativeKernel(Kernel):
    """A program as machine code; the code for one state and for many is made when first wanted."""

    takes_out = True

    def __init__(
        self,
        program: Program,
        single: Callable[[], Entry],
        wide: Callable[[], Entry],
        threads: int,
        dtype: str = "float64",
        *,
        watches_units: bool,
    ) -> None:
        super().__init__(program)
        # whether the code marks quaternions of another length than one
        self._watches_units = watches_units
        self.threads, self.dtype = threads, dtype
        self._makers = {"single": single, "wide": wide}
        self._call: Call = self._call_checked
        self._call_into: Call | None = None
        self._listeners: list[Callable[[Kernel], None]] = []

    def __call__(self, *arrays: ArrayLike, out: Array | Sequence[Array] | None = None) -> Array:
        """Return the outputs; ``out`` takes them instead of new arrays (one, or a tuple)."""
        if out is None:
            return self._call(*arrays)
        given = out if isinstance(out, tuple | list) else (out,)
        if self._call_into is None:
            self._call_into = self._with_fast_into(self._into_checked)
            self._tell()
        # checked by their numbers: an input more is no output less
        if len(arrays) != len(self.inputs) or len(given) != len(self.outputs):
            return self._call_batch(arrays, out)
        self._call_into(*arrays, *given)
        return self._returned(given)

    def _with_fast_into(self, fallback: Call) -> Call:
        """Return the function of inputs and outputs that tries what is compiled already."""
        for name in ("wide", "single"):
            entry = vars(self).get(name)
            if entry is not None and entry.into_call is not None:
                fallback = entry.into_call(fallback)
        return fallback

    def _into_checked(self, *arrays: Any) -> Any:
        n = len(self.inputs)
        return self._call_batch(arrays[:n], tuple(arrays[n:]))

    def writer(self, fallback: Call) -> Call | None:
        """Return a function of the inputs and the output; None before the first call with out=."""
        if self._call_into is None or len(self.outputs) != 1:
            return None
        return self._with_fast_into(fallback)

    @cached_property
    def single(self) -> Entry:
        """The code that runs samples one by one."""
        return self._load("single")

    @cached_property
    def wide(self) -> Entry:
        """The code that runs samples side by side, without the GIL."""
        return self._load("wide")

    def _load(self, name: str) -> Entry:
        entry = vars(self)[name] = self._makers[name]()
        self._call = self.with_fast_calls(self._call_checked)
        self._call_into = None
        if entry.fast_call is not None:
            self._tell()
        return entry

    def _tell(self) -> None:
        for notify in self._listeners:
            notify(self)

    def on_compiled(self, notify: Callable[[Kernel], None]) -> None:
        """Call ``notify(self)`` when code was compiled: for one state, for many, for out=."""
        self._listeners.append(notify)

    def with_fast_calls(self, fallback: Call) -> Call:
        """Return a function that tries the code for one state, for many, then ``fallback``.

        Only code that is compiled already is tried.
        """
        for name in ("wide", "single"):
            entry = vars(self).get(name)
            if entry is not None and entry.fast_call is not None:
                fallback = entry.fast_call(fallback)
        return fallback

    def _call_checked(self, *arrays: Any) -> Any:
        return self._call_batch(arrays, None)

    # ---- many states

    def _call_batch(self, arrays: Sequence[Any], out: Any) -> Any:
        program = self.program
        checked, batch = checked_arrays(arrays, program, dtype=self.dtype)
        results = self._results(batch, out, checked)
        count = math.prod(batch)
        if count:
            if not self._watches_units:
                check_units(program, checked)
            pairs = [
                as_rows(a, port, batch) for a, port in zip(checked, program.inputs, strict=True)
            ]
            pairs += [
                (result, result.itemsize * port.size)
                for result, port in zip(results, program.outputs, strict=True)
            ]
            if self._run(_table(pairs), count):
                repair(program, checked, results)
        return self._returned(results)

    def _run(self, table: Any, count: int) -> int:
        """Run all samples: side by side where there are enough."""
        if count > 1 and count >= self.wide.width:
            run, width = self.wide.run, self.wide.width
            # each thread more has work for the time that it takes to start
            threads = min(self.threads, 1 + count // (1 + samples_for_one_thread(self.program)))
            return run_range(run, table, count, threads, width)
        run = self.single.run
        return run_range(run, table, count, 1, 1)

    def _results(
        self, batch: tuple[int, ...], out: Any, arrays: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, ...]:
        """Return the arrays for the outputs: new ones, or those given."""
        if out is None:
            return tuple(np.empty((*batch, *port.shape), self.dtype) for port in self.outputs)
        given = out if isinstance(out, tuple | list) else (out,)
        check_count(given, self.outputs, f"in out= of {self.name}")
        results = tuple(
            check_out(o, port, batch, self.name, self.dtype)
            for o, port in zip(given, self.outputs, strict=True)
        )
        pairs = [*product(arrays, results), *combinations(results, 2)]
        if any(np.may_share_memory(a, b) for a, b in pairs):
            raise EvaluationError(
                f"expected arrays in out= of {self.name} apart from its inputs and from each "
                "other, got shared memory"
            )
        return results


def _table(pairs: Sequence[tuple[np.ndarray, int]]) -> Any:
    """Return addresses and row strides as the entries of compiled code read them.

    The table keeps the arrays alive.
    """
    table: Any = (ctypes.c_int64 * (2 * len(pairs)))(
        *(number for array, stride in pairs for number in (array.ctypes.data, stride))
    )
    table.arrays = [array for array, _ in pairs]
    return table
