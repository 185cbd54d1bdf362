"""Points on motions of a system, where a difference is zero or clearly is not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from math import nan
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import flint

from dalembert.errors import EvaluationError, SingularSystem, Undecided
from dalembert.expr import (
    Expr,
    Kind,
    Matrix,
    free_symbols,
    is_kind,
    postorder,
    substitute,
    symbol_text,
    time,
    total,
)
from dalembert.expr.undefined import function, undefined_names
from dalembert.mechanics.proofs.domain import restricted
from dalembert.ring import Element, Ring
from dalembert.ring.sparse import sparse_terms

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.types import Array

Values = dict[Expr, float]

TRIES = 20
POINTS = 3
REACHES = (1.2, 1.2, 1.2, 5.0, 1.2, 25.0, 0.2)
"""How far from zero points are looked for: log(x - 3) has none close by."""
STEPS = 60
CLOSED = 1e-11
"""Residual of the constraints at a point that counts as lying on them."""
CLEAR = 1e-6
"""Size of a difference, beside its largest term, that rounding cannot explain."""

NEIGHBOURS = 3
NUDGE, SAME = 1e-11, 1e-3
"""Relative change of a point, and how little a value may follow it that is known there.

√r, sign r and 1/r of a residual r that is zero up to rounding have no value that counts.
"""


class Place(NamedTuple):
    """The values of all generators at a point of a motion, and at points close by."""

    at: list[float]
    close: list[list[float]]


_points: WeakKeyDictionary[Equations, list[Values]] = WeakKeyDictionary()
_places: WeakKeyDictionary[Equations, WeakKeyDictionary[Ring, list[Place]]] = WeakKeyDictionary()


def require_difference(eq: Equations, differences: Sequence[Element]) -> None:
    """Refuse to call an answer wrong that may be right on the constraints.

    Raises:
        Undecided: a difference was zero at all points of the constraints that were tried.
    """
    if eq.lam and not all(differs_on_constraints(eq, x) for x in differences):
        raise Undecided(
            "expected to decide whether two forms agree where the constraints hold, got neither a "
            "proof nor a point where they differ: write the answer without using the constraints"
        )


def differs_on_constraints(eq: Equations, x: Element) -> bool:
    """Tell whether x is clearly not zero at some point of a motion.

    There a(q, t) = 0 and A q̇ + b = 0, found by Newton's method from random starts, and q̈ and λ
    solve the equations of motion. In floats a residual of 1e-11 beside a difference of 1e-6 leaves
    no doubt.
    """
    return any(_is_clear(x, place) for place in places(eq, x.ring))


def value_and_size(x: Element, at: Sequence[float]) -> tuple[float, float]:
    """Return the value of an element and that of its largest term, nan where it has none."""
    total = largest = 0.0
    factors = x.ring.denominators.factors
    for key, p in x.parts():
        below = 1.0
        for number, e in key:
            below *= _polynomial_at(factors[number].poly, at)[0] ** e
        if below == 0.0:
            return nan, nan
        value, size = _polynomial_at(p, at)
        total, largest = total + value / below, max(largest, abs(size / below))
    return total, largest


def _is_clear(x: Element, place: Place) -> bool:
    """Tell whether x is beyond rounding at a point."""
    value, size = value_and_size(x, place.at)
    close = [value_and_size(x, at)[0] for at in place.close]
    return abs(value) > CLEAR * size and all(abs(y - value) < SAME * abs(value) for y in close)


def _polynomial_at(p: flint.fmpq_mpoly, at: Sequence[float]) -> tuple[float, float]:
    """Return the value of a polynomial, and that of its largest term."""
    total = largest = 0.0
    for word, k in sparse_terms(p):
        term = int(k.p) / int(k.q)
        for i, n in word:
            term *= at[i] ** n
        total, largest = total + term, max(largest, abs(term))
    return total, largest


def places(eq: Equations, ring: Ring) -> list[Place]:
    """Return the values of all generators at the points where they are defined."""
    known = _places.setdefault(eq, WeakKeyDictionary())
    if ring not in known:
        known[ring] = []
        generators = with_definitions(ring.generators)
        for values in motion_points(eq):
            near = [
                {x: v * (1 + NUDGE * draw.choice((-1, 1))) for x, v in values.items()}
                for draw in map(random.Random, range(NEIGHBOURS))
            ]
            try:
                at, *close = [[_value(g, v) for g in generators] for v in (values, *near)]
            except EvaluationError:
                continue
            known[ring].append(Place(at, close))
    return known[ring]


def _value(g: Expr, values: Values) -> float:
    for x in g.symbols:
        # what the equations do not have has any value
        values.setdefault(x, random.Random(symbol_text(x)).uniform(0.5, 1.5))
    if g.op == "symbol":
        return values[g]
    return float(g.evaluate({x: values[x] for x in g.symbols}))


def with_definitions(expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions with a definition of our own for every undefined function.

    Each is a sum of two powers, with coefficients that its name gives: no derivative up to the
    third is zero, and no two are multiples of each other.
    """
    names = undefined_names(postorder(list(expressions)))
    if not names:
        return list(expressions)
    return substitute(list(expressions), {function(name): _definition(name) for name in names})


def _definition(name: str) -> Callable[..., Expr]:
    def value(*args: Expr) -> Expr:
        draw = random.Random(f"{name} of {len(args)}")
        return total(
            [(total([draw.randint(5, 9) * x for x in args]) / 10 + 2) ** n / 10 for n in (5, 4)]
        )

    return value


def motion_points(eq: Equations) -> list[Values]:
    """Return some points on motions, with values for all symbols."""
    found = _points.get(eq)
    if found is None:
        draw = random.Random(1901)
        names = undefined_names(postorder(eq.system.expressions()))
        known = {function(name): _definition(name) for name in names}
        defined = eq.system.bind(known).equations() if known else eq
        reaches = islice(cycle(REACHES), TRIES)
        candidates = (_point(defined, draw, reach) for reach in reaches)
        found = []
        for values in candidates:
            if values is not None:
                found.append(values)
            if len(found) == POINTS:
                break
        _points[eq] = found
    return found


def _point(eq: Equations, draw: random.Random, reach: float) -> Values | None:
    """Return values of all symbols with q, q̇ on the constraints, and q̈, λ of the motion there.

    Coordinates and their rates start between ±``reach``.
    """
    import numpy as np

    q, v = eq.coordinates, eq.velocities
    parts = [*eq.system.expressions(), *q, *v, *eq.system.accelerations, *eq.lam, time]
    values: Values = {
        s: draw.uniform(0.5, 1.5) if is_kind(s, Kind.PARAMETER) else draw.uniform(-reach, reach)
        for s in free_symbols(parts)
    }
    num = len(eq.system.constraints)
    A = Matrix(eq.A.rows[:num], len(q))
    try:
        for _ in range(STEPS if num else 0):
            # Newton's step of least length
            error = eq.a.evaluate(values)[:, 0]
            if np.abs(error).max() < CLOSED:
                break
            _move(values, q, np.linalg.lstsq(A.evaluate(values), -error, rcond=None)[0])
        if num and not np.abs(eq.a.evaluate(values)).max() < CLOSED:
            return None
        # the nearest admissible velocity
        rates = np.array([values[x] for x in v])
        J = eq.A.evaluate(values)
        error = J @ rates + eq.drift.evaluate(values)[:, 0]
        _move(values, v, -np.linalg.lstsq(J, error, rcond=None)[0])
        for e in restricted(eq.system):
            e.evaluate({x: values[x] for x in e.symbols})
        solution = eq.solve(values)
    except (EvaluationError, SingularSystem):
        return None
    found = [*solution.accelerations, *solution.multipliers]
    values.update(zip([*eq.system.accelerations, *eq.lam], map(float, found), strict=True))
    return values


def _move(values: Values, symbols: tuple[Expr, ...], step: Array) -> None:
    for x, d in zip(symbols, step, strict=True):
        values[x] += float(d)
