"""Kernels in machine code of this processor, called through a table of addresses."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dalembert.kernel.arguments import (
    as_array,
    as_rows,
    batch_shape,
    check_count,
    check_out,
)
from dalembert.kernel.explain import repair
from dalembert.kernel.kernel import Kernel
from dalembert.kernel.program import Program
from dalembert.kernel.threads import run_range

# below this many operations a second thread costs more than it gives
WORTH_A_THREAD = 2_000_000

Entry = Callable[[Any, int, int], int]


class Single(NamedTuple):
    """Code that runs samples one by one, keeping the GIL.

    ``quick`` takes arrays of one state and returns the outputs, or ``False`` if they are not
    plain; None where this Python has no such way in.
    """

    run: Entry
    quick: Callable[..., Any] | None


class Wide(NamedTuple):
    """Code that runs ``width`` samples side by side, without the GIL."""

    run: Entry
    width: int


class NativeKernel(Kernel):
    """A program as machine code; the code for one state and for many is made when first wanted."""

    def __init__(
        self,
        program: Program,
        single: Callable[[], Single],
        wide: Callable[[], Wide],
        threads: int,
    ) -> None:
        super().__init__(program)
        self.threads = threads
        self._make_single = single
        self._make_wide = wide
        self._shapes = tuple(port.shape for port in program.inputs)
        self._quick: Callable[..., Any] = self._first_call

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        """Return the outputs; ``out`` takes them instead of new arrays (one, or a tuple)."""
        if out is None:
            result = self._quick(*arrays)
            if result is not False:
                return result
        return self._call_batch(arrays, out)

    @cached_property
    def single(self) -> Single:
        """The code for one state."""
        return self._make_single()

    @cached_property
    def wide(self) -> Wide:
        """The code for many states."""
        return self._make_wide()

    def _first_call(self, *arrays: Any) -> Any:
        """Load the quick way in when a single state first comes; a batch does not need it."""
        if tuple(np.shape(array) for array in arrays) != self._shapes:
            return False
        quick = self.single.quick
        if quick is None:
            return False
        self._quick = quick
        return quick(*arrays)

    # ---- many states

    def _call_batch(self, arrays: Sequence[Any], out: Any) -> Any:
        program = self.program
        check_count(arrays, program)
        checked = [
            as_array(a, port, program.name) for a, port in zip(arrays, program.inputs, strict=True)
        ]
        batch = batch_shape(checked, program)
        results = self._results(batch, out, checked)
        count = math.prod(batch)
        if count:
            pairs = [
                as_rows(a, port, batch) for a, port in zip(checked, program.inputs, strict=True)
            ]
            pairs += [
                (result, 8 * port.size)
                for result, port in zip(results, program.outputs, strict=True)
            ]
            if self._run(_table(pairs), count):
                repair(program, checked, results)
        return results[0] if len(results) == 1 else results

    def _run(self, table: Any, count: int) -> int:
        """Run all samples: side by side where there are enough."""
        if count > 1 and count >= self.wide.width:
            run, width = self.wide
            work = count * max(self.cost.flops, 1)
            threads = self.threads if work > WORTH_A_THREAD else 1
            return run_range(lambda a, b: run(table, a, b), count, threads, width)
        return self.single.run(table, 0, count)

    def _results(
        self, batch: tuple[int, ...], out: Any, arrays: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, ...]:
        """Return the arrays for the outputs: new ones, or those given."""
        if out is None:
            return tuple(np.empty((*batch, *port.shape)) for port in self.outputs)
        given = out if isinstance(out, tuple | list) else (out,)
        check_count_out(given, self.program)
        results = tuple(
            check_out(o, port, batch, self.name)
            for o, port in zip(given, self.outputs, strict=True)
        )
        if any(np.may_share_memory(a, o) for a in arrays for o in results):
            from dalembert.errors import EvaluationError

            raise EvaluationError(
                f"expected out= of {self.name} to be apart from its inputs, got shared memory"
            )
        return results


def check_count_out(given: Sequence[Any], program: Program) -> None:
    """Raise unless there is one array for each output."""
    if len(given) != len(program.outputs):
        from dalembert.errors import EvaluationError

        names = ", ".join(port.name for port in program.outputs)
        raise EvaluationError(
            f"expected {len(program.outputs)} arrays in out= of {program.name} ({names}), "
            f"got {len(given)}"
        )


def _table(pairs: Sequence[tuple[np.ndarray, int]]) -> Any:
    """Return addresses and row strides as the entries of compiled code read them.

    The table keeps the arrays alive.
    """
    table = (ctypes.c_int64 * (2 * len(pairs)))(
        *(number for array, stride in pairs for number in (array.ctypes.data, stride))
    )
    table.arrays = [array for array, _ in pairs]
    return table
