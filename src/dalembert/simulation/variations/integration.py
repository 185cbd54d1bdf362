"""Integrates a motion together with small changes of it, all under error control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.methods.taylor.taylor import BeyondSeries
from dalembert.simulation.variations.many_steps import ManySteps
from dalembert.simulation.variations.returning import Returning
from dalembert.simulation.variations.sizes import Sizes
from dalembert.simulation.variations.stepping import Stepping

if TYPE_CHECKING:
    from dalembert.simulation.problem.start import Times
    from dalembert.simulation.variations.costs.cost import Cost
    from dalembert.simulation.variations.passing.saltation import Passage
    from dalembert.simulation.variations.passing.way import Leg


STEPS_BETWEEN_LOOKS = 100
"""So often it is asked whether many more steps are to come."""

LONG = 500
"""Of so many more steps it is worth it to compile the power series of the motion."""

STEPS_BETWEEN_STATES = 16
"""How often, in many steps, it is looked how far the motion got."""


class Seen(NamedTuple):
    """An event, and the state and changes S on arrival there."""

    passage: Passage
    x: np.ndarray
    S: np.ndarray


class Integration(Stepping):
    """The motion y = (x, S) with Ṡ = A S + (0, B): S has a column for each change.

    The last columns are those of the parameters. Errors of every entry are relative to it, or to
    4 % of the size that its column gives it (`Sizes`). After every step x and S are moved onto the
    constraints, if there are any. With ``restarts`` S begins anew at each time that is asked for.
    With a ``running`` cost ℓ its integral J follows in y, and the derivatives of J by all changes.

    Attributes:
        seen: The events so far.
    """

    def __init__(
        self,
        legs: Sequence[Leg],
        method: DOP853 | Radau,
        span: Times,
        *,
        restarts: bool = False,
        running: Cost | None = None,
    ) -> None:
        super().__init__(method, float(span.all[0]), float(span.all[-1]))
        self.legs, self.span, self.restarts = legs, span, restarts
        self.variation = variation = legs[0].variation
        self.size, n = variation.nq + variation.nv, variation.nv
        S = np.concatenate([np.eye(2 * n), np.zeros((2 * n, len(variation.parameters)))], axis=1)
        self.shape, self.first = S.shape, S
        self.running, self.extra = running, np.zeros(0 if running is None else 1 + S.shape[1])
        self.returning = Returning(variation.model)
        self.seen: list[Seen] = []
        self._num_steps = 0
        self._many: ManySteps | None = None
        self._may_go_far = running is None and isinstance(method, DOP853)

    def states(self) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """Yield times, states and S: at the times asked for, or after every step.

        Where an event changes the state or S and every step is stored, it has two rows.

        Raises:
            EvaluationError: a step failed, or the end is out of reach.
        """
        S, is_new = self.first, True
        for number, leg in enumerate(self.legs):
            self.variation, t = leg.variation, leg.t
            y = self._joined(t, leg.x, S)
            if not number:
                self.returning.begin(y[: self.size])
            if is_new:
                yield t, *self._parts(y)
            for goal, is_stored in self._goals(leg):
                for t, y in self._advance(t, y, goal):  # noqa: B020, it goes on from where it is
                    if self.span.is_stepwise or (is_stored and t == goal):
                        yield t, *self._parts(y)
                if self.restarts and is_stored:
                    y = self._joined(t, y[: self.size], self.first)
            x, S = self._parts(y)
            # where an event ends the motion, its state is stored as well
            if leg is self.legs[-1] and t != self.span.all[-1] and not self.span.is_stepwise:
                yield t, x, S
            self.extra = y[self.size + S.size :]
            if leg.passage is not None:
                self.seen.append(Seen(leg.passage, x, S))
                S = S if leg.passage.jump is None else leg.passage.jump.forward(S)
                is_new = self.span.is_stepwise and leg.passage.jump is not None

    def _advance(self, t: float, y: np.ndarray, goal: float) -> Iterator[tuple[float, np.ndarray]]:
        """Yield time and y after every step to a goal; in a long motion they come many at once."""
        while t != goal:
            try:
                steps = (
                    self._steps(t, y, goal) if self._far is None else self._far_steps(t, y, goal)
                )
                for t, y in steps:
                    yield t, y
            except BeyondSeries:
                self._many, self._may_go_far = None, False

    def _steps(self, t: float, y: np.ndarray, goal: float) -> Iterator[tuple[float, np.ndarray]]:
        """Yield time and y after every step to a goal, or as long as they are taken one by one."""
        for when, row in self.run(t, y, goal):
            yield when, row
            self._num_steps += 1
            if self._num_steps % STEPS_BETWEEN_LOOKS == 0 and self._may_go_far:
                self._many = self._look_far(when)
                if self._far is not None:
                    return

    def _far_steps(
        self, t: float, y: np.ndarray, goal: float
    ) -> Iterator[tuple[float, np.ndarray]]:
        assert self._far is not None
        rows = self._far.run(t, *self._parts(y), goal)
        for number, (when, x, S) in enumerate(rows):
            if number % STEPS_BETWEEN_STATES == 0:
                self.returning.look(x, Sizes.at_state(self.variation, when, x).weights)
            yield when, np.concatenate([x, S.ravel()])

    @property
    def _far(self) -> ManySteps | None:
        """What takes many steps of the part of the motion that is under way."""
        is_ours = self._many is not None and self._many.variation is self.variation
        return self._many if is_ours else None

    def _look_far(self, t: float) -> ManySteps | None:
        """Return what takes many steps at once, if so many are to come that it is worth it."""
        start, end = float(self.span.all[0]), float(self.span.all[-1])
        is_long = abs(end - t) * self._num_steps > LONG * abs(t - start)
        if not is_long or not isinstance(self.method, DOP853):
            return None
        return ManySteps.start(self.variation, self.method, self.part, end)

    def _goals(self, leg: Leg) -> list[tuple[float, bool]]:
        """Return the times to reach in a leg, each with whether it is one to store."""
        start, stored = float(self.span.all[0]), self.span.all[1:]
        way = np.abs(stored - start)
        inside = stored[(way > abs(leg.t - start)) & (way <= abs(leg.end - start))].tolist()
        goals = [(t, True) for t in inside]
        is_open = leg.t != leg.end and (not inside or inside[-1] != leg.end)
        return [*goals, (leg.end, False)] if is_open else goals

    def _joined(self, t: float, x: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Return y on the constraints."""
        return self.repaired(t, np.concatenate([x, S.ravel(), self.extra]))

    @property
    def cost(self) -> tuple[float, np.ndarray]:
        """The integral of the running cost so far, and its derivatives by all changes."""
        return float(self.extra[0]), self.extra[1:]

    def repaired(self, t: float, y: np.ndarray) -> np.ndarray:
        x, S = self._parts(y)
        found = self.variation.onto(t, x)
        if found is None:
            return y
        return np.concatenate([found[0], found[1].forward(S).ravel(), y[self.size + S.size :]])

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        x, S = self._parts(y)
        at = self.variation.at(t, x)
        return np.concatenate([at.rate, at.of_columns(S).ravel(), self._cost_rate(t, x, S)])

    def _cost_rate(self, t: float, x: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Return J̇ = ℓ and its derivatives by all changes."""
        if self.running is None:
            return self.extra
        at, n = self.running.at(t, x), len(S)
        by = at.by_state @ S
        by[n:] += at.by_parameters
        return np.concatenate([[at.value], by])

    def _cost_sizes(self, t: float, x: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Return the sizes of ℓ, and of the parts of its derivatives."""
        if self.running is None:
            return self.extra
        at, n, p = self.running.at(t, x), len(S), np.abs(self.variation.values)
        by = np.abs(at.by_state) @ np.abs(S)
        by[n:] += np.abs(at.by_parameters)
        by[n:] += np.divide(abs(at.value), p, out=np.zeros_like(p), where=p > 0)
        return np.concatenate([[abs(at.value)], by])

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ∂ẏ/∂y without ∂²ẋ/∂x², which moves no eigenvalue: S acts on nothing."""
        A = self.variation.at(t, y[: self.size]).A
        J, columns = np.zeros((y.size, y.size)), self.shape[1]
        end = self.size + self.first.size
        J[: self.size, : self.size] = A
        J[self.size : end, self.size : end] = np.kron(A, np.eye(columns))
        return J

    def allowed(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        x, S = self._parts(y)
        sizes = Sizes.at_state(self.variation, t, x)
        self.returning.look(x, sizes.weights)
        columns = sizes.of_columns(S, h, self.part)
        cost = self.part * h * self._cost_sizes(t, x, S)
        # SciPy's Radau asks for sizes before a step, which columns of zeros do not have yet
        if isinstance(self.method, Radau):
            columns[:, sizes.is_unknown(S)] = np.inf
            cost[cost == 0] = np.inf
        return np.concatenate([sizes.of_state(h, self.part), columns.ravel(), cost])

    def _parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        end = self.size + self.first.size
        return y[: self.size], y[self.size : end].reshape(self.shape)
