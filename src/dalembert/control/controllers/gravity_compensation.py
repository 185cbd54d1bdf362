"""Gravity compensation: torques that carry weight and springs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.control.controllers.base import Evaluate, StateFeedback, load_at_rest
from dalembert.control.controllers.checks import check_fully_actuated, gain_matrix

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class GravityCompensation(StateFeedback):
    """τ = N(q, 0) - D q̇: the arm floats, as without weight and springs.

    Args:
        model: An open chain with a torque on each joint.
        damping: D, positive semidefinite; none unless given.

    Stability: the kinetic energy V = ½ q̇ᵀ M q̇ has V̇ = -q̇ᵀ D q̇ - (friction) ≤ 0, by Ṁ - 2C skew:
    every configuration is an equilibrium; with D ≻ 0 motion dies out, V ≤ V₀ e^(-2 δ t) with δ the
    least eigenvalue of D over the largest of M.
    """

    model: Model
    damping: Any = 0.0

    def __post_init__(self) -> None:
        check_fully_actuated(self.model, "GravityCompensation")
        self._store(damping=gain_matrix(self.damping, self.model.nv, "damping", may_vanish=True))

    def lyapunov(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V = T."""
        return self.model.kinetic_energy(q, qd)

    def torques(self, evaluate: Evaluate, q: Array, v: Array) -> Array:
        return load_at_rest(evaluate, q) - v @ self.damping
