"""One step of a search with restarts, as expressions: what the compiled search repeats.

A step evaluates the error at q and moves on. A search counts its steps in rounds of `ROUND`: at
the end of one that has not brought it closer it starts again elsewhere. It ends at the second
configuration in a row within the tolerance, so that the last step, which is Newton's, is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.expr import PI, Expr, as_expr, sign, sqrt

ROUND = 10
"""Iterations after which a start must be closer."""
PROGRESS = 0.1
"""A round that leaves more than this part of eᵀe is heading for a local minimum."""
FAR = 1e300
"""Stands for eᵀe before the first round."""


class Progress(NamedTuple):
    """What a search remembers from step to step; all numbers, booleans are 0 or 1.

    ``number`` of restarts, ``phase`` in the round, ``round`` of this start, ``last`` eᵀe at the end
    of the round before, whether the last configuration was ``near``, its ``residual`` |e| and
    ``cost`` |W e|².
    """

    number: Expr
    phase: Expr
    round: Expr
    last: Expr
    near: Expr
    residual: Expr
    cost: Expr


START = (0.0, 0.0, 0.0, FAR, 0.0, 0.0, 0.0)
"""The progress before the first step."""


class Decision(NamedTuple):
    """What follows a step: start ``again``, go on while ``left`` is positive."""

    again: Expr
    left: Expr
    progress: Progress


def decide(
    before: Progress,
    square: Expr,
    cost: Expr,
    tolerance: Expr,
    *,
    rounds: Expr,
    restarts: Expr,
    outside: Expr,
) -> Decision:
    """Return what follows from eᵀe = ``square`` and the ``tolerance`` for it.

    ``outside`` counts the numbers of q beyond their bounds.
    """
    near = (1 - positive(square - tolerance)) * (1 - positive(outside))
    arrived = near * before.near
    # at the end of a round: not closer, or too long on the way
    end = positive(before.phase - (ROUND - 1.5))
    stalled = positive(square - PROGRESS * before.last)
    tired = positive(before.round - rounds + 1.5)
    again = end * (1 - near) * either(stalled, tired)
    given_up = again * positive(before.number - restarts + 0.5)
    progress = Progress(
        number=before.number + again,
        phase=(1 - end) * (before.phase + 1),
        round=(1 - again) * (before.round + end),
        last=chosen(again, as_expr(FAR), chosen(end, square, before.last)),
        near=near,
        residual=sqrt(square),
        cost=cost,
    )
    return Decision(again, 1 - arrived - given_up, progress)


def unwound(x: Expr, centre: Expr) -> Expr:
    """Return an angle, one full turn closer to a centre if it is more than half a turn away."""
    turns = positive(x - centre - PI) - positive(centre - x - PI)
    return x - 2 * PI * turns


def count_outside(q: Sequence[Expr], lower: Sequence[Expr], upper: Sequence[Expr]) -> Expr:
    """Return how many numbers are beyond their bounds."""
    total = as_expr(0)
    for x, low, high in zip(q, lower, upper, strict=True):
        total = total + positive(low - x) + positive(x - high)
    return total


def row_of(number: Expr, rows: Sequence[Sequence[Expr]]) -> list[Expr]:
    """Return the row of a number, of zeros where there is none."""
    marks = [1 - sign(number - k) ** 2 for k in range(len(rows))]
    columns = zip(*rows, strict=True)
    return [sum((m * x for m, x in zip(marks, c, strict=True)), as_expr(0)) for c in columns]


def chosen(condition: Expr, a: Expr, b: Expr) -> Expr:
    """Return a where the condition is 1, b where it is 0."""
    return condition * a + (1 - condition) * b


def either(a: Expr, b: Expr) -> Expr:
    """Return 1 where one of two conditions is."""
    return a + b - a * b


def positive(x: Expr) -> Expr:
    """Return 1 where x > 0, else 0."""
    return (1 + sign(2 * sign(x) - 1)) / 2
