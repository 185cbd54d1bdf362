"""Arrays as a compiled function takes them: checked, with a batch in front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError, ShapeMismatch
from dalembert.kernel.program.program import Port, Program

if TYPE_CHECKING:
    from dalembert.types import ArrayLike

COMPLEX128 = np.dtype(np.complex128)


def as_array(
    value: ArrayLike,
    port: Port,
    where: str,
    *,
    dtype: str = "float64",
    complex_too: bool = False,
) -> np.ndarray:
    """Return a value as an array of a dtype whose last axes are those of the port.

    Numbers and lists become what the dtype can hold; arrays that it cannot hold are refused.

    Raises:
        EvaluationError: no numbers, hidden or complex numbers, more digits than the dtype, another
            shape.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise EvaluationError(
            f"expected plain numbers for {port.name} of {where}, got a masked array: give its "
            ".data, or what .filled() returns"
        )
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
    if dtype != "float64" and isinstance(value, np.ndarray) and _is_finer(array.dtype, dtype):
        raise EvaluationError(
            f"expected {dtype} for {port.name} of {where}, got {array.dtype}: convert it with "
            f".astype({dtype!r}), or compile with dtype='float64'"
        )
    leading_axes(array.shape, port, where)
    # what is beyond the range of the dtype becomes infinite here, and is refused as such later
    with np.errstate(over="ignore"):
        return np.require(array, COMPLEX128 if array.dtype.kind == "c" else dtype, "A")


def _is_finer(found: np.dtype, dtype: str) -> bool:
    """Tell whether numbers of a type would lose digits in a dtype."""
    return found.kind in "fc" and np.finfo(found).eps < np.finfo(dtype).eps


def leading_axes(shape: Sequence[int], port: Port, where: str) -> tuple[int, ...]:
    """Return the batch axes of an array.

    Raises:
        ShapeMismatch: the last axes are not those of the port.
    """
    outer = len(shape) - len(port.shape)
    if outer < 0 or tuple(shape[outer:]) != port.shape:
        expected = ", ".join(["...", *map(str, port.shape)])
        raise ShapeMismatch(
            f"expected shape ({expected}) for {port.name} of {where}, got {tuple(shape)}"
        )
    return tuple(shape[:outer])


def common_batch(
    shapes: Sequence[Sequence[int]], ports: Sequence[Port], where: str
) -> tuple[int, ...]:
    """Return the batch axes to which arrays of these shapes broadcast.

    Raises:
        EvaluationError: they do not broadcast.
    """
    pairs = list(zip(shapes, ports, strict=True))
    try:
        return np.broadcast_shapes(*(leading_axes(shape, port, where) for shape, port in pairs))
    except ValueError:
        got = ", ".join(f"{port.name} {tuple(shape)}" for shape, port in pairs)
        raise EvaluationError(f"expected batch axes that broadcast in {where}, got {got}") from None


def checked_arrays(
    arrays: Sequence[ArrayLike],
    program: Program,
    *,
    dtype: str = "float64",
    complex_too: bool = False,
) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """Return the inputs of a program as arrays, and their common batch axes.

    Raises:
        EvaluationError: another number of arrays, a wrong type or shape, batches that differ.
    """
    check_count(arrays, program.inputs, f"for {program.name}")
    checked = [
        as_array(a, port, program.name, dtype=dtype, complex_too=complex_too)
        for a, port in zip(arrays, program.inputs, strict=True)
    ]
    return checked, common_batch([a.shape for a in checked], program.inputs, program.name)


def as_rows(array: np.ndarray, port: Port, batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Return the array with samples as rows, and the bytes from one row to the next.

    An array without batch is shared by all samples: 0 bytes. It is copied only if its rows are
    not whole, or the batch must be spread.
    """
    rank, size = len(port.shape), array.itemsize
    leading = array.shape[: array.ndim - rank]
    if math.prod(leading) == 1:
        return np.ascontiguousarray(array), 0
    if leading != batch:
        array = np.broadcast_to(array, (*batch, *port.shape))
    if len(batch) == 1 and rank == 1 and array.strides[1] == size and not array.strides[0] % size:
        return array, array.strides[0]
    return np.ascontiguousarray(array), size * port.size


def check_count(arrays: Sequence[object], ports: Sequence[Port], where: str) -> None:
    """Raise unless there is one array for each port; ``where`` says what they are for."""
    if len(arrays) != len(ports):
        names = ", ".join(port.name for port in ports)
        raise EvaluationError(f"expected {len(ports)} arrays {where} ({names}), got {len(arrays)}")


def check_out(
    out: object, port: Port, batch: tuple[int, ...], where: str, dtype: str = "float64"
) -> np.ndarray:
    """Return the array given for a result.

    Raises:
        EvaluationError: not writable, not contiguous, or another dtype or shape.
    """
    shape = (*batch, *port.shape)
    got = type(out).__name__
    if isinstance(out, np.ndarray):
        is_plain = not isinstance(out, np.ma.MaskedArray)
        if is_plain and out.dtype == dtype and out.shape == shape and out.flags.carray:
            return out
        got = (
            f"{out.dtype} {out.shape}{'' if is_plain else ', masked'}"
            f"{'' if out.flags.c_contiguous else ', not contiguous'}"
            f"{'' if out.flags.writeable else ', read-only'}"
            f"{'' if out.flags.aligned else ', not aligned'}"
        )
    raise EvaluationError(
        f"expected out= of {where} to be a writable, contiguous array of "
        f"{'doubles' if dtype == 'float64' else dtype} with shape {shape}, got {got}"
    )
