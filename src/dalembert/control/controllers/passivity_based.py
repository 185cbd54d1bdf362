"""Passivity-based tracking, which does not cancel the inertia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.control.controllers.base import Evaluate, times
from dalembert.control.controllers.tracking import TrackingController
from dalembert.control.references.base import Motion

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class Sliding(NamedTuple):
    """The velocity q̇_r that leads back to the reference, its rate q̈_r, and s = q̇ - q̇_r."""

    velocity: Array
    rate: Array
    s: Array


def sliding(desired: Motion, slope: Array, q: Array, v: Array) -> Sliding:
    """Return q̇_r = q̇_d - Λ q̃, its rate q̈_r = q̈_d - Λ (q̇ - q̇_d), and s = q̇ - q̇_r."""
    velocity = desired.velocity + (desired.position - q) @ slope
    rate = desired.acceleration + (desired.velocity - v) @ slope
    return Sliding(velocity, rate, v - velocity)


@dataclass(frozen=True, eq=False, kw_only=True)
class PassivityBased(TrackingController):
    """τ = M q̈_r + C q̇_r + N - K s with q̇_r = q̇_d - Λ q̃ and s = q̇ - q̇_r = q̃' + Λ q̃.

    Args:
        slope: Λ ≻ 0 in 1/s: how fast errors fade where s = 0.
        damping: K ≻ 0.

    Stability: the closed loop is M ṡ + (C + K) s = 0. V = ½ sᵀ M s has V̇ = ½ sᵀ (Ṁ - 2C) s - sᵀ K s
    = -sᵀ K s, because Ṁ - 2C is skew for the C of the Christoffel symbols that the model computes.
    So s → 0 exponentially, and q̃ follows through the stable filter q̃' + Λ q̃ = s. Reference:
    J.-J. E. Slotine, W. Li, On the adaptive control of robot manipulators, Int. J. Robotics
    Research 6(3), 1987, here without the adaptation.
    """

    slope: Any
    damping: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._store_gains(self.model.nv, "slope", "damping")

    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        r = sliding(desired, self.slope, q, v)
        C = evaluate("coriolis", q, v)
        # M q̈_r + C q̇_r + N = (M q̈_r + C q̇ + N) - C s
        return evaluate("inverse_dynamics", q, v, r.rate) - times(C, r.s) - r.s @ self.damping

    def lyapunov(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V."""
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        s = sliding(self.desired(t), self.slope, q, qd).s
        return self.model.kinetic_energy(q, s)

    def lyapunov_rate(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V̇ = -sᵀ K s."""
        s = sliding(self.desired(t), self.slope, np.asarray(q, float), np.asarray(qd, float)).s
        return -((s @ self.damping) * s).sum(axis=-1)
