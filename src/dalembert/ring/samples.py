"""Certificates that a polynomial in functions is not zero: its balls at random points.

Where relations between generators may be missing, a reduced form that is not 0 proves nothing.
A ball that excludes 0 at a point where every generator is defined does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import flint

from dalembert.expr import Expr, free_symbols
from dalembert.ring.balls import Point, defined_balls, scaled_point
from dalembert.ring.sparse import sparse_terms

if TYPE_CHECKING:
    from dalembert.ring.elements.element import Element

PRECISIONS = (128, 512, 2048)
SEARCHED = 150
NUM_POINTS = 6

Values = list[flint.arb]


class Samples:
    """Values of generators at random points where all of them are defined.

    A modulus or a root can make a function vanish on one side only, so that several points count.
    """

    def __init__(self, generators: Sequence[Expr]) -> None:
        self.generators = tuple(generators)
        self._points: list[Point] = []
        self._candidates = self._search()
        self._values: dict[tuple[int, int], Values | None] = {}

    def exclude_zero(self, x: Element) -> bool:
        """Tell whether x is certainly not zero at every sample, of which there is at least one."""
        pending = [i for i in range(NUM_POINTS) if self._point(i) is not None]
        found = bool(pending)
        for precision in PRECISIONS:
            pending = [i for i in pending if self._may_vanish(x, i, precision)]
            if not pending:
                return found
        return False

    def is_nonzero_somewhere(self, x: Element) -> bool:
        """Tell whether x is certainly not zero at one of two samples."""
        return any(not self._may_vanish(x, i, PRECISIONS[0]) for i in range(2))

    def values(self, i: int, precision: int) -> Values | None:
        """Return the values of the generators at the i-th sample, None where there is none."""
        point = self._point(i)
        if (i, precision) not in self._values:
            balls = None if point is None else defined_balls(self.generators, point, precision)
            self._values[i, precision] = balls
        return self._values[i, precision]

    def _may_vanish(self, x: Element, i: int, precision: int) -> bool:
        values = self.values(i, precision)
        value = None if values is None else ball_of(x, values, precision)
        return value is None or bool(value.contains(0))

    def _point(self, i: int) -> Point | None:
        while len(self._points) <= i:
            found = next(self._candidates, None)
            if found is None:
                return None
            point, self._values[len(self._points), PRECISIONS[0]] = found
            self._points.append(point)
        return self._points[i]

    def _search(self) -> Iterator[tuple[Point, Values]]:
        """Yield points where all generators are defined, most of ordinary size, with values."""
        symbols, rng = free_symbols(self.generators), random.Random(1736)
        for i in range(SEARCHED if symbols else 1):
            point = scaled_point(symbols, rng, positive=i < 100, scaled=i > 12 and i % 2 == 1)
            balls = defined_balls(self.generators, point, PRECISIONS[0])
            if balls is not None:
                yield point, balls


def ball_of(x: Element, values: Values, precision: int) -> flint.arb | None:
    """Return a ball of the value of an element, None where it may be divided by zero."""
    before = flint.ctx.prec
    flint.ctx.prec = precision
    try:
        total = value_at(x.whole, values, precision)
        factors = x.ring.denominators.factors
        for key, p in (x.fractions or {}).items():
            part = value_at(p, values, precision)
            for number, e in key:
                part = part / value_at(factors[number].poly, values, precision) ** e
            total = total + part
        return total if total.is_finite() else None
    except ZeroDivisionError:
        return None
    finally:
        flint.ctx.prec = before


def value_at(p: flint.fmpq_mpoly, values: Values, precision: int) -> flint.arb:
    """Return a ball of the value of a polynomial at balls."""
    before = flint.ctx.prec
    flint.ctx.prec = precision
    try:
        powers: dict[tuple[int, int], flint.arb] = {}
        total = flint.arb(0)
        for word, coefficient in sparse_terms(p):
            term = flint.arb(coefficient)
            for factor in word:
                if factor not in powers:
                    i, n = factor
                    powers[factor] = values[i] ** n
                term = term * powers[factor]
            total = total + term
        return total
    finally:
        flint.ctx.prec = before
