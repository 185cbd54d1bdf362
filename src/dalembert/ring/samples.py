"""Certificates that a polynomial in functions is not zero: its balls at random points.

Where relations between generators may be missing, a reduced form that is not 0 proves nothing.
A ball that excludes 0 at a point where every generator is defined does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import flint

from dalembert.expr import Expr, free_symbols
from dalembert.ring.balls import Point, defined_balls, scaled_point
from dalembert.ring.sparse import sparse_terms

PRECISIONS = (128, 512, 2048)
SEARCHED = 150
MAX_POINTS = 6

Values = list[flint.arb]


class Samples:
    """Values of generators at random points where all of them are defined.

    A modulus or a root can make a function vanish on one side only, so that several points count.
    """

    def __init__(self, generators: Sequence[Expr]) -> None:
        self.generators = tuple(generators)
        self._values: dict[int, list[Values]] = {}
        self._points: list[Point] | None = None

    def exclude_zero(self, p: flint.fmpq_mpoly) -> bool:
        """Tell whether p is certainly not zero at every sample, of which there is at least one."""
        pending = list(range(len(self.points)))
        found = bool(pending)
        for precision in PRECISIONS:
            values = self._at(precision)
            pending = [i for i in pending if _value(p, values[i], precision).contains(0)]
            if not pending:
                return found
        return False

    @property
    def points(self) -> list[Point]:
        """The sample points."""
        if self._points is None:
            self._points = self._search()
        return self._points

    def _search(self) -> list[Point]:
        symbols, rng = free_symbols(self.generators), random.Random(1736)
        found = []
        for i in range(SEARCHED if symbols else 1):
            point = scaled_point(symbols, rng, positive=i < 100, scaled=i > 12 and i % 2 == 1)
            if defined_balls(self.generators, point, PRECISIONS[0]) is not None:
                found.append(point)
                if len(found) == MAX_POINTS:
                    break
        return found

    def _at(self, precision: int) -> list[Values]:
        if precision not in self._values:
            balls = [defined_balls(self.generators, p, precision) for p in self.points]
            self._values[precision] = [b for b in balls if b is not None]
        return self._values[precision]


def _value(p: flint.fmpq_mpoly, values: Values, precision: int) -> flint.arb:
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
