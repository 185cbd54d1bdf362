"""The classical Runge–Kutta method of order 4 with a fixed step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dalembert.simulation.methods.base import Integrator, Stepper
from dalembert.simulation.methods.fixed_step import FixedStepper, checked_step, cubic

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.problem.problem import Problem


@dataclass(frozen=True)
class RK4(Integrator):
    """Four evaluations a step; the error falls with step⁴ (W. Kutta, 1901).

    Args:
        step: Seconds.
    """

    step: float = 1e-3
    integrates_extras: ClassVar[bool] = True
    allows_switching: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_step(self.step, "RK4")

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _RK4Stepper(problem, t, x, self.step)


class _RK4Stepper(FixedStepper):
    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        f, t, x = self.problem.rate, self.t, self.x
        k1 = f(t, x)
        k2 = f(t + h / 2, x + h / 2 * k1)
        k3 = f(t + h / 2, x + h / 2 * k2)
        k4 = f(t + h, x + h * k3)
        new = x + h / 6 * (k1 + 2 * (k2 + k3) + k4)
        return new, cubic(t, x, k1, t + h, new, lambda: f(t + h, new))
