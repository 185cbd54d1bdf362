"""Global search: compiled damped steps inside limits, from many starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.goal import Goal
from dalembert.ik.methods.base import Method, SearchResult, Stop

if TYPE_CHECKING:
    from dalembert.types import Array

# iterations between two looks at the batch: most samples need one or two rounds
ROUND = 10
# a round that leaves more than this of eᵀe is heading for a local minimum
PROGRESS = 0.1
# starts that samples try at the same time, all together, if they are few
TOGETHER = 128
# the number of the first start that arrived, of a sample of which none did: above every number
NONE_ARRIVED = 1 << 62
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
    """The samples of one search, with the starts under way of those that have not arrived.

    Few samples try many starts at the same time. The first start that arrives, in their order,
    wins, as if they had been tried one after the other.
    """

    def __init__(self, method: Global, goal: Goal, q: Array) -> None:
        N = len(q)
        self.method, self.goal, self.space, self.first = method, goal, goal.space, q
        # of every sample: the best place, its |W e|², the start that arrived, how many were tried
        self.q, self.best = self.space.clipped(q), np.full(N, np.inf)
        self.winner, self.tried = np.full(N, NONE_ARRIVED), np.zeros(N, int)
        # of every start under way: sample, number, place, last eᵀe, rounds, iterations
        self.sample, self.start, self.here = np.arange(N), np.zeros(N, int), self.q.copy()
        self.last, self.age, self.steps = np.full(N, np.inf), np.zeros(N, int), np.zeros(N, int)
        # of those that ended: sample, number, iterations
        none = np.zeros(0, int)
        self.ended = [(none, none, none)]

    @cached_property
    def starts(self) -> Array:
        """Where to start again."""
        return self.space.clipped(self.space.starts(self.method.restarts, self.method.seed))

    def advance(self) -> None:
        """Iterate one round; samples then have arrived, go on, or start again."""
        goal = self._goal_of(self.sample)
        run = goal.problem.iterate(
            self.here, goal.targets, self.space.loose, steps=ROUND, tolerance=goal.tolerance
        )
        moved, E, F = run.q, run.square, run.weighted_square
        if not run.is_finite:
            E, F = (np.where(np.isfinite(x), x, np.inf) for x in (E, F))
            moved = np.where(np.isfinite(moved), moved, self.here)
        self.steps += run.steps.astype(int)
        self.age += 1
        near = goal.tolerance**2 >= E
        done = self._arrive(moved, near, goal)
        self._remember(moved, F)
        # no longer closer, or there but outside the limits
        stuck = (PROGRESS * self.last < E) | near | (self.age >= self.method.rounds)
        beaten = self.start > self.winner[self.sample]
        self._go_on(moved, E, ~(done | stuck | beaten))

    def _arrive(self, moved: Array, near: Array, goal: Goal) -> Array:
        """Tell which starts reach their target within the limits, by a kernel of its own.

        Angles may change by full turns to be within the limits.
        """
        done = np.zeros(len(near), bool)
        places = np.flatnonzero(near)
        if places.size:
            samples = self.sample[places]
            q = self.space.clipped(self.space.wrapped(moved[places], self.first[samples]))
            good = goal.of(places).is_reached(q)
            done[places[good]] = True
            good &= self.start[places] < self.winner[samples]
            # of several starts of one sample the first is written last
            order = np.flatnonzero(good)[np.argsort(-self.start[places[good]], kind="stable")]
            self.winner[samples[order]] = self.start[places[order]]
            self.q[samples[order]] = q[order]
        return done

    def _remember(self, moved: Array, F: Array) -> None:
        """Keep the closest place of those samples that have not arrived."""
        closer = (self.best[self.sample] > F) & (self.winner[self.sample] == NONE_ARRIVED)
        order = np.flatnonzero(closer)
        order = order[np.argsort(-F[order], kind="stable")]
        self.best[self.sample[order]], self.q[self.sample[order]] = F[order], moved[order]

    def _go_on(self, moved: Array, E: Array, keep: Array) -> None:
        """Drop the starts that ended; begin new ones of samples that have none left."""
        ended = ~keep
        self.ended.append((self.sample[ended], self.start[ended], self.steps[ended]))
        waiting = np.zeros(len(self.q), bool)
        waiting[self.sample[ended]] = True
        waiting[self.sample[keep]] = False
        waiting &= (self.winner == NONE_ARRIVED) & (self.tried < self.method.restarts)
        who = np.flatnonzero(waiting)
        parts = [x[keep] for x in (self.sample, self.start, moved, E, self.age, self.steps)]
        if who.size:
            number = self.tried[who][:, None] + np.arange(max(1, TOGETHER // len(who)))
            exists = number < self.method.restarts
            sample, number = np.broadcast_to(who[:, None], exists.shape)[exists], number[exists]
            self.tried[who] += exists.sum(axis=-1)
            count = len(number)
            zeros, far = np.zeros(count, int), np.full(count, np.inf)
            new = [sample, number + 1, self.starts[number], far, zeros, zeros]
            parts = [np.concatenate(pair) for pair in zip(parts, new, strict=True)]
        self.sample, self.start, self.here, self.last, self.age, self.steps = parts

    def settle(self) -> None:
        """Move those that did not arrive to the local minimum of |W e| near their best place."""
        missed = np.flatnonzero(self.winner == NONE_ARRIVED)
        if not missed.size:
            return
        q, goal = self.q[missed], self._goal_of(missed)
        run = goal.problem.iterate(q, goal.targets, self.space.loose, steps=SETTLE, caution=1.0)
        moved = np.where(np.isfinite(run.q), run.q, q)
        before, after = (np.linalg.norm(goal.error_and_jacobian(x)[0], axis=-1) for x in (q, moved))
        closest = np.where((after < before)[:, None], moved, q)
        self.q[missed] = self.space.clipped(self.space.wrapped(closest, self.first[missed]))

    def report(self) -> SearchResult:
        """Return where each sample ended."""
        N = len(self.q)
        last = np.minimum(self.winner, self.method.restarts)
        sample, start, steps = (np.concatenate(x) for x in zip(*self.ended, strict=True))
        # only starts up to the one that arrived count
        counted = start <= last[sample]
        iterations = np.bincount(sample[counted], steps[counted], N).astype(int)
        missed = self.winner == NONE_ARRIVED
        arrived = missed & self.goal.is_reached(self.q)
        stops = np.where(missed & ~arrived, Stop.ITERATIONS, Stop.REACHED)
        return SearchResult(self.q, iterations, last, stops, self._path(last) if N == 1 else None)

    def _path(self, last: Array) -> Array:
        """Return the configurations of a single sample since its last start."""
        begin = self.starts[last - 1] if last[0] else self.space.clipped(self.first)
        run = self.goal.problem.iterate(
            begin,
            self.goal.targets,
            self.space.loose,
            steps=ROUND * self.method.rounds,
            tolerance=self.goal.tolerance,
            is_recorded=True,
        )
        assert run.path is not None
        return np.concatenate([begin, run.path[0, : int(run.steps[0])]])

    def _goal_of(self, samples: Array) -> Goal:
        # in the first round each sample has one start, in order
        if len(samples) == len(self.q) and (samples == np.arange(len(samples))).all():
            return self.goal
        return self.goal.of(samples)
