"""Run a program over the exact ring of the equations of motion, one ring operation at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import TooLarge
from dalembert.expr import PI, Expr
from dalembert.expr.functions import FUNCTIONS
from dalembert.expr.node import power
from dalembert.kernel.program import program as programs
from dalembert.kernel.program.program import Program
from dalembert.ring import Element, Ring, canonical, canonical_all, rebuild
from dalembert.spatial.scalar import sincos

MAX_TERMS = 200_000
"""Terms of one intermediate result, beyond which a run would take minutes."""


def run_over_ring(
    program: Program, inputs: Mapping[str, Sequence[Expr]], ring: Ring
) -> dict[str, list[Element]]:
    """Return every output as ring elements of the symbols given for each input.

    Raises:
        TooLarge: an intermediate result has more than `MAX_TERMS` terms, or a function occurs
            that the ring does not know.
    """
    symbols = [inputs[port.name] for port in program.inputs]
    values: list[Any] = []
    for op, args, value in program.code:
        if op == "input":
            port, place = value
            result: Any = ring.element_of(symbols[port][place])
        else:
            try:
                result = _apply(ring, op, [values[k] for k in args], value)
            except (KeyError, AssertionError) as error:
                # a generator that is not there, or an angle that is no sum of the ring's
                raise TooLarge(
                    f"expected the functions of the equations in {program.name}, got {op} outside "
                    f"their ring ({error}): compare over a prime field instead"
                ) from None
        if isinstance(result, Element) and len(result) > MAX_TERMS:
            raise TooLarge(
                f"expected at most {MAX_TERMS:,} terms in {program.name}, got {len(result):,}: "
                "compare over a prime field instead"
            )
        values.append(result)
    return {
        port.name: [ring.element(values[k]) for k in numbers]
        for port, numbers in program.output_results()
    }


def _apply(ring: Ring, op: str, args: list[Any], value: Any) -> Any:
    """Return the result of one operation; rationals stay rationals while they can."""
    match op:
        case "const":
            return canonical(ring, PI) if value == programs.PI else value
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            return args[0] / args[1]
        case "neg":
            return -args[0]
        case "fma":
            return args[0] * args[1] + args[2]
        case "fms":
            return args[0] * args[1] - args[2]
        case "fnma":
            return args[2] - args[0] * args[1]
        case "sincos":
            return sincos(ring.element(args[0]))
        case "sin_of" | "cos_of":
            return args[0][op == "cos_of"]
        case "sqrt":
            return canonical(ring, power(_expr(ring, args[0]), Fraction(1, 2)))
        case "pow" if value.denominator == 1:
            return ring.element(args[0]) ** int(value)
        case "pow":
            return canonical(ring, power(_expr(ring, args[0]), value))
        case _:
            return canonical_all(ring, [FUNCTIONS[op].build(*(_expr(ring, x) for x in args))])[0]


def _expr(ring: Ring, x: Any) -> Expr:
    return rebuild(ring.element(x))
