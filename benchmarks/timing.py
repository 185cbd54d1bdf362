"""Best of several rounds, all engines in turn in every round."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import NamedTuple

Timer = Callable[[int], float]
"""Runs a number of passes; returns nanoseconds per call."""


class Plan(NamedTuple):
    """How long to measure: rounds, and the shortest time of one engine in one round."""

    rounds: int
    seconds: float


THOROUGH = Plan(rounds=40, seconds=0.004)
QUICK = Plan(rounds=8, seconds=0.002)


def best_of(timers: Mapping[str, Timer], plan: Plan) -> dict[str, float]:
    """Return the shortest time per call of each timer, in nanoseconds.

    Rounds are interleaved: what disturbs the machine for a while disturbs everybody. The shortest
    round is the one least disturbed.
    """
    passes = {name: _passes(timer, plan.seconds) for name, timer in timers.items()}
    best = dict.fromkeys(timers, float("inf"))
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(plan.rounds):
            for name, timer in timers.items():
                best[name] = min(best[name], timer(passes[name]))
    finally:
        if was_enabled:
            gc.enable()
    return best


def _passes(timer: Timer, seconds: float) -> int:
    """Return how many passes fill the time; the first one only warms up."""
    timer(1)
    start = perf_counter()
    timer(1)
    return max(1, round(seconds / (perf_counter() - start)))
