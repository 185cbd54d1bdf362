"""A new kernel for batches is tried once, before its code is kept: lanes against single states.

What is wrong on one kind of processor alone is seen by nobody who has another. So the first batch
on every machine is one of odd size that nobody asked for. It is computed a second time, turned by
one state so that each goes through another lane, and its first state by Python as well. That takes
1 % to 2 % of the time for compiling. Where numbers differ, which rounding may explain, the code for
single states has the last word.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import WrongMachineCode
from dalembert.kernel.backends.llvm.reals import Real
from dalembert.kernel.backends.native.threads import Run, run_range
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.interpret import Algebra, complete, evaluate
from dalembert.kernel.program.program import Port, Program

if TYPE_CHECKING:
    from dalembert.types import Array

ROUNDING = {"float64": 1e-6, "float32": 1e-3}
"""Differences below this fraction of an output's largest number are rounding."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Its multiples, without their whole parts, fill an interval evenly, no two alike."""
LOW, HIGH = 0.1, 0.9
"""Inputs are drawn from here: most formulas have values there."""


def check_lanes(
    task: Program | Loop,
    run: Run,
    width: int,
    real: Real,
    single: Callable[[], Run],
    behind: Sequence[Port] = (),
    numbers: Sequence[int] = (),
) -> None:
    """Compare a batch with single states.

    Args:
        task: What the code computes; of a loop one step.
        run: The code for ``width`` states side by side.
        width: How many.
        real: The type of all numbers.
        single: Makes the code for one state, if it is asked.
        behind: What the code writes beside the outputs.
        numbers: What its table has at the end.

    Raises:
        WrongMachineCode: they differ by more than rounding.
    """
    count = width + 1
    ports = task.outputs
    given = _inputs(task.inputs, count, real)
    turn = np.arange(-1, width)

    def results(run: Run, start: Sequence[Array]) -> list[Array]:
        found = [np.empty((count, port.size), real.dtype) for port in ports]
        rest = [np.empty((count, port.size), real.dtype) for port in behind]
        arrays = [*start, *found, *rest]
        words = [word for a in arrays for word in (a.ctypes.data, a.strides[0])]
        table = (ctypes.c_int64 * (len(words) + len(numbers)))(*words, *numbers)
        run_range(run, table, count, 1, 1)
        return found

    batch = results(run, given)
    turned = results(run, [a[turn] for a in given])
    first = _in_python(task, [a[0].tolist() for a in given])
    if (
        first is not None
        and _differing(ports, [y[:1] for y in batch], first, real) is None
        and _differing(ports, turned, [y[turn] for y in batch], real) is None
    ):
        return
    states = results(single(), given)
    port = _differing(ports, batch, states, real)
    port = port or _differing(ports, turned, [y[turn] for y in states], real)
    if port is not None:
        raise WrongMachineCode(
            f"expected the same numbers for a batch as for single states, got others in "
            f"{port.name} of {task.name}, for {count} states on this processor. It is a fault "
            'of dalembert: please report it with what "dalembert doctor" prints, and use '
            'backend="numpy"'
        )


def _inputs(ports: Sequence[Port], count: int, real: Real) -> list[Array]:
    """Return a batch of states, no number of which is like another."""
    found, start = [], 1
    for port in ports:
        stop = start + count * port.size
        drawn = LOW + (HIGH - LOW) * (np.arange(start, stop) * GOLDEN % 1)
        found.append(drawn.reshape(count, port.size).astype(real.dtype))
        start = stop
    return found


def _in_python(task: Program | Loop, inputs: Sequence[Sequence[float]]) -> list[Array] | None:
    """Return the outputs for one state, each as one row; None where there are none."""
    try:
        found = _step(task, inputs) if isinstance(task, Loop) else _evaluated(task, inputs)
    except (ArithmeticError, ValueError):
        return None
    return [np.array(part)[None] for part in found]


def _step(loop: Loop, inputs: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the outputs of one step."""
    inner = loop.inner
    if inner is None:
        return _evaluated(loop.program, inputs)
    started = _evaluated(inner.start, inputs)
    values = [started[k] for k in inner.begin]
    turned: list[list[float]] = []
    for _ in range(inner.most):
        turned = _evaluated(inner.turn, values)
        for number, value in zip(inner.memory, turned, strict=True):
            if number is not None:
                values[number] = value
        if not turned[inner.stop_number][0] > 0:
            break
    known = {"loop": inputs, "start": started, "turn": turned}
    sources = inner.sources(loop.program)
    return _evaluated(loop.program, [known[kind][number] for kind, number in sources])


def _evaluated(program: Program, inputs: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the outputs of a program for one state."""
    code = program.code
    known: dict[int, float] = {
        i: inputs[value[0]][value[1]] for i, (op, _, value) in enumerate(code) if op == "input"
    }
    evaluate(program, range(len(code)), known, _floats())
    return list(program.by_output([known[k] for k in program.results]).values())


@cache
def _floats() -> Algebra[float]:
    def const(value: Fraction | str) -> float:
        return math.pi if isinstance(value, str) else value.numerator / value.denominator

    names = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh")
    return complete(
        {
            "const": const,
            "pow": math.pow,
            # as they are, without the calls of what they are made of
            "fma": lambda a, b, c: a * b + c,
            "fms": lambda a, b, c: a * b - c,
            "fnma": lambda a, b, c: c - a * b,
            "abs": abs,
            "sign": lambda x: math.copysign(1.0, x) if x else x,
            **{name: getattr(math, name) for name in names},
        }
    )


def _differing(
    ports: Sequence[Port], found: Sequence[Array], right: Sequence[Array], real: Real
) -> Port | None:
    """Return the first output that differs by more than rounding."""
    for port, x, y in zip(ports, found, right, strict=True):
        with np.errstate(all="ignore"):
            size = np.max(np.abs(y), initial=0.0, where=np.isfinite(y))
            is_close = np.abs(x - y) <= ROUNDING[real.dtype] * size
        if not (is_close | (x == y) | (np.isnan(x) & np.isnan(y))).all():
            return port
    return None
