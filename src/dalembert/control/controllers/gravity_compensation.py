"""Gravity compensation: torques that carry weight and springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.any_robot import AnyRobot
from dalembert.control.controllers.base import Evaluate, StateFeedback, load_at_rest
from dalembert.control.controllers.checks import gain_matrix

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class GravityCompensation(AnyRobot, StateFeedback):
    """τ = N(q, 0) - D q̇: the arm floats, as without weight and springs.

    With loops, and where some joints have no motor, N stands for the inputs that carry it as the
    constraints allow; what they cannot carry accelerates least (`unheld` names it).

    Args:
        model: Any mechanism, or a system whose inputs are forces on its coordinates.
        damping: D, positive semidefinite; none unless given.
        actuated: Places of the inputs that act; those of actuators unless given.

    Stability, where the inputs carry all of N: the kinetic energy V = ½ q̇ᵀ M q̇ has V̇ = -q̇ᵀ D q̇ -
    (friction) ≤ 0, by Ṁ - 2C skew: every configuration is an equilibrium; with D ≻ 0 on all
    velocities motion dies out, V ≤ V₀ e^(-2 δ t) with δ the least eigenvalue of D over the largest
    of M.
    """

    model: Model
    damping: Any = 0.0
    actuated: Sequence[int] | None = None

    def __post_init__(self) -> None:
        _ = self._drives
        self._store(damping=gain_matrix(self.damping, self.model.nv, "damping", may_vanish=True))

    def lyapunov(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V = T."""
        return self.model.kinetic_energy(q, qd)

    def torques(self, evaluate: Evaluate, q: Array, v: Array) -> Array:
        return load_at_rest(evaluate, q) - v @ self.damping

    def efforts(self, t: float, q: Array, v: Array) -> Array:
        on = list(self._drives.velocities)
        return self._carried(q) - self.damping[np.ix_(on, on)] @ v[on]
