"""Instructions as C statements; constants, inputs and halves of a sincos are written in place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dalembert.kernel.backends.c.reals import Real, literal
from dalembert.kernel.program.cut import reads
from dalembert.kernel.program.program import PI, Program

FUNCTIONS = {
    **{name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh")},
    "sqrt": "sqrt",
    "abs": "fabs",
    "sin_of": "sin",
    "cos_of": "cos",
}
"""What the operation is called in <math.h>."""

PATTERNS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{}*{}",
    "div": "{}/{}",
    "neg": "-{}",
    "fma": "{}*{} + {}",
    "fms": "{}*{} - {}",
    "fnma": "{2} - {0}*{1}",
}


class StatementWriter:
    """Writes the instructions of one program; ``inputs`` are the names of its arrays in C."""

    def __init__(self, program: Program, inputs: Sequence[str], real: Real) -> None:
        self.program = program
        self.inputs = inputs
        self.real = real

    def statement(self, i: int) -> str:
        """Return the definition of value i."""
        return f"const {self.real.type} t{i} = {self.expression(i)};"

    def operand(self, i: int) -> str:
        """Return value i where another one uses it."""
        op, _, value = self.program.code[i]
        if op == "input":
            port, place = value
            return f"{self.inputs[port]}[{place}]"
        if op == "const":
            text = self.literal(math.pi if value == PI else value)
            return f"({text})" if text.startswith("-") else text
        return f"t{i}"

    def expression(self, i: int) -> str:
        """Return the right-hand side of value i."""
        op, _, value = self.program.code[i]
        operands = [self.operand(a) for a in reads(self.program, i)]
        if op in PATTERNS:
            return PATTERNS[op].format(*operands)
        if op == "pow":
            return self._power(operands[0], value)
        if op == "sign":
            # zero and NaN stay what they are
            x, one, zero = operands[0], self.literal(1.0), self.literal(0.0)
            return f"{x} > {zero} ? {one} : {x} < {zero} ? -{one} : {x}"
        return f"{FUNCTIONS[op]}{self.real.suffix}({', '.join(operands)})"

    def _power(self, x: str, exponent: Fraction) -> str:
        if exponent == 2:
            return f"{x}*{x}"
        if exponent == -1:
            return f"{self.literal(1.0)}/{x}"
        return f"pow{self.real.suffix}({x}, {self.literal(exponent)})"

    def literal(self, value: Fraction | float) -> str:
        """Return a number in the type of the program."""
        return literal(value, self.real)

    def unused(self, values: Sequence[int]) -> list[str]:
        """Return the names of the inputs that none of these statements and results reads."""
        read = {
            self.program.code[a].value[0]
            for i in values
            for a in (i, *reads(self.program, i))
            if self.program.code[a].op == "input"
        }
        return [name for number, name in enumerate(self.inputs) if number not in read]
