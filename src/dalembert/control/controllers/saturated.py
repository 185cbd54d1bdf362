"""Torque limits on another controller, with a record of when they act."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Controller
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


class SaturationWarning(UserWarning):
    """A controller asked for more than the actuators give."""


@dataclass
class Excess:
    """When one input was limited, and by how much it was exceeded at most."""

    first: float
    last: float
    calls: int
    most: float


@dataclass(frozen=True, eq=False)
class Saturated(Controller):
    """A controller whose torques are cut to ±limits.

    Args:
        controller: The one to limit; it has no extra state.
        limits: One for each input; those of the mechanism (``model.configuration.effort``)
            unless given.

    The first cut warns, and again after `clear`; ``excess`` holds for every input that was cut
    when, in how many calls and by how much. An integrator calls more often than it steps. What the
    stability argument of the controller says holds only while nothing is cut.
    """

    controller: Controller
    limits: Any = None
    excess: dict[str, Excess] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        model = self.controller.model
        n = len(model.symbols.inputs)
        if self.limits is None:
            bounds = model.configuration.effort
            if bounds.shape != (n,) or not np.isfinite(bounds).any():
                raise EvaluationError(
                    "expected torque limits in the model, got none: give limits=, one each"
                )
        else:
            given = finite_array(self.limits, "limits")
            bounds = np.full(n, given) if given.ndim == 0 else given
        if bounds.shape != (n,) or not (bounds > 0).all():
            raise EvaluationError(
                f"expected {n} limits above zero, got {bounds} of shape {bounds.shape}"
            )
        self._store(limits=bounds)

    @property
    def model(self) -> Model:  # type: ignore[override]
        """The model of the controller."""
        return self.controller.model

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        wanted = self.controller(t, q, qd)
        over = np.abs(wanted) - self.limits
        if (over > 0).any():
            self._note(float(np.min(t)), over)
        return np.clip(wanted, -self.limits, self.limits)

    def clear(self) -> None:
        """Forget what happened, before another run."""
        self.excess.clear()

    def _note(self, t: float, over: Array) -> None:
        worst = over.reshape(-1, over.shape[-1]).max(axis=0)
        for k in np.flatnonzero(worst > 0):
            name = str(self.model.symbols.inputs[k])
            found = self.excess.get(name)
            if found is None:
                if not self.excess:
                    warnings.warn(
                        f"{type(self.controller).__name__} asks for {name} = "
                        f"{self.limits[k] + worst[k]:.4g} at t = {t:.6g}, the limit is "
                        f"{self.limits[k]:.4g}: it is cut, see .excess",
                        SaturationWarning,
                        stacklevel=3,
                    )
                self.excess[name] = Excess(t, t, 1, float(worst[k]))
            else:
                found.first, found.last = min(found.first, t), max(found.last, t)
                found.calls += 1
                found.most = max(found.most, float(worst[k]))
