"""Points on the constraints of a system, where a difference is zero or clearly is not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dalembert.errors import EvaluationError, Undecided
from dalembert.expr import Expr, Kind, Matrix, free_symbols, is_kind, time
from dalembert.ring import Element, Ring
from dalembert.ring.sparse import sparse_terms

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.types import Array

Values = dict[Expr, float]

TRIES = 20
POINTS = 3
STEPS = 60
CLOSED = 1e-11
"""Residual of the constraints at a point that counts as lying on them."""
CLEAR = 1e-6
"""Size of a difference, beside its largest term, that rounding cannot explain."""

_points: WeakKeyDictionary[Equations, list[Values]] = WeakKeyDictionary()
_generators: WeakKeyDictionary[Equations, WeakKeyDictionary[Ring, list[list[float]]]] = (
    WeakKeyDictionary()
)


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
    """Tell whether x is clearly not zero at some point with a(q, t) = 0 and A q̇ + b = 0.

    Points are found by Newton's method from random starts, in floats: a residual of 1e-11 beside a
    difference of 1e-6 leaves no doubt.
    """
    return any(_is_clear(x, at) for at in _generators_at_points(eq, x.ring))


def _is_clear(x: Element, at: Sequence[float]) -> bool:
    """Tell whether the numerator of x is beyond rounding at given values of the generators."""
    total = largest = 0.0
    for word, k in sparse_terms(x.num):
        term = int(k.p) / int(k.q)
        for i, n in word:
            term *= at[i] ** n
        total, largest = total + term, max(largest, abs(term))
    return abs(total) > CLEAR * largest


def _generators_at_points(eq: Equations, ring: Ring) -> list[list[float]]:
    """Return the values of all generators at the points where they are defined."""
    known = _generators.setdefault(eq, WeakKeyDictionary())
    if ring not in known:
        known[ring] = []
        for values in constraint_points(eq):
            try:
                known[ring].append([_value(g, values) for g in ring.generators])
            except EvaluationError:
                continue
    return known[ring]


def _value(g: Expr, values: Values) -> float:
    if g.op == "symbol":
        return values[g]
    return float(g.evaluate({x: values[x] for x in g.symbols}))


def constraint_points(eq: Equations) -> list[Values]:
    """Return some points on the constraints, with values for all symbols."""
    found = _points.get(eq)
    if found is None:
        draw = random.Random(1901)
        candidates = (_point(eq, draw) for _ in range(TRIES))
        found = []
        for values in candidates:
            if values is not None:
                found.append(values)
            if len(found) == POINTS:
                break
        _points[eq] = found
    return found


def _point(eq: Equations, draw: random.Random) -> Values | None:
    """Return values of all symbols with positions and velocities on the constraints."""
    import numpy as np

    q, v = eq.coordinates, eq.velocities
    parts = [*eq.system.expressions(), *q, *v, *eq.system.accelerations, *eq.lam, time]
    values: Values = {
        s: draw.uniform(0.5, 1.5) if is_kind(s, Kind.PARAMETER) else draw.uniform(-1.2, 1.2)
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
    except EvaluationError:
        return None
    return values


def _move(values: Values, symbols: tuple[Expr, ...], step: Array) -> None:
    for x, d in zip(symbols, step, strict=True):
        values[x] += float(d)
