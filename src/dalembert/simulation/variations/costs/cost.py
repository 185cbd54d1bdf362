"""An expression along a motion, and its derivatives by the state and by parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import as_expr

if TYPE_CHECKING:
    from dalembert.simulation.variations.equations.setting import Setting
    from dalembert.types import Scalar


class CostSlopes(NamedTuple):
    """A cost at a state, and its derivatives by changes (η, δq̇), by parameters and by time."""

    value: float
    by_state: np.ndarray
    by_parameters: np.ndarray
    by_time: float

    @property
    def by(self) -> np.ndarray:
        """The derivatives by changes of the state, then by parameters."""
        return np.concatenate([self.by_state, self.by_parameters])


class Cost:
    """An expression of time, state and parameters with its derivatives, compiled."""

    def __init__(self, setting: Setting, cost: Scalar) -> None:
        of, self.nq, self.size = as_expr(cost), setting.nq, 2 * setting.nv
        self.num_slopes = self.size + len(setting.parameters)
        self._run = setting.compiled(
            ("cost", of), lambda: {"value": [of], "by": setting.all_slopes([of])}, law=[of]
        )

    def at(self, t: float, x: np.ndarray) -> CostSlopes:
        """Return the cost and its derivatives at a state."""
        value, (by,) = self._run(t, x[: self.nq], x[self.nq :])
        n = self.size
        return CostSlopes(float(value[0]), by[:n], by[n:-1], float(by[-1]))
