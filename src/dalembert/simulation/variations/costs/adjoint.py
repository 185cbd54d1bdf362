"""The gradient of a cost over a motion, by the adjoint equations: one way there, one way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.variations.sizes import Sizes
from dalembert.simulation.variations.stepping import Stepping

if TYPE_CHECKING:
    from dalembert.simulation.methods.dop853 import DOP853
    from dalembert.simulation.variations.costs.cost import Cost
    from dalembert.simulation.variations.equations.variation import Variation
    from dalembert.simulation.variations.passing.saltation import Passage
    from dalembert.simulation.variations.passing.way import Leg


class Costs(NamedTuple):
    """J = ∫ running dt + final at the end."""

    running: Cost
    final: Cost

    def at_end(self, t: float, x: np.ndarray, passage: Passage | None) -> np.ndarray:
        """Return the derivatives of J by changes of the last state and by parameters.

        Where an event ends the motion, its time moves with them.
        """
        final = self.final.at(t, x)
        if passage is None or passage.time is None:
            return final.by
        rate = final.by_state @ passage.flow + final.by_time + self.running.at(t, x).value
        return final.by + rate * passage.time

    def step_at(self, passage: Passage, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the derivatives of J by the time of an event, by changes and by parameters.

        The running cost before it lasts longer, and the one after it begins later.
        """
        if passage.time is None:
            return np.zeros(self.running.num_slopes)
        values = [self.running.at(passage.t, x).value for x in (before, after)]
        return (values[0] - values[1]) * passage.time


class WayThere(Stepping):
    """The motion y = (x, J) with J̇ = ℓ, the running cost."""

    def __init__(
        self, variation: Variation, running: Cost, method: DOP853, start: float, end: float
    ) -> None:
        super().__init__(method, start, end)
        self.variation, self.running = variation, running

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        x = y[:-1]
        return np.append(self.variation.at(t, x).rate, self.running.at(t, x).value)

    def allowed(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        x = y[:-1]
        own = self.part * h * abs(self.running.at(t, x).value)
        return np.append(Sizes.at_state(self.variation, t, x).of_state(h, self.part), own)

    def repaired(self, t: float, y: np.ndarray) -> np.ndarray:
        found = self.variation.onto(t, y[:-1])
        return y if found is None else np.append(found[0], y[-1])


class WayBack(Stepping):
    """The motion y = (x, λ, μ) with λ̇ = -Aᵀ λ - ∂ℓ/∂x and μ̇ = -Bᵀ λ - ∂ℓ/∂p."""

    def __init__(
        self, variation: Variation, running: Cost, method: DOP853, start: float, end: float
    ) -> None:
        super().__init__(method, start, end)
        self.variation, self.running = variation, running
        self.size = variation.nq + variation.nv

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        x, lam = y[: self.size], y[self.size :][: 2 * self.variation.nv]
        at, cost = self.variation.at(t, x), self.running.at(t, x)
        back = [at.A.T @ lam + cost.by_state, at.B.T @ lam + cost.by_parameters]
        return np.concatenate([at.rate, *(-part for part in back)])

    def allowed(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        sizes, m = Sizes.at_state(self.variation, t, y[: self.size]), self.size
        adjoints = sizes.of_adjoints(y[m:], self.rate(t, y)[m:], h, self.part)
        return np.concatenate([sizes.of_state(h, self.part), adjoints])

    def over(self, states: Sequence[tuple[float, np.ndarray]], adjoint: np.ndarray) -> np.ndarray:
        """Return (λ, μ) at the first of some states from those at the last.

        Every step begins at the state that the way there had: errors of the motion, which may grow
        backwards, do not add up. What moved a state onto the constraints moves (λ, μ) back.
        """
        for (t0, _), (t1, x1) in zip(states[-2::-1], states[:0:-1], strict=True):
            adjoint = self._on_constraints(t1, x1, adjoint)
            *_, (_, y) = self.run(t1, np.concatenate([x1, adjoint]), t0)
            adjoint = y[self.size :]
        return self._on_constraints(*states[0], adjoint)

    def _on_constraints(self, t: float, x: np.ndarray, adjoint: np.ndarray) -> np.ndarray:
        found = self.variation.onto(t, x)
        return adjoint if found is None else found[1].back(adjoint)


def gradient_by_adjoint(
    legs: Sequence[Leg], costs: Costs, method: DOP853
) -> tuple[float, np.ndarray]:
    """Return J, and its derivatives by changes of the start and by parameters."""
    start, end = legs[0].t, legs[-1].end
    total, ways = 0.0, list[list[tuple[float, np.ndarray]]]()
    # there: all states, and the integral of the running cost
    for leg in legs:
        there = WayThere(leg.variation, costs.running, method, start, end)
        rows = [(leg.t, there.repaired(leg.t, np.append(leg.x, total)))]
        if leg.end != leg.t:
            rows += there.run(*rows[0], leg.end)
        total = float(rows[-1][1][-1])
        ways.append([(t, y[:-1]) for t, y in rows])
    # back: λ = ∂φ/∂x at the end
    last = ways[-1][-1]
    adjoint = costs.at_end(*last, legs[-1].passage)
    for number in reversed(range(len(legs))):
        leg, passage = legs[number], legs[number].passage
        if number + 1 < len(legs) and passage is not None:
            adjoint = adjoint if passage.jump is None else passage.jump.back(adjoint)
            adjoint = adjoint + costs.step_at(passage, ways[number][-1][1], legs[number + 1].x)
        back = WayBack(leg.variation, costs.running, method, end, start)
        adjoint = back.over(ways[number], adjoint)
    return total + costs.final.at(*last).value, adjoint
