"""Errors that explain why a result is infinite or NaN.

Compiled code only returns a flag for such results. The reference then runs the samples concerned:
where its results are finite (an angle too large for the fast reduction), they are taken; else the
error names the first operation whose result is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.call.units import check_units
from dalembert.kernel.program.program import Port, Program
from dalembert.kernel.program.reference import run


def repair(program: Program, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
    """Replace results that are not finite by those of the reference, or raise.

    Raises:
        EvaluationError: an input is not finite, or the function has no value there.
    """
    check_inputs(program, arrays)
    check_units(program, arrays)
    batch = results[0].shape[: results[0].ndim - len(program.outputs[0].shape)]
    bad = np.zeros(batch, bool)
    for result, port in zip(results, program.outputs, strict=True):
        axes = tuple(range(len(batch), len(batch) + len(port.shape)))
        bad |= ~np.isfinite(result).all(axis=axes)
    chosen = [
        np.broadcast_to(a, (*batch, *port.shape))[bad]
        for a, port in zip(arrays, program.inputs, strict=True)
    ]
    with np.errstate(all="ignore"):
        again = run(program, chosen)
    for result, values in zip(results, again, strict=True):
        if not np.isfinite(values).all():
            explain(program, chosen)
        result[bad] = values


def check_inputs(program: Program, arrays: Sequence[np.ndarray]) -> None:
    """Raise for an input that is not finite, naming the place."""
    for array, port in zip(arrays, program.inputs, strict=True):
        finite = np.isfinite(array)
        if not finite.all():
            place = tuple(int(k) for k in np.argwhere(~finite)[0])
            where = f"{port.name}[{', '.join(map(str, place))}]" if place else port.name
            raise EvaluationError(
                f"expected finite numbers for {program.name}, got {array[place]} in {where}"
            )


def explain(program: Program, arrays: Sequence[np.ndarray]) -> None:
    """Raise for the first operation that is not finite although its operands are."""
    values = _all_values(program, arrays)
    for i, (op, args, _) in enumerate(program.code):
        value = values.get(i)
        if value is None or np.isfinite(value).all():
            continue
        bad = ~np.isfinite(value)
        operands = [values[a][bad].flat[0] for a in args if a in values]
        what = {
            "div": "a division by zero: the mechanism is singular there",
            "sqrt": "a root of a negative number",
            "log": "a logarithm of a number that is not positive",
            "asin": "an arc sine beyond ±1",
            "acos": "an arc cosine beyond ±1",
        }.get(op, "an overflow")
        numbers = ", ".join(f"{x:.6g}" for x in operands)
        raise EvaluationError(
            f"expected a finite result of {program.name}, got {what} ({op} of {numbers})"
        )
    raise EvaluationError(f"expected a finite result of {program.name}, got none")


def _all_values(program: Program, arrays: Sequence[np.ndarray]) -> dict[int, np.ndarray]:
    """Return what every instruction computes, by the same program with all of them as output."""
    shown = [i for i, (op, _, _) in enumerate(program.code) if op != "sincos"]
    every = replace(program, outputs=(Port("all", (len(shown),)),), results=tuple(shown))
    with np.errstate(all="ignore"):
        (values,) = run(every, arrays)
    return {i: values[..., k] for k, i in enumerate(shown)}
