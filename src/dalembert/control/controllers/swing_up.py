"""Swing-up and stabilisation: energy shaping far from the top, LQR near it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Controller
from dalembert.control.controllers.checks import positive
from dalembert.control.controllers.energy_shaping import EnergyShaping
from dalembert.control.controllers.lqr import LQR
from dalembert.control.planning.level import falling_level
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class SwingUp(Controller):
    """Swing up by energy, and switch to LQR where its Lyapunov function falls.

    Args:
        swing: The law far from the top.
        catch: The regulator about the same upright position.
        level: The regulator acts where x̃ᵀ S x̃ ≤ level; estimated unless given.

    Angles count modulo full turns for the catch. The switch has no memory.

    Stability: `swing` brings the motion to the orbit through the upright position, so arbitrarily
    near to it and below the level, however small. There V = x̃ᵀ S x̃ falls along the true motion: the
    set is not left again, and the regulator ends the motion upright. The level is estimated from
    many directions in state space as half of the largest one inside which V̇ < 0: that is a check by
    samples, not a proof.
    """

    swing: EnergyShaping
    catch: LQR
    level: Any = None

    def __post_init__(self) -> None:
        if self.swing.model is not self.catch.model:
            raise EvaluationError("expected one model for both laws of SwingUp, got two")
        if np.abs(self.swing.upright - self.catch.equilibrium).max() > 1e-9:
            raise EvaluationError(
                f"expected the regulator at the upright position {self.swing.upright}, got it at "
                f"{self.catch.equilibrium}"
            )
        if self.level is None:
            level = falling_level(self.catch, self._is_angle)
        else:
            level = positive(self.level, "level")
        self._store(level=level)

    @property
    def model(self) -> Model:  # type: ignore[override]
        """The model of both laws."""
        return self.swing.model

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        near = self._wrapped(q)
        caught = self.catch.lyapunov(near, qd) <= self.level
        if caught.ndim == 0:
            return self.catch(t, near, qd) if caught else self.swing(t, q, qd)
        return np.where(caught[..., None], self.catch(t, near, qd), self.swing(t, q, qd))

    def has_caught(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Tell whether the regulator acts."""
        near = self._wrapped(np.asarray(q, float))
        return self.catch.lyapunov(near, np.asarray(qd, float)) <= self.level

    def _wrapped(self, q: Array) -> Array:
        """Return q with its angles within half a turn of the upright position."""
        turns = 2 * np.pi * np.round((q - self.swing.upright) / (2 * np.pi))
        return q - np.where(self._is_angle, turns, 0.0)

    @cached_property
    def _is_angle(self) -> Array:
        return np.isin(np.arange(self.swing.model.nv), list(self.swing.angles))
