"""A straight-line program: what every backend runs.

One list of instructions without branches or loops; each computes one number from numbers computed
before it. Constants stay rational until a backend writes them down, so the very program that runs
can be lifted back to an expression and compared with Lagrange's equations.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from dalembert.expr.data import packable

T = TypeVar("T")

ARITY = {
    # value: a Fraction, or π
    "const": 0,
    # value: (number of the port, place in it)
    "input": 0,
    "add": 2,
    "sub": 2,
    "mul": 2,
    "div": 2,
    "neg": 1,
    # a·b + c,  a·b - c,  c - a·b: rounded once where the machine has it
    "fma": 3,
    "fms": 3,
    "fnma": 3,
    "sqrt": 1,
    # value: a Fraction, for exponents that are no integer and no half
    "pow": 1,
    # both at once; `sin_of` and `cos_of` name its two halves
    "sincos": 1,
    "sin_of": 1,
    "cos_of": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan2": 2,
    "exp": 1,
    "log": 1,
    "tanh": 1,
    "abs": 1,
    "sign": 1,
}
"""Operands of every operation."""

COMMUTATIVE = {"add", "mul"}
FREE = {"const", "input", "sin_of", "cos_of", "neg"}
"""Operations that cost nothing: a sign folds into the next instruction."""

PI = "pi"
Value = Fraction | str | tuple[int, int]
"""What an instruction has beside its operands: a number or π, or port and place of an input."""


@packable
class Port(NamedTuple):
    """An input or an output: a name, a shape, and the places of its numbers in row order."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


class Instruction(NamedTuple):
    """One operation on the results of earlier instructions, by their numbers."""

    op: str
    args: tuple[int, ...] = ()
    value: Any = None

    def renumbered(self, number: Sequence[int]) -> Instruction:
        """Return the instruction with the new numbers of its operands."""
        op, args, value = self
        return Instruction(op, tuple([number[a] for a in args]), value) if args else self


class Cost(NamedTuple):
    """What one run costs: additions and multiplications, slow operations, bytes in and out."""

    flops: int
    divisions: int
    functions: int
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.flops} flops, {self.divisions} divisions and roots, "
            f"{self.functions} functions, {self.bytes} bytes"
        )


@packable
@dataclass(frozen=True)
class Program:
    """Named inputs, instructions, and for each output the numbers of the instructions it shows.

    ``results`` lists them for all outputs in order, each in row order. ``units`` are places where
    inputs must have a unit quaternion, four numbers: the port and the first of its numbers.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    code: tuple[Instruction, ...]
    results: tuple[int, ...]
    units: tuple[tuple[int, int], ...] = ()

    def packed_fields(self) -> dict[str, object]:
        """Return the fields, with instructions as plain lists."""
        names = ("name", "inputs", "outputs")
        return {
            **{name: getattr(self, name) for name in names},
            "code": [[op, list(args), value] for op, args, value in self.code],
            "results": list(self.results),
            "units": [list(unit) for unit in self.units],
        }

    @classmethod
    def from_packed(
        cls,
        name: str,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        code: list[list[Any]],
        results: list[int],
        units: Sequence[Sequence[int]] = (),
    ) -> Program:
        """Return the program of plain lists, checked as after every pass."""
        from dalembert.kernel.program.spec import checked

        body = tuple(Instruction(op, tuple(args), value) for op, args, value in code)
        places = tuple((port, place) for port, place in units)
        return checked(cls(name, inputs, outputs, body, tuple(results), places))

    def with_code(self, code: Sequence[Instruction], results: Sequence[int]) -> Program:
        """Return the program with another body."""
        return replace(self, code=tuple(code), results=tuple(results))

    def output_results(self) -> Iterator[tuple[Port, tuple[int, ...]]]:
        """Yield each output with the numbers of its instructions."""
        start = 0
        for port in self.outputs:
            yield port, self.results[start : start + port.size]
            start += port.size

    def by_output(self, results: Sequence[T]) -> dict[str, list[T]]:
        """Return values in the order of ``results`` as one list for each output."""
        shown = iter(results)
        return {port.name: [next(shown) for _ in range(port.size)] for port in self.outputs}

    def interpret(
        self, inputs: Sequence[Sequence[object]], algebra: Mapping[str, Callable[..., T]]
    ) -> list[T]:
        """Return the results over any kind of number; see `dalembert.kernel.program.interpret`.

        Args:
            inputs: For each input its numbers in row order.
            algebra: What constants (``const``), powers (``pow``) and functions are.
        """
        from dalembert.kernel.program.interpret import complete, interpret

        return interpret(self, inputs, complete(algebra))

    @cached_property
    def cost(self) -> Cost:
        """Operations and bytes (double precision) of one run."""
        flops = divisions = functions = 0
        for op, _, _ in self.code:
            if op in FREE:
                continue
            if op in ("add", "sub", "mul"):
                flops += 1
            elif op in ("fma", "fms", "fnma"):
                flops += 2
            elif op in ("div", "sqrt"):
                divisions += 1
            else:
                functions += 1
        numbers = sum(port.size for port in (*self.inputs, *self.outputs))
        return Cost(flops, divisions, functions, 8 * numbers)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything the program says: equal digests compute equal numbers."""
        return hashlib.sha256(str(self).encode()).hexdigest()

    def __str__(self) -> str:
        """One line for each instruction, in a form that does not depend on the session."""
        lines = [f"program {self.name}"]
        lines += [f"in {port.name} {port.shape}" for port in self.inputs]
        lines += [f"unit quaternion {self.inputs[k].name} from {i}" for k, i in self.units]
        for i, (op, args, value) in enumerate(self.code):
            operands = " ".join(f"%{a}" for a in args)
            shown = "" if value is None else f"[{value_text(value)}]"
            lines.append(f"%{i} = {op} {operands}{shown}")
        for port, numbers in self.output_results():
            lines.append(f"out {port.name} {port.shape}: " + " ".join(f"%{k}" for k in numbers))
        return "\n".join(lines)


def value_text(value: Value) -> str:
    """Return the text of an instruction's value; in base 16 where Python refuses the decimals.

    Many fixed joints with long decimals make constants of more than the 4300 digits it writes.
    """
    try:
        return str(value)
    except ValueError:
        assert isinstance(value, Fraction)
        return f"{value.numerator:#x}/{value.denominator:#x}"
