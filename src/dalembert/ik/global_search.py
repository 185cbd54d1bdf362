"""The search that starts again: compiled damped steps inside limits, from many places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.ik.method import Method, Search, Stop
from dalembert.ik.problem import Problem
from dalembert.ik.space import Space

# iterations between two looks at the batch: most samples need one or two rounds
ROUND = 10
# a round that leaves more than this of eᵀe is heading for a local minimum
PROGRESS = 0.1
# iterations for a target that stays out of reach, where convergence is linear
SETTLE = 300


@dataclass(frozen=True)
class Global(Method):
    """Damped least squares inside limits, from q₀ and then from points spread over the space.

    All samples run side by side in one compiled loop. After every few iterations those that arrived
    leave it, and those that no longer get closer start again elsewhere. Every sample sees the same
    starts in the same order, so that its result depends on neither the batch nor the machine.

    Args:
        restarts: How many further starts at most.
        rounds: Rounds of 10 iterations that one start gets at most.
        seed: Moves the starts.
    """

    restarts: int = 200
    rounds: int = 6
    seed: int = 0

    def search(
        self,
        problem: Problem,
        space: Space,
        q: np.ndarray,
        targets: Sequence[np.ndarray],
        tolerance: float,
    ) -> Search:
        N = len(q)
        first = q
        starts = space.clipped(space.starts(self.restarts, self.seed))
        begin, best = space.clipped(q), np.full(N, np.inf)
        result = begin.copy()
        iterations, restarts = np.zeros(N, int), np.zeros(N, int)
        stops = np.full(N, Stop.ITERATIONS)
        # of a single sample: its configurations since the last start
        path = [begin]
        # samples under way: number, place, last eᵀe, rounds since their start
        active, here = np.arange(N), begin
        last, age = np.full(N, np.inf), np.zeros(N, int)
        lower, upper = space.loose
        bounds = (lower, upper, 0.0, tolerance**2)
        while active.size:
            aims = targets if len(active) == N else [x[active] for x in targets]
            run = problem.iteration(here, *aims, *bounds, steps=ROUND, record=int(N == 1))
            moved, E, F = run.outputs[:3]
            if not run.is_finite:
                E, F = (np.where(np.isfinite(x), x, np.inf) for x in (E, F))
                moved = np.where(np.isfinite(moved), moved, here)
            iterations[active] += run.steps.astype(int)
            age += 1
            # arrived: full turns back into the limits, then |e| by another kernel
            done = np.zeros(len(active), bool)
            near = np.flatnonzero(E <= tolerance**2)
            if near.size:
                inside = space.clipped(space.wrapped(moved[near], first[active[near]]))
                norm = problem.norm(inside, [x[near] for x in aims])
                good = norm <= tolerance
                done[near[good]] = True
                result[active[near[good]]] = inside[good]
            stops[active[done]] = Stop.REACHED
            # the closest place so far, should none be good enough
            closer = ~done & (F < best[active])
            best[active[closer]] = F[closer]
            result[active[closer]] = moved[closer]
            # no longer closer: start again
            stuck = ~done & ((E > PROGRESS * last) | (E <= tolerance**2) | (age >= self.rounds))
            spent = stuck & (restarts[active] >= self.restarts)
            again = np.flatnonzero(stuck & ~spent)
            if N == 1:
                path.append(run.records[0][0, : int(run.steps[0])])
                if again.size:
                    path = [starts[restarts]]
            moved[again] = starts[restarts[active[again]]]
            restarts[active[again]] += 1
            E[again], age[again] = np.inf, 0
            keep = ~done & ~spent
            active, here, last, age = active[keep], moved[keep], E[keep], age[keep]
        missed = np.flatnonzero(stops != Stop.REACHED)
        if missed.size:
            aims = [x[missed] for x in targets]
            closest = _settled(problem, result[missed], aims, bounds)
            result[missed] = space.clipped(space.wrapped(closest, first[missed]))
            stops[missed[problem.norm(result[missed], aims) <= tolerance]] = Stop.REACHED
        return Search(
            result, iterations, restarts, stops, np.concatenate(path) if N == 1 else None
        )


def _settled(
    problem: Problem, q: np.ndarray, targets: Sequence[np.ndarray], bounds: Any
) -> np.ndarray:
    """Return the local minima of |W e| near configurations, or these where it got no closer."""
    lower, upper, *_ = bounds
    moved = problem.iteration(q, *targets, lower, upper, 1.0, 0.0, steps=SETTLE).outputs[0]
    moved = np.where(np.isfinite(moved), moved, q)
    before, after = (
        np.linalg.norm(problem.system(x, *targets)[0], axis=-1) for x in (q, moved)
    )
    return np.where((after < before)[:, None], moved, q)
