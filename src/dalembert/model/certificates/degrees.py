"""Bounds on the degree and on the coefficients of what a program computes, without expanding it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
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
    points of the circle. Arguments of functions count as outputs: they are compared, too.
    """
    multiples = _multiples(program.code)

    def leaf(instruction: Instruction) -> int:
        if instruction.op in TURNING:
            return 2 * unit * multiples[instruction.args[0]]
        return 0 if instruction.op == "const" else 1

    return _bound(program, leaf)


def height_bound(program: Program, unit: int = 1) -> int:
    """Return a bound on the bits of the integer coefficients, denominators cleared."""
    numbers = [x.value for x in program.code if x.op == "const" and x.value != PI]
    common = math.lcm(*(x.denominator for x in numbers)).bit_length()
    multiples = _multiples(program.code)

    def size(instruction: Instruction) -> int:
        op, args, value = instruction
        if op in TURNING:
            return 2 * unit * multiples[args[0]]
        if op == "const" and value != PI:
            return math.ceil(abs(value)).bit_length()
        return 0

    def fractions(instruction: Instruction) -> int:
        return int(instruction.op == "const")

    return _bound(program, size, carry=1) + common * _bound(program, fractions)


TURNING = ("sincos", "sin", "cos", "tan")
RATIONAL = ("const", "input", "add", "sub", "mul", "div", "neg", "fma", "fms", "fnma")
HALVES = ("sin_of", "cos_of")


def count_roots(program: Program) -> int:
    """Return how many square roots there are."""
    return sum(x.op == "sqrt" or (x.op == "pow" and x.value.denominator == 2) for x in program.code)


def count_opaque(program: Program) -> int:
    """Return how many functions are, or may be, looked up by the values of their arguments."""
    return sum(map(_is_opaque, program.code))


def _is_opaque(instruction: Instruction) -> bool:
    op, _, value = instruction
    return op not in (*RATIONAL, *HALVES) and not (op == "pow" and value.denominator == 1)


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

    def root(x: Bound) -> Bound:
        # √(x/y) = √(x y) / y
        return Bound(max(x.top, weight(x.below)), x.below)

    def together(xs: Sequence[Bound]) -> Bound:
        keys = {k for x in xs for k in x.below}
        below = {k: max(x.below.get(k, 0) for x in xs) for k in keys}
        top = max(x.top + weight(below) - weight(x.below) for x in xs)
        return Bound(top + carry * (len(xs) - 1), below)

    for i, instruction in enumerate(program.code):
        op, args, value = instruction
        a = [bounds[k] for k in args]
        match op:
            case "mul":
                bound = product(a[0], a[1])
            case "div":
                bound = product(a[0], inverse(args[1]))
            case "fma" | "fms" | "fnma":
                bound = together([product(a[0], a[1]), a[2]])
            case "add" | "sub" | "neg" | "sin_of" | "cos_of":
                bound = together(a)
            case "sqrt":
                bound = root(a[0])
            case "sign":
                bound = Bound(leaf(instruction), {})
            case "abs":
                # sign(x) x
                bound = Bound(a[0].top + leaf(instruction), a[0].below)
            case "pow":
                d = value.denominator
                base = a[0] if d == 1 else root(a[0]) if d == 2 else Bound(leaf(instruction), {})
                if value < 0:
                    factors[~i] = base.top
                    base = Bound(weight(base.below), {~i: 1})
                bound = power(base, abs(value.numerator))
            case _:
                bound = Bound(leaf(instruction), {})
        bounds.append(bound)
    arguments = {
        i for instruction in program.code if _is_opaque(instruction) for i in instruction.args
    }
    total = together([bounds[k] for k in sorted({*program.results, *arguments})])
    return total.top + weight(total.below)


def _multiples(code: Sequence[Instruction]) -> list[int]:
    """Return for every instruction a bound on Σ |coefficient|, if it is an angle."""
    found: list[int] = []
    for op, args, value in code:
        a = [found[i] for i in args]
        match op:
            case "const":
                size = max(1, math.ceil(abs(value))) if value != PI else 1
            case "mul" | "fma" | "fms" | "fnma":
                # a product of two that are no constants is a term of its own
                is_multiple = any(code[i].op == "const" for i in args[:2])
                size = (a[0] * a[1] if is_multiple else 1) + sum(a[2:])
            case "div":
                # by a constant below 1, which multiplies
                divisor = _rational(code[args[1]]) or Fraction(1)
                size = a[0] * max(1, math.ceil(abs(1 / divisor)))
            case "add" | "sub" | "neg":
                size = sum(a)
            case _:
                # a term of its own
                size = 1
        found.append(size)
    return found


def _rational(instruction: Instruction) -> Fraction | None:
    """Return the rational number that an instruction is, or None."""
    value = instruction.value
    return value if instruction.op == "const" and value != PI else None
