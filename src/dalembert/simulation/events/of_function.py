"""Crossings of a function of Python, which is looked at in some places of every step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model import Reading
from dalembert.simulation.events.base import Found, Occurrence
from dalembert.simulation.events.motion import Motion
from dalembert.simulation.events.quantity import Measured
from dalembert.simulation.events.search import (
    MAX_HALVINGS,
    NOISE,
    NUM_PARTS,
    first_fall,
    nodes,
)
from dalembert.simulation.events.watcher import TIMES, CrossingWatcher

if TYPE_CHECKING:
    from dalembert.simulation.events.crossing import Crossing
    from dalembert.simulation.methods.base import Several, Step
    from dalembert.simulation.problem.problem import Problem

NUDGE = 1e-4
"""Part of a step over which the rate of a function is taken as a difference."""


class _Looked(NamedTuple):
    """What was seen in a step."""

    before: tuple[float, Reading]
    noise: float
    side: int
    changes: list[tuple[float, int]]


class FunctionWatcher(CrossingWatcher):
    """Watches a function at places of equal distance, and looks closer where it may dip."""

    sees_far = True
    quantity: Measured

    def __init__(
        self, event: Crossing, quantity: Measured, problem: Problem, t: float, x: np.ndarray
    ) -> None:
        super().__init__(event, quantity, problem, t, x)
        self.looked: list[_Looked] = []

    def look(self, t: float, x: np.ndarray, step: Step) -> Sequence[Occurrence]:
        found = self._look_at(Motion(t, step.t, step.polynomial(t, x), x.size))
        self.looked = [found]
        self.go_to(0)
        return [self.occurrence(when) for when, after in found.changes if self.is_wanted(after)]

    def look_far(self, steps: Several, most: int, size: int) -> tuple[Sequence[Found], int]:
        known, seen = (self.before, self.noise, self.arrival_noise, self.sides), list[Found]()
        self.looked = []
        for number in range(most):
            t, end = steps.t[number : number + 2].tolist()
            motion = Motion(t, end, steps.series[number], size)
            try:
                found = self._look_at(motion)
            except EvaluationError:
                if not number:
                    raise
                break
            self.looked.append(found)
            seen += [
                Found(self, self.occurrence(when), number, motion.at(when, is_whole=True))
                for when, after in found.changes
                if self.is_wanted(after)
            ]
            if seen and not self.is_passive:
                break
            self.go_to(number)
            self.reported = set(self.arrivals)
        # as if nothing had been seen: `go_to` tells how far the motion goes
        self.before, self.noise, self.arrival_noise, self.sides = known
        return seen, len(self.looked)

    def go_to(self, step: int) -> None:
        found = self.looked[step]
        self.before, self.noise, self.arrival_noise = found.before, found.noise, 0.0
        self.begin_step(found.before[0], found.side, found.changes)

    def _look_at(self, motion: Motion) -> _Looked:
        """Return the sign changes in a step, as far as the first that is not passive."""
        t, quantity = motion.t, self.quantity
        quantity.nudge = max(NUDGE * abs(motion.h), 8 * motion.ulp)
        here = quantity.read(t, motion.series[0], motion.series[1])
        # a part of the way since the last look
        before, last = self.before
        way = max(abs(last.value), abs(last.rate * (t - before)), abs(here.value))
        noise = NOISE * way + self.arrival_noise
        floor = here.noise + noise + TIMES * motion.ulp * abs(here.rate)
        side = int(np.sign(here.value)) if abs(here.value) > floor else self.last_side(t)
        side = side or self._side_after(motion, floor)
        changes: list[tuple[float, int]] = []
        for when, after in self._changes(motion, here.value, side) if side else ():
            changes.append((when, after))
            if not self.is_passive and self.is_wanted(after):
                break
        return _Looked((t, here), noise, side, changes)

    def _changes(self, motion: Motion, value: float, side: int) -> Iterator[tuple[float, int]]:
        """Yield the times of the step at which the quantity changes its sign, and to which."""
        quantity, times = self.quantity, nodes(motion.t, motion.end)
        later = map(quantity.value, times[1:].tolist(), motion.at(times[1:]))
        values = np.array([value, *later])
        steepest = float(np.abs(np.diff(values)).max()) * NUM_PARTS / abs(motion.h)
        floor, first = NOISE * quantity.largest + TIMES * motion.ulp * steepest, 0
        while True:
            when = first_fall(
                self._signed(motion, side), times[first:], side * values[first:], floor
            )
            if when is None:
                if self._ends_at_zero(motion, side * values, floor):
                    yield motion.end, -side
                return
            side = -side
            yield when, side
            is_behind = np.sign(motion.h) * (times - when) > 0
            first = max(int(np.argmax(is_behind)) - 1, 0)
            times[first], values[first] = when, 0.0

    def _ends_at_zero(self, motion: Motion, values: np.ndarray, floor: float) -> bool:
        """Tell whether a positive quantity comes to zero where the step ends, and passes it."""
        if abs(values[-1]) > floor or values[-2] <= floor:
            return False
        rate = self.quantity.read(motion.end, motion.at(motion.end), motion.rate(motion.end)).rate
        # one that only touches has no speed left
        return bool(abs(rate * motion.h) / NUM_PARTS > values[-2] / 2)

    def _signed(self, motion: Motion, side: int) -> Callable[[float], float]:
        return lambda s: side * self.quantity.value(s, motion.at(s))

    def _side_after(self, motion: Motion, floor: float) -> int:
        """Return the side to which the quantity goes from zero first, 0 if it stays."""
        for k in range(MAX_HALVINGS, -1, -1):
            s = motion.t + motion.h * 0.5**k
            value = self.quantity.value(s, motion.at(s))
            if abs(value) > floor:
                return int(np.sign(value))
        return 0
