"""Run programs over a prime field at random points: identities of any size, division included.

`ring.prime_point` says why two functions that agree there are equal, but for a small chance.

A field has no order, so three kinds of functions need more:

- √x is one of two numbers r with r² = x. Which of them the real root is, no field knows: both are
  tried, for each argument, in all combinations (`Cases`). What vanishes in all of them vanishes in
  the real one. Where there are too many, √ is a table like others.
- sign(x) and |x| = sign(x) x take a number for sign(x) that is the same for all positive multiples
  of x: any number, or in all combinations those that ``signs`` lists.
- A function without a law (tanh, exp, log, …) is a random table, equal where its arguments are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.expr import Expr
from dalembert.expr.functions import FUNCTIONS
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Program
from dalembert.model.certificates.cases import Cases
from dalembert.model.certificates.evaluation import Evaluation
from dalembert.model.certificates.linear_forms import Form, Residue, linear_form
from dalembert.ring.prime_point import Pole, PrimePoint, random_prime

__all__ = [
    "FieldPoint",
    "InField",
    "NeedsFinerAngles",
    "NoRoot",
    "Pole",
    "residues_at",
    "run_in_field",
]


class NoRoot(ArithmeticError):
    """A root has no value in the field of the point: take another."""


class NeedsFinerAngles(ArithmeticError):
    """Angles come in smaller fractions than the unit of the point: take a finer one."""

    def __init__(self, denominator: int) -> None:
        super().__init__(denominator)
        self.denominator = denominator


class FieldPoint(PrimePoint):
    """A random point of a random prime field: values of symbols as they are asked for.

    Attributes:
        p: The prime, 3 modulo 4.
        unit: Angles are multiples of 1/unit of the circle's points.
        cases: The choices of roots, and of signs that are split.
        opaque: Functions that were not computed but looked up in tables; "±√" and "±sign" where all
            cases are tried. Equal numbers still mean equal functions; others may not differ.

    Args:
        seed: Of the random numbers; those of the system unless given, which nobody can foresee.
        unit: See above.
        bits: Of the prime.
        signs: What sign(x) may be; any number unless given.
        split_roots: Whether √x is a root of x, in every case another, or a table.
    """

    def __init__(
        self,
        seed: int | None = None,
        unit: int = 1,
        *,
        bits: int = 127,
        signs: Sequence[int] | None = None,
        split_roots: bool = True,
    ) -> None:
        rng = random.SystemRandom() if seed is None else random.Random(seed)
        # 3 modulo 4: roots are powers
        super().__init__(rng, random_prime(rng, bits, 3))
        self.unit = unit
        self.cases = Cases()
        self.opaque: set[str] = set()
        self._signs = signs
        self._split_roots = split_roots
        self._positive: set[int] = set()
        self._tables: dict[tuple[Any, ...], int] = {}

    @property
    def is_algebraic(self) -> bool:
        """Whether other numbers mean other functions: nothing was looked up."""
        return not self.opaque

    def set_values(self, symbols: Sequence[Expr], values: Sequence[int]) -> None:
        """Fix the values of symbols."""
        self.values_of.update(zip(symbols, values, strict=True))

    def set_unit_vector(self, symbols: Sequence[Expr]) -> None:
        """Give symbols a random point of the unit sphere, by projection from a pole."""
        t = [self.rng.randrange(1, self.p) for _ in symbols[1:]]
        square = sum(x * x for x in t)
        inverse = self.inverse(1 + square)
        self.set_values(symbols, [(1 - square) * inverse % self.p, *(2 * x * inverse for x in t)])

    def assume_positive(self, values: Sequence[int]) -> None:
        """Take sign(x) = 1 for these numbers."""
        self._positive |= {x % self.p for x in values}

    def table(self, name: str, *args: int) -> int:
        """Return the value of a function that is known only by its table."""
        self.opaque.add(name)
        key = (name, *args)
        if key not in self._tables:
            self._tables[key] = self.rng.randrange(1, self.p)
        return self._tables[key]

    def root(self, x: int) -> int:
        """Return one of the two square roots, in every case another."""
        if not self._split_roots:
            return self.table("√", x)
        self.opaque.add("±√")
        r = pow(x, (self.p + 1) // 4, self.p)
        if r * r % self.p != x % self.p:
            raise NoRoot
        return r * self.cases.choose(("√", x), (1, -1)) % self.p

    def sign(self, x: Residue) -> int:
        """Return sign(x): of a rational number, by hypothesis, by case or by table."""
        number = x[0]
        if x[1] == "rational":
            return ((x[2] > 0) - (x[2] < 0)) % self.p
        if number == 0 or number in self._positive:
            return int(number != 0)
        # the same for positive multiples, the opposite for negative ones
        number = number * self.inverse(self._scale(x)) % self.p
        flip = 2 * number > self.p
        key = self.p - number if flip else number
        if self._signs is None:
            s = self.table("sign", key)
        else:
            self.opaque.add("±sign")
            s = self.cases.choose(("sign", key), self._signs)
        return (-s if flip else s) % self.p

    def _scale(self, x: Residue) -> int:
        """Return a positive multiple of 1 by which x is divided, the same for all its multiples."""
        form = linear_form(x)
        if not form:
            return 1
        k = abs(form[min(form, key=self._order)])
        return k.numerator * self.inverse(k.denominator) % self.p

    def _order(self, term: Any) -> int:
        """Return a number by which the terms of linear forms are ordered."""
        if isinstance(term, tuple):
            return term[1]
        return self.value(term) if isinstance(term, Expr) else 0 if term == PI else -1

    def sincos(self, form: Form) -> tuple[int, int]:
        """Return (sin, cos) of a sum of angles."""
        pair = (0, 1)
        for term, k in form.items():
            if (k * self.unit).denominator != 1:
                raise NeedsFinerAngles(k.denominator)
            if term == PI or isinstance(term, tuple):
                # good for an identity, but relations are lost: sin π/6 = ½, or between products
                self.opaque.add("sin")
            pair = self.turned(pair, term, int(k * self.unit))
        return pair


class InField(Evaluation):
    """Programs at a point of a prime field."""

    def __init__(self, point: FieldPoint, inputs: Mapping[str, Sequence[Expr]]) -> None:
        self.point, self.inputs = point, inputs

    def value(self, x: Expr) -> int:
        return self.point.value(x)

    def set_values(self, symbols: Sequence[Expr], values: Sequence[int]) -> None:
        self.point.set_values(symbols, values)

    def assume_positive(self, values: Sequence[int]) -> None:
        self.point.assume_positive(values)

    def run(self, program: Program) -> dict[str, list[int]]:
        return run_in_field(program, self.inputs, self.point)

    def number(self, value: Fraction) -> int:
        return self.ratio(value.numerator, value.denominator)

    def reduced(self, x: int) -> int:
        return x % self.point.p

    def is_zero(self, x: int) -> bool:
        return x % self.point.p == 0

    def ratio(self, a: int, b: int) -> int:
        return a * self.point.inverse(b) % self.point.p


def run_in_field(
    program: Program, inputs: Mapping[str, Sequence[Expr]], point: FieldPoint
) -> dict[str, list[int]]:
    """Return every output at a point, as numbers of the field.

    Raises:
        Pole: the program divides by zero there.
        NoRoot: it takes a root that the field does not have.
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
        n, d, base = exponent.numerator, exponent.denominator, x[0]
        if d == 2:
            base = point.root(base)
        elif d > 2:
            base = point.table(f"x^(1/{d})", base)
        return pow(base if n >= 0 else point.inverse(base), abs(n), p), "value"

    def sincos(x: Residue) -> tuple[int, int]:
        return point.sincos(linear_form(x))

    def tangent(x: Residue) -> Residue:
        s, c = sincos(x)
        return s * point.inverse(c) % p, "value"

    def table(name: str) -> Callable[..., Residue]:
        return lambda *args: (point.table(name, *(x[0] for x in args)), "value")

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
            "sign": lambda x: (point.sign(x), "value"),
            "abs": lambda x: (point.sign(x) * x[0] % p, "value"),
            "sincos": sincos,
            "sin_of": lambda pair: (pair[0], "value"),
            "cos_of": lambda pair: (pair[1], "value"),
            "sin": lambda x: (sincos(x)[0], "value"),
            "cos": lambda x: (sincos(x)[1], "value"),
            "tan": tangent,
        }
    )
