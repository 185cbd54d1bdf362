"""The semi-implicit method of Euler: velocities first, then positions with the new velocities."""

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
class SemiImplicitEuler(Integrator):
    """q̇ ← q̇ + h q̈(q, q̇), then q ← q ⊕ h q̇; of order 1, what game engines and MuJoCo do.

    For a constant mass matrix without damping it is symplectic: the energy error stays bounded.

    Args:
        step: Seconds.
    """

    step: float = 1e-3
    allows_switching: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_step(self.step, "SemiImplicitEuler")

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _EulerStepper(problem, t, x, self.step)


class _EulerStepper(FixedStepper):
    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        import numpy as np

        problem, t, x = self.problem, self.t, self.x
        n = problem.model.nq
        q, v = x[:n], x[n:]
        v = v + h * problem.acceleration(t, q, v)
        new = np.concatenate([problem.model.configuration.integrate(q, v, h), v])
        rate = problem.rate
        return new, cubic(t, x, rate(t, x), t + h, new, lambda: rate(t + h, new))
