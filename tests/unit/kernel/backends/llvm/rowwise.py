"""Functions on lanes, compiled and called with rows of numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.kernel.backends.llvm.fused import with_functions_for_fma
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.backends.llvm.jit import Code, machine_code
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real

WIDTHS = (1, 2, 4, 8)


def compiled(
    function: Callable[..., Any],
    width: int,
    arity: int = 1,
    *,
    real: Real = DOUBLE,
    has_fma: bool = True,
    host: Host | None = None,
) -> Callable[..., np.ndarray]:
    """Return the function over rows of numbers, ``width`` at a time; one row for each result.

    Without ``has_fma`` functions take the place of the fused instruction.
    """
    lanes = Lanes(width, real=real)
    results = function(lanes, *[f"%x{k}" for k in range(arity)])
    if isinstance(results, str):
        results = (results,)
    read, write = [], []
    for k in range(arity):
        read += [
            f"  %i{k} = getelementptr {lanes.type}, ptr %in, i64 {k}",
            f"  %x{k} = load {lanes.type}, ptr %i{k}, align {real.size}",
        ]
    for k, name in enumerate(results):
        write += [
            f"  %o{k} = getelementptr {lanes.type}, ptr %out, i64 {k}",
            f"  store {lanes.type} {name}, ptr %o{k}, align {real.size}",
        ]
    body = [*read, *lanes.lines, *write, "  ret void"]
    lines = [*lanes.declarations(), "define void @f(ptr %in, ptr %out) {", *body, "}"]
    text, host = "\n".join(lines), host or this_host()
    code = Code(machine_code(text if has_fma else with_functions_for_fma(text), host), host)
    entry: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("f"))

    def call(*rows: np.ndarray) -> np.ndarray:
        size = len(rows[0])
        blocks = -(-size // width)
        # (block, operand, lane)
        x = np.ones((arity, blocks * width), real.dtype)
        x[:, :size] = rows
        x = np.ascontiguousarray(x.reshape(arity, blocks, width).swapaxes(0, 1))
        y = np.empty((blocks, len(results), width), real.dtype)
        step_in, step_out = x.strides[0], y.strides[0]
        start_in, start_out = x.ctypes.data, y.ctypes.data
        for block in range(blocks):
            entry(start_in + block * step_in, start_out + block * step_out)
        return y.swapaxes(0, 1).reshape(len(results), -1)[:, :size]

    # the function keeps its code
    entry.code = code
    return call


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays agree to the sign of zero; one NaN is like another."""
    kind = f"i{a.itemsize}"
    return bool(np.all((a.view(kind) == b.view(kind)) | (np.isnan(a) & np.isnan(b))))
