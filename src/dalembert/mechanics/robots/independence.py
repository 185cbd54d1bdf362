"""Columns of a regressor that are certainly independent: their Gram matrix in balls."""

from __future__ import annotations

import random
from collections.abc import Sequence

import flint

from dalembert.expr import free_symbols
from dalembert.mechanics.results.regressor import is_constant
from dalembert.ring import Element, Ring
from dalembert.ring.balls import Point, defined_balls, scaled_point
from dalembert.ring.samples import ball_of

PRECISION = 1024
SEED = 1990


def are_independent(ring: Ring, Y: Sequence[Sequence[Element]]) -> bool:
    """Tell whether no combination of columns vanishes, with weights that do not depend on motion.

    Rows of Y are evaluated at random states for one choice of the lengths; det YᵀY ≠ 0 proves it
    for almost all lengths. False says nothing.
    """
    if not Y or not Y[0]:
        return True
    rows = _rows_at_random_states(ring, Y, 2 * len(Y[0]))
    before = flint.ctx.prec
    flint.ctx.prec = PRECISION
    try:
        sampled = flint.arb_mat(rows)
        return not (sampled.transpose() * sampled).det().contains(0)
    finally:
        flint.ctx.prec = before


def _rows_at_random_states(
    ring: Ring, Y: Sequence[Sequence[Element]], count: int
) -> list[list[flint.arb]]:
    """Return at least so many rows in balls, fewer where functions are rarely defined."""
    symbols, rng = free_symbols(ring.generators), random.Random(SEED)
    lengths: Point | None = None
    rows: list[list[flint.arb]] = []
    for _ in range(2 * count):
        point = scaled_point(symbols, rng, positive=True, scaled=False)
        if lengths is None:
            lengths = {x: value for x, value in point.items() if is_constant(x)}
        values = defined_balls(ring.generators, point | lengths, PRECISION)
        if values is None:
            continue
        rows += [[_value(x, values) for x in row] for row in Y]
        if len(rows) >= count:
            break
    return rows


def _value(x: Element, values: list[flint.arb]) -> flint.arb:
    """Return the ball of an element; one that contains all numbers where it divides by zero."""
    found = ball_of(x, values, PRECISION)
    return flint.arb.nan() if found is None else found
