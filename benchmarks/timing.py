"""Best of several rounds, all engines in turn in every round."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import process_time_ns
from typing import NamedTuple

Job = Callable[[int], int]
"""Makes a number of passes; returns how many calls that were."""


class Plan(NamedTuple):
    """How long to measure."""

    rounds: int
    # shortest time of one job in one round: short rounds are rarely disturbed
    seconds: float
    # a slow job stops after this time, but makes a few rounds
    limit: float


THOROUGH = Plan(rounds=80, seconds=0.002, limit=2.0)
QUICK = Plan(rounds=12, seconds=0.001, limit=0.2)
FEWEST_ROUNDS = 4


def best_of(jobs: Mapping[str, Job], plan: Plan) -> dict[str, float]:
    """Return the shortest time per call of each job, in nanoseconds.

    Time is that of the processor, all threads of this process together, so that other processes
    do not count. Rounds are interleaved: what disturbs the machine for a while disturbs everybody.
    The shortest round is the one least disturbed.
    """
    passes = {name: _passes(job, plan.seconds) for name, job in jobs.items()}
    best, spent = dict.fromkeys(jobs, float("inf")), dict.fromkeys(jobs, 0)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for k in range(plan.rounds):
            for name, job in jobs.items():
                if k < FEWEST_ROUNDS or spent[name] < 1e9 * plan.limit:
                    ns, calls = _timed(job, passes[name])
                    best[name] = min(best[name], ns / calls)
                    spent[name] += ns
    finally:
        if was_enabled:
            gc.enable()
    return best


def _timed(job: Job, passes: int) -> tuple[int, int]:
    start = process_time_ns()
    calls = job(passes)
    return process_time_ns() - start, calls


def _passes(job: Job, seconds: float) -> int:
    """Return how many passes fill the time; the first one only warms up."""
    job(1)
    ns = max(1, _timed(job, 1)[0])
    return max(1, round(1e9 * seconds / ns))
