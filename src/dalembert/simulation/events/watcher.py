"""What all crossings share while they are watched: sides of zero, and what they do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.events.base import SAME, Crowd, Effect, Occurrence, Watcher
from dalembert.simulation.problem.callbacks import call_for_state

if TYPE_CHECKING:
    from dalembert.model import Reading
    from dalembert.simulation.events.crossing import Crossing
    from dalembert.simulation.events.quantity import Quantity
    from dalembert.simulation.problem.problem import Problem

MANY = 10
"""So many occurrences without a pause are taken for infinitely many."""

TIMES = 2
"""Last places of the time within which a zero is not resolved."""


class CrossingWatcher(Watcher):
    """A quantity of which the side of zero is known, and how well.

    Attributes:
        before: When it was last looked at, and what was read.
        noise: What cannot be told from zero in the step under way.
        arrival_noise: More of it, in the step after a change.
    """

    def __init__(
        self, event: Crossing, quantity: Quantity, problem: Problem, t: float, x: np.ndarray
    ) -> None:
        self.event, self.quantity = event, quantity
        self.nq, self.state_rate = problem.nq, problem.rate
        here = quantity.read(t, x, problem.rate(t, x))
        self.before: tuple[float, Reading] = (t, here)
        self.noise = self.arrival_noise = 0.0
        # the side of zero where the last step began, 0 if it has yet to leave, and each later one
        # with its time
        self.sides: list[tuple[float, int]] = [(t, int(np.sign(here.value)))]
        self.crowd = Crowd(t)
        self.is_passive = event.change is None and not event.is_terminal
        # times of sign changes that took place, by the sides after them
        self.arrivals: dict[float, int] = {}
        self.reported: set[float] = set()

    def begin_step(self, t: float, side: int, changes: Iterable[tuple[float, int]]) -> None:
        """Take note of the side on which a step begins, and of the sign changes in it."""
        self.sides = [(t, side), *changes]
        self.arrivals = {when: after for when, after in self.sides[1:] if self.is_wanted(after)}
        self.reported = set()

    def is_wanted(self, side: int) -> bool:
        """Tell whether a change to a side is an occurrence."""
        return self.event.direction != -side

    def last_side(self, t: float) -> int:
        """Return the side from which the last step came to t, 0 if it is not known.

        Another event at the same time may have cut it short.
        """
        (start, side), *flips = self.sides
        near = SAME * math.ulp(abs(t))
        for when, other in flips:
            if when in self.reported or (abs(when - t) > near and (when - start) / (t - when) > 0):
                side = other
        return side

    def occurrence(self, t: float) -> Occurrence:
        """Return the occurrence at t."""
        name, event = self.event.name, self.event
        if self.is_passive:
            return Occurrence(t, name, is_passive=True)
        # a change that leads back to zero at once, or too many in a row
        is_stuck = t == self.crowd.last_event
        if event.change is not None and (is_stuck or self.crowd.count_at(t) >= MANY):
            name = f"{name} (again and again without a pause)"
            return Occurrence(t, name, is_terminal=True, has_failed=not event.is_terminal)
        return Occurrence(t, name, event.is_terminal)

    def landing(self, t: float, x: np.ndarray) -> float:
        if t == self.crowd.last_event:
            return t
        value, rate, rounding = self.quantity.read(t, x, self.state_rate(t, x))
        is_there = abs(value) <= rounding + self.noise + math.ulp(t) * abs(rate)
        return t if is_there or rate == 0 else t - value / rate

    def effect(self, t: float, x: np.ndarray, occurrence: Occurrence) -> Effect:
        self.crowd.add(t)
        if self.is_passive:
            self.reported.add(occurrence.t)
            return Effect(occurrence.name)
        self.sides = [(t, self.arrivals[occurrence.t])]
        if self.event.change is None or occurrence.has_failed:
            return Effect(occurrence.name)
        # as exact as the floats of the time when it came here
        rate = self.quantity.read(t, x, self.state_rate(t, x)).rate
        self.arrival_noise = 2 * TIMES * math.ulp(t) * abs(rate)
        after = self._changed(t, x)
        # the new state may lie on either side; at zero itself its rate tells
        value, rate, rounding = self.quantity.read(t, after, self.state_rate(t, after))
        is_zero = abs(value) <= rounding + self.noise + self.arrival_noise
        told = rate if is_zero else value
        self.sides = [(t, (told > 0) - (told < 0))]
        return Effect(occurrence.name, after)

    def _changed(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the state after the change."""
        change = self.event.change
        assert change is not None
        # copies: a change may write into what it returns
        parts = x[: self.nq].copy(), x[self.nq :].copy()
        what = f"the change of {self.event.name}"
        nq, nv = map(len, parts)
        return np.concatenate(call_for_state(lambda t: change(t, *parts), what, nq, nv, t))
