"""Events in general: a quantity of the state passes through zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.simulation.events.base import (
    CROWD,
    PAUSE,
    Crowd,
    Effect,
    Event,
    Occurrence,
    Watcher,
)
from dalembert.simulation.events.search import (
    MAX_HALVINGS,
    NOISE,
    first_fall,
    landing,
    nodes,
    slope,
)
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Step
    from dalembert.simulation.problem.problem import Problem
    from dalembert.types import ArrayLike

SAME = 1e-11
"""Events nearer to each other than this, in seconds, are at the same time."""


@dataclass(frozen=True)
class Crossing(Event):
    """A quantity passes through zero.

    Its time is found on the state between the steps, and the step is taken again to end there: the
    time is as exact as the motion, which is 1e-12 s with the default method. Several crossings in
    one step come in their order. A quantity that touches zero from one side has not crossed it, nor
    has one that an impact makes jump over it.

    Changes may pile up, as the bounces of a ball do. After 30 occurrences that follow each other
    within 1e-9 s, or one whose change leads back to zero at once, the simulation ends there with a
    note; a `Contact` goes on by coming to rest.

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


def _value(event: Crossing, model: Model) -> Callable[[float, np.ndarray], float]:
    """Return the quantity as a function of (t, x)."""
    n = model.nq
    of = event.of
    if isinstance(of, Expr):
        inputs = state_symbols(model)
        kernel = compiled(model, ("crossing", of), lambda: {"value": [of]}, inputs, [of])
        return lambda t, x: float(kernel(t, x[:n], x[n:])[0])

    def value(t: float, x: np.ndarray) -> float:
        found = float(of(t, x[:n], x[n:]))
        if not np.isfinite(found):
            raise EvaluationError(
                f"expected a finite number from the function of {event.name}, got {found} at "
                f"t = {t:.9g}"
            )
        return found

    return value


class _CrossingWatcher(Watcher):
    def __init__(self, event: Crossing, problem: Problem, t: float, x: np.ndarray) -> None:
        self.event, self.nq = event, problem.model.nq
        self.rate, self.value = problem.rate, _value(event, problem.model)
        first = self.value(t, x)
        # the side of zero where the last step began, None if it has yet to leave, and each later
        # one with its time
        self.sides: list[tuple[float, int | None]] = [(t, int(np.sign(first)) or None)]
        self.scale = abs(first)
        self.crowd = Crowd()
        self.has_piled_up = False

    def look(self, t: float, x: np.ndarray, step: Step) -> Occurrence | None:
        times = nodes(t, step.t)
        states = [x, *(step.dense(s) for s in times[1:-1]), step.x]
        values = np.array([self.value(s, y) for s, y in zip(times, states, strict=True)])
        self.scale = max(self.scale, float(np.abs(values).max()))
        floor, first = NOISE * self.scale, 0
        side = self._side(t, float(values[0]), step, floor)
        self.sides = [(t, side)]
        while side is not None:
            when = first_fall(
                lambda s, side=side: side * self.value(s, step.dense(s)),
                times[first:],
                side * values[first:],
                floor,
            )
            if when is None:
                break
            if self.event.direction != side:
                self.arrival = -side
                return self._occurrence(when)
            # a crossing of the other direction: go on from there on the other side
            side = -side
            self.sides.append((when, side))
            first = max(int(np.argmax(np.sign(step.t - t) * (times - when) > 0)) - 1, 0)
            times[first], values[first] = when, 0.0
        return None

    def _side(self, t: float, value: float, step: Step, floor: float) -> int | None:
        """Return the side of zero on which the quantity begins a step.

        Where the state tells, that is the side: another event may have changed it, and a jump over
        zero is no crossing. At zero it is the side from which the last step came: another event at
        the same time may have cut it short.
        """
        if abs(value) > floor:
            return int(np.sign(value))
        (_, side), *flips = self.sides
        for when, other in flips:
            if abs(when - t) > SAME and (when - self.sides[0][0]) / (t - when) > 0:
                side = other
        return self._side_after(t, step, floor) if side is None else side

    def _side_after(self, t: float, step: Step, floor: float) -> int | None:
        """Return the side to which the quantity goes from zero first."""
        for k in range(MAX_HALVINGS, -1, -1):
            s = t + (step.t - t) * 0.5**k
            value = self.value(s, step.dense(s))
            if abs(value) > floor:
                return int(np.sign(value))
        return None

    def _occurrence(self, t: float) -> Occurrence:
        # a change that leads back to zero at once, or too many in a row
        is_stuck = self.event.change is not None and t == self.crowd.last
        self.has_piled_up = is_stuck or self.crowd.count_at(t) >= CROWD
        name = self.event.name
        if self.has_piled_up:
            name = f"{name} (again and again without a pause of {PAUSE:.0e} s)"
        return Occurrence(t, name, self.event.is_terminal or self.has_piled_up)

    def landing(self, t: float, x: np.ndarray) -> float:
        if t == self.crowd.last:
            return t
        return landing(self.value, self.rate, t, x, NOISE * self.scale)

    def effect(self, t: float, x: np.ndarray, occurrence: Occurrence) -> Effect:
        self.crowd.add(t)
        self.sides = [(t, self.arrival)]
        if self.event.change is None or self.has_piled_up:
            return Effect(occurrence.name)
        q, v = self.event.change(t, x[: self.nq].copy(), x[self.nq :].copy())
        after = np.concatenate([np.asarray(q, float), np.asarray(v, float)])
        if after.shape != x.shape or not np.isfinite(after).all():
            raise EvaluationError(
                f"expected (q, qd) with {x.size} finite numbers from the change of "
                f"{self.event.name}, got {after}"
            )
        # the new state may lie on either side; at zero itself its rate tells
        value = self.value(t, after)
        if abs(value) <= NOISE * self.scale:
            value = slope(self.value, self.rate, t, after)
        self.sides = [(t, int(np.sign(value)) or None)]
        return Effect(occurrence.name, after)
