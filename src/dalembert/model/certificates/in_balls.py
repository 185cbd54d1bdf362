"""Run programs in ball arithmetic at rational points: what differs there, differs for real."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

import flint

from dalembert.expr import Expr
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Program
from dalembert.model.certificates.evaluation import Evaluation
from dalembert.ring import Point, random_point

NAMED = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh")


def _rational(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _power(x: flint.arb, exponent: Fraction) -> flint.arb:
    p, n = exponent.numerator, exponent.denominator
    return (x if n == 1 else x.root(n)) ** p


BALLS: Algebra[flint.arb] = complete(
    {
        "const": lambda value: flint.arb.pi() if value == PI else _rational(value),
        "pow": _power,
        "sqrt": flint.arb.sqrt,
        "atan2": flint.arb.atan2,
        "abs": abs,
        "sign": flint.arb.sgn,
        **{name: getattr(flint.arb, name) for name in NAMED},
    }
)
"""What operations are on balls; an undefined one gives a ball that is not finite."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with balls of so many bits inside the block."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


class InBalls(Evaluation):
    """Programs at a rational point, within certain bounds."""

    def __init__(self, point: Point, inputs: Mapping[str, Sequence[Expr]]) -> None:
        self.inputs = inputs
        self._values = {x: _rational(value) for x, value in point.items()}
        self._is_admissible = True

    @property
    def is_admissible(self) -> bool:
        """Whether all that was assumed to be positive certainly is."""
        return self._is_admissible

    def value(self, x: Expr) -> flint.arb:
        return self._values[x]

    def set_values(self, symbols: Sequence[Expr], values: Sequence[flint.arb]) -> None:
        self._values.update(zip(symbols, values, strict=True))

    def run(self, program: Program) -> dict[str, list[flint.arb]]:
        inputs = [[self._values[x] for x in self.inputs[port.name]] for port in program.inputs]
        return program.by_output(interpret(program, inputs, BALLS))

    def number(self, value: Fraction) -> flint.arb:
        return _rational(value)

    def reduced(self, x: flint.arb) -> flint.arb:
        return x

    def is_zero(self, x: flint.arb) -> bool:
        return bool(x == 0)

    def ratio(self, a: flint.arb, b: flint.arb) -> flint.arb:
        return a / b

    def assume_positive(self, values: Sequence[flint.arb]) -> None:
        self._is_admissible &= all(x > 0 for x in values)


def rational_point(
    symbols: Sequence[Expr], unit_vectors: Sequence[Sequence[Expr]], rng: random.Random
) -> Point:
    """Return small rational values; those of unit vectors lie on the sphere."""
    point = random_point(symbols, rng)
    for vector in unit_vectors:
        t = [point[x] for x in vector[1:]]
        square = sum((x * x for x in t), Fraction(0))
        point[vector[0]] = (1 - square) / (1 + square)
        point.update((x, 2 * y / (1 + square)) for x, y in zip(vector[1:], t, strict=True))
    return point
