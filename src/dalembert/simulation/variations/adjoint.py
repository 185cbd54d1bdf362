"""The gradient of a cost over a motion, by the adjoint equations: one way there, one way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.expr import as_expr, jacobian
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.variations.sizes import Sizes
from dalembert.simulation.variations.stepping import Stepping

if TYPE_CHECKING:
    from dalembert.simulation.methods.dop853 import DOP853
    from dalembert.simulation.variations.variation import Variation
    from dalembert.types import Scalar


class CostSlopes(NamedTuple):
    """A cost at a state, and its derivatives by changes (η, δq̇) and by parameters."""

    value: float
    by_state: np.ndarray
    by_parameters: np.ndarray


class Cost:
    """An expression of time, state and parameters with its derivatives, compiled."""

    def __init__(self, variation: Variation, cost: Scalar) -> None:
        model, p = variation.model, variation.parameters
        expression = as_expr(cost)
        self.variation = variation

        def outputs() -> dict[str, Any]:
            found = {"value": expression, "by_state": variation.slopes([expression])[0]}
            return found | ({"by_p": jacobian([expression], p).rows[0]} if p else {})

        inputs = {**state_symbols(model), "p": p}
        key = ("cost", expression, p)
        self._run = compiled(model, key, outputs, inputs, (expression,))

    def at(self, t: float, x: np.ndarray) -> CostSlopes:
        """Return the cost and its derivatives at a state."""
        n = self.variation.nq
        value, by_state, *rest = self._run(t, x[:n], x[n:], self.variation.values)
        return CostSlopes(float(value), by_state, rest[0] if rest else np.zeros(0))


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
        return np.append(Sizes(self.variation, t, x).of_state(h, self.part), own)


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
        sizes, m = Sizes(self.variation, t, y[: self.size]), self.size
        adjoints = sizes.of_adjoints(y[m:], self.rate(t, y)[m:], h, self.part)
        return np.concatenate([sizes.of_state(h, self.part), adjoints])


def cost_and_gradient(
    variation: Variation,
    running: Scalar,
    final: Scalar,
    method: DOP853,
    x: np.ndarray,
    start: float,
    end: float,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return J = ∫ ℓ dt + φ at the end, dJ/dx₀ ``(2 nv,)`` and dJ/dp.

    On the way back every step begins at the state that the way there had: errors of the motion,
    which may grow backwards, do not add up.
    """
    rate, last = Cost(variation, running), Cost(variation, final)
    # there: all states, and the integral of the running cost
    there = WayThere(variation, rate, method, start, end)
    states = [(start, x)]
    total = 0.0
    if end != start:
        for t, y in there.run(start, np.append(x, 0.0), end):
            states.append((t, y[:-1]))
            total = float(y[-1])
    # back: λ = ∂φ/∂x at the end
    at_end = last.at(*states[-1])
    adjoint = np.concatenate([at_end.by_state, at_end.by_parameters])
    back = WayBack(variation, rate, method, end, start)
    for (t0, _), (t1, x1) in zip(states[-2::-1], states[:0:-1], strict=True):
        *_, (_, y) = back.run(t1, np.concatenate([x1, adjoint]), t0)
        adjoint = y[back.size :]
    n = 2 * variation.nv
    return total + at_end.value, adjoint[:n], adjoint[n:]
