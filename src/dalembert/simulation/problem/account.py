"""The energy that came in and went out along a motion, as far as x does not carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Step
    from dalembert.simulation.problem.problem import Problem

# five nodes of Gauss on [0, 1] with their weights: exact for powers of degree 9 in time
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
NODES, WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


class Account:
    """Work and losses in joules, of methods that do not integrate extra entries."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.work = self.lost = 0.0

    def add_step(self, t0: float, step: Step) -> None:
        """Add the integrals of the powers over a step, unless they are entries of x.

        Delayed forces remember the step.
        """
        problem = self.problem
        if problem.forcing.past is not None:
            problem.forcing.past.add(t0, step)
        if problem.is_audited or not problem.has_power:
            return
        n, m, h = problem.model.nq, problem.size, step.t - t0
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            t = t0 + node * h
            x = step.dense(t)
            come, lost = problem.power(t, x[:n], x[n:m])
            self.work += weight * h * float(come)
            self.lost += weight * h * float(lost)

    def totals(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return work and losses since the start, at states with their extra entries."""
        if self.problem.is_audited:
            return self.work + x[:, -2], self.lost + x[:, -1]
        return np.full(len(x), self.work), np.full(len(x), self.lost)
