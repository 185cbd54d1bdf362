"""Global search: compiled damped steps inside limits, from many starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.goal import Goal
from dalembert.ik.methods.base import Method, SearchResult, Stop
from dalembert.ik.methods.search_step import ROUND, START
from dalembert.ik.search import STARTS, search_of

if TYPE_CHECKING:
    from dalembert.types import Array

# the places of a search's progress that decide here: restarts, |e|, |W e|²
NUMBER, RESIDUAL, COST = 0, 5, 6
# steps between two looks at a large batch, and at a small one that fills no lanes
FEW, MANY = ROUND, 12 * ROUND
SMALL = 128
# starts that samples try at the same time, all together, if they are few
TOGETHER = 1024
# the number of the first start that arrived, of a sample of which none did: above every number
NONE_ARRIVED = 1 << 62


@dataclass(frozen=True)
class Global(Method):
    """Damped least squares inside limits, from q₀ and then from points spread over the space.

    All samples run side by side in one compiled loop, in which those that no longer get closer
    start again elsewhere; those that arrived leave it after some iterations. Every sample sees the
    same starts in the same order, so that its result depends on neither the batch nor the machine.

    Args:
        restarts: How many further starts at most.
        rounds: Rounds of 10 iterations that one start gets at most.
        seed: Moves the starts.
    """

    restarts: int = 400
    rounds: int = 6
    seed: int = 0

    def search(self, goal: Goal, q: Array) -> SearchResult:
        batch = Batch(self, goal, q)
        while batch.sample.size:
            batch.advance()
        batch.settle()
        return batch.report()


class Batch:
    """The samples of one search, with the searches under way of those that have not arrived.

    A compiled search begins at a start and goes on to the next few by itself. Few samples have
    several under way at the same time. The first start that arrives, in their order, wins, as if
    they had been tried one after the other.
    """

    def __init__(self, method: Global, goal: Goal, q: Array) -> None:
        N = len(q)
        self.method, self.goal, self.space = method, goal, goal.space
        self.search = search_of(goal.problem, goal.space)
        self.first, self.centre = self.search.prepared(q, self.space.finite)
        self.starts = self.space.clipped(self.space.starts(method.restarts, method.seed))
        # of every sample: the best place, its |W e|², the start that arrived, how many were tried
        self.q, self.best = self.first.copy(), np.full(N, np.inf)
        self.winner, self.tried = np.full(N, NONE_ARRIVED), np.zeros(N, int)
        # of every search under way: sample, number of its start, place, progress, steps
        self.sample, self.start, self.here = np.arange(N), np.zeros(N, int), self.first
        self.progress, self.steps = np.tile(START, (N, 1)), np.zeros(N, int)
        self.tried += min(STARTS, method.restarts)
        # of those that ended: sample, number of the start, steps
        none = np.zeros(0, int)
        self.ended = [(none, none, none)]

    def advance(self) -> None:
        """Take some steps; searches then have arrived, go on, or have no start left."""
        goal = self._goal_of(self.sample)
        steps = MANY if len(self.sample) <= SMALL else FEW
        run = self.search.run(
            self.here,
            self.progress,
            goal.targets,
            goal.tolerance,
            self.space.finite,
            self.centre[self.sample],
            self._rows(self.start),
            self._effort(self.start),
            steps=steps,
        )
        self.steps = self.steps + run.steps
        goes_on = run.left > 0
        # a search that is lost in numbers that are not finite is not near anything
        arrived = ~goes_on & (run.progress[:, RESIDUAL] <= goal.tolerance)
        number = self.start + np.nan_to_num(run.progress[:, NUMBER]).astype(int)
        self._arrive(run.place, number, arrived)
        self._remember(run.place, run.progress[:, COST])
        beaten = number > self.winner[self.sample]
        self._go_on(run.q, run.progress, goes_on & ~beaten)

    def _rows(self, start: Array) -> Array:
        """Return the starts that follow a given one, ``(N, STARTS, nq)``."""
        if not len(self.starts):
            return np.broadcast_to(self.first[:1, None], (1, STARTS, self.first.shape[-1]))[0]
        rows = np.minimum(start[:, None] + np.arange(STARTS), len(self.starts) - 1)
        # at first all samples have the same ones
        return self.starts[rows[0]] if not start.any() else self.starts[rows]

    def _effort(self, start: Array) -> Array:
        """Return the rounds of a start, and how many starts follow a given one, ``(N, 2)``."""
        # with the given one a search has as many as the one that begins at q₀ has with it
        number = np.where(start > 0, STARTS - 1, STARTS)
        left = np.minimum(number, self.method.restarts - start)
        return np.stack([np.full(len(start), self.method.rounds), left], axis=-1).astype(float)

    def _arrive(self, place: Array, number: Array, arrived: Array) -> None:
        """Keep the configuration of the first start of each sample that arrived."""
        order = np.flatnonzero(arrived)
        order = order[number[order] < self.winner[self.sample[order]]]
        # of several starts of one sample the first is written last
        order = order[np.argsort(-number[order], kind="stable")]
        self.winner[self.sample[order]] = number[order]
        self.q[self.sample[order]] = place[order]

    def _remember(self, place: Array, cost: Array) -> None:
        """Keep the closest place of those samples that have not arrived."""
        closer = (self.best[self.sample] > cost) & (self.winner[self.sample] == NONE_ARRIVED)
        order = np.flatnonzero(closer)
        order = order[np.argsort(-cost[order], kind="stable")]
        self.best[self.sample[order]], self.q[self.sample[order]] = cost[order], place[order]

    def _go_on(self, q: Array, progress: Array, keep: Array) -> None:
        """Drop the searches that ended; begin new ones of samples that have none left."""
        ended = ~keep
        self.ended.append((self.sample[ended], self.start[ended], self.steps[ended]))
        waiting = np.zeros(len(self.q), bool)
        waiting[self.sample[ended]] = True
        waiting[self.sample[keep]] = False
        waiting &= (self.winner == NONE_ARRIVED) & (self.tried < self.method.restarts)
        who = np.flatnonzero(waiting)
        parts = [x[keep] for x in (self.sample, self.start, q, progress, self.steps)]
        if who.size:
            count = max(1, TOGETHER // (STARTS * len(who)))
            number = self.tried[who][:, None] + STARTS * np.arange(count)
            exists = number < self.method.restarts
            sample, number = np.broadcast_to(who[:, None], exists.shape)[exists], number[exists]
            self.tried[who] += STARTS * exists.sum(axis=-1)
            N = len(number)
            new = [sample, number + 1, self.starts[number], np.tile(START, (N, 1))]
            new.append(np.zeros(N, int))
            parts = [np.concatenate(pair) for pair in zip(parts, new, strict=True)]
        self.sample, self.start, self.here, self.progress, self.steps = parts

    def settle(self) -> None:
        """Move those that did not arrive to the local minimum of |W e| near their best place."""
        missed = np.flatnonzero(self.winner == NONE_ARRIVED)
        if not missed.size:
            return
        q, goal = self.q[missed], self._goal_of(missed)
        moved = goal.problem.settled(q, goal.targets, self.space.loose)
        moved = np.where(np.isfinite(moved), moved, q)
        before, after = (np.linalg.norm(goal.error_and_jacobian(x)[0], axis=-1) for x in (q, moved))
        closest = np.where((after < before)[:, None], moved, q)
        self.q[missed] = self.space.clipped(self.space.wrapped(closest, self.first[missed]))

    def report(self) -> SearchResult:
        """Return where each sample ended."""
        N = len(self.q)
        last = np.minimum(self.winner, self.method.restarts)
        sample, start, steps = (np.concatenate(x) for x in zip(*self.ended, strict=True))
        # only starts up to the one that arrived count; its last step was not taken
        counted = start <= last[sample]
        missed = self.winner == NONE_ARRIVED
        iterations = np.bincount(sample[counted], steps[counted], N).astype(int) - ~missed
        arrived = missed & self.goal.is_reached(self.q)
        stops = np.where(missed & ~arrived, Stop.ITERATIONS, Stop.REACHED)
        path = partial(self.path, int(last[0])) if N == 1 else None
        return SearchResult(self.q, iterations, last, stops, path)

    def path(self, last: int) -> Array:
        """Return the configurations of a single sample since its last start."""
        begin = self.starts[[last - 1]] if last else self.first
        run = self.search.run(
            begin,
            np.array([START]),
            self.goal.targets,
            self.goal.tolerance,
            self.space.finite,
            self.centre,
            self._rows(np.zeros(1, int)),
            np.array([[self.method.rounds, 0.0]]),
            steps=ROUND * self.method.rounds,
            is_recorded=True,
        )
        assert run.path is not None
        return np.concatenate([begin, run.path[0, : int(run.steps[0]) - 1]])

    def _goal_of(self, samples: Array) -> Goal:
        # in the first round each sample has one start, in order
        if len(samples) == len(self.q) and (samples == np.arange(len(samples))).all():
            return self.goal
        return self.goal.of(samples)
