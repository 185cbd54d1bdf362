"""The plan of one joint: a brake, then a mixture of the two motions that come farthest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.control.references.jerk.arrival import SLACK, arrival
from dalembert.control.references.jerk.brake import Braked, braked
from dalembert.control.references.jerk.extreme import (
    Ends,
    Phase,
    advanced,
    at_most,
    choose,
    farthest_within,
)
from dalembert.spatial.scalar import clamped, larger, step
from dalembert.spatial.vectors import Scalar

RISES = (1, 0, -1, 0, -1, 0, 1)
"""The sign of the jerk in the phases of a motion that comes farthest."""

BRAKES = 3
"""Phases of a brake."""


class Question(NamedTuple):
    """What one joint is asked: from p0, v0, a0 to p1, v1, a1 within V, A, J."""

    p0: Scalar
    v0: Scalar
    a0: Scalar
    p1: Scalar
    v1: Scalar
    a1: Scalar
    V: Scalar
    A: Scalar
    J: Scalar


class Plan(NamedTuple):
    """What a joint does: durations and jerks, as rows of numbers.

    Attributes:
        brake: Three durations, and the jerks of the first two.
        upper: Durations of the phases of the motion that comes farthest up.
        lower: Those of its mirror image.
        part: θ of the mixture θ upper + (1 - θ) lower.
    """

    brake: Sequence[Scalar]
    upper: Sequence[Scalar]
    lower: Sequence[Scalar]
    part: Scalar


def earliest_arrival(after: Scalar, asked: Question) -> Scalar:
    """Return the first time from ``after`` on at which a joint can be at its target, in s."""
    first, ends, way = _behind_the_brake(asked)
    return first.duration + arrival(larger(after - first.duration, 0), way, ends)


def plan(T: Scalar, asked: Question) -> Plan:
    """Return what brings a joint to its target at the time T, one at which it can be there."""
    first, ends, way = _behind_the_brake(asked)
    left = larger(T - first.duration, 0)
    up, down = farthest_within(left, ends), farthest_within(left, ends.mirrored(-1))
    # all motions together are a convex set: a mixture keeps the limits that both keep
    low, high = -down.way, up.way
    width = high - low
    is_wide = step(width - SLACK * ends.V * left)
    part = clamped((way - low) / choose(is_wide, width, 1), 0, 1)
    times = [[phase.duration for phase in passage.phases] for passage in (up, down)]
    brakes = [*(phase.duration for phase in first.phases), *(x.jerk for x in first.phases[:2])]
    return Plan(brakes, times[0], times[1], part)


def state_at(
    t: Scalar, start: Sequence[Scalar], found: Plan, J: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return position, velocity, acceleration and jerk of a joint at the time t of its plan.

    Args:
        t: In s; before its begin and behind its end the plan stands still.
        start: Position, velocity and acceleration at its begin.
        found: The plan.
        J: Its limit of jerk.
    """
    first, second = found.brake[BRAKES:]
    brakes = [
        Phase(t, jerk) for t, jerk in zip(found.brake[:BRAKES], (first, second, 0), strict=True)
    ]
    # the acceleration that the brake leaves, and the limits of jerk, are those of the plan
    p, v, a, jerk, t = _along(t, (*start,), brakes)
    mixed: list[Scalar] = []
    for times, side, weight in (
        (found.upper, 1, found.part),
        (found.lower, -1, 1 - found.part),
    ):
        phases = [Phase(d, side * k * J) for d, k in zip(times, RISES, strict=True)]
        *state, _ = _along(t, (0, v, a), phases)
        weighted = [weight * x for x in state]
        mixed = [x + y for x, y in zip(mixed, weighted, strict=True)] if mixed else weighted
    return p + mixed[0], mixed[1], mixed[2], jerk + mixed[3]


def _along(
    t: Scalar, state: tuple[Scalar, Scalar, Scalar], phases: Sequence[Phase]
) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
    """Return the state and the jerk after a time of some phases, and the time that is left."""
    now: Scalar = 0
    for duration, jerk in phases:
        spent = at_most(larger(t, 0), duration)
        state = advanced(*state, spent, jerk)
        # the phase that holds at this time: it has begun and is not over
        now = now + jerk * (1 - step(-t)) * step(duration - t)
        t = t - duration
    return *state, now, t


def _behind_the_brake(asked: Question) -> tuple[Braked, Ends, Scalar]:
    p0, v0, a0, p1, v1, a1, V, A, J = asked
    first = braked(v0, a0, V, A, J)
    return first, Ends(first.v, first.a, v1, a1, V, A, J), p1 - p0 - first.way
