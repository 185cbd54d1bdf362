"""Instructions as statements of CUDA C++."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.kernel.backends.c.names import identifier
from dalembert.kernel.backends.c.reals import Real, literal
from dalembert.kernel.program.program import PI, Instruction, Program
from dalembert.kernel.program.spec import HALVES

BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
FUSED = {"fma": "{0}, {1}, {2}", "fms": "{0}, {1}, -{2}", "fnma": "-{0}, {1}, {2}"}
CALLS = {name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log")}
CALLS |= {"tanh": "tanh", "sqrt": "sqrt", "abs": "fabs"}

Place = Callable[[int, int], str]
"""Where a number of an input is: the text of an operand, by the numbers of port and place."""


class Statement(NamedTuple):
    """The lines of one instruction, and the name of its value."""

    number: int
    lines: Sequence[str]
    name: str


def statements(
    program: Program,
    real: Real,
    place: Place,
    numbers: Sequence[int] | None = None,
    known: Mapping[int, str] | None = None,
) -> Iterator[Statement]:
    """Yield the instructions of a program in order.

    Args:
        program: What to compute.
        real: Type of its numbers.
        place: Where the numbers of inputs are.
        numbers: Which instructions, unless all of them.
        known: The names of other values that they read.
    """
    code = program.code
    names = dict(known or {})
    for number in range(len(code)) if numbers is None else numbers:
        instruction = code[number]
        text = _value(instruction, names, place, real)
        lines: list[str] = []
        if instruction.op == "sincos":
            lines.append(f"real s{number}, c{number};")
            lines.append(f"sincos{real.suffix}({text}, &s{number}, &c{number});")
            names[number] = str(number)
        elif instruction.op in ("const", *HALVES):
            names[number] = text
        else:
            names[number] = value_name(program, number)
            lines.append(f"const real {names[number]} = {text};")
        yield Statement(number, lines, names[number])


def value_name(program: Program, number: int) -> str:
    """Return the name of a computed value."""
    op, args, _ = program.code[number]
    return f"{op[0]}{args[0]}" if op in HALVES else f"x{number}"


def global_function(
    about: str,
    real: Real,
    bounds: str,
    name: str,
    parameters: Sequence[str],
    body: Iterator[str],
    before: Sequence[str] = (),
) -> str:
    """Return the text of one kernel, with the type ``real``; ``bounds`` are those of its launch."""
    joint = ",\n    "
    lines = [
        f"// {about}",
        f"typedef {real.type} real;",
        *before,
        f'extern "C" __global__ void __launch_bounds__({bounds})',
        f"{identifier(name)}(\n    {joint.join(parameters)})",
        "{",
        *indent(body),
        "}",
    ]
    return "\n".join(lines) + "\n"


def indent(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines one level deeper."""
    return (f"    {line}" for line in lines)


def _value(instruction: Instruction, names: Mapping[int, str], place: Place, real: Real) -> str:
    op, args, value = instruction
    operands = [names[a] for a in args]
    f = real.suffix
    match op:
        case "const":
            return constant(value, real)
        case "input":
            return place(*value)
        case "neg":
            return f"-{operands[0]}"
        case "sincos":
            return operands[0]
        case "sin_of":
            return f"s{operands[0]}"
        case "cos_of":
            return f"c{operands[0]}"
        case "sign":
            (x,) = operands
            # a value that is not a number has no sign and stays what it is
            return f"{x} != {x} ? {x} : (real)(({x} > 0) - ({x} < 0))"
        case "pow":
            return _power(operands[0], value, real)
        case _ if op in BINARY:
            return f" {BINARY[op]} ".join(operands)
        case _ if op in FUSED:
            return f"fma{f}({FUSED[op].format(*operands)})"
        case _:
            return f"{CALLS[op]}{f}({', '.join(operands)})"


def _power(x: str, exponent: Fraction, real: Real) -> str:
    """Return x to a rational power; small integers by multiplications."""
    if exponent.denominator == 1 and 1 <= abs(exponent) <= 4:
        product = " * ".join([x] * abs(int(exponent)))
        return product if exponent > 0 else f"{constant(1, real)} / ({product})"
    return f"pow{real.suffix}({x}, {constant(exponent, real)})"


def constant(value: Fraction | int | str, real: Real) -> str:
    """Return a constant as an operand."""
    text = literal(math.pi if value == PI else Fraction(value), real)
    return f"({text})" if text.startswith("-") else text
