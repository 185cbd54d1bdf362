"""Radau IIA of order 5, SciPy's: implicit, for stiff motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import Integrator, Step, Stepper

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.problem.problem import Problem


@dataclass(frozen=True)
class Radau(Integrator):
    """Implicit steps with error control, for stiff springs, dampers and smooth friction.

    Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.8.

    Args:
        rtol: Relative error of a step.
        atol: Absolute error of a step.
    """

    rtol: float = 1e-10
    atol: float = 1e-12
    integrates_extras: ClassVar[bool] = True
    allows_switching: ClassVar[bool] = True

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _RadauStepper(problem, t, x, self)


class _RadauStepper(Stepper):
    def __init__(self, problem: Problem, t: float, x: np.ndarray, method: Radau) -> None:
        self.problem, self.t, self.x, self.method = problem, t, x, method
        self.solver: Any = None
        self.length: float | None = None

    def step(self, end: float) -> Step:
        from scipy.integrate import Radau as Solver

        if self.solver is None or self.solver.t_bound != end:
            first = None if self.length is None else min(self.length, abs(end - self.t))
            self.solver = Solver(
                self.problem.rate,
                self.t,
                self.x,
                end,
                rtol=self.method.rtol,
                atol=self.method.atol,
                first_step=first,
            )
        solver = self.solver
        before = solver.h_abs
        message = solver.step()
        if solver.status == "failed":
            raise EvaluationError(
                f"expected a step of Radau from t = {self.t:.9g} to succeed, got: {message}"
            )
        # a step that was cut at the end says nothing about the next one
        self.length = max(before, solver.h_abs)
        self.t, self.x = float(solver.t), solver.y
        return Step(self.t, self.x, solver.dense_output())

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x, self.solver = t, x, None
