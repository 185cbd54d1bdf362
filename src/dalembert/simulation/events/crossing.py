"""Events in general: a quantity of the state passes through zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.simulation.events.base import Crowd, Effect, Event, Occurrence, Watcher
from dalembert.simulation.events.isolate import (
    FIRST_CELLS,
    TIMES,
    Polynomial,
    first_cells,
    sign_changes,
)
from dalembert.simulation.events.quantity import NOISE, Expression, Measured, Reading
from dalembert.simulation.events.search import MAX_HALVINGS, NUM_PARTS, first_fall, nodes
from dalembert.simulation.problem.callbacks import call

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Several, Step
    from dalembert.simulation.problem.problem import Problem
    from dalembert.types import ArrayLike

MANY = 10
"""So many occurrences without a pause are taken for infinitely many."""

SAME = 4
"""Events nearer to each other than so many last places of the time are at the same time."""

NUDGE = 1e-4
"""Part of a step over which the rate of a function is taken as a difference."""


@dataclass(frozen=True)
class Crossing(Event):
    """A quantity passes through zero.

    Its time is found on the states between the steps and then on a step that ends there: it is as
    exact as the motion, or as the floats of the time. An expression is bounded in every part of a
    step, so that no crossing is overlooked, however many there are in one; a function is looked at
    in eight places of each step. A quantity that touches zero from one side has not crossed it, nor
    has one that an impact makes jump over it. Crossings that change nothing do not disturb the
    steps.

    Changes may pile up, as the bounces of a ball do. After 10 occurrences that follow each other
    within 1e-9 of the longest pause, or one whose change leads back to zero at once, the simulation
    stops there, with ``ok`` False; a `Contact` goes on by coming to rest.

    Args:
        of: An expression of `Model.symbols` and ``da.time``, or a function of (t, q, qd).
        direction: 1 counts only where it rises, -1 only where it falls, 0 both.
        is_terminal: Whether the simulation ends there.
        change: A function of (t, q, qd) that returns the (q, qd) to go on from; None changes
            nothing. Energy that is missing then counts as dissipated.
        name: What the trajectory calls it.

    >>> import dalembert as da
    >>> (x,) = da.coordinates("x")
    >>> model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2, coordinates=[x]))
    >>> motion = da.simulate(model, [1.0], [0.0], 10, events=[Crossing(x, direction=1, name="up")])
    >>> [(round(t / 3.141592653589793, 12), name) for t, name in motion.events]
    [(1.5, 'up')]
    """

    of: Expr | Callable[[float, np.ndarray, np.ndarray], float]
    direction: int = 0
    is_terminal: bool = False
    change: Callable[[float, np.ndarray, np.ndarray], tuple[ArrayLike, ArrayLike]] | None = None
    name: str = "crossing"

    def __post_init__(self) -> None:
        if self.direction not in (-1, 0, 1):
            raise EvaluationError(
                f"expected the direction -1, 0 or 1 of {self.name}, got {self.direction!r}"
            )
        if not callable(self.of) and not isinstance(self.of, Expr):
            raise EvaluationError(
                f"expected an expression or a function of (t, q, qd) for {self.name}, got "
                f"{self.of!r}"
            )

    def start(self, problem: Problem, t: float, x: np.ndarray) -> Watcher:
        return _CrossingWatcher(self, problem, t, x)


class _CrossingWatcher(Watcher):
    def __init__(self, event: Crossing, problem: Problem, t: float, x: np.ndarray) -> None:
        self.event, self.nq, self.state_rate = event, problem.nq, problem.rate
        of = event.of
        self.quantity = (
            Expression(problem.model, of)
            if isinstance(of, Expr)
            else Measured(problem, of, event.name)
        )
        here = self.quantity.read(t, x, problem.rate(t, x))
        # the last look, and how well the quantity is known
        self.before, self.noise, self.arrival_noise = (t, here), 0.0, 0.0
        # the side of zero where the last step began, None if it has yet to leave, and each later
        # one with its time
        self.sides: list[tuple[float, int | None]] = [(t, int(np.sign(here.value)) or None)]
        self.crowd = Crowd(t)
        self.is_passive = event.change is None and not event.is_terminal
        # times of sign changes that took place, by the sides after them
        self.arrivals: dict[float, int] = {}
        self.reported: set[float] = set()

    def look(self, t: float, x: np.ndarray, step: Step) -> Occurrence | None:
        return next(iter(self.look_for_all(t, x, step)), None)

    def look_for_all(self, t: float, x: np.ndarray, step: Step) -> Sequence[Occurrence]:
        found: list[Occurrence] = []
        for when, side in self._sign_changes(t, x, step):
            self.sides.append((when, side))
            if self.event.direction != -side:
                found.append(self._occurrence(when))
                self.arrivals[when] = side
                if not self.is_passive:
                    break
        return found

    def num_quiet(self, steps: Several, most: int, size: int) -> int:
        if not isinstance(self.quantity, Expression):
            return 0
        t, polynomials = steps.t[: most + 1], steps.polynomials(most)[..., :size]
        g, rg, rate, _, rounding = self.quantity.bounds(first_cells(t, polynomials))
        # at least what `_sign_changes` takes for noise
        way = np.maximum.accumulate(np.maximum(np.abs(g), abs(self.before[1].value)) + rg)
        reach = np.abs(rate) * np.repeat(
            np.abs(np.diff(t, prepend=self.before[0])[:-1]), FIRST_CELLS
        )
        noise = NOISE * (way + reach) + self.arrival_noise
        floor = rounding + noise + TIMES * np.spacing(np.abs(t).max()) * np.abs(rate)
        is_open = ~(np.abs(g) > rg + floor)
        where = np.flatnonzero(is_open.reshape(-1, FIRST_CELLS).any(axis=1))
        return int(where[0]) if where.size else most

    def pass_by(self, steps: Several, count: int, size: int) -> None:
        t, x = float(steps.t[count - 1]), steps.x[count - 1, :size]
        here = self.quantity.read(t, x, self.state_rate(t, steps.x[count - 1]))
        self._noise(t, here)
        self.sides, self.reported = [(t, int(np.sign(here.value)))], set()
        self.arrivals = {}

    def _sign_changes(self, t: float, x: np.ndarray, step: Step) -> Iterator[tuple[float, int]]:
        """Yield the times of the step at which the quantity changes its sign, and to which."""
        self.arrivals, h = {}, step.t - t
        motion = Polynomial(t, h, step.polynomial(t, x)[:, : x.size])
        if isinstance(self.quantity, Measured):
            self.quantity.nudge = max(NUDGE * abs(h), 8 * motion.ulp)
        here = self.quantity.read(t, x, motion.coefficients[1] / h)
        noise = self._noise(t, here)
        floor = here.noise + noise + TIMES * motion.ulp * abs(here.rate)
        side = self._side(t, here.value, step, floor)
        self.sides, self.reported = [(t, side)], set()
        if side is None:
            return
        if isinstance(self.quantity, Expression):
            for s, after in sign_changes(self.quantity, motion, side, noise):
                yield (step.t if s == 1.0 else t + s * motion.h), after
        else:
            yield from self._sampled_changes(self.quantity, t, x, step, side)

    def _noise(self, t: float, here: Reading) -> float:
        """Return how well the quantity is known: a part of its way since the last look."""
        before, last = self.before
        way = max(abs(last.value), abs(last.rate * (t - before)), abs(here.value))
        self.before = t, here
        self.noise = NOISE * way + self.arrival_noise
        self.arrival_noise = 0.0
        return self.noise

    def _sampled_changes(
        self, quantity: Measured, t: float, x: np.ndarray, step: Step, side: int
    ) -> Iterator[tuple[float, int]]:
        """Yield the same of a function that is known at some places only."""
        h, times = step.t - t, nodes(t, step.t)
        ulp = math.ulp(abs(t) + abs(h))
        states = [x, *(step.dense(s) for s in times[1:-1]), step.x]
        values = np.array([quantity.value(s, y) for s, y in zip(times, states, strict=True)])
        steepest = float(np.abs(np.diff(values)).max()) * NUM_PARTS / abs(h)
        floor, first = NOISE * quantity.largest + TIMES * ulp * steepest, 0
        while True:
            when = first_fall(
                lambda s, side=side: side * quantity.value(s, step.dense(s)),
                times[first:],
                side * values[first:],
                floor,
            )
            if when is None:
                return
            side = -side
            yield when, side
            first = max(int(np.argmax(np.sign(h) * (times - when) > 0)) - 1, 0)
            times[first], values[first] = when, 0.0

    def _side(self, t: float, value: float, step: Step, floor: float) -> int | None:
        """Return the side of zero on which the quantity begins a step.

        Where the state tells, that is the side: another event may have changed it, and a jump over
        zero is no crossing. At zero it is the side from which the last step came: another event at
        the same time may have cut it short.
        """
        if abs(value) > floor:
            return int(np.sign(value))
        (start, side), *flips = self.sides
        near = SAME * math.ulp(abs(t))
        for when, other in flips:
            if when in self.reported or (abs(when - t) > near and (when - start) / (t - when) > 0):
                side = other
        return self._side_after(t, step, floor) if side is None else side

    def _side_after(self, t: float, step: Step, floor: float) -> int | None:
        """Return the side to which the quantity goes from zero first."""
        for k in range(MAX_HALVINGS, -1, -1):
            s = t + (step.t - t) * 0.5**k
            value = self.quantity.value(s, step.dense(s))
            if abs(value) > floor:
                return int(np.sign(value))
        return None

    def _occurrence(self, t: float) -> Occurrence:
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
        change = self.event.change
        if change is None or occurrence.has_failed:
            return Effect(occurrence.name)
        # as exact as the floats of the time when it came here
        rate = self.quantity.read(t, x, self.state_rate(t, x)).rate
        self.arrival_noise = 2 * TIMES * math.ulp(t) * abs(rate)
        # copies: a change may write into what it returns
        parts = x[: self.nq].copy(), x[self.nq :].copy()
        what = f"the change of {self.event.name}"
        q, v = call(lambda t: change(t, *parts), what, t)
        after = np.concatenate([np.asarray(q, float), np.asarray(v, float)])
        if after.shape != x.shape or not np.isfinite(after).all():
            raise EvaluationError(
                f"expected (q, qd) with {x.size} finite numbers from the change of "
                f"{self.event.name}, got {after}"
            )
        # the new state may lie on either side; at zero itself its rate tells
        value, rate, rounding = self.quantity.read(t, after, self.state_rate(t, after))
        is_zero = abs(value) <= rounding + self.noise + self.arrival_noise
        self.sides = [(t, int(np.sign(rate if is_zero else value)) or None)]
        return Effect(occurrence.name, after)
