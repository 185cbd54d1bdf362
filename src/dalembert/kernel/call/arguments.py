"""Arrays as a compiled function takes them: checked, with a batch in front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.program.program import Port, Program

FLOAT64 = np.dtype(np.float64)
COMPLEX128 = np.dtype(np.complex128)


def as_array(value: Any, port: Port, where: str, *, complex_too: bool = False) -> np.ndarray:
    """Return a value as an array of doubles whose last axes are those of the port.

    Raises:
        EvaluationError: no numbers, complex numbers, or another shape.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    kinds = "fiuc" if complex_too else "fiu"
    if array.dtype.kind not in kinds:
        got = f"dtype {array.dtype}" if array.dtype != object else f"{value!r:.60}"
        remedy = ": complex numbers need the numpy backend" if array.dtype.kind == "c" else ""
        raise EvaluationError(
            f"expected real numbers for {port.name} of {where}, got {got}{remedy}"
        )
    rank = len(port.shape)
    if array.ndim < rank or array.shape[array.ndim - rank :] != port.shape:
        expected = ", ".join(["...", *map(str, port.shape)])
        raise EvaluationError(
            f"expected shape ({expected}) for {port.name} of {where}, got {array.shape}"
        )
    # what is beyond the range of doubles becomes infinite here, and is refused as such later
    with np.errstate(over="ignore"):
        return np.require(array, COMPLEX128 if array.dtype.kind == "c" else FLOAT64, "A")


def batch_shape(arrays: Sequence[np.ndarray], program: Program) -> tuple[int, ...]:
    """Return the common leading axes.

    Raises:
        EvaluationError: they do not broadcast.
    """
    pairs = list(zip(arrays, program.inputs, strict=True))
    leading = [array.shape[: array.ndim - len(port.shape)] for array, port in pairs]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        shapes = ", ".join(f"{port.name} {array.shape}" for array, port in pairs)
        raise EvaluationError(
            f"expected batch axes that broadcast in {program.name}, got {shapes}"
        ) from None


def as_rows(array: np.ndarray, port: Port, batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Return the array with samples as rows, and the bytes from one row to the next.

    An array without batch is shared by all samples: 0 bytes. It is copied only if its rows are
    not whole, or the batch must be spread.
    """
    rank = len(port.shape)
    leading = array.shape[: array.ndim - rank]
    if math.prod(leading) == 1:
        return np.ascontiguousarray(array), 0
    if leading != batch:
        array = np.broadcast_to(array, (*batch, *port.shape))
    if len(batch) == 1 and rank == 1 and array.strides[1] == 8 and not array.strides[0] % 8:
        return array, array.strides[0]
    return np.ascontiguousarray(array), 8 * port.size


def check_count(arrays: Sequence[Any], program: Program) -> None:
    """Raise unless there is one array for each input."""
    if len(arrays) != len(program.inputs):
        names = ", ".join(port.name for port in program.inputs)
        raise EvaluationError(
            f"expected {len(program.inputs)} arrays for {program.name} ({names}), got {len(arrays)}"
        )


def check_out(out: Any, port: Port, batch: tuple[int, ...], where: str) -> np.ndarray:
    """Return the array given for a result.

    Raises:
        EvaluationError: not writable, not contiguous doubles, or another shape.
    """
    shape = (*batch, *port.shape)
    good = (
        isinstance(out, np.ndarray)
        and out.dtype == FLOAT64
        and out.shape == shape
        and out.flags.carray
    )
    if not good:
        got = (
            f"{out.dtype} {out.shape}{'' if out.flags.c_contiguous else ', not contiguous'}"
            f"{'' if out.flags.writeable else ', read-only'}"
            f"{'' if out.flags.aligned else ', not aligned'}"
            if isinstance(out, np.ndarray)
            else type(out).__name__
        )
        raise EvaluationError(
            f"expected out= of {where} to be a writable, contiguous array of doubles with shape "
            f"{shape}, got {got}"
        )
    return out
