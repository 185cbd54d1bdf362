"""When a joint can be at its target: the earliest time from a given one on.

At a time T a joint can be at every place between two ends: its motions together are a convex set,
and `farthest_within` is one end, its mirror image the other. So the earliest time is the one at
which the target becomes one of the ends. A moving joint may have to let its target pass and to
return: then times in between are blocked, and so it is with the velocity alone where both
accelerations have one sign.
"""

from __future__ import annotations

from typing import NamedTuple

from dalembert.control.references.jerk.extreme import (
    Ends,
    at_least,
    at_most,
    choose,
    cruise,
    farthest,
    farthest_within,
    level_of,
)
from dalembert.spatial.scalar import absolute, larger, square_root, step
from dalembert.spatial.vectors import Scalar

ROUNDS = 16
"""Steps of Newton's method, in a bracket: of 100,000 random problems none needs more than 13."""

PROBES = 4
"""Steps to the highest reach before a gap."""

OUTSIDE = 1e-3
"""Part of the bracket by which a step may leave it and is cut: by more, the middle is tried."""

SLACK = 1e-12
"""Part of V T by which a target counts as within reach."""

FLAT = 1e-9
"""Part of V below which a slope leads nowhere."""


def arrival(earliest: Scalar, way: Scalar, ends: Ends) -> Scalar:
    """Return the first time from ``earliest`` on at which a joint can be at its target.

    Args:
        earliest: In s.
        way: How far the target is, in rad or m.
        ends: Velocities and accelerations here and there, inside the limits.
    """
    shortest, gap = _velocity_alone(ends)
    start = at_least(earliest, shortest)
    is_behind = gap.exists * step(start - gap.begin)
    start = choose(is_behind, at_least(start, gap.end), start)
    # before the gap, if the target comes within reach there; else behind it
    is_before = gap.exists * (1 - is_behind)
    missed = _missed(start, way, ends)
    side = 2 * step(missed) - 1
    last = choose(is_before, _farthest_time(start, gap.begin, ends.mirrored(side)), start)
    at_last = farthest_within(last, ends.mirrored(side)).way - side * way
    is_met = larger(step(at_last + SLACK * ends.V * last), 1 - step(absolute(missed)))
    start = choose(is_before * (1 - is_met), gap.end, start)
    return _first_crossing(start, choose(is_before * is_met, last, start), way, ends)


def _farthest_time(start: Scalar, end: Scalar, ends: Ends) -> Scalar:
    """Return about the time between two at which the reach is highest, or the end.

    Before a gap the reach may grow and shrink again: a target may be within it for a while.
    """
    low, high = start, end
    at_low, at_high = (farthest(T, ends).slope for T in (low, high))
    is_inside = step(at_low) * step(-at_high)
    T = end
    for _ in range(PROBES):
        # where the slope vanishes, by the line between its values of both signs
        T = low + (high - low) * at_low / larger(at_low - at_high, FLAT * ends.V)
        slope = farthest(T, ends).slope
        is_rising = step(slope)
        low, at_low = choose(is_rising, T, low), choose(is_rising, slope, at_low)
        high, at_high = choose(is_rising, high, T), choose(is_rising, at_high, slope)
    return choose(is_inside, T, end)


class _Gap(NamedTuple):
    """Times at which the velocity cannot be right, where ``exists`` is 1."""

    exists: Scalar
    begin: Scalar
    end: Scalar


def _velocity_alone(ends: Ends) -> tuple[Scalar, _Gap]:
    """Return the shortest time of the change of velocity and acceleration, and the gap behind it.

    From and to accelerations of one sign the velocity changes by more the longer it takes, until
    the acceleration can change its sign and return.
    """
    v0, a0, v1, a1, _, A, J = ends
    change, middle = J * (v1 - v0), (a0 * a0 + a1 * a1) / 2
    # J times the change along the straight line from a₀ to a₁
    direct = (2 * step(a1 - a0) - 1) * (a1 * a1 - a0 * a0) / 2
    up = 2 * level_of(middle + change, A) - a0 - a1
    down = 2 * level_of(middle - change, A) + a0 + a1
    shortest = choose(1 - step(direct - change), up, down) / J
    # as if both were positive
    seen = (2 * step(a0) - 1) * change
    root = square_root(larger(middle - seen, 0))
    size = absolute(a0 + a1)
    exists = step(a0 * a1) * (1 - step(absolute(direct) - seen)) * step(middle - seen)
    return shortest, _Gap(exists, (size - 2 * root) / J, (size + 2 * root) / J)


def reach(T: Scalar, ends: Ends) -> tuple[Scalar, Scalar]:
    """Return the lowest and the highest place at which a joint can be at the time T."""
    return -farthest_within(T, ends.mirrored(-1)).way, farthest_within(T, ends).way


def _missed(T: Scalar, way: Scalar, ends: Ends) -> Scalar:
    """Return how far a target is beyond reach: above it if positive, zero within."""
    low, high = reach(T, ends)
    slack = SLACK * ends.V * T
    return larger(way - high - slack, 0) - larger(low - slack - way, 0)


def _first_crossing(start: Scalar, last: Scalar, way: Scalar, ends: Ends) -> Scalar:
    """Return the first time at which an end of the reach is at a target that is beyond ``start``.

    It lies before ``last``, where that is later than ``start``.
    """
    missed = _missed(start, way, ends)
    side = 2 * step(missed) - 1
    seen, target = ends.mirrored(side), side * way
    longest, _, _ = cruise(seen)
    is_short = step(last - start)
    low, high = start, choose(is_short, last, at_least(longest, start))
    # from the left first: the reach may grow, shrink and grow again, and the first time counts
    T = start
    for _ in range(ROUNDS):
        found = farthest(at_most(T, longest), seen)
        beyond = found.way - target
        is_early = step(-beyond)
        low, high = choose(is_early, T, low), choose(is_early, high, T)
        new = T - beyond / larger(found.slope, FLAT * ends.V)
        cut = at_least(at_most(new, high), low)
        is_far = step(absolute(new - cut) - OUTSIDE * (high - low))
        T = choose(is_far, (low + high) / 2, cut)
    # at the speed V for the rest
    left = target - farthest(longest, seen).way
    is_cruising = step(left) * (1 - is_short)
    T = choose(is_cruising, longest + left / ends.V, T)
    return choose(step(absolute(missed)), at_least(T, start), start)
