"""The sign changes of a quantity along polynomials: the search with its arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kernel.backends.llvm.build import build
from dalembert.kernel.backends.llvm.cached_code import cached_code
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME
from dalembert.kernel.backends.llvm.zeros import table as at
from dalembert.kernel.backends.llvm.zeros.text import ROUNDING, SEARCH_NAME, search_text
from dalembert.kernel.call.zeros import Look, Outlook, Reading, Reason, SignChange, SignSearch

if TYPE_CHECKING:
    from dalembert.kernel.program.program import Program
    from dalembert.types import Array

ROOM = 256
"""Sign changes that one call of the code finds."""


class BoundsKernel:
    """Bounds of a quantity and of its rate, in machine code.

    Args:
        program: From four arrays of equal size, centres and radii of what the quantity depends on,
            then of their rates, to value, radius, rate, radius of the rate, and rounding. The last
            entry of all is the time.
        host: The processor to write for. Default: this one.
    """

    def __init__(self, program: Program, host: Host | None = None) -> None:
        self.size, self.host = program.inputs[0].size, host or this_host()
        self.kernel = build(program, host=self.host)
        self.run: Any = self.kernel.single.run
        self.address = self.run.code.address(ENTRY_NAME)

    def search(self, columns: Sequence[int]) -> SignSearch:
        """Return a search; ``columns`` are the entries of the state that the quantity depends on,
        in the order of the program.
        """
        return ZeroSearch(self, columns)


class ZeroSearch(SignSearch):
    """A search that calls machine code, with arrays of its own."""

    def __init__(self, bounds: BoundsKernel, columns: Sequence[int]) -> None:
        self.bounds, self.columns = bounds, np.array(columns, np.int64)
        self._search = _code(bounds.host)
        m = bounds.size
        self._numbers, self._bends = np.zeros(at.NUM_NUMBERS), np.zeros(2 * m)
        self._arrays, self._out = np.zeros((4, m)), np.zeros(5)
        # for single states, whose radii stay zero
        self._point, self._point_out = np.zeros((4, m)), np.zeros(5)
        self._point[2, -1] = 1.0
        self._found, self._readings = np.empty((0, 0)), np.empty((0, 4))
        self._table: Any = (ctypes.c_int64 * at.SIZE)(*_words(self._arrays, self._out))
        self._point_table: Any = (ctypes.c_int64 * 10)(*_words(self._point, self._point_out))
        for place, word in (
            (at.PROGRAM, bounds.address),
            (at.NUMBERS, self._numbers.ctypes.data),
            (at.COLUMNS, self.columns.ctypes.data),
            (at.NUM_COLUMNS, m - 1),
            (at.BENDS, self._bends.ctypes.data),
            (at.ROOM, ROOM),
        ):
            self._table[place] = word

    def read(self, t: float, x: Array, xd: Array) -> Reading:
        point = self._point
        point[0, :-1], point[0, -1], point[2, :-1] = x[self.columns], t, xd[self.columns]
        if self.bounds.run(self._point_table, 0, 1):
            # says which is not finite
            self.bounds.kernel(*point)
        value, _, rate, _, bound = self._point_out.tolist()
        return Reading(value, rate, ROUNDING * bound)

    def along(self, look: Look, t: Array, series: Array, first: int = 0) -> Outlook:
        self._numbers[: at.NOISE] = (
            *(look.side, look.t, look.value, look.rate, look.arrival_noise),
            at.NEVER if look.stop is None else look.stop,
        )
        self._place(t, series)
        changes: list[SignChange] = []
        reason = Reason.FULL
        while reason is Reason.FULL:
            count = self._search(self._table, first, len(series))
            found = self._found[:count].copy()
            changes += [
                SignChange(when, int(side), int(step), x)
                for (when, side, step), x in zip(found[:, :3].tolist(), found[:, 3:], strict=True)
            ]
            first, reason = self._table[at.STEP], Reason(self._table[at.REASON])
        # the next one begins at the start of a step
        self._table[at.IS_INSIDE] = 0
        return Outlook(changes, self._readings, first, reason)

    def _place(self, t: Array, series: Array) -> None:
        """Write where the arrays are."""
        table, (number, length, n) = self._table, series.shape
        if not series.strides[2] == t.strides[0] == 8:
            # the code would read beside the arrays
            raise ValueError("expected numbers one behind the other in the last axis")
        if self._found.shape[1] != n + 3:
            self._found = np.empty((ROOM, n + 3))
            table[at.FOUND], table[at.NUM_ENTRIES] = self._found.ctypes.data, n
        self._readings = np.empty((number, 4))
        table[at.READINGS] = self._readings.ctypes.data
        table[at.TIMES], table[at.SERIES] = t.ctypes.data, series.ctypes.data
        table[at.STEP_BYTES], table[at.ORDER_BYTES] = series.strides[:2]
        table[at.DEGREE] = length - 1


def _words(inputs: Array, out: Array) -> list[int]:
    """Return the addresses of the arrays of a program, each without a stride."""
    return [word for row in (*inputs, out) for word in (row.ctypes.data, 0)]


@cache
def _code(host: Host) -> Any:
    return cached_code(host, search_text).function(SEARCH_NAME, keep_gil=True)
