"""Taylor coefficients of the solution of ẋ = f(x), in machine code."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.llvm.cached_code import cached_code
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.backends.llvm.series.steps import CARRIES, POWERS, STEPS_NAME
from dalembert.kernel.backends.llvm.series.write import series_text
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME
from dalembert.kernel.call.series import SeriesKernel, Steps, StepStart
from dalembert.kernel.program.program import Program

if TYPE_CHECKING:
    from dalembert.types import Array

ALIGNMENT = 64


class TaylorKernel(SeriesKernel):
    """The Taylor coefficients of the solution of ẋ = f(x), a function of the state x.

    It is called with a state, then one array for each further input of the program.
    A sign in f counts as constant: the series is that of the motion until it changes.

    Args:
        program: The first input is the state x, the only output its rate f; other inputs do not
            change in time.
        order: The highest power of time.
        is_timed: Whether the last entry of the state is the time itself, whose rate is 1.
        host: The processor to write for. Default: this one.

    Raises:
        EvaluationError: the rate has another size than the state.
        InvalidExpression: an operation has no power series.
    """

    def __init__(
        self,
        program: Program,
        order: int,
        *,
        is_timed: bool = False,
        host: Host | None = None,
    ) -> None:
        if [port.size for port in program.outputs] != [program.inputs[0].size]:
            raise EvaluationError(
                f"expected as many rates as states in {program.name}, got "
                f"{[port.size for port in program.outputs]} and {program.inputs[0].size}"
            )
        self.program = program
        self.order, self.is_timed = order, is_timed
        host = host or this_host()
        text, size = series_text(program, order, host, is_timed=is_timed)
        code = cached_code(host, lambda: text)
        # one call at a time may use the workspace
        self._lock = threading.Lock()
        self._run = code.function(ENTRY_NAME, keep_gil=True)
        self._take_steps = code.function(STEPS_NAME, keep_gil=True)
        memory = np.zeros(size + ALIGNMENT, np.uint8)
        self._work = memory[-memory.ctypes.data % ALIGNMENT :]
        self._sizes = [port.size for port in program.inputs]
        self._inputs = [np.zeros(port.size) for port in program.inputs]
        self._counted = self._sizes[0] - is_timed
        self._control = np.zeros(CARRIES + self._counted)
        self._place = 2 * len(self._inputs)
        self._table = (ctypes.c_int64 * (self._place + 10))()
        for k, array in enumerate(self._inputs):
            self._table[2 * k] = array.ctypes.data
        self._table[self._place + 2] = self._work.ctypes.data
        self._table[self._place + 4] = self._control.ctypes.data

    def __call__(self, *arrays: Sequence[float] | Array) -> Array:
        """Return the coefficients, one row for each order from 0; not finite where f is not.

        Raises:
            EvaluationError: sizes do not fit.
        """
        sizes = [len(a) for a in arrays]
        if sizes != self._sizes:
            ports = ", ".join(f"{port.size} of {port.name}" for port in self.program.inputs)
            raise EvaluationError(f"expected {ports} for {self.program.name}, got {sizes}")
        out = np.empty((self.order + 1, self._sizes[0]))
        with self._lock:
            for mine, given in zip(self._inputs, arrays, strict=True):
                mine[:] = given
            self._table[self._place] = out.ctypes.data
            self._run(self._table, 0, 1)
        return out

    def steps(
        self,
        start: StepStart,
        end: float,
        most: int,
        constants: Sequence[Array] = (),
        *,
        longest: float,
        safety: float,
    ) -> Steps:
        n, shape = self._counted, (most, self.order + 1, self._sizes[0])
        times, states, series = np.empty(most + 1), np.empty((most + 1, n)), np.empty(shape)
        times[0], states[0] = start.t, start.x
        with self._lock:
            self._inputs[0][:n], self._inputs[0][n:] = start.x, start.t
            for mine, given in zip(self._inputs[1:], constants, strict=True):
                mine[:] = given
            control = self._control
            control[:POWERS] = start.t, end, longest, safety
            control[POWERS:CARRIES], control[CARRIES:] = start.powers, start.carry
            for place, array in ((0, series), (6, times), (8, states)):
                self._table[self._place + place] = array.ctypes.data
            taken = self._take_steps(self._table, 0, most)
            powers, carry = control[POWERS:CARRIES].copy(), control[CARRIES:].copy()
        return Steps(times[: taken + 1], states[: taken + 1], series[:taken, :, :n], powers, carry)
