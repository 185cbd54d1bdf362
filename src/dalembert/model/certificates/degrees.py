"""Bounds on the degree and on the coefficients of what a program computes, without expanding it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dalembert.kernel.program.program import PI, Instruction, Program

Leaf = Callable[[Instruction], int]


class Bound(NamedTuple):
    """What a numerator weighs, and the powers of the factors in the denominator."""

    top: int
    below: dict[int, int]


def degree_bound(program: Program, unit: int = 1) -> int:
    """Return a bound on the degree of all outputs over their common denominator.

    A symbol has degree 1; a sine or cosine degree 2 for each unit of its angle, by the rational
    points of the circle.
    """

    def leaf(instruction: Instruction) -> int:
        if instruction.op in TURNING:
            return 2 * unit * _multiple(program.code, instruction.args[0])
        return 0 if instruction.op == "const" else 1

    return _bound(program, leaf)


def height_bound(program: Program, unit: int = 1) -> int:
    """Return a bound on the bits of the integer coefficients, denominators cleared."""
    numbers = [x.value for x in program.code if x.op == "const" and x.value != PI]
    common = math.lcm(*(x.denominator for x in numbers)).bit_length()

    def size(instruction: Instruction) -> int:
        op, args, value = instruction
        if op in TURNING:
            return 2 * unit * _multiple(program.code, args[0])
        if op == "const" and value != PI:
            return math.ceil(abs(value)).bit_length()
        return 0

    def fractions(instruction: Instruction) -> int:
        return int(instruction.op == "const")

    return _bound(program, size, carry=1) + common * _bound(program, fractions)


TURNING = ("sincos", "sin", "cos", "tan")


def _bound(program: Program, leaf: Leaf, carry: int = 0) -> int:
    """Return what numerators and common denominator of all outputs weigh together.

    Weights of factors add up, and a sum weighs as its heavier term, and ``carry`` more. A factor of
    denominators is the numerator of a divisor: quotients by one number share it.
    """
    bounds: list[Bound] = []
    factors: dict[int, int] = {}

    def weight(below: Mapping[int, int]) -> int:
        return sum(factors[k] * n for k, n in below.items())

    def product(x: Bound, y: Bound) -> Bound:
        keys = x.below.keys() | y.below.keys()
        return Bound(x.top + y.top, {k: x.below.get(k, 0) + y.below.get(k, 0) for k in keys})

    def power(x: Bound, n: int) -> Bound:
        return Bound(x.top * n, {k: e * n for k, e in x.below.items()})

    def inverse(k: int) -> Bound:
        factors.setdefault(k, bounds[k].top)
        return Bound(weight(bounds[k].below), {k: 1})

    def together(xs: Sequence[Bound]) -> Bound:
        keys = {k for x in xs for k in x.below}
        below = {k: max(x.below.get(k, 0) for x in xs) for k in keys}
        top = max(x.top + weight(below) - weight(x.below) for x in xs)
        return Bound(top + carry * (len(xs) - 1), below)

    for instruction in program.code:
        op, args, value = instruction
        a = [bounds[i] for i in args]
        match op:
            case "mul":
                bound = product(a[0], a[1])
            case "div":
                bound = product(a[0], inverse(args[1]))
            case "fma" | "fms" | "fnma":
                bound = together([product(a[0], a[1]), a[2]])
            case "add" | "sub" | "neg" | "sin_of" | "cos_of" | "sqrt":
                bound = together(a)
            case "pow":
                base = a[0] if value > 0 else inverse(args[0])
                bound = power(base, math.ceil(abs(value)))
            case _:
                bound = Bound(leaf(instruction), {})
        bounds.append(bound)
    total = together([bounds[k] for k in program.results])
    return total.top + weight(total.below)


def _multiple(code: Sequence[Instruction], k: int) -> int:
    """Return a bound on Σ |coefficient| of an angle."""
    op, args, value = code[k]
    if op == "const":
        return max(1, math.ceil(abs(value))) if value != PI else 1
    if op in ("mul", "fma", "fms", "fnma"):
        product = _multiple(code, args[0]) * _multiple(code, args[1])
        return product + sum(_multiple(code, i) for i in args[2:])
    return max(1, sum(_multiple(code, i) for i in args))
