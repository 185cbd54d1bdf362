"""Taylor coefficients of the solution of ẋ = f(x), in machine code."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel import cache
from dalembert.kernel.backends.llvm.jit import Code, host, machine_code
from dalembert.kernel.backends.llvm.series.write import series_text
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME
from dalembert.kernel.program.program import Program

if TYPE_CHECKING:
    from dalembert.types import Array

VERSION = "1"
"""Raised with every change of the text that a program becomes."""

ALIGNMENT = 64


class TaylorKernel:
    """The Taylor coefficients of the solution of ẋ = f(x), a function of the state x.

    It is called with a state, then one array for each further input of the program.
    A sign in f counts as constant: the series is that of the motion until it changes.

    Args:
        program: The first input is the state x, the only output its rate f; other inputs do not
            change in time.
        order: The highest power of time.

    Raises:
        EvaluationError: the rate has another size than the state.
        InvalidExpression: an operation has no power series.
    """

    def __init__(self, program: Program, order: int) -> None:
        if [port.size for port in program.outputs] != [program.inputs[0].size]:
            raise EvaluationError(
                f"expected as many rates as states in {program.name}, got "
                f"{[port.size for port in program.outputs]} and {program.inputs[0].size}"
            )
        self.program = program
        self.order = order
        text, size = series_text(program, order, host().width)
        parts = ("taylor", VERSION, str(host()), str(order), str(program))
        code = Code(cache.cached(parts, lambda: machine_code(text)))
        # one call at a time may use the workspace
        self._lock = threading.Lock()
        self._run = code.function(ENTRY_NAME, keep_gil=True)
        memory = np.zeros(size + ALIGNMENT, np.uint8)
        self._work = memory[-memory.ctypes.data % ALIGNMENT :]
        self._sizes = [port.size for port in program.inputs]
        self._inputs = [np.zeros(port.size) for port in program.inputs]
        self._table = (ctypes.c_int64 * (2 * len(self._inputs) + 4))()
        for k, array in enumerate(self._inputs):
            self._table[2 * k] = array.ctypes.data
        self._table[2 * len(self._inputs) + 2] = self._work.ctypes.data

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
            self._table[2 * len(self._inputs)] = out.ctypes.data
            self._run(self._table, 0, 1)
        return out
