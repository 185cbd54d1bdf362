"""The reference backend: one numpy operation for each instruction, over any type of number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Program

FUNCTIONS: Algebra[Any] = {
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": lambda y, x: _atan2(y, x),
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    # of complex numbers: constant, or linear, beside the real axis, as a complex step needs them
    "abs": lambda x: np.where(np.real(x) < 0, -x, x) if np.iscomplexobj(x) else np.abs(x),
    "sign": lambda x: np.sign(np.real(x)) if np.iscomplexobj(x) else np.sign(x),
}


@cache
def arrays_of(dtype: np.dtype[Any]) -> Algebra[Any]:
    """Return the algebra of arrays of a type."""
    return complete(
        {
            "const": lambda value: _constant(value, dtype),
            "pow": lambda x, exponent: x ** _constant(exponent, dtype),
            **FUNCTIONS,
        }
    )


def run(program: Program, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return the outputs of a program for arrays of inputs.

    Args:
        program: Any program that satisfies `dalembert.kernel.program.spec`.
        arrays: One for each input, the port's shape behind batch axes that broadcast together;
            float, complex (for complex-step derivatives), or objects that compute with Fractions
            and have methods such as ``sin``.

    Returns:
        One array for each output, the port's shape behind the batch axes.

    Raises:
        EvaluationError: The number of arrays or a trailing shape is not the program's.
    """
    columns, batch, dtype = _columns(program, arrays)
    # NaN and infinity go through to the outputs, as on every other machine
    with np.errstate(all="ignore"):
        results = iter(interpret(program, columns, arrays_of(dtype)))
    outputs = []
    for port in program.outputs:
        output = np.empty((*batch, port.size), dtype)
        for place in range(port.size):
            output[..., place] = next(results)
        outputs.append(output.reshape((*batch, *port.shape)))
    return tuple(outputs)


def _columns(
    program: Program, arrays: Sequence[Any]
) -> tuple[list[Any], tuple[int, ...], np.dtype[Any]]:
    """Return the numbers of each input along the first axis, the batch shape, their type."""
    if len(arrays) != len(program.inputs):
        names = ", ".join(port.name for port in program.inputs)
        raise EvaluationError(
            f"{program.name}: expected {len(program.inputs)} inputs ({names}), got {len(arrays)}"
        )
    columns = []
    for port, given in zip(program.inputs, arrays, strict=True):
        array = np.asarray(given)
        rank = len(port.shape)
        if array.ndim < rank or array.shape[array.ndim - rank :] != port.shape:
            raise EvaluationError(
                f"{program.name}: expected input {port.name!r} of shape (..., "
                f"{', '.join(map(str, port.shape))}), got {array.shape}"
            )
        columns.append(array.reshape((*array.shape[: array.ndim - rank], port.size)))
    batch = np.broadcast_shapes(*(column.shape[:-1] for column in columns)) if columns else ()
    dtype = np.result_type(*columns) if columns else np.dtype(np.float64)
    # whole numbers compute as doubles
    dtype = np.result_type(dtype, np.float64) if dtype.kind in "biu" else dtype
    return [np.moveaxis(column, -1, 0) for column in columns], batch, dtype


def _atan2(y: Any, x: Any) -> Any:
    """Return the angle of (x, y); of complex numbers, what continues it from the real axis."""
    if not (np.iscomplexobj(x) or np.iscomplexobj(y)):
        return np.arctan2(y, x)
    a, b = np.real(x), np.real(y)
    steep = abs(b) > abs(a)
    turn = np.where(steep, np.copysign(math.pi / 2, b), np.where(a < 0, np.copysign(math.pi, b), 0))
    return turn + np.arctan(np.where(steep, -x, y) / np.where(steep, y, x))


def _constant(value: Fraction | str, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "O":
        # exact types stay exact
        return math.pi if value == PI else Fraction(value)
    try:
        return dtype.type(math.pi if value == PI else float(value))
    except OverflowError:
        raise EvaluationError(
            f"expected constants below 2^1024, got {str(value)[:12]}…: rescale"
        ) from None
