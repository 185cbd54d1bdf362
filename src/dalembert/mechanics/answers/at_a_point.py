"""Find a point on the constraints where a difference is not zero."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import Undecided
from dalembert.expr import Expr, Kind, Matrix, free_symbols, is_kind, time
from dalembert.ring import Element, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.types import Array

TRIES = 12
STEPS = 60
CLOSED = 1e-11
"""Residual of the constraints at a point that counts as lying on them."""
CLEAR = 1e-6
"""Size of a difference, beside its largest term, that rounding cannot explain."""


def require_difference(eq: Equations, differences: Sequence[Element]) -> None:
    """Refuse to call an answer wrong that may be right on the constraints.

    Raises:
        Undecided: a difference was not zero at no point of the constraints that was tried.
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
    e = rebuild(Element(x.ring, x.num, x.ring.one_poly))
    draw = random.Random(1901)
    for _ in range(TRIES):
        values = _point(eq, e, draw)
        if values is None:
            continue
        terms = [abs(float(t.evaluate(values))) for t in _terms(e)]
        if abs(float(e.evaluate(values))) > CLEAR * max(terms):
            return True
    return False


def _terms(e: Expr) -> list[Expr]:
    """Return the terms of a sum, without their signs."""
    found, stack = [], [e]
    while stack:
        node = stack.pop()
        if node.op in ("add", "sub"):
            stack.extend(node.args)
        else:
            found.append(node)
    return found


def _point(eq: Equations, e: Expr, draw: random.Random) -> dict[Expr, float] | None:
    """Return values of all symbols with positions and velocities on the constraints."""
    import numpy as np

    q, v = eq.coordinates, eq.velocities
    parts = [e, *eq.system.expressions(), *q, *v, *eq.system.accelerations, *eq.lam, time]
    values: dict[Expr, float] = {
        s: draw.uniform(0.5, 1.5) if is_kind(s, Kind.PARAMETER) else draw.uniform(-1.2, 1.2)
        for s in free_symbols(parts)
    }
    num = len(eq.system.constraints)
    A = Matrix(eq.A.rows[:num], len(q))
    for _ in range(STEPS if num else 0):
        # Newton's step of least length
        error = eq.a.evaluate(values)[:, 0]
        if np.abs(error).max() < CLOSED:
            break
        step = np.linalg.lstsq(A.evaluate(values), -error, rcond=None)[0]
        _move(values, q, step)
    if num and not np.abs(eq.a.evaluate(values)).max() < CLOSED:
        return None
    # the nearest admissible velocity
    rates = np.array([values[x] for x in v])
    J = eq.A.evaluate(values)
    error = J @ rates + eq.drift.evaluate(values)[:, 0]
    _move(values, v, -np.linalg.lstsq(J, error, rcond=None)[0])
    return values


def _move(values: dict[Expr, float], symbols: tuple[Expr, ...], step: Array) -> None:
    for x, d in zip(symbols, step, strict=True):
        values[x] += float(d)
