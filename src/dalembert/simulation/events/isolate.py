"""All sign changes of an expression in a step, each by itself: none is overlooked.

The states in a step are a polynomial. In a cell of the step, bounds of the expression and of its
rate tell that it has no zero there, or that it rises or falls all along, with at most one zero.
Other cells are divided, until they are as short as rounding. So the zeros of the polynomial motion
are found whatever their number; its cost is one call of compiled code for each halving.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from dalembert.simulation.events.quantity import Expression, Reading

TIMES = 2
"""Last places of the time within which a zero is not resolved."""

FIRST_CELLS = 8
FIRST_RADIUS = 0.5 / FIRST_CELLS
DIVISION = 4
MAX_STEPS = 100
MAX_CELLS = 100_000
"""So many cells of a step are looked at; what is not decided then is decided at their ends."""


@cache
def _factors(degree: int) -> np.ndarray:
    """Return what derivatives of order 0 to 3 multiply the coefficients of a polynomial by."""
    k = np.arange(degree + 1.0)
    return np.array([k**0, k, k * (k - 1), k * (k - 1) * (k - 2)])


def _powers(s: np.ndarray, degree: int) -> np.ndarray:
    """Return the matrices that take coefficients to values and two derivatives at s."""
    k = np.arange(degree + 1)
    return np.array(
        [_factors(degree)[order] * s[:, None] ** np.maximum(k - order, 0) for order in range(3)]
    )


@cache
def _first_powers(degree: int) -> np.ndarray:
    return _powers((np.arange(FIRST_CELLS) + 0.5) / FIRST_CELLS, degree)


class Polynomial:
    """The states of a step as powers of s, which runs from 0 to 1; ``t = t0 + s h``."""

    def __init__(self, t0: float, h: float, coefficients: np.ndarray) -> None:
        self.t0, self.h, self.coefficients = t0, h, coefficients
        self.degree = len(coefficients) - 1
        self.ulp = math.ulp(abs(t0) + abs(h))
        # bounds of the second and third derivative
        self.second, self.third = _factors(self.degree)[2:] @ np.abs(coefficients)

    def at(self, s: np.ndarray) -> np.ndarray:
        """Return states ``(N, n)``."""
        return s[:, None] ** np.arange(self.degree + 1) @ self.coefficients

    def state_and_rate(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """Return x and ẋ at one place."""
        powers = s ** np.arange(self.degree + 1)
        slopes = np.arange(1, self.degree + 1) * powers[:-1]
        return powers @ self.coefficients, slopes @ self.coefficients[1:] / self.h

    def cells(self, s: np.ndarray, r: float) -> np.ndarray:
        """Return centres and radii of (x, t) and of (ẋ, 1) in cells of radius r around s."""
        powers = _first_powers if s.size == FIRST_CELLS and r == FIRST_RADIUS else None
        matrices = powers(self.degree) if powers else _powers(s, self.degree)
        x, first, second = matrices @ self.coefficients
        found = np.zeros((4, len(s), x.shape[1] + 1))
        found[0, :, :-1], found[0, :, -1] = x, self.t0 + s * self.h
        found[1, :, :-1], found[1, :, -1] = (
            r * (np.abs(first) + r / 2 * self.second),
            r * abs(self.h),
        )
        found[2, :, :-1] = first / self.h
        found[3, :, :-1] = r / abs(self.h) * (np.abs(second) + r / 2 * self.third)
        return found


def first_cells(t: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Return `Polynomial.cells` of the first cells of N steps, ``(4, 8 N, n + 1)``.

    ``t`` are the N + 1 times of the steps, ``coefficients`` their polynomials.
    """
    number, length, n = coefficients.shape
    h, r = np.diff(t)[:, None, None], FIRST_RADIUS
    x, first, second = _first_powers(length - 1)[:, None] @ coefficients
    # bounds of the second and third derivative
    bend, twist = _factors(length - 1)[2:, None, None] @ np.abs(coefficients)
    found = np.zeros((4, number, FIRST_CELLS, n + 1))
    found[0, ..., :-1], found[1, ..., :-1] = x, r * (np.abs(first) + r / 2 * bend)
    places = (np.arange(FIRST_CELLS) + 0.5) / FIRST_CELLS
    found[0, ..., -1], found[1, ..., -1] = t[:-1, None] + places * h[..., 0], r * np.abs(h[..., 0])
    found[2, ..., :-1] = first / h
    found[3, ..., :-1] = r / np.abs(h) * (np.abs(second) + r / 2 * twist)
    return found.reshape(4, number * FIRST_CELLS, n + 1)


class Cell(NamedTuple):
    """A part of a step in which a quantity may change its sign once."""

    start: float
    end: float


def cells_with_zeros(quantity: Expression, motion: Polynomial, noise: float) -> list[Cell]:
    """Return the cells, in their order, and an empty one at the end if others vanish all along.

    Args:
        quantity: What may vanish.
        motion: The states of the step.
        noise: What cannot be told from zero because the state is not known better.
    """
    found: list[Cell] = []
    has_vanished = False
    count, r = FIRST_CELLS, FIRST_RADIUS
    centres = (np.arange(FIRST_CELLS) + 0.5) / FIRST_CELLS
    shortest = 16 * motion.ulp / abs(motion.h)
    while centres.size:
        g, rg, rate, rr, rounding = quantity.bounds(motion.cells(centres, r))
        rounding = rounding + noise + TIMES * motion.ulp * np.abs(rate)
        open_ = ~(np.abs(g) > rg + rounding)
        # zero all along, or close enough
        vanishes = open_ & (np.abs(g) + rg <= rounding)
        has_vanished |= bool(vanishes.any())
        open_ &= ~vanishes
        # the rate has one sign
        steady = open_ & (np.abs(rate) > rr)
        divided = open_ & ~steady
        is_done = 2 * r <= shortest or count > MAX_CELLS
        kept = centres[open_ if is_done else steady]
        found += [Cell(float(s) - r, float(s) + r) for s in kept]
        if is_done:
            break
        parts = (2 * np.arange(DIVISION) + 1 - DIVISION) * r / DIVISION
        centres = (centres[divided][:, None] + parts).ravel()
        r, count = r / DIVISION, count + centres.size
    return [*sorted(found), *([Cell(1.0, 1.0)] if has_vanished else [])]


def sign_changes(
    quantity: Expression,
    motion: Polynomial,
    side: int,
    noise: float,
) -> Iterator[tuple[float, int]]:
    """Yield s and the side of zero after it for every sign change of a step that begins on a side.

    A change at the very end of the step counts if the rate leads through zero.
    """
    cells = cells_with_zeros(quantity, motion, noise)
    if not cells:
        return
    # behind each cell, where nothing is left of it to rounding
    starts = [*(cell.start for cell in cells[1:]), 1.0]
    behind = [(cell.end + start) / 2 for cell, start in zip(cells, starts, strict=True)]
    places = np.array([*behind, 1.0])
    value, _, rate, _, rounding = quantity.bounds(motion.cells(places, 0.0))
    least = rounding + noise + TIMES * motion.ulp * np.abs(rate)
    before = 0.0
    for k, place in enumerate(behind):
        if side * value[k] < -least[k]:
            yield _root(quantity, motion, Cell(before, place), side), -side
            side = -side
        before = place
    if abs(value[-1]) <= least[-1] and side * rate[-1] * motion.h < 0:
        yield 1.0, -side


def _at(quantity: Expression, motion: Polynomial, s: float) -> Reading:
    """Return the quantity at a place in the step, and its rate."""
    return quantity.read(motion.t0 + s * motion.h, *motion.state_and_rate(s))


def _root(quantity: Expression, motion: Polynomial, cell: Cell, side: int) -> float:
    """Return where the quantity falls through zero, by Newton's method between brackets."""
    a, b = max(cell.start, 0.0), min(cell.end, 1.0)
    s, least = (a + b) / 2, motion.ulp / abs(motion.h)
    for _ in range(MAX_STEPS):
        value, rate, _ = _at(quantity, motion, s)
        if side * value < 0:
            b = s
        else:
            a = s
        slope = rate * motion.h
        new = s - value / slope if slope else math.inf
        if not a <= new <= b:
            new = (a + b) / 2
        if abs(new - s) <= least:
            return new
        s = new
    return s
