"""The equations of a motion and of small changes of it, from the graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.simulation.problem.state_rate import state_rate

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.simulation.variations.equations.jump import Jump
    from dalembert.simulation.variations.equations.setting import Setting


class Slopes(NamedTuple):
    """ẋ at a state, and the linear equations δẋ = A δx + B δp of changes of it.

    ``metric`` is the diagonal of the mass matrix, which makes velocities comparable. All may have
    leading axes.
    """

    rate: np.ndarray
    A: np.ndarray
    B: np.ndarray
    metric: np.ndarray

    def of_columns(self, S: np.ndarray) -> np.ndarray:
        """Return Ṡ = A S + (0, B): the last columns of S are those of the parameters."""
        rate = self.A @ S
        rate[..., self.A.shape[-1] :] += self.B
        return rate


class Variation(ABC):
    """A smooth motion ẋ = f(t, x, p) with its derivatives by x and p.

        η̇ = δq̇ + G η,   δq̈ = ∂q̈/∂q η + ∂q̈/∂q̇ δq̇ + ∂q̈/∂p δp

    Attributes:
        setting: What moves.
        is_switched: Whether contacts, dry friction or redundant rows have a say in its equations.
    """

    is_switched = False

    def __init__(self, setting: Setting) -> None:
        self.setting, self.model = setting, setting.model
        self.nq, self.nv = setting.nq, setting.nv
        self.parameters, self.values = setting.parameters, setting.values

    @property
    def velocities(self) -> Sequence[Expr]:
        """Those of constraints and held rows, which vanish."""
        return ()

    @abstractmethod
    def at(self, t: float | np.ndarray, x: np.ndarray) -> Slopes:
        """Return ẋ, A and B at a state, or at many."""

    def onto(self, t: float | np.ndarray, x: np.ndarray) -> tuple[np.ndarray, Jump] | None:
        """Return the nearest state on the constraints, and how changes come there with it.

        None where there are no constraints.
        """
        return None


class FreeVariation(Variation):
    """A motion without constraints: q̈ and its derivatives in one kernel."""

    def at(self, t: float | np.ndarray, x: np.ndarray) -> Slopes:
        q, v = x[..., : self.nq], x[..., self.nq :]
        return slopes(self.setting, v, *self._kernel(t, q, v))

    @cached_property
    def _kernel(self) -> Callable[..., Any]:
        setting = self.setting

        def outputs() -> dict[str, Any]:
            own = setting.has_dry_friction
            rates = state_rate(self.model, setting.law, has_dry_friction=own)
            qdd = rates[self.nq :]
            return {
                "rate": rates,
                "by_state": setting.slopes(qdd),
                "others": setting.others(qdd),
                "metric": self.model.expressions("metric", *setting.state)[0],
            }

        return setting.compiled(("variation",), outputs)


def slopes(
    setting: Setting,
    v: np.ndarray,
    rate: np.ndarray,
    by_state: np.ndarray,
    others: np.ndarray,
    metric: np.ndarray,
) -> Slopes:
    """Return the equations of changes with the derivatives of q̈ by (η, δq̇), and by p and time."""
    n, m, many = setting.nv, len(setting.parameters), v.shape[:-1]
    A, B = np.zeros((*many, 2 * n, 2 * n)), np.zeros((*many, 2 * n, m))
    if not setting.model.configuration.is_flat:
        A[..., :n, :n] = setting.model.configuration.transport(v)
    A[..., :n, n:], A[..., n:, :], B[..., n:, :] = np.eye(n), by_state, others[..., :m]
    return Slopes(rate, A, B, metric)
