"""One step of a motion under constant inputs, and its derivatives: what a planner works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array


class StepMap:
    """x⁺ = f(x, u) by one step of RK4 of length h, of states (q, q̇) over leading axes.

    Args:
        model: Without constraints and quaternions.
        places: Those of the inputs that act.
        h: The length of the step in seconds.
    """

    def __init__(self, model: Model, places: list[int], h: float) -> None:
        self.model, self.places, self.h, self.n = model, places, h, model.nv
        self.num_inputs = len(model.symbols.inputs)

    def __call__(self, x: Array, u: Array) -> Array:
        """Return the state after the step."""
        tau, h = self._spread(u), self.h
        a = self._rate(x, tau)
        b = self._rate(x + h / 2 * a, tau)
        c = self._rate(x + h / 2 * b, tau)
        d = self._rate(x + h * c, tau)
        return x + h / 6 * (a + 2 * b + 2 * c + d)

    def derivatives(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Return ∂x⁺/∂x and ∂x⁺/∂u, by the chain rule through the stages."""
        tau, h, eye = self._spread(u), self.h, np.eye(2 * self.n)
        # rates of the stages, and their derivatives by the state at the start and by the inputs
        k = self._rate(x, tau)
        Ax, Bx = self._slopes(x, tau)
        sum_A, sum_B = Ax, Bx
        for length, weight in ((h / 2, 2), (h / 2, 2), (h, 1)):
            stage = x + length * k
            A, B = self._slopes(stage, tau)
            Ax, Bx = A @ (eye + length * Ax), A @ (length * Bx) + B
            sum_A, sum_B = sum_A + weight * Ax, sum_B + weight * Bx
            k = self._rate(stage, tau)
        return eye + h / 6 * sum_A, h / 6 * sum_B

    def _spread(self, u: Array) -> Array:
        tau = np.zeros((*u.shape[:-1], self.num_inputs))
        tau[..., self.places] = u
        return tau

    def _rate(self, x: Array, tau: Array) -> Array:
        q, v = x[..., : self.n], x[..., self.n :]
        return np.concatenate([v, self.model.forward_dynamics(q, v, tau)], axis=-1)

    def _slopes(self, x: Array, tau: Array) -> tuple[Array, Array]:
        n = self.n
        dq, dv, du = self.model.forward_dynamics_derivatives(x[..., :n], x[..., n:], tau)
        A = np.zeros((*x.shape, 2 * n))
        A[..., :n, n:] = np.eye(n)
        A[..., n:, :n], A[..., n:, n:] = dq, dv
        B = np.zeros((*x.shape, len(self.places)))
        B[..., n:, :] = du[..., self.places]
        return A, B
