"""What the instructions of a program mean, over any kind of number.

An algebra is a table: ``const`` and ``pow``, which are given the instruction's value last, and the
functions sin, cos, … that it has. Sums, products and quotients are the operators of Python unless
the table has them too, and ``input`` may say what becomes of a number that is given; all other
operations follow from these. So one program runs in floats, arrays, expressions, the ring of the
equations, a prime field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from dalembert.expr.functions import ARITHMETIC

if TYPE_CHECKING:
    from dalembert.kernel.program.program import Program

T = TypeVar("T")
Algebra = Mapping[str, Callable[..., T]]
"""What each operation is: a function of its operands, and of its value where it has one."""

HALF = Fraction(1, 2)


def complete(table: Algebra[T]) -> Algebra[T]:
    """Return the table of an algebra with the operations that follow from those it has."""
    given = {**ARITHMETIC, **table}
    add, sub, mul, power = given["add"], given["sub"], given["mul"], given["pow"]
    derived: dict[str, Callable[..., T]] = {
        "input": lambda x: x,
        "fma": lambda a, b, c: add(mul(a, b), c),
        "fms": lambda a, b, c: sub(mul(a, b), c),
        "fnma": lambda a, b, c: sub(c, mul(a, b)),
        "sqrt": lambda x: power(x, HALF),
        # the pair is known by its angle
        "sincos": lambda x: x,
        "sin_of": given["sin"],
        "cos_of": given["cos"],
    }
    return {**derived, **given}


def interpret(program: Program, inputs: Sequence[Sequence[object]], algebra: Algebra[T]) -> list[T]:
    """Return the results of a program, in the order of ``program.results``.

    Args:
        program: What to run.
        inputs: For each input its numbers in row order.
        algebra: As `complete` returns it.
    """
    values: dict[int, T] = {}
    for i, (op, _, value) in enumerate(program.code):
        if op == "input":
            port, place = value
            values[i] = algebra["input"](inputs[port][place])
    evaluate(program, range(len(program.code)), values, algebra, _last_users(program))
    return [values[k] for k in program.results]


def evaluate(
    program: Program,
    numbers: Iterable[int],
    values: MutableMapping[int, T],
    algebra: Algebra[T],
    forget: Mapping[int, Sequence[int]] | None = None,
) -> None:
    """Compute some instructions from values that are known, and add theirs; inputs are known.

    ``forget`` says which values are removed after an instruction.
    """
    forget = forget or {}
    for i in numbers:
        op, args, value = program.code[i]
        if value is None:
            values[i] = algebra[op](*[values[a] for a in args])
        elif op != "input":
            values[i] = algebra[op](*[values[a] for a in args], value)
        if i in forget:
            for a in forget[i]:
                del values[a]


def _last_users(program: Program) -> dict[int, list[int]]:
    """Return for an instruction the values that nothing needs after it: large arrays are freed."""
    kept = set(program.results)
    last = {a: i for i, (_, args, _) in enumerate(program.code) for a in args}
    users: dict[int, list[int]] = {}
    for a, i in last.items():
        if a not in kept:
            users.setdefault(i, []).append(a)
    return users
