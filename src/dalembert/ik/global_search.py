"""The search that starts again: compiled damped steps inside limits, from many places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

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
        flight = Flight(self, problem, space, q, targets, tolerance)
        while flight.active.size:
            flight.advance()
        flight.settle()
        return flight.report()


class Flight:
    """A batch under way; each place in the lists of ``active`` belongs to one sample."""

    def __init__(
        self,
        method: Global,
        problem: Problem,
        space: Space,
        q: np.ndarray,
        targets: Sequence[np.ndarray],
        tolerance: float,
    ) -> None:
        N = len(q)
        self.method, self.problem, self.space = method, problem, space
        self.first, self.targets, self.tolerance = q, targets, tolerance
        # of every sample: the best place and its |W e|², and what the search took
        self.q, self.best = space.clipped(q), np.full(N, np.inf)
        self.iterations, self.restarts = np.zeros(N, int), np.zeros(N, int)
        self.stops = np.full(N, Stop.ITERATIONS)
        # of those under way: number, place, last eᵀe, rounds since their start
        self.active, self.here = np.arange(N), self.q.copy()
        self.last, self.age = np.full(N, np.inf), np.zeros(N, int)
        # of a single sample: its configurations since the last start
        self.path = [self.here]

    @cached_property
    def starts(self) -> np.ndarray:
        """Where to start again."""
        return self.space.clipped(self.space.starts(self.method.restarts, self.method.seed))

    def advance(self) -> None:
        """Iterate once more, and sort out who arrived, goes on or starts again."""
        active, is_single = self.active, len(self.q) == 1
        aims = self._aims(active)
        run = self.problem.iterate(
            self.here,
            aims,
            self.space.loose,
            steps=ROUND,
            tolerance=self.tolerance,
            record=int(is_single),
        )
        moved, E, F = run.outputs
        if not run.is_finite:
            E, F = (np.where(np.isfinite(x), x, np.inf) for x in (E, F))
            moved = np.where(np.isfinite(moved), moved, self.here)
        self.iterations[active] += run.steps.astype(int)
        self.age += 1
        if is_single:
            self.path.append(run.records[0][0, : int(run.steps[0])])
        near = self.tolerance**2 >= E
        done = self._arrived(moved, near, aims)
        # the closest place so far, should none be good enough
        closer = ~done & (self.best[active] > F)
        self.best[active[closer]], self.q[active[closer]] = F[closer], moved[closer]
        # no longer closer, or there but outside the limits: start again
        stuck = (PROGRESS * self.last < E) | near | (self.age >= self.method.rounds)
        keep = self._restarted(moved, E, stuck & ~done) & ~done
        self.active, self.here = active[keep], moved[keep]
        self.last, self.age = E[keep], self.age[keep]

    def _arrived(
        self, moved: np.ndarray, near: np.ndarray, aims: Sequence[np.ndarray]
    ) -> np.ndarray:
        """Tell who is there within the limits, after full turns, by a kernel of its own."""
        done = np.zeros(len(near), bool)
        places = np.flatnonzero(near)
        if places.size:
            numbers = self.active[places]
            q = self.space.clipped(self.space.wrapped(moved[places], self.first[numbers]))
            good = self.problem.norm(q, [x[places] for x in aims]) <= self.tolerance
            done[places[good]] = True
            self.q[numbers[good]] = q[good]
            self.stops[numbers[good]] = Stop.REACHED
        return done

    def _restarted(self, moved: np.ndarray, E: np.ndarray, stuck: np.ndarray) -> np.ndarray:
        """Put those who are stuck to their next start; tell who may go on."""
        spent = stuck & (self.restarts[self.active] >= self.method.restarts)
        again = np.flatnonzero(stuck & ~spent)
        if not again.size:
            return ~spent
        numbers = self.active[again]
        moved[again] = self.starts[self.restarts[numbers]]
        self.restarts[numbers] += 1
        E[again], self.age[again] = np.inf, 0
        if len(self.q) == 1:
            self.path = [moved]
        return ~spent

    def settle(self) -> None:
        """Move those that did not arrive to the local minimum of |W e| near their best place."""
        missed = np.flatnonzero(self.stops != Stop.REACHED)
        if not missed.size:
            return
        q, aims = self.q[missed], self._aims(missed)
        run = self.problem.iterate(q, aims, self.space.loose, steps=SETTLE, caution=1.0)
        moved = np.where(np.isfinite(run.outputs[0]), run.outputs[0], q)
        before, after = (
            np.linalg.norm(self.problem.system(x, *aims)[0], axis=-1) for x in (q, moved)
        )
        closest = np.where((after < before)[:, None], moved, q)
        closest = self.space.clipped(self.space.wrapped(closest, self.first[missed]))
        self.q[missed] = closest
        self.stops[missed[self.problem.norm(closest, aims) <= self.tolerance]] = Stop.REACHED

    def report(self) -> Search:
        """Return where everybody ended."""
        path = np.concatenate(self.path) if len(self.q) == 1 else None
        return Search(self.q, self.iterations, self.restarts, self.stops, path)

    def _aims(self, numbers: np.ndarray) -> Sequence[np.ndarray]:
        is_everybody = len(numbers) == len(self.q)
        return self.targets if is_everybody else [x[numbers] for x in self.targets]
