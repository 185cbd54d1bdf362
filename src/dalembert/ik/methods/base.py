"""The base of all methods of inverse kinematics, and the loop of those that go step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.ik.goal import Aim, Goal

if TYPE_CHECKING:
    from dalembert.types import Array

StepSize = float | Sequence[float] | Callable[[int], float | Sequence[float]]
"""α_k: a number, one for each velocity, or a function of k = 1, 2, … that returns either."""


class Stop(IntEnum):
    """Why a search ended."""

    REACHED = 0
    ITERATIONS = 1
    STALLED = 2
    SINGULAR = 3


@dataclass(frozen=True)
class SearchResult:
    """Where a search ended: for each sample q, iterations, restarts and a `Stop`.

    ``path`` returns all configurations of a single sample.
    """

    q: Array
    iterations: Array
    restarts: Array
    stops: Array
    path: Callable[[], Array] | None


@dataclass(frozen=True)
class Method(ABC):
    """A numerical method that looks for q; its fields are its options."""

    @abstractmethod
    def search(self, goal: Goal, q: Array) -> SearchResult:
        """Look for the goal's configurations, from ``q`` ``(N, nq)``."""


@dataclass(frozen=True)
class Iteration(Method):
    """The iteration q_k = q_{k-1} + α_k δ(q_{k-1}); members define δ.

    Args:
        step: α_k.
        iterations: How many at most.
    """

    step: StepSize = 1.0
    iterations: int = 100

    @abstractmethod
    def direction(self, e: Array, J: Array, memory: Array) -> Array:
        """Return δ ``(N, nv)`` for errors ``(N, m)`` and Jacobians ``(N, m, nv)``.

        A row of NaN where there is none. ``memory`` is one number for each sample.
        """

    def start_memory(self) -> float:
        """Return the number that each sample starts with."""
        return 0.0

    def accepts(self, old: Array, new: Array, memory: Array) -> Array:
        """Tell which steps to keep, from weighted |e| before and after; may change the memory."""
        return np.ones(len(old), bool)

    def search(self, goal: Aim, q: Array) -> SearchResult:
        q = goal.clipped(q)
        N = len(q)
        stops = np.full(N, Stop.ITERATIONS)
        count = np.zeros(N, int)
        memory = np.full(N, self.start_memory())
        path = [q[0].copy()] if N == 1 else None
        e, J = goal.error_and_jacobian(q)
        reached = goal.is_reached(q)
        stops[reached] = Stop.REACHED
        active = np.flatnonzero(~reached)
        for k in range(1, self.iterations + 1):
            if not active.size:
                break
            here, aim, kept = q[active], goal.of(active), memory[active]
            # q_k = q_{k-1} + α_k δ, inside the bounds
            delta = self.size(k) * self.direction(e[active], J[active], kept)
            exists = np.isfinite(delta).all(axis=-1)
            delta[~exists] = 0.0
            trial = goal.clipped(goal.moved(here, delta))
            new_e, new_J = aim.error_and_jacobian(trial)
            # keep it where it is accepted, else try again from the same place
            lengths = (np.linalg.norm(x, axis=-1) for x in (e[active], new_e))
            good = self.accepts(*lengths, kept) & exists
            memory[active] = kept
            moved = active[good]
            q[moved], e[moved], J[moved] = trial[good], new_e[good], new_J[good]
            count[active] = k
            if path is not None:
                path.append(q[0].copy())
            # those that arrived or cannot move are done
            reached = aim.is_reached(q[active])
            still = good & (np.abs(trial - here).max(axis=-1) == 0)
            stops[active[still]] = Stop.STALLED
            stops[active[~exists]] = Stop.SINGULAR
            stops[active[reached]] = Stop.REACHED
            active = active[~reached & exists & ~still]
        zeros = np.zeros(N, int)
        recall = None if path is None else partial(np.array, path)
        return SearchResult(q, count, zeros, stops, recall)

    def size(self, k: int) -> Array:
        """Return α_k.

        Raises:
            EvaluationError: it is not positive.
        """
        alpha = np.asarray(self.step(k) if callable(self.step) else self.step, float)
        if not (alpha > 0).all():
            raise EvaluationError(f"expected positive step sizes, got {alpha} at k = {k}")
        return alpha
