"""Value numbering: what is computed twice, up to its sign, is computed once."""

from __future__ import annotations

from fractions import Fraction

from dalembert.kernel.program.program import Instruction, Program, Value, value_text

ODD = {"sin", "tan", "asin", "tanh", "sign"}
EVEN = {"cos", "abs"}
PRODUCTS = {"mul", "div"}
SUMS = {"add", "sub"}


def number_values(program: Program) -> Program:
    """Return the program without common subexpressions.

    A value is known by its instruction and a sign, so that a - b and b - a, or c·x and -c·x, are
    one instruction. Signs move forward through products and odd functions until a sum takes them
    (a + (-b) = a - b) for free; a negation is written only for a result or a function that cannot
    take it.
    """
    writer = _Writer()
    negated = writer.negated
    # the value of an instruction is ±number, the sign kept beside it
    number: list[int] = []
    minus: list[bool] = []
    for op, args, value in program.code:
        if op in SUMS:
            a, b = args
            i, sign = writer.total(number[a], minus[a], number[b], minus[b] != (op == "sub"))
        elif op in PRODUCTS:
            a, b = args
            sign = minus[a] != minus[b]
            a, b = number[a], number[b]
            if a > b and op == "mul":
                a, b = b, a
            i = writer.write(op, (a, b))
        elif op == "const":
            sign = isinstance(value, Fraction) and value < 0
            i = writer.write(op, (), -value if sign else value)
        elif op == "neg":
            (a,) = args
            i, sign = number[a], not minus[a]
        elif op in ODD or op in EVEN:
            (a,) = args
            i = writer.write(op, (number[a],))
            sign = op in ODD and minus[a]
        else:
            i = writer.write(
                op, tuple([negated(number[a]) if minus[a] else number[a] for a in args]), value
            )
            sign = False
        number.append(i)
        minus.append(sign)
    results = [negated(number[k]) if minus[k] else number[k] for k in program.results]
    after = program.with_code(writer.code, results)
    return program if after == program else after


class _Writer:
    """The instructions written so far, found by what they say."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.found: dict[tuple, int] = {}

    def write(self, op: str, args: tuple[int, ...] = (), value: Value | None = None) -> int:
        key = (op, args) if value is None else (op, args, value_text(value))
        i = self.found.get(key)
        if i is None:
            i = self.found[key] = len(self.code)
            self.code.append(Instruction(op, args, value))
        return i

    def total(self, a: int, minus_a: bool, b: int, minus_b: bool) -> tuple[int, bool]:
        """Return ±a ± b with its sign."""
        if minus_a == minus_b:
            return self.write("add", (a, b) if a < b else (b, a)), minus_a
        if a == b:
            return self.write("const", (), Fraction(0)), False
        if minus_a:
            a, b = b, a
        # b - a may be there already
        i = self.found.get(("sub", (b, a)))
        return (self.write("sub", (a, b)), False) if i is None else (i, True)

    def negated(self, a: int) -> int:
        op, _, value = self.code[a]
        if op == "const" and isinstance(value, Fraction):
            return self.write("const", (), -value)
        return self.write("neg", (a,))
