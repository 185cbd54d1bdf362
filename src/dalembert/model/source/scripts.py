"""Programs as Python and MATLAB: one function each, one statement for each instruction."""

from __future__ import annotations

import keyword
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.kernel.backends.c.names import comment_text, identifier
from dalembert.kernel.backends.c.statements import PATTERNS
from dalembert.kernel.program.cut import LEAVES, reads
from dalembert.kernel.program.program import PI, Port, Program
from dalembert.version import VERSION

HALVES = {"sin_of": "sin", "cos_of": "cos"}
MAX_STATEMENTS = 200_000


def script(programs: Sequence[Program], language: str, name: str, meanings: dict[str, str]) -> str:
    """Return a file with one function for each program.

    Args:
        programs: What to compute.
        language: "python" (functions of sequences, with `math` alone) or "matlab" (a class of
            static functions, in a file of the name of the class).
        name: Of the robot.
        meanings: What the numbers of an input are, by the name of the input.
    """
    size = sum(len(program.code) for program in programs)
    if size > MAX_STATEMENTS:
        raise InvalidExpression(
            f"expected at most {MAX_STATEMENTS} statements in {language}, got {size}: choose fewer "
            "functions, or C"
        )
    writer: _Writer = {"python": _Python, "matlab": _Matlab}[language]()
    functions = [writer.function(program, meanings) for program in programs]
    return writer.file(name, functions)


class _Writer(ABC):
    """How one language writes values, functions and files; names are the same in both."""

    functions: Mapping[str, str] = HALVES

    @abstractmethod
    def function(self, program: Program, meanings: dict[str, str]) -> str:
        """Return the text of a function."""

    @abstractmethod
    def file(self, name: str, functions: Sequence[str]) -> str:
        """Return the text of a file."""

    @abstractmethod
    def item(self, port: Port, place: int) -> str:
        """Return a number of an input."""

    @abstractmethod
    def sign(self, x: str) -> str:
        """Return the sign of a number, zero of zero."""

    @abstractmethod
    def power(self, x: str, exponent: str) -> str:
        """Return a power."""

    def operand(self, program: Program, i: int) -> str:
        """Return value i where another one uses it."""
        op, _, value = program.code[i]
        if op == "input":
            return self.item(program.inputs[value[0]], value[1])
        if op == "const":
            text = _literal(math.pi if value == PI else value)
            return f"({text})" if text.startswith("-") else text
        return f"t{i}"

    def expression(self, program: Program, i: int) -> str:
        """Return the right-hand side of value i."""
        op, _, value = program.code[i]
        operands = [self.operand(program, a) for a in reads(program, i)]
        if op in PATTERNS:
            return PATTERNS[op].format(*operands)
        if op == "pow":
            return self.power(operands[0], _literal(value))
        if op == "sign":
            return self.sign(operands[0])
        return f"{self.functions.get(op, op)}({', '.join(operands)})"

    def statements(self, program: Program) -> list[str]:
        """Return a definition for each value that is no constant and no input."""
        work = [i for i, code in enumerate(program.code) if code.op not in LEAVES]
        return [f"t{i} = {self.expression(program, i)}" for i in work]

    def rows(self, program: Program, port: Port, numbers: Sequence[int]) -> list[list[str]]:
        """Return the entries of an output, row by row; an output of one axis is one row."""
        values = [self.operand(program, i) for i in numbers]
        width = port.shape[-1] if port.shape else 1
        return [values[k : k + width] for k in range(0, len(values), max(width, 1))] or [[]]


class _Python(_Writer):
    def function(self, program: Program, meanings: dict[str, str]) -> str:
        names = [_name(port.name) for port in program.inputs]
        results = [self.result(program, port, k) for port, k in program.output_results()]
        outputs = ", ".join(f"{port.name} {_shape(port)}" for port in program.outputs)
        doc = [f'"""Return {_comment(outputs)}.', *_described(program, meanings), '"""']
        body = [*doc, *self.statements(program), f"return {', '.join(results)}"]
        head = f"def {_name(program.name)}({', '.join(names)}):"
        return "\n".join([head, *(f"    {line}".rstrip() for line in body)])

    def result(self, program: Program, port: Port, numbers: Sequence[int]) -> str:
        """Return an output: a number, a list, or nested lists."""
        if not port.shape:
            return self.operand(program, numbers[0])
        text = [f"[{', '.join(row)}]" for row in self.rows(program, port, numbers)]
        # the last axis is in the rows already
        for size in reversed(port.shape[1:-1]):
            text = [f"[{', '.join(text[k : k + size])}]" for k in range(0, len(text), max(size, 1))]
        return f"[{', '.join(text)}]" if len(port.shape) > 1 else text[0]

    def file(self, name: str, functions: Sequence[str]) -> str:
        note = f"Written by dalembert {VERSION}; do not edit."
        head = f'"""{_comment(name)}: dynamics.\n\n{note}\n"""'
        imports = "from math import acos, asin, atan2, cos, exp, log, sin, sqrt, tan, tanh"
        return "\n\n\n".join([f"{head}\n\n{imports}", *functions]) + "\n"

    def item(self, port: Port, place: int) -> str:
        name = _name(port.name)
        if len(port.shape) < 2:
            return f"{name}[{place}]" if port.shape else name
        return f"{name}[{place // port.shape[-1]}][{place % port.shape[-1]}]"

    def sign(self, x: str) -> str:
        return f"float(({x} > 0) - ({x} < 0))"

    def power(self, x: str, exponent: str) -> str:
        return f"{x}**({exponent})"


class _Matlab(_Writer):
    def function(self, program: Program, meanings: dict[str, str]) -> str:
        names = [_name(port.name) for port in program.inputs]
        outputs = [f"out_{_name(port.name)}" for port in program.outputs]
        head = f"function [{', '.join(outputs)}] = {_name(program.name)}({', '.join(names)})"
        lines = [f"% {line}" for line in _described(program, meanings)]
        lines += [f"{line};" for line in self.statements(program)]
        for name, (port, numbers) in zip(outputs, program.output_results(), strict=True):
            lines.append(f"{name} = {self.result(program, port, numbers)};")
        return "\n".join([f"    {head}", *(f"      {line}".rstrip() for line in lines), "    end"])

    def result(self, program: Program, port: Port, numbers: Sequence[int]) -> str:
        """Return an output: a number, a column, a matrix; further axes come first, reshaped."""
        rows = self.rows(program, port, numbers)
        if len(port.shape) < 2:
            return f"[{'; '.join(rows[0])}]" if port.shape else rows[0][0]
        matrix = "; ".join(", ".join(row) for row in rows)
        if len(port.shape) == 2:
            return f"[{matrix}]"
        # columns vary first in MATLAB: the last axis of ours becomes its first
        values = ", ".join(x for row in rows for x in row)
        sizes = ", ".join(str(k) for k in reversed(port.shape))
        order = ", ".join(str(k) for k in range(len(port.shape), 0, -1))
        return f"permute(reshape([{values}], {sizes}), [{order}])"

    def file(self, name: str, functions: Sequence[str]) -> str:
        stem = _name(name)
        lines = [
            f"classdef {stem}",
            f"  % {_comment(name)}: dynamics. Save as {stem}.m and call {stem}.mass_matrix(q).",
            f"  % Written by dalembert {VERSION}; do not edit.",
            "  methods (Static)",
            "\n\n".join(functions),
            "  end",
            "end",
        ]
        return "\n".join(lines) + "\n"

    def item(self, port: Port, place: int) -> str:
        name = _name(port.name)
        if len(port.shape) < 2:
            return f"{name}({place + 1})" if port.shape else name
        width = port.shape[-1]
        return f"{name}({place // width + 1}, {place % width + 1})"

    def sign(self, x: str) -> str:
        return f"sign({x})"

    def power(self, x: str, exponent: str) -> str:
        return f"{x}^({exponent})"


def _name(name: str) -> str:
    """Return an identifier of both languages, different for different names."""
    made = identifier(name)
    return (
        f"{made}_" if keyword.iskeyword(made) or made in ("end", "function", "otherwise") else made
    )


def _comment(text: str) -> str:
    """Return text that ends neither a comment nor a docstring."""
    return comment_text(text).replace('"', "'")


def _literal(value: Fraction | float) -> str:
    try:
        return repr(float(value))
    except OverflowError:
        raise InvalidExpression(
            "expected constants within the range of floats, got a larger one"
        ) from None


def _shape(port: Port) -> str:
    return " x ".join(map(str, port.shape)) if port.shape else "(a number)"


def _described(program: Program, meanings: dict[str, str]) -> list[str]:
    """Return a line for each input: its name, its shape, what its numbers are."""
    lines = []
    for port in program.inputs:
        meaning = meanings.get(port.name, "")
        text = f"{_name(port.name)}: {_shape(port)}"
        lines.append(f"{text}, {_comment(meaning)}" if meaning else text)
    return lines
