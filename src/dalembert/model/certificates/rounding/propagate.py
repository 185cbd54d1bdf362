"""Bounds on the rounding errors of a program over one box, instruction by instruction.

Every operation rounds its exact result to the nearest float; a product inside a sum may be rounded
or not, as a machine that fuses both does not: the bound holds either way. Functions are off by the
units in the last place that their backend allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.kernel.program.program import Program
from dalembert.model.certificates.rounding import functions, intervals, values
from dalembert.model.certificates.rounding.functions import FARTHEST, NoBound
from dalembert.model.certificates.rounding.intervals import INF, Interval, size
from dalembert.model.certificates.rounding.values import Value

Box = Sequence[Sequence[Interval]]
"""For each input of a program an interval for each of its numbers."""


class Failure(NamedTuple):
    """The instruction that has no bound, and why."""

    instruction: int
    why: str


def propagate(program: Program, box: Box, relative: float) -> list[Value] | Failure:
    """Return bounds for every result, in the order of ``program.results``.

    Args:
        program: What runs, in the order in which it runs.
        box: Where the inputs are; floats themselves, they have no error.
        relative: The relative error of functions.
    """
    known: list[Value] = []
    for i in range(len(program.code)):
        try:
            known.append(_step(program, i, known, box, relative))
        except NoBound as error:
            return Failure(i, str(error))
    for k in program.results:
        if not known[k].err < INF:
            return Failure(k, "grows beyond all floats")
    return [known[k] for k in program.results]


def _step(program: Program, i: int, known: Sequence[Value], box: Box, relative: float) -> Value:
    op, args, value = program.code[i]
    match op:
        case "const":
            return values.plain(*intervals.constant(value), is_nonnegative=_is_nonnegative(value))
        case "input":
            x = box[value[0]][value[1]]
            return values.plain(x, is_nonnegative=x[0] >= 0)
        case "sin_of" | "cos_of":
            # the pair stands for its angle
            (angle,) = program.code[args[0]].args
            return _turn(known[angle], angle, op == "sin_of", relative)
        case "sin" | "cos":
            return _turn(known[args[0]], args[0], op == "sin", relative)
    a = [known[k] for k in args]
    match op:
        case "add" | "sub":
            return values.total(a[0], a[1], minus=op == "sub")
        case "mul":
            return values.product(a[0], a[1], is_square=args[0] == args[1])
        case "fma" | "fms":
            both = values.product(a[0], a[1], is_square=args[0] == args[1])
            return values.total(both, a[2], minus=op == "fms")
        case "fnma":
            both = values.product(a[0], a[1], is_square=args[0] == args[1])
            return values.total(a[2], both, minus=True)
        case "neg":
            return values.negative(a[0])
        case "sincos":
            return a[0]
        case "div":
            return functions.quotient(a[0], a[1])
        case "sqrt":
            return functions.root(a[0])
        case "abs":
            return functions.absolute(a[0])
        case "sign":
            return functions.sign(a[0])
        case "pow":
            return functions.power(a[0], value, relative)
        case "atan2":
            return functions.angle(a[0], a[1], relative)
        case _:
            return functions.function(op, a[0], relative)


def _is_nonnegative(value: Fraction | str) -> bool:
    return isinstance(value, str) or value >= 0


def _turn(a: Value, angle: int, is_sine: bool, relative: float) -> Value:
    """Return sine or cosine of an angle: its error moves them by as much, at most."""
    if not size(a.x) + a.err < FARTHEST:
        raise NoBound("takes the sine of an angle beyond 1.6e6")
    x = intervals.sine(a.x) if is_sine else intervals.cosine(a.x)
    return values.turn(x, angle, int(is_sine), relative, a.err)
