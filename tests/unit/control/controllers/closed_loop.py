"""A plant with its controller as one differential equation, for SciPy's integrators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import Model
from dalembert.control import Adaptive, Controller


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """ẋ = f(t, x) with x = (q, q̇) and, behind them, the state of an adaptive controller.

    Args:
        plant: The model that moves; it need not be the one that the controller believes in.
        controller: Any controller.
    """

    plant: Model
    controller: Controller

    def start(self, q: Any, qd: Any) -> np.ndarray:
        """Return x at the start."""
        return np.concatenate([q, qd, getattr(self.controller, "state", ())])

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return ẋ."""
        q, v, state = self.parts(x)
        if isinstance(self.controller, Adaptive):
            tau, learned = self.controller.feedback(t, q, v, state)
        else:
            tau, learned = self.controller(t, q, v), state
        a = self.plant.forward_dynamics(q, v, tau)
        return np.concatenate([v, a, learned])

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, q̇ and the controller's state, of states ``(..., n)``."""
        n, m = self.plant.nq, self.plant.nq + self.plant.nv
        return x[..., :n], x[..., n:m], x[..., m:]
