"""Crossings of an expression, found in compiled code: none is overlooked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.model import Look, Outlook, Reading, Reason
from dalembert.simulation.events.base import Found, Occurrence
from dalembert.simulation.events.quantity import Expression
from dalembert.simulation.events.search import MAX_HALVINGS
from dalembert.simulation.events.watcher import TIMES, CrossingWatcher

if TYPE_CHECKING:
    from dalembert.simulation.events.crossing import Crossing
    from dalembert.simulation.methods.base import Several, Step
    from dalembert.simulation.problem.problem import Problem


class ExpressionWatcher(CrossingWatcher):
    """Watches an expression along the polynomials of the steps."""

    sees_far = True
    quantity: Expression

    def __init__(
        self, event: Crossing, quantity: Expression, problem: Problem, t: float, x: np.ndarray
    ) -> None:
        super().__init__(event, quantity, problem, t, x)
        # the times of the steps last looked at, and what was seen
        self.times, self.outlook = np.empty(0), Outlook((), np.empty((0, 4)), 0, Reason.DONE)

    def look(self, t: float, x: np.ndarray, step: Step) -> Sequence[Occurrence]:
        series = np.ascontiguousarray(step.polynomial(t, x))
        found = self._look_at(np.array([t, step.t]), series[None])
        self.go_to(0)
        return [each.occurrence for each in found]

    def look_far(self, steps: Several, most: int, size: int) -> tuple[Sequence[Found], int]:
        found = self._look_at(steps.t[: most + 1], steps.series[:most])
        return found, self.outlook.end + (self.outlook.reason is Reason.STOPPED)

    def go_to(self, step: int) -> None:
        t, (value, rate, noise, side) = (
            float(self.times[step]),
            self.outlook.readings[step].tolist(),
        )
        self.before, self.noise, self.arrival_noise = (t, Reading(value, rate, 0.0)), noise, 0.0
        changes = ((each.t, each.side) for each in self.outlook.changes if each.step == step)
        self.begin_step(t, int(side), changes)

    def _look_at(self, t: np.ndarray, series: np.ndarray) -> list[Found]:
        self.times, self.outlook = t, self._outlook(t, series)
        return [
            Found(self, self.occurrence(change.t), change.step, change.x)
            for change in self.outlook.changes
            if self.is_wanted(change.side)
        ]

    def _outlook(self, t: np.ndarray, series: np.ndarray) -> Outlook:
        """Return the sign changes in some steps, as far as the first that is not passive."""
        when, (value, rate, _) = self.before
        stop = None if self.is_passive else self.event.direction
        look = Look(self.last_side(float(t[0])), when, value, rate, self.arrival_noise, stop)
        found = self.quantity.along(look, t, series)
        changes, readings = list(found.changes), found.readings
        while found.reason is Reason.NO_SIDE:
            # zero from the start of a step: where does it go, in this one or the next?
            first = found.end
            side = self._side_after(t[first : first + 2], series[first], readings[first])
            first += not side
            if first == len(series):
                return Outlook(changes, readings, first, Reason.DONE)
            if first:
                value, rate, _, _ = readings[first - 1].tolist()
                look = Look(side, float(t[first - 1]), value, rate, 0.0, stop)
            look = look._replace(side=side)
            found = self.quantity.along(look, t, series, first)
            changes += found.changes
            readings[first:] = found.readings[first:]
        if found.reason is Reason.NOT_FINITE and not found.end:
            # says what it is
            self.quantity.read(float(t[0]), series[0, 0], series[0, 1])
        return Outlook(changes, readings, found.end, found.reason)

    def _side_after(self, t: np.ndarray, series: np.ndarray, reading: np.ndarray) -> int:
        """Return the side to which the quantity goes from zero first, 0 if it stays."""
        t0, h = float(t[0]), float(t[1] - t[0])
        _, rate, noise, _ = reading.tolist()
        floor = self.quantity.read(t0, series[0], series[1]).noise + noise
        floor += TIMES * float(np.spacing(np.abs(t).max())) * abs(rate)
        orders = np.arange(len(series))
        for k in range(MAX_HALVINGS, -1, -1):
            tau = h * 0.5**k
            value = self.quantity.read(t0 + tau, tau**orders @ series, series[1]).value
            if abs(value) > floor:
                return int(np.sign(value))
        return 0
