"""Rows of every size become lanes of every width and come back, place by place."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel.backends.llvm.build import load
from dalembert.kernel.backends.llvm.reals import DOUBLE, SINGLE, Real
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME
from dalembert.kernel.program.trace import trace

SIZES = range(1, 10)
WIDTHS = (1, 2, 4, 8, 16)
AROUND = 3
"""Numbers before and behind every row of the arrays, which no kernel may write."""


@pytest.mark.parametrize("real", [DOUBLE, SINGLE], ids=lambda real: real.dtype)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", SIZES)
def test_rows_of_every_size_at_every_width(size: int, width: int, real: Real) -> None:
    """Each place is multiplied by a number of its own, so that no two can be exchanged unseen."""
    x = da.parameters(" ".join(f"x{k}" for k in range(size)))
    program = trace("rows", {"x": x}, {"y": [(k + 2) * xk for k, xk in enumerate(x)]})
    run = load(program, width, None, real).function(ENTRY_NAME)
    for count in (width, width + 1, 2 * width - 1, 33 + width):
        given = np.arange(1.0, 1.0 + count * size, dtype=real.dtype).reshape(count, size)
        memory = np.full((count, size + 2 * AROUND), -1.0, real.dtype)
        table = (ctypes.c_int64 * 4)(
            *(given.ctypes.data, given.strides[0]),
            *(memory.ctypes.data + AROUND * memory.itemsize, memory.strides[0]),
        )
        assert run(table, 0, count) == 0
        assert (memory[:, AROUND:-AROUND] == given * np.arange(2, 2 + size)).all()
        memory[:, AROUND:-AROUND] = -1
        assert (memory == -1).all()
