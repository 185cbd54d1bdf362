"""Run programs over a prime field at random points: identities of any size, division included.

Two rational functions that differ agree at a random point of a field of p elements with a
probability of at most degree / p (Schwartz 1980, Zippel 1979). Sines and cosines of a random angle
are a random point of the circle s² + c² = 1, sums and multiples of angles are products there; a
function without such a law (sign, tanh, exp) is a random table, equal where its arguments are.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from dalembert.expr import Expr
from dalembert.kernel.program.program import PI, Instruction, Program

Form = dict[Any, Fraction]
"""An angle as Σ coefficient · term: a symbol, 1, π, or ("value", number of the field)."""


class BadPoint(ArithmeticError):
    """The point is a pole, or a root has no value there: take another."""


class Unit(ArithmeticError):
    """Angles come in smaller fractions than the unit of the point: take a finer one."""

    def __init__(self, denominator: int) -> None:
        super().__init__(denominator)
        self.denominator = denominator


class FieldPoint:
    """A random point of a random prime field: values of symbols as they are asked for.

    ``signs`` is what sign(x) is, where a hypothesis fixes it. Once a value came from a table,
    the point ``is_algebraic`` no longer: equal numbers still mean equal, others may not differ.
    """

    def __init__(
        self, seed: int, unit: int = 1, *, bits: int = 127, signs: int | None = None
    ) -> None:
        self._rng = random.Random(seed)
        self.p = _prime(self._rng, bits)
        self.unit = unit
        self.signs = signs
        self.is_algebraic = True
        self._values: dict[Expr, int] = {}
        self._circle: dict[Any, tuple[int, int]] = {}
        self._tables: dict[tuple[Any, ...], int] = {}

    def value(self, x: Expr) -> int:
        """Return the value of a symbol."""
        if x not in self._values:
            self._values[x] = self._rng.randrange(1, self.p)
        return self._values[x]

    def set_values(self, symbols: Sequence[Expr], values: Sequence[int]) -> None:
        """Fix the values of symbols."""
        self._values.update(zip(symbols, values, strict=True))

    def set_unit_vector(self, symbols: Sequence[Expr]) -> None:
        """Give symbols a random point of the unit sphere, by projection from a pole."""
        t = [self._rng.randrange(1, self.p) for _ in symbols[1:]]
        square = sum(x * x for x in t)
        inverse = self.inverse(1 + square)
        self.set_values(symbols, [(1 - square) * inverse % self.p, *(2 * x * inverse for x in t)])

    def inverse(self, x: int) -> int:
        """Return 1 / x."""
        if x % self.p == 0:
            raise BadPoint
        return pow(x, -1, self.p)

    def table(self, name: str, *args: Any) -> int:
        """Return the value of a function that is known only by its table."""
        self.is_algebraic = False
        key = (name, *args)
        if key not in self._tables:
            self._tables[key] = self._rng.randrange(1, self.p)
        return self._tables[key]

    def root(self, x: int) -> int:
        """Return the square root that is a square itself, so that √a √b = √(ab)."""
        r = pow(x, (self.p + 1) // 4, self.p)
        if r * r % self.p != x % self.p:
            raise BadPoint
        return r

    def sincos(self, form: Form) -> tuple[int, int]:
        """Return (sin, cos) of a sum of angles."""
        s, c = 0, 1
        for term, k in form.items():
            if (k * self.unit).denominator != 1:
                raise Unit(k.denominator)
            if term == PI or isinstance(term, tuple):
                # good for an identity, but relations are lost: sin π/6 = ½, or between products
                self.is_algebraic = False
            for x, y in self._turns(term, int(k * self.unit)):
                s, c = (s * y + c * x) % self.p, (c * y - s * x) % self.p
        return s, c

    def _turns(self, term: Any, n: int) -> list[tuple[int, int]]:
        """Return points of the circle whose product is that of n times the term's angle."""
        if term not in self._circle:
            t = self._rng.randrange(1, self.p)
            inverse = self.inverse(1 + t * t)
            self._circle[term] = (2 * t * inverse % self.p, (1 - t * t) * inverse % self.p)
        s, c = self._circle[term]
        s, n = (s, n) if n > 0 else (-s, -n)
        turns = []
        while n:
            if n & 1:
                turns.append((s, c))
            s, c, n = 2 * s * c % self.p, (c * c - s * s) % self.p, n >> 1
        return turns


def run_over_field(
    program: Program, inputs: Mapping[str, Sequence[Expr]], point: FieldPoint
) -> dict[str, list[int]]:
    """Return every output at a point, as numbers of the field.

    Raises:
        BadPoint: the program divides by zero there.
    """
    symbols = [inputs[port.name] for port in program.inputs]
    p = point.p
    values: list[Any] = []
    for op, args, value in program.code:
        a = [values[i] for i in args]
        match op:
            case "input":
                result: Any = point.value(symbols[value[0]][value[1]])
            case "const":
                is_pi = value == PI
                result = (
                    point.table(PI) if is_pi else value.numerator * point.inverse(value.denominator)
                )
            case "add":
                result = a[0] + a[1]
            case "sub":
                result = a[0] - a[1]
            case "mul":
                result = a[0] * a[1]
            case "div":
                result = a[0] * point.inverse(a[1])
            case "neg":
                result = -a[0]
            case "fma":
                result = a[0] * a[1] + a[2]
            case "fms":
                result = a[0] * a[1] - a[2]
            case "fnma":
                result = a[2] - a[0] * a[1]
            case "sincos" | "sin" | "cos" | "tan":
                s, c = point.sincos(_form(program.code, args[0], symbols, values))
                if op == "sincos":
                    values.append((s, c))
                    continue
                result = s if op == "sin" else c if op == "cos" else s * point.inverse(c)
            case "sin_of" | "cos_of":
                result = a[0][op == "cos_of"]
            case "sqrt":
                result = point.root(a[0])
            case "pow":
                root = a[0] if value.denominator == 1 else point.table(f"root {value}", a[0])
                whole = value.numerator if value.denominator == 1 else 1
                result = pow(root if whole >= 0 else point.inverse(root), abs(whole), p)
            case "sign" if point.signs is not None:
                result = point.signs
            case _:
                result = point.table(op, *a)
        values.append(result % p)
    return {port.name: [values[k] for k in ks] for port, ks in program.output_results()}


def _form(
    code: Sequence[Instruction], k: int, symbols: Sequence[Sequence[Expr]], values: Sequence[Any]
) -> Form:
    """Return an angle as a sum of multiples of terms; what is no sum is a term by its value."""
    op, args, value = code[k]
    match op:
        case "const":
            return {PI: Fraction(1)} if value == PI else {1: value} if value else {}
        case "input":
            return {symbols[value[0]][value[1]]: Fraction(1)}
        case "add" | "sub" | "neg":
            forms = [_form(code, i, symbols, values) for i in args]
            signs = (-1,) if op == "neg" else (1, 1 if op == "add" else -1)
            return _sum(forms, signs)
        case "mul" | "div" | "fma" | "fms" | "fnma":
            scaled = _scaled(code, op, args, symbols, values)
            if scaled is None:
                return {("value", values[k]): Fraction(1)}
            if len(args) == 2:
                return scaled
            other = _form(code, args[2], symbols, values)
            return _sum([scaled, other], {"fma": (1, 1), "fms": (1, -1), "fnma": (-1, 1)}[op])
        case _:
            return {("value", values[k]): Fraction(1)}


def _scaled(
    code: Sequence[Instruction],
    op: str,
    args: Sequence[int],
    symbols: Sequence[Sequence[Expr]],
    values: Sequence[Any],
) -> Form | None:
    """Return the form of a product with a rational constant, or None."""
    for i, j in ((args[0], args[1]), (args[1], args[0])):
        if code[j].op == "const" and code[j].value != PI:
            k = 1 / code[j].value if op == "div" else code[j].value
            return {x: k * c for x, c in _form(code, i, symbols, values).items()}
        if op == "div":
            break
    return None


def _sum(forms: Sequence[Form], signs: Sequence[int]) -> Form:
    total: Form = {}
    for form, sign in zip(forms, signs, strict=True):
        for x, k in form.items():
            total[x] = total.get(x, Fraction(0)) + sign * k
    return {x: k for x, k in total.items() if k}


def _prime(rng: random.Random, bits: int) -> int:
    """Return a random prime of so many bits with p = 3 mod 4, where roots are powers."""
    while True:
        p = rng.getrandbits(bits) | 1 << (bits - 1) | 3
        if flint.fmpz(p).is_prime():
            return p
