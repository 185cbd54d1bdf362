"""Computed torque: inverse dynamics in the feedback leave n double integrators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Evaluate
from dalembert.control.controllers.checks import gain_matrix
from dalembert.control.controllers.tracking import TrackingController
from dalembert.control.references.base import Motion

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False, kw_only=True)
class ComputedTorque(TrackingController):
    """τ = M a + C q̇ + N with a = q̈_d - D (q̇ - q̇_d) - K q̃ and q̃ = q - q_d.

    Args:
        stiffness: K ≻ 0 in 1/s²: the squares of natural frequencies.
        damping: D ≻ 0 in 1/s; critical, 2 √K, unless given.

    Stability: with the exact model, M ≻ 0 leaves q̃'' + D q̃' + K q̃ = 0, linear and decoupled where
    K and D are diagonal. V = ½ q̃'ᵀ q̃' + ½ q̃ᵀ K q̃ has V̇ = -q̃'ᵀ D q̃', and q̃ = 0 is exponentially
    stable from everywhere. Reference: J. Y. S. Luh, M. W. Walker, R. P. C. Paul, Resolved-
    acceleration control of mechanical manipulators, IEEE Trans. Automatic Control 25 (1980).
    """

    stiffness: Any
    damping: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        K = gain_matrix(self.stiffness, self.model.nv, "stiffness")
        if self.damping is None:
            D = 2 * _root(K)
        else:
            D = gain_matrix(self.damping, self.model.nv, "damping")
        self._store(stiffness=K, damping=D)

    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        a = (
            desired.acceleration
            + (desired.velocity - v) @ self.damping
            + (desired.position - q) @ self.stiffness
        )
        return evaluate("inverse_dynamics", q, v, a)

    def lyapunov(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V."""
        desired = self.desired(t)
        e, ed = np.asarray(q, float) - desired.position, np.asarray(qd, float) - desired.velocity
        return ((e @ self.stiffness) * e + ed * ed).sum(axis=-1) / 2


def _root(K: Array) -> Array:
    """Return the symmetric square root."""
    values, vectors = np.linalg.eigh(K)
    return (vectors * np.sqrt(values)) @ vectors.T
