"""PD control with gravity compensation: springs and dampers on the joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Evaluate, load_at_rest
from dalembert.control.controllers.tracking import TrackingController
from dalembert.control.references.base import Motion

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False, kw_only=True)
class PDGravity(TrackingController):
    """τ = N(q, 0) - K q̃ - D (q̇ - q̇_d) with q̃ = q - q_d.

    Args:
        stiffness: K ≻ 0: a number, one for each joint, or a matrix.
        damping: D ≻ 0.

    Stability, for a constant q_d: V = ½ q̇ᵀ M q̇ + ½ q̃ᵀ K q̃ is positive definite and radially
    unbounded, and with Ṁ - 2C skew V̇ = -q̇ᵀ D q̇ - (friction) ≤ 0. Where V̇ stays 0 the arm rests,
    so K q̃ = 0: q_d is globally asymptotically stable, by LaSalle. A moving reference is followed
    with an error. Reference: M. Takegaki, S. Arimoto, A new feedback method for dynamic control of
    manipulators, J. Dynamic Systems, Measurement and Control 103 (1981).

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.ur5e())
    >>> hold = PDGravity(model, [0.0] * 6, stiffness=100.0, damping=20.0)
    >>> hold(0.0, [0.1, 0, 0, 0, 0, 0], [0.0] * 6).shape
    (6,)
    """

    stiffness: Any
    damping: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._store_gains(self.model.nv, "stiffness", "damping")

    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        push = (desired.position - q) @ self.stiffness + (desired.velocity - v) @ self.damping
        return load_at_rest(evaluate, q) + push

    def lyapunov(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V."""
        error = np.asarray(q, float) - self.desired(t).position
        spring = ((error @ self.stiffness) * error).sum(axis=-1) / 2
        return self.model.kinetic_energy(q, qd) + spring
