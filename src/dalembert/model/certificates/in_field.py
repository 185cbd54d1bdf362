"""Run programs over a prime field at random points: identities of any size, division included.

Two rational functions that differ agree at a random point of a field of p elements with a
probability of at most degree / p (Schwartz 1980, Zippel 1979). Sines and cosines of a random angle
are a random point of the circle s² + c² = 1, sums and multiples of angles are products there; a
function without such a law (sign, tanh, exp) is a random table, equal where its arguments are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from dalembert.expr import Expr
from dalembert.expr.functions import FUNCTIONS
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Program

Form = dict[Any, Fraction]
"""An angle as Σ coefficient · term: a symbol, 1, π, or ("value", number of the field)."""

Residue = tuple[Any, ...]
"""A number of the field, and how it was computed as far as an angle depends on it: (number,
"rational", value), (number, "term", symbol or π), (number, "sum" or "difference", a, b), (number,
"multiple", rational, a), else (number, "value"). A tuple, since every operation makes one."""


class BadPoint(ArithmeticError):
    """The point is a pole, or a root has no value there: take another."""


class NeedsFinerAngles(ArithmeticError):
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

    def table(self, name: str, *args: int) -> int:
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
                raise NeedsFinerAngles(k.denominator)
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


def run_in_field(
    program: Program, inputs: Mapping[str, Sequence[Expr]], point: FieldPoint
) -> dict[str, list[int]]:
    """Return every output at a point, as numbers of the field.

    Raises:
        BadPoint: the program divides by zero there.
    """
    symbols = [inputs[port.name] for port in program.inputs]
    results = interpret(program, symbols, residues_at(point))
    return program.by_output([number for number, *_ in results])


def residues_at(point: FieldPoint) -> Algebra[Residue]:
    """Return the algebra of a field's numbers, with the values of a point."""
    p = point.p

    def constant(value: Fraction | str) -> Residue:
        if isinstance(value, str):
            return point.table(PI), "term", PI
        return value.numerator * point.inverse(value.denominator) % p, "rational", value

    def multiply(a: Residue, b: Residue) -> Residue:
        number = a[0] * b[0] % p
        if b[1] == "rational":
            return number, "multiple", b[2], a
        return (number, "multiple", a[2], b) if a[1] == "rational" else (number, "value")

    def divide(a: Residue, b: Residue) -> Residue:
        number = a[0] * point.inverse(b[0]) % p
        return (number, "multiple", 1 / b[2], a) if b[1] == "rational" else (number, "value")

    def raised(x: Residue, exponent: Fraction) -> Residue:
        n, base = exponent.numerator, x[0]
        if exponent.denominator != 1:
            n, base = 1, point.table(f"root {exponent}", base)
        return pow(base if n >= 0 else point.inverse(base), abs(n), p), "value"

    def sincos(x: Residue) -> tuple[int, int]:
        return point.sincos(linear_form(x))

    def tangent(x: Residue) -> Residue:
        s, c = sincos(x)
        return s * point.inverse(c) % p, "value"

    def table(name: str) -> Callable[..., Residue]:
        return lambda *args: (point.table(name, *(x[0] for x in args)), "value")

    def sign(x: Residue) -> Residue:
        return (point.table("sign", x[0]) if point.signs is None else point.signs % p), "value"

    return complete(
        {
            **{name: table(name) for name in FUNCTIONS},
            "input": lambda x: (point.value(x), "term", x),
            "const": constant,
            "add": lambda a, b: ((a[0] + b[0]) % p, "sum", a, b),
            "sub": lambda a, b: ((a[0] - b[0]) % p, "difference", a, b),
            "neg": lambda a: (-a[0] % p, "multiple", -1, a),
            "mul": multiply,
            "div": divide,
            "pow": raised,
            "sqrt": lambda x: (point.root(x[0]), "value"),
            "sign": sign,
            "sincos": sincos,
            "sin_of": lambda pair: (pair[0], "value"),
            "cos_of": lambda pair: (pair[1], "value"),
            "sin": lambda x: (sincos(x)[0], "value"),
            "cos": lambda x: (sincos(x)[1], "value"),
            "tan": tangent,
        }
    )


def linear_form(x: Residue) -> Form:
    """Return an angle as a sum of multiples of terms; what is no sum is a term by its value."""
    match x:
        case _, "rational", value:
            return {1: value} if value else {}
        case _, "term", name:
            return {name: Fraction(1)}
        case _, "multiple", k, a:
            return {term: k * c for term, c in linear_form(a).items()}
        case _, ("sum" | "difference") as kind, a, b:
            total = linear_form(a)
            for term, c in linear_form(b).items():
                total[term] = total.get(term, Fraction(0)) + (c if kind == "sum" else -c)
            return {term: c for term, c in total.items() if c}
        case _:
            return {("value", x[0]): Fraction(1)}


def _prime(rng: random.Random, bits: int) -> int:
    """Return a random prime of so many bits with p = 3 mod 4, where roots are powers."""
    while True:
        p = rng.getrandbits(bits) | 1 << (bits - 1) | 3
        if flint.fmpz(p).is_prime():
            return p
