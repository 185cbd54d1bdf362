"""Forces that see the past: a transport delay in continuous time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.model.border import finite_array
from dalembert.simulation.problem.callbacks import call_for_state

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Step
    from dalembert.types import ArrayLike

MOST = 1_000_000
"""Delays in a simulation, at most: a step ends at each multiple of one."""


@dataclass(frozen=True, eq=False)
class Delayed:
    """Forces that act after a delay: at the time t those of the state at t - delay.

    The past is that of the steps themselves, as exact as the motion. Jumps in the derivatives
    travel with the delay: a step ends at each multiple of it (the method of steps).

    Args:
        law: A function of (t, q, qd), or expressions of `Model.symbols` and ``da.time``; it is
            given the past time and state.
        delay: In seconds, positive.
        history: (q, qd) before the start as a function of the time; at rest where the motion
            begins unless given.
    """

    law: Callable[..., ArrayLike] | Sequence[Expr | float]
    delay: float
    history: Callable[[float], tuple[ArrayLike, ArrayLike]] | None = None

    def __post_init__(self) -> None:
        if not finite_array(self.delay, "delay= of Delayed", ()) > 0:
            raise EvaluationError(
                f"expected a positive delay of Delayed, got {self.delay!r}: without one give the "
                "law itself"
            )
        if not callable(self.law) and not isinstance(self.law, Sequence):
            raise EvaluationError(
                f"expected a function of (t, q, qd) or expressions in Delayed, got {self.law!r:.60}"
            )


class Past:
    """The motion so far, for one simulation."""

    def __init__(self, delayed: Delayed, model: Model, start: float, end: float) -> None:
        if end < start:
            raise EvaluationError(
                "expected times that increase with delayed forces, got others: the past is not "
                "known then"
            )
        self.delayed, self.model, self.start = delayed, model, start
        count = (end - start) / delayed.delay
        if count > MOST:
            raise EvaluationError(
                f"expected at most {MOST} delays in a simulation, got one of {delayed.delay:.3g} s "
                f"in {end - start:.3g} s"
            )
        self.breaks = start + delayed.delay * np.arange(1, int(count) + 1)
        self._begins: list[float] = []
        self._steps: list[Step] = []
        self._first: tuple[np.ndarray, np.ndarray] | None = None

    def add(self, t0: float, step: Step) -> None:
        """Remember a step from t0; those that it replaces are forgotten."""
        while self._begins and self._begins[-1] >= t0:
            self._begins.pop()
            self._steps.pop()
        self._begins.append(t0)
        self._steps.append(step)

    def at(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the time t - delay and the state there; (q, v) is the one at t."""
        past = t - self.delayed.delay
        if self._first is None:
            self._first = q.copy(), v.copy()
        if past < self.start or not self._begins:
            return past, *self._before(past)
        k = max(bisect_right(self._begins, past) - 1, 0)
        n, m = len(q), len(q) + len(v)
        x = self._steps[k].dense(past)
        return past, self.model.configuration.normalized(x[:n]), x[n:m]

    def _before(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        assert self._first is not None
        if self.delayed.history is None:
            q, v = self._first
            return q, np.zeros_like(v)
        nq, nv = map(len, self._first)
        return call_for_state(self.delayed.history, "the history of Delayed", nq, nv, t)
