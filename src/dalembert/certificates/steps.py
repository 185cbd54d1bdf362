"""From programs of the kernel to the steps of a certificate, one instruction after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from dalembert.certificates.angles import Forms, Names, Units, multiples
from dalembert.errors import InvalidExpression
from dalembert.expr import Expr
from dalembert.kernel.passes.sort_operands import sort_operands
from dalembert.kernel.program import program as programs
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.sums import count_uses, flatten
from dalembert.kernel.program.trace import trace

Step: TypeAlias = list[Any]
"""An operation and its operands: numbers of earlier steps, or what it reads."""
Nested: TypeAlias = Any
"""Expressions, or the numbers of steps, in lists and dicts of any depth."""


class Whole(int):
    """A whole number among expressions, such as the place of a coordinate: it stays one."""


HALF = Fraction(1, 2)
MAX_POWER = 64
SAME = {"sqrt", "neg", "tanh", "sign", "abs"}


class Steps:
    """Steps under construction: equal ones once."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._number: dict[str, int] = {}

    def step(self, op: str, *args: Any) -> int:
        """Return the number of a step; it is added if there is none like it."""
        key = f"{op} {args}"
        if key not in self._number:
            self._number[key] = len(self.steps)
            self.steps.append([op, *args])
        return self._number[key]

    def number(self, value: Fraction | int) -> int:
        """Return the step of a rational number."""
        return self.step("num", str(Fraction(value)))

    def power(self, x: int, n: int) -> int:
        """Return x to a power from 1."""
        result, left = None, n
        while left:
            part = self.step("pow", x, min(left, MAX_POWER)) if left > 1 else x
            result = part if result is None else self.step("mul", result, part)
            left -= min(left, MAX_POWER)
        assert result is not None
        return result


class Writer:
    """Writes one program of the kernel as steps.

    Args:
        steps: Where to.
        program: What to write.
        names: The symbols behind its inputs.
        units: Of the angles, see `certificates.angles`.
    """

    def __init__(
        self,
        steps: Steps,
        program: Program,
        names: Names,
        units: Units,
    ) -> None:
        self.steps, self.program, self.names, self.units = steps, program, names, units
        self.forms = Forms(program, names)
        self.sums = flatten(program, count_uses(program))
        self.at: list[int] = []

    def results(self) -> list[int]:
        """Return the steps of the program's results."""
        for i in range(len(self.program.code)):
            self.at.append(self._written(i))
        return [self.at[k] for k in self.program.results]

    def _written(self, i: int) -> int:
        op, args, value = self.program.code[i]
        step, at = self.steps.step, [self.at[a] for a in args]
        match op:
            case "const":
                return step("sym", "pi") if value == programs.PI else self.steps.number(value)
            case "input":
                name = self.names[value]
                return self.steps.number(0) if name is None else step("sym", name)
            case "add" | "sub":
                return self._sum(i)
            case "mul":
                return step(op, *at)
            case "fma" | "fms":
                return step("sum" if op == "fma" else "sub", step("mul", at[0], at[1]), at[2])
            case "fnma":
                return step("sub", at[2], step("mul", at[0], at[1]))
            case "div":
                return step("mul", at[0], self._inverse(args[1]))
            case "pow":
                return self._power(at[0], value)
            case "sin" | "cos":
                return self._sine(op, args[0])
            case "sincos":
                # its halves are written where they are taken
                return at[0]
            case "sin_of" | "cos_of":
                return self._sine(op[:3], self.program.code[args[0]].args[0])
            case "tan":
                sine, cosine = self._sine("sin", args[0]), self._sine("cos", args[0])
                return step("mul", sine, step("inv", cosine))
            case _ if op in SAME:
                return step(op, *at)
        raise InvalidExpression(
            "expected functions that a certificate has rules for (roots, quotients, sin, cos, tan, "
            f"tanh, sign, abs), got {op}: rely on prove()"
        )

    def _sum(self, i: int) -> int:
        """Write a sum with all its terms at once; one that only another sum uses is none."""
        terms = self.sums.get(i, [])
        plus = [self.at[t] for t, is_minus in terms if not is_minus]
        minus = [self.at[t] for t, is_minus in terms if is_minus]
        if len(plus) == len(minus) == 1:
            return self.steps.step("sub", plus[0], minus[0])
        if not terms:
            return -1
        return self.steps.step("sum", *plus, *(self.steps.step("neg", x) for x in minus))

    def _inverse(self, i: int) -> int:
        op, args, value = self.program.code[i]
        if op == "const" and value != programs.PI:
            return self.steps.number(1 / Fraction(value))
        if op == "sqrt":
            return self._power(self.at[args[0]], -HALF)
        if op == "pow":
            return self._power(self.at[args[0]], -Fraction(value))
        return self.steps.step("inv", self.at[i])

    def _power(self, x: int, exponent: Fraction) -> int:
        """Write x to a whole or half power; below zero 1/√x is √x · 1/x, of one inverse."""
        step = self.steps.step
        if exponent.denominator > 2:
            raise InvalidExpression(
                f"expected whole or half exponents in a certificate, got {exponent}: "
                "name the power as a parameter of its own"
            )
        whole, is_half = exponent // 1, exponent.denominator == 2
        result = None
        if whole:
            base = x if whole > 0 else step("inv", x)
            result = self.steps.power(base, abs(whole))
        if is_half:
            root = step("sqrt", x)
            result = root if result is None else step("mul", root, result)
        return self.steps.number(1) if result is None else result

    def _sine(self, op: str, argument: int) -> int:
        """Write a sine with its argument as whole multiples of the units."""
        parts = []
        for monomial, c in sorted(self.forms.of(argument).items()):
            for unit, n in multiples(monomial, c, self.units):
                atoms = [self._atom(atom) for atom in monomial]
                u = self.steps.number(unit) if unit != 1 or not atoms else atoms.pop(0)
                for atom in atoms:
                    u = self.steps.step("mul", u, atom)
                parts.append([u, n])
        return self.steps.step(op, self.at[argument], parts)

    def _atom(self, atom: str) -> int:
        return self.at[self.forms.instruction_of[atom]]


def traced(
    nested: Nested, symbols: Sequence[Expr]
) -> tuple[Program, Callable[[list[int]], Nested]]:
    """Return a program of all expressions in lists and dicts, and how its results are put back."""
    leaves: list[Expr] = []

    def collect(x: Nested) -> Nested:
        if isinstance(x, dict):
            return {key: collect(value) for key, value in x.items()}
        if isinstance(x, list):
            return [collect(value) for value in x]
        if isinstance(x, Whole):
            return x
        leaves.append(x)
        return len(leaves) - 1

    places = collect(nested)
    program = sort_operands(trace("certificate", {"x": list(symbols)}, {"y": leaves}))

    def put_back(steps: list[int]) -> Nested:
        def put(x: Nested) -> Nested:
            if isinstance(x, dict):
                return {key: put(value) for key, value in x.items()}
            if isinstance(x, list):
                return [put(value) for value in x]
            return int(x) if isinstance(x, Whole) else steps[x]

        return put(places)

    return program, put_back
