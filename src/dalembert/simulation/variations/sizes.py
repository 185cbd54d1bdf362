"""How large changes of a motion are, and how large their rounding: what errors are measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.problem.scales import velocity_of_position

if TYPE_CHECKING:
    from dalembert.simulation.variations.equations.variation import Slopes, Variation

ROUNDING = 100 * float(np.finfo(float).eps)
"""Errors of accelerations beside the terms that they are the sum of."""


class Sizes:
    """The sizes of a state, of changes and of adjoints at a time, or at many.

    Velocities of one column are comparable once multiplied by w = √Mⱼⱼ, their adjoints once divided
    by it; the largest gives all of them their size, so that no unit matters. Where the parts of an
    acceleration cancel, only rounding is left of it, whose size is that of the parts: the largest
    of ∂q̈/∂x δx, and of p ∂q̈/∂p over p.

    Args:
        variation: The motion.
        at: Its equations at a state, or at many, with leading axes.
        v: The velocities there.
    """

    def __init__(self, variation: Variation, at: Slopes, v: np.ndarray) -> None:
        self.at, self.p = at, np.abs(variation.values)
        n = variation.nv
        w = np.sqrt(np.abs(at.metric))
        self.weights = w = np.where(w > 0, w, 1.0)
        self._velocities = velocity_of_position(variation.model)
        self.speed = (w * np.abs(v)).max(axis=-1)
        # the parts of accelerations
        self.by_q, self.by_v = (
            _largest(w, A / w[..., None, :]).max(axis=-1)
            for A in (at.A[..., n:, :n], at.A[..., n:, n:])
        )
        by_p = _largest(w, at.B[..., n:, :] * self.p).max(axis=-1, initial=0.0)
        self.force = (w * np.abs(at.rate[..., -n:])).max(axis=-1) + by_p

    @classmethod
    def at_state(cls, variation: Variation, t: float, x: np.ndarray) -> Sizes:
        """Return the sizes at one state."""
        return cls(variation, variation.at(t, x), x[variation.nq :])

    def of_state(self, h: float, part: float) -> np.ndarray:
        """Return errors of q and q̇ in a step h: a part of their sizes; quaternions have size 1."""
        v = (part * self.speed + h * (part + ROUNDING) * self.force) / self.weights
        q = np.where(self._velocities < 0, part, h * v[self._velocities])
        return np.concatenate([q, v])

    def of_columns(self, S: np.ndarray, h: float | np.ndarray, part: float) -> np.ndarray:
        """Return errors of the columns of S in a step h, or in many."""
        h = np.asarray(h)[..., None]
        position, velocity, acceleration = self._totals(S)
        parts = self.by_q[..., None] * position + self.by_v[..., None] * velocity
        parts[..., S.shape[-2] :] += self._over_parameters(self.force[..., None])
        change = part * acceleration + ROUNDING * parts
        eta, v = part * (position + h * velocity) + h * h * change, part * velocity + h * change
        w = self.weights[..., :, None]
        return np.concatenate([eta[..., None, :] / w, v[..., None, :] / w], axis=-2)

    def is_unknown(self, S: np.ndarray) -> np.ndarray:
        """Tell for each column whether it is zero and does not move yet."""
        return np.sum(self._totals(S), axis=0) == 0

    def of_adjoints(
        self, adjoint: np.ndarray, rate: np.ndarray, h: float, part: float
    ) -> np.ndarray:
        """Return errors of λ and of the integrals of Bᵀ λ behind it, in a step h."""
        n, w = len(self.weights), self.weights
        tops = [float((np.abs(x) / w).max()) for x in (adjoint[:n], adjoint[n : 2 * n])]
        rates = [float((np.abs(x) / w).max()) for x in (rate[:n], rate[n : 2 * n])]
        parts = self.by_q * tops[1], tops[0] + self.by_v * tops[1]
        found = [
            w * (part * (top + h * change) + h * ROUNDING * rounding)
            for top, change, rounding in zip(tops, rates, parts, strict=True)
        ]
        own = float((self.p * np.abs(rate[2 * n :])).max(initial=0.0))
        own = h * ((part + ROUNDING) * own + ROUNDING * self.force * tops[1])
        return np.concatenate([*found, self._over_parameters(np.asarray(own))])

    def _totals(self, S: np.ndarray) -> list[np.ndarray]:
        n, w = self.weights.shape[-1], self.weights
        rates = self.at.of_columns(S)
        return [_largest(w, x) for x in (S[..., :n, :], S[..., n:, :], rates[..., n:, :])]

    def _over_parameters(self, value: np.ndarray) -> np.ndarray:
        value = np.broadcast_to(value, np.broadcast_shapes(np.shape(value), self.p.shape))
        return np.divide(value, self.p, out=np.zeros(value.shape), where=self.p > 0)


def _largest(weights: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the largest entry of each column, weighted."""
    return (weights[..., :, None] * np.abs(columns)).max(axis=-2)
