"""The gradient of a cost over a motion, by the adjoint equations: one way there, one way back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.methods.base import Flow
from dalembert.simulation.methods.flow import SMALL, LocalSizes
from dalembert.simulation.problem.start import Times
from dalembert.simulation.variations.changes import DifferentiatedMotion
from dalembert.simulation.variations.sizes import Sizes

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Stepper
    from dalembert.simulation.methods.flow import FlowMethod, Measured
    from dalembert.simulation.trajectory.recorder import Recorder
    from dalembert.simulation.variations.changes import Passed
    from dalembert.simulation.variations.costs.cost import Cost
    from dalembert.simulation.variations.equations.variation import Variation
    from dalembert.simulation.variations.passing.saltation import Passage
    from dalembert.simulation.variations.passing.way import Way


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


class Leg(NamedTuple):
    """A smooth part of a motion: its states, and the event that ends it, if any."""

    variation: Variation
    states: Sequence[tuple[float, np.ndarray]]
    event: Passed | None


class WayBack:
    """The motion y = (x, λ, μ, J) with λ̇ = -Aᵀ λ - ∂ℓ/∂x, μ̇ = -Bᵀ λ - ∂ℓ/∂p and J̇ = ℓ.

    Args:
        variation: The equations of x.
        running: The cost ℓ.
        method: Takes steps.
        duration: Of the whole motion, in seconds.
    """

    def __init__(
        self, variation: Variation, running: Cost, method: FlowMethod, duration: float
    ) -> None:
        self.variation, self.running, self.method = variation, running, method
        self.part, self.duration = SMALL * method.rtol, duration
        self.size = variation.nq + variation.nv
        self.stepper: Stepper | None = None

    def measured(self, t: float, y: np.ndarray) -> Measured:
        """Return the sizes of all entries."""
        m, part, rates = self.size, self.part, self.rate(t, y)
        at = Sizes.at_state(self.variation, t, y[:m])

        def of_step(h: float) -> np.ndarray:
            adjoints = at.of_adjoints(y[m:-1], rates[m:-1], h, part)
            own = np.concatenate([at.of_state(h, part), adjoints]) / part
            return np.append(own, h * abs(rates[-1]))

        return of_step, False

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ẏ."""
        x, lam = y[: self.size], y[self.size :][: 2 * self.variation.nv]
        at, cost = self.variation.at(t, x), self.running.at(t, x)
        back = [at.A.T @ lam + cost.by_state, at.B.T @ lam + cost.by_parameters]
        return np.concatenate([at.rate, *(-part for part in back), [cost.value]])

    def over(
        self, states: Sequence[tuple[float, np.ndarray]], adjoint: np.ndarray, cost: float
    ) -> tuple[np.ndarray, float]:
        """Return (λ, μ) and the cost from there on, at the first of some states from the last.

        Every step begins at the state that the way there had: errors of the motion, which may grow
        backwards, do not add up. What moved a state onto the constraints moves (λ, μ) back.
        """
        for (t0, _), (t1, x1) in zip(states[-2::-1], states[:0:-1], strict=True):
            adjoint = self._on_constraints(t1, x1, adjoint)
            y = self._back(t1, np.concatenate([x1, adjoint, [-cost]]), t0)
            adjoint, cost = y[self.size : -1], -float(y[-1])
        return self._on_constraints(*states[0], adjoint), cost

    def _back(self, t: float, y: np.ndarray, end: float) -> np.ndarray:
        if self.stepper is None:
            flow = Flow(self.rate, 1.0, lambda: LocalSizes(self.measured))
            self.stepper = self.method.begin(flow, t, y, self.duration)
        else:
            self.stepper.reset(t, y)
        # errors that no double holds fail the step
        with np.errstate(over="ignore", invalid="ignore"):
            while self.stepper.t != end:
                self.stepper.step(end)
        return self.stepper.x

    def _on_constraints(self, t: float, x: np.ndarray, adjoint: np.ndarray) -> np.ndarray:
        found = self.variation.onto(t, x)
        return adjoint if found is None else found[1].back(adjoint)


def gradient_by_adjoint(
    way: Way, costs: Costs, method: FlowMethod, times: np.ndarray, x: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return J, and its derivatives by changes of the start and by parameters."""
    motion = DifferentiatedMotion(way.setting, way.variation, method.rtol)
    legs = _legs(motion, way.run(motion, method, Times(times, True), x).recorder)
    # back: λ = ∂φ/∂x at the end
    (t, x), event = legs[-1].states[-1], legs[-1].event
    adjoint, total = costs.at_end(t, x, None if event is None else event.passage), 0.0
    for leg in reversed(legs):
        event = leg.event
        if event is not None and not event.is_terminal:
            jump = event.passage.jump
            adjoint = adjoint if jump is None else jump.back(adjoint)
            adjoint = adjoint + costs.step_at(event.passage, event.x, event.after)
        back = WayBack(leg.variation, costs.running, method, abs(float(times[-1] - times[0])))
        adjoint, total = back.over(leg.states, adjoint, total)
    return total + costs.final.at(t, x).value, adjoint


def _legs(motion: DifferentiatedMotion, recorder: Recorder) -> list[Leg]:
    """Return the smooth parts of a motion that has been run, with a state after every step."""
    t, x, legs = np.concatenate(recorder.t), np.concatenate(recorder.x), list[Leg]()
    way, begin = np.abs(t - t[0]), (float(t[0]), x[0])

    def until(distance: float) -> list[tuple[float, np.ndarray]]:
        inside = (way > abs(begin[0] - t[0])) & (way < distance)
        return [begin, *zip(t[inside].tolist(), x[inside], strict=True)]

    for event in motion.passed:
        when = event.passage.t
        states = [*until(abs(when - t[0])), (when, event.x)]
        # events at the same time have no way between them
        legs.append(Leg(event.variation, states if when != begin[0] else states[1:], event))
        begin = when, event.after
        if event.is_terminal:
            return legs
    return [*legs, Leg(motion.variation, until(math.inf), None)]
