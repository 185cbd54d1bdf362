"""The way back of a joint whose state is beyond its limits, or cannot but go beyond them."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.control.references.jerk.extreme import Phase, advanced, at_least, at_most, choose
from dalembert.spatial.scalar import absolute, larger, square_root, step
from dalembert.spatial.vectors import Scalar

ROUNDING = 1e-12
"""Part of V by which a velocity may exceed it without a brake."""


class Braked(NamedTuple):
    """Phases that lead inside the limits, their duration, and the state behind them."""

    phases: tuple[Phase, ...]
    duration: Scalar
    way: Scalar
    v: Scalar
    a: Scalar


def braked(v: Scalar, a: Scalar, V: Scalar, A: Scalar, J: Scalar) -> Braked:
    """Return the quickest way to a state from which the limits can be kept.

    That is one with v + a |a|/(2J) within ±V: the velocity at which the acceleration can vanish.
    Inside it takes no time.
    """
    way: Scalar = 0
    # |a| down to A
    first = Phase(larger(absolute(a) - A, 0) / J, (1 - 2 * step(a)) * J)
    way, v, a = advanced(way, v, a, *first)
    a = at_least(at_most(a, A), -A)
    # seen so that the velocity is too large
    side = 2 * step(v) - 1
    speed, push = side * v, side * a
    is_over = step(speed + push * absolute(push) / (2 * J) - (1 + ROUNDING) * V)
    # falls at -J until speed - push²/(2J) = V, with a stay at -A
    deepest = square_root(larger(push * push / 2 + J * (speed - V), 0))
    depth = at_most(deepest, A)
    second = Phase(is_over * larger(push + depth, 0) / J, -side * J)
    way, v, a = advanced(way, v, a, *second)
    above = larger(side * v - V - A * A / (2 * J), 0)
    third = Phase(is_over * step(deepest - A) * above / A, 0 * J)
    way, v, a = advanced(way, v, a, *third)
    a = choose(is_over, -side * depth, a)
    phases = (first, second, third)
    return Braked(phases, first.duration + second.duration + third.duration, way, v, a)
