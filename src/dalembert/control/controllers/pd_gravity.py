"""PD control of the joints with gravity compensation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.any_robot import AnyRobot
from dalembert.control.controllers.base import Evaluate, load_at_rest
from dalembert.control.controllers.tracking import TrackingController
from dalembert.control.reach.tracking_error import tracking_error
from dalembert.control.references.base import Motion

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False, kw_only=True)
class PDGravity(AnyRobot, TrackingController):
    """τ = N(q, 0) - K q̃ - D (q̇ - q̇_d) with q̃ = q - q_d, on the velocities that inputs drive.

    Of ball joints and free bases q̃ is the rotation vector, or the twist, from q_d to q. With loops,
    and where some joints have no motor, N stands for the inputs that carry it as the constraints
    allow; what they cannot carry accelerates least: `unheld` names it, and a reference that cannot
    be held warns.

    Args:
        stiffness: K ≻ 0: a number, one for each velocity, or a matrix; the rows and columns of
            velocities without inputs do not matter.
        damping: D ≻ 0.
        actuated: Places of the inputs that act; those of actuators unless given.

    Stability, for a constant q_d where the inputs carry all of N: V = ½ q̇ᵀ M q̇ + ½ q̃ᵀ K q̃ is
    positive definite and radially unbounded, and with Ṁ - 2C skew V̇ = -q̇ᵀ D q̇ - (friction) ≤ 0;
    constraint forces do no work. Where V̇ stays 0 the arm rests, so K q̃ = 0: q_d is globally
    asymptotically stable, by LaSalle. With loops, and with orientations (K one number for each
    ball), that holds near q_d; where inputs do not carry N, nothing is claimed. A moving reference
    is followed with an error. Reference: M. Takegaki, S. Arimoto, A new feedback method for
    dynamic control of manipulators, J. Dynamic Systems, Measurement and Control 103 (1981).

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.ur5e())
    >>> hold = PDGravity(model, [0.0] * 6, stiffness=100.0, damping=20.0)
    >>> hold(0.0, [0.1, 0, 0, 0, 0, 0], [0.0] * 6).shape
    (6,)
    """

    stiffness: Any
    damping: Any
    actuated: Sequence[int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._store_gains(self.model.nv, "stiffness", "damping")
        if not callable(self.reference):
            self._warn_unheld(self.desired(0.0).position)

    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        push = (desired.position - q) @ self.stiffness + (desired.velocity - v) @ self.damping
        return load_at_rest(evaluate, q) + push

    def efforts(self, t: float, q: Array, v: Array) -> Array:
        on = list(self._drives.velocities)
        e = tracking_error(self.model.configuration, q, v, self.desired(t))
        K, D = (gain[np.ix_(on, on)] for gain in (self.stiffness, self.damping))
        return self._carried(q) + K @ e.position[on] + D @ e.velocity[on]

    def lyapunov(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V."""
        c, on = self.model.configuration, list(self._drives.velocities)
        e = c.difference(np.asarray(q, float), self.desired(t).position)[..., on]
        spring = ((e @ self.stiffness[np.ix_(on, on)]) * e).sum(axis=-1) / 2
        return self.model.kinetic_energy(q, qd) + spring

    def _need_model(self) -> None:
        _ = self._drives
