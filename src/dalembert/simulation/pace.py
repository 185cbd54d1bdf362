"""Watches how fast a simulation gets on, and says so when it no longer does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.rate_jacobian import rate_jacobian

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

STEPS_BETWEEN_LOOKS = 1000

SLOW = 1e4
"""A run that needs so many more steps is looked at: stiff motion wants another method."""

MANY = 2e7
"""A run that needs so many more calls of the method, half an hour or more, stops with a reason.
Compiled code takes many steps in a call."""

STABLE = 0.05
"""A step of an explicit method times the fastest decay: above this it is damping that keeps it
short, and not the motion, which in the time of so many more steps has long lost what decays."""


class Pace:
    """Counts the steps of a run to its end."""

    def __init__(self, t: float, end: float) -> None:
        self.t, self.end, self.count, self.calls = t, end, 0, 0
        # of a step, and of a call
        self.length, self.reach = 0.0, 0.0
        # whether very many more steps are needed, as the last look told
        self.is_slow = False

    def count_steps(self, t: float, number: int = 1) -> None:
        """Take note of one step, or several, that ended at t."""
        self.count, self.calls = self.count + number, self.calls + 1
        if self.count >= STEPS_BETWEEN_LOOKS:
            passed = abs(t - self.t)
            self.length, self.reach, self.t = passed / self.count, passed / self.calls, t
            self.count, self.calls = 0, 0
            self.is_slow = abs(self.end - t) > SLOW * self.length

    def check(self) -> None:
        """Refuse to go on without hope.

        Raises:
            EvaluationError: at the length of the last steps the end is out of reach.
        """
        self.is_slow = False
        left = abs(self.end - self.t)
        if left > MANY * self.reach:
            raise EvaluationError(
                f"expected steps that come to the end, got {STEPS_BETWEEN_LOOKS} of "
                f"{self.length:.2g} s where {left:.3g} s are left: the motion is stiff (try "
                "Radau), or a force chatters (write -F sign(u) as DryFriction(u, F): the motion "
                "then slides along u = 0, by Filippov's equivalent control; a surface as Contact), "
                "or the tolerances are below the rounding of the forces"
            )


def fastest_decay(problem: Problem, t: float, x: np.ndarray, duration: float) -> float:
    """Return the fastest decay of small disturbances of a state, in 1/s."""
    m = problem.size + problem.forcing.state.size
    J = rate_jacobian(problem, x.size, duration)(t, x)[:m, :m]
    return float(-np.linalg.eigvals(J).real.min())
