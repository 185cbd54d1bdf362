"""Constants are computed once, exactly, before the program runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dalembert.errors import DivisionByZero
from dalembert.expr import PI as PI_EXPR
from dalembert.expr.functions import FUNCTIONS
from dalembert.kernel.program.program import PI, Instruction, Program
from dalembert.kernel.program.trace import EXPRESSIONS

ZERO, ONE = Fraction(0), Fraction(1)
FOLDED = {"add", "sub", "mul", "div", "neg", "sqrt", "pow"} | set(FUNCTIONS)


def fold(program: Program) -> Program:
    """Return the program without operations whose result is a constant or an operand.

    Rational arithmetic is exact. Values of functions are folded where they are rational or π; a
    division by a constant becomes a product with its inverse, c₁·(c₂·x) becomes (c₁c₂)·x. Fused
    operations are left alone: they are formed after this pass.

    Raises:
        DivisionByZero, InvalidExpression: A constant subexpression has no real value.
    """
    writer = _Writer()
    code, values = writer.code, writer.values
    number: list[int] = []
    for instruction in program.code:
        op, args, value = instruction
        if op == "const":
            number.append(writer.constant(value))
            continue
        args = tuple([number[a] for a in args])
        i = None
        for a in args:
            if a in values:
                if op in FOLDED:
                    i = writer.fold(op, args, value)
                break
        if i is None and op == "sub" and args[0] == args[1]:
            i = writer.constant(ZERO)
        if i is None:
            i = len(code)
            # most instructions stay as they are: the old tuple is cheaper than a new one
            code.append(instruction if args == instruction.args else Instruction(op, args, value))
        number.append(i)
    results = [number[k] for k in program.results]
    after = program.with_code(code, results)
    return program if after == program else after


class _Writer:
    """The instructions written so far, with the constants among them."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        # number of an instruction -> its value, and back
        self.values: dict[int, Fraction | str] = {}
        self.constants: dict[tuple[int, int] | str, int] = {}

    def constant(self, value: Fraction | str) -> int:
        # a pair of integers hashes faster than a fraction
        key = value if isinstance(value, str) else (value.numerator, value.denominator)
        i = self.constants.get(key)
        if i is None:
            i = self.constants[key] = self.write("const", (), value)
            self.values[i] = value
        return i

    def write(self, op: str, args: tuple[int, ...], value: object = None) -> int:
        self.code.append(Instruction(op, args, value))
        return len(self.code) - 1

    def fold(self, op: str, args: tuple[int, ...], value: Fraction | None) -> int | None:
        """Return the number of the folded operation, or None if it must be computed."""
        known: list[Any] = [self.values.get(a) for a in args]
        if None not in known:
            operands = [EXPRESSIONS["const"](c) for c in known]
            result = EXPRESSIONS[op](*operands, *(() if value is None else (value,)))
            if result.op == "const":
                return self.constant(result.value)
            if result is PI_EXPR:
                return self.constant(PI)
        match op, args, known:
            case ("add", (_, b), (c, _)) if c == ZERO:
                return b
            case ("add" | "sub", (a, _), (_, c)) if c == ZERO:
                return a
            case ("sub", (_, b), (c, _)) if c == ZERO:
                return self.write("neg", (b,))
            case ("mul", (a, b), (c, None)):
                return self.multiple(a, c, b)
            case ("mul", (a, b), (None, c)):
                return self.multiple(b, c, a)
            case ("div", (a, _), (_, Fraction() as c)):
                if not c:
                    raise DivisionByZero(
                        f"expected a nonzero denominator, got 0 in instruction {len(self.code)}: "
                        "check the constants that were bound"
                    )
                return self.multiple(self.constant(1 / c), 1 / c, a)
            case ("div", (a, _), (c, None)) if c == ZERO:
                return a
        return None

    def multiple(self, place: int, c: Fraction | str, x: int) -> int:
        """Return the number of c·x, where c stands at a place."""
        if c == ONE:
            return x
        if c == ZERO:
            return place
        if c == -ONE:
            return self.write("neg", (x,))
        op, args, _ = self.code[x]
        if op == "mul" and isinstance(c, Fraction):
            for inner, rest in (args, args[::-1]):
                factor = self.values.get(inner)
                if isinstance(factor, Fraction):
                    return self.multiple(self.constant(c * factor), c * factor, rest)
        return self.write("mul", (place, x))
