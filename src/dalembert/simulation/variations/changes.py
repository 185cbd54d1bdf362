"""A motion that is differentiated: the events that it passes, and small changes beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.methods.base import Flow
from dalembert.simulation.methods.flow import SMALL, LocalSizes
from dalembert.simulation.problem.problem import Problem
from dalembert.simulation.variations.returning import Returning
from dalembert.simulation.variations.sizes import Sizes

if TYPE_CHECKING:
    from dalembert.simulation.events.base import Turn
    from dalembert.simulation.methods.base import Step
    from dalembert.simulation.methods.flow import Measured
    from dalembert.simulation.variations.costs.cost import Cost
    from dalembert.simulation.variations.equations.setting import Setting
    from dalembert.simulation.variations.equations.variation import Slopes, Variation
    from dalembert.simulation.variations.passing.passages import Passages
    from dalembert.simulation.variations.passing.saltation import Passage

    Variations = Callable[[np.ndarray | None], Variation]
    """The equations in a mode of contacts and dry frictions."""

FEW = 9
"""States of a smooth part, at most twice as many, at which the rates of its event are looked at."""


class Passed(NamedTuple):
    """An event on a motion, the equations before it, the state on both sides, and S on arrival."""

    passage: Passage
    variation: Variation
    x: np.ndarray
    after: np.ndarray
    S: np.ndarray
    is_terminal: bool


class DifferentiatedMotion(Problem):
    """A motion of which it is known how changes pass its events.

    Args:
        setting: What moves.
        variations: Gives its equations in a mode.
        rtol: Relative error of a step.

    Attributes:
        passages: Says how changes pass an event.
        passed: The events so far.
        fault: Why changes do not pass an event, if that is so.
    """

    def __init__(self, setting: Setting, variations: Variations, rtol: float) -> None:
        super().__init__(
            setting.model,
            setting.drive,
            Projection(),
            is_audited=False,
            has_dry_friction=setting.has_dry_friction,
        )
        self.variations, self.part = variations, SMALL * rtol
        self.passages: Passages | None = None
        self.passed: list[Passed] = []
        self.fault: EvaluationError | None = None
        # states since the last event
        self._way: list[tuple[float, np.ndarray]] = []

    @property
    def variation(self) -> Variation:
        """The equations in the present mode."""
        return self.variations(None if self.modes is None else self.modes.current)

    @property
    def has_power(self) -> bool:
        """False: energies are not asked for."""
        return False

    def flow(self, size: int) -> Flow:
        return Flow(self.rate, 1.0, lambda: LocalSizes(self.measured))

    def measured(self, t: float, y: np.ndarray) -> Measured:
        """Return the sizes of all entries."""
        at, part = Sizes.at_state(self.variation, t, y), self.part
        return (lambda h: at.of_state(h, part) / part), False

    def begin(self, t: float, x: np.ndarray) -> np.ndarray:
        self._way = [(t, x)]
        return super().begin(t, x)

    def look_at(self, step: Step) -> None:
        super().look_at(step)
        self._way.append((step.t, step.x[: self.size]))
        if len(self._way) > 2 * FEW:
            del self._way[1::2]

    def through(self, turn: Turn) -> np.ndarray:
        assert self.passages is not None
        t, x = turn.t, turn.x[: self.size]
        before, after = self.variations(turn.before), self.variations(turn.modes)
        start = self._way[0][0]
        way = [(when, y) for when, y in self._way if abs(when - start) < abs(t - start)]
        try:
            passage = self.passages.passage(turn._replace(x=x), before, after, way or [(t, x)])
        except EvaluationError as error:
            self.fault = error
            raise
        behind = x if turn.effect.after is None else turn.effect.after
        self._way = [(t, behind)]
        S, extras = self._carried(turn, before, after, passage, behind)
        self.passed.append(Passed(passage, before, x, behind, S, turn.is_terminal))
        return extras

    def _carried(
        self, turn: Turn, before: Variation, after: Variation, passage: Passage, x: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return S on arrival at an event, and the extra entries behind it."""
        return np.empty((0, 0)), turn.x[self.size :]


class Changes(DifferentiatedMotion):
    """The motion y = (q, q̇, S) with Ṡ = A S + (0, B): S has a column for each change.

    The last columns are those of the parameters. Errors of every entry are relative to it, or to
    4 % of the size that its column gives it (`Sizes`). With a ``running`` cost ℓ its integral J
    follows in y, and the derivatives of J by all changes.

    Args:
        setting: What moves.
        variations: Gives its equations in a mode.
        rtol: Relative error of a step.
        restarts: The times at which S begins anew.
        running: A cost.

    Attributes:
        returning: Whether the motion comes back to its start.
        weights: The √Mⱼⱼ of a state nearby.
    """

    def __init__(
        self,
        setting: Setting,
        variations: Variations,
        rtol: float,
        *,
        restarts: Sequence[float] = (),
        running: Cost | None = None,
    ) -> None:
        super().__init__(setting, variations, rtol)
        n, m = 2 * self.model.nv, len(setting.parameters)
        self.first = np.concatenate([np.eye(n), np.zeros((n, m))], axis=1)
        self.running = running
        self.returning, self.weights = Returning(self.model), np.ones(self.model.nv)
        self._restarts, self._values = frozenset(restarts), np.abs(setting.values)
        self._num_costs = 0 if running is None else 1 + n + m

    @property
    def num_stored(self) -> int:
        return self.first.size + self._num_costs

    def flow(self, size: int) -> Flow:
        return super().flow(size)._replace(jacobian=lambda *_: self._jacobian)

    def begin(self, t: float, x: np.ndarray) -> np.ndarray:
        self.returning.begin(x)
        y = np.concatenate([super().begin(t, x), self.first.ravel(), np.zeros(self._num_costs)])
        return self.onto(t, y, self.variation)

    def resumed(self, t: float, x: np.ndarray) -> np.ndarray | None:
        if t not in self._restarts:
            return None
        y = np.concatenate([x[: self.size], self.first.ravel(), self.costs(x)])
        return self.onto(t, y, self.variation)

    def onto(self, t: float, y: np.ndarray, variation: Variation) -> np.ndarray:
        """Return y with changes that the constraints allow; itself without any."""
        x, S = self.split(y)
        found = variation.onto(t, x)
        return y if found is None else self._joined(x, found[1].forward(S), self.costs(y))

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the state (q, q̇) and S."""
        m = self.size
        return y[:m], y[m : m + self.first.size].reshape(self.first.shape)

    def costs(self, y: np.ndarray) -> np.ndarray:
        """Return the integral of the running cost so far, and its derivatives by all changes."""
        return y[self.size + self.first.size :]

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        if x.size == self.size:
            return super().rate(t, x)
        (state, S), at = self.split(x), self.variation.at(t, x[: self.size])
        return self._joined(at.rate, at.of_columns(S), self._cost_rate(t, state, S))

    def measured(self, t: float, y: np.ndarray) -> Measured:
        """Return the sizes of all entries, and note which speeds are comparable there."""
        (x, S), part = self.split(y), self.part
        at, costs = Sizes.at_state(self.variation, t, x), self._cost_sizes(t, y)
        self.weights = at.weights

        def of_step(h: float) -> np.ndarray:
            own = np.concatenate([at.of_state(h, part), at.of_columns(S, h, part).ravel()])
            return np.concatenate([own / part, h * costs])

        columns = np.broadcast_to(at.is_unknown(S), S.shape).ravel()
        return of_step, np.concatenate([np.full(x.size, False), columns, costs == 0])

    def _cost_sizes(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return the sizes of ℓ, and of the parts of its derivatives."""
        if self.running is None:
            return np.empty(0)
        x, S = self.split(y)
        at, n, p = self.running.at(t, x), len(S), self._values
        by = np.abs(at.by_state) @ np.abs(S)
        by[n:] += np.abs(at.by_parameters)
        by[n:] += np.divide(abs(at.value), p, out=np.zeros_like(p), where=p > 0)
        return np.concatenate([[abs(at.value)], by])

    def _carried(
        self, turn: Turn, before: Variation, after: Variation, passage: Passage, x: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        y = self.onto(turn.t, turn.x, before)
        arrived, there = self.split(y)
        self.returning.look(arrived, self.weights)
        S = there
        if passage.jump is not None:
            S = passage.jump.forward(S)
        behind = self.onto(turn.t, self._joined(x, S, self.costs(y)), after)
        return there, behind[self.size :]

    def _cost_rate(self, t: float, x: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Return J̇ = ℓ and its derivatives by all changes."""
        if self.running is None:
            return np.empty(0)
        at, n = self.running.at(t, x), len(S)
        by = at.by_state @ S
        by[n:] += at.by_parameters
        return np.concatenate([[at.value], by])

    def _jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ∂ẏ/∂y without ∂²ẋ/∂x², which moves no eigenvalue: S acts on nothing."""
        at: Slopes = self.variation.at(t, y[: self.size])
        J, m = np.zeros((y.size, y.size)), self.size
        end = m + self.first.size
        J[:m, :m] = at.A
        J[m:end, m:end] = np.kron(at.A, np.eye(self.first.shape[1]))
        return J

    @staticmethod
    def _joined(x: np.ndarray, S: np.ndarray, costs: np.ndarray) -> np.ndarray:
        return np.concatenate([x, S.ravel(), costs])
