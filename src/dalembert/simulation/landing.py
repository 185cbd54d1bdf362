"""A step taken again, so that it ends at an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.methods.base import Step, Stepper

if TYPE_CHECKING:
    from dalembert.simulation.events.base import Found
    from dalembert.simulation.problem.account import Account

MAX_LANDINGS = 4
"""So often a step is taken again to end at an event: interpolation is less exact than steps."""

NEAR = 1e-8
"""Part of a step over which a state goes on along its rate without loss."""


class Passed(NamedTuple):
    """A state inside a step, the energy account there, and an event if one took place."""

    t: float
    x: np.ndarray
    account: Account
    event: str | None = None


class Landing:
    """Takes a step from (t0, x0) again, so that it ends at an event.

    First at the time where the states inside the step have it, then nearer: each landing sees the
    event from a state that is as exact as the method.
    """

    def __init__(self, stepper: Stepper, account: Account, t0: float, x0: np.ndarray) -> None:
        self.stepper, self.account, self.t0, self.x0 = stepper, account, t0, x0
        self._before = account.work, account.lost

    def at(self, found: Found, whole: Step, target: float, size: int) -> Step:
        """Return the step that ends at the event.

        ``whole`` is the step that passes it, ``target`` where that one was to end.
        """
        t0, t = self.t0, found.occurrence.t
        if whole.is_exact and t != t0:
            step = whole._replace(t=t, x=whole.x if t == whole.t else whole.dense(t))
            self.account.add_step(t0, step)
            self.stepper.reset(t, step.x)
            return step
        step = self._until(t)
        for _ in range(MAX_LANDINGS):
            better = found.watcher.landing(t, step.x[:size])
            # neither back to where it came from nor beyond the target
            if better == t or not 0 < (better - t0) / (target - t0) <= 1:
                break
            t = better
            step = self._until(t)
        return step

    def beside(self, found: Found, whole: Step, size: int) -> tuple[float, np.ndarray]:
        """Return time and state of an event that the whole step passes."""
        t0, t, h = self.t0, found.occurrence.t, whole.t - self.t0
        if t == whole.t:
            return t, whole.x
        if whole.is_exact:
            return t, whole.dense(t)
        x = self._until(t).x
        for _ in range(MAX_LANDINGS):
            better = found.watcher.landing(t, x[:size])
            if better == t or not 0 < (better - t0) / h <= 1:
                break
            way, t = better - t, better
            if abs(way) <= NEAR * abs(h):
                return t, x + way * self.account.problem.rate(t, x)
            x = self._until(t).x
        return t, x

    def _until(self, t: float) -> Step:
        self.account.work, self.account.lost = self._before
        self.stepper.reset(self.t0, self.x0)
        step = Step(self.t0, self.x0, lambda _: self.x0)
        while self.stepper.t != t:
            before = self.stepper.t
            step = self.stepper.step(t)
            self.account.add_step(before, step)
            self.account.problem.look_at(step)
        return step
