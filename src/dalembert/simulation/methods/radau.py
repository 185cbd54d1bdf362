"""Radau IIA of order 5, SciPy's: implicit, for stiff motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import CALL_OPERATIONS, Step
from dalembert.simulation.methods.flow import FIRST_PART, SMALL, FlowMethod, FlowStepper

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Flow, Stepper
    from dalembert.simulation.problem.problem import Problem

LEAST = 1e-290

NUM_RATES = 12
"""Rates of a step, of three stages each time that Newton's method goes round."""


def _elimination_work(size: int) -> float:
    """Return the work of a factorisation in calls, the mean of a real and a complex one."""
    return 1 + 5 / 3 * size**3 / CALL_OPERATIONS


@dataclass(frozen=True)
class Radau(FlowMethod):
    """Implicit steps with error control, for stiff springs, dampers and smooth friction.

    Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.8. The Jacobian is
    exact, from the expressions of the motion, unless forces are known by numbers only.

    Args:
        rtol: Relative error of a step, beside an entry of the state or 4 % of its size in the
            motion.
        atol: Absolute error of a step, beside the relative one.
    """

    rtol: float = 1e-10
    atol: float = 0.0
    needs_jacobian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (self.rtol > 0 and self.atol >= 0):
            raise EvaluationError(
                f"expected a positive rtol of Radau and atol from 0, got {self.rtol!r} and "
                f"{self.atol!r}"
            )

    def begin(self, flow: Flow, t: float, x: np.ndarray, duration: float) -> Stepper:
        return _RadauStepper(flow, t, x, self, duration)


class Attempt(NamedTuple):
    """The end of a step, the errors that are allowed there, and the work in calls."""

    x: np.ndarray
    allowed: np.ndarray
    work: float


class _RadauStepper(FlowStepper):
    def __init__(
        self,
        flow: Flow,
        t: float,
        x: np.ndarray,
        method: Radau,
        duration: float,
        *,
        is_exact: bool = True,
    ) -> None:
        self.flow, self.t, self.x, self.method = flow, t, x, method
        self.duration, self.sizes = duration, flow.sizes()
        assert flow.jacobian is not None
        self.jacobian = flow.jacobian(duration, is_exact)
        self.solver: Any = None
        self.length: float | None = None

    def step(self, end: float) -> Step:
        if self.solver is None or self.solver.t_bound != end:
            self.solver = self._solver(end)
        elif self.sizes.is_local:
            self.solver.atol = self._allowed()
        solver = self.solver
        before = solver.h_abs
        counts = solver.nfev, solver.njev, solver.nlu
        message = solver.step()
        self.work += self._work(solver.nfev, solver.njev, solver.nlu) - self._work(*counts)
        if solver.status == "failed":
            raise EvaluationError(
                f"expected a step of Radau from t = {self.t:.9g} to succeed, got: {message}"
            )
        # a step that was cut at the end says nothing about the next one
        self.length = max(before, solver.h_abs)
        self.t, self.x = float(solver.t), solver.y
        return Step(self.t, self.x, solver.dense_output())

    def _work(self, rates: int, jacobians: int, eliminations: int) -> float:
        n = self.x.size
        return (rates + 2 * n * jacobians) * self.flow.work + _elimination_work(n) * eliminations

    def _solver(self, end: float) -> Any:
        from scipy.integrate import Radau as Solver

        t, x = self.t, self.x
        return Solver(
            self.flow.rate,
            t,
            x,
            end,
            rtol=self.method.rtol,
            atol=self._allowed(),  # type: ignore[arg-type]
            jac=self.jacobian,
            first_step=None if self.length is None else min(self.length, abs(end - t)),
        )

    def _allowed(self) -> np.ndarray:
        """Return the errors that are allowed beside the relative ones."""
        t, x, h = self.t, self.x, FIRST_PART * self.duration
        self.sizes.look(t, x)
        self.sizes.add(x)
        if not self.sizes.is_local:
            # what single forces would do: at rest they cancel, and only rounding is left of them
            changes = np.abs(self.jacobian(t, x)) @ np.abs(x) + np.abs(self.flow.rate(t, x))
            self.sizes.add(h * changes)
        elif self.length is not None:
            h = self.length
        own = SMALL * self.method.rtol * self.sizes.before_step(h)
        return np.maximum(self.method.atol + own, LEAST)

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x, self.solver = t, x, None


def attempted_step(
    problem: Problem,
    method: Radau,
    t: float,
    x: np.ndarray,
    target: float,
    end: float,
    largest: np.ndarray,
) -> Attempt | None:
    """Return the end of one step to a target; None if its error is larger than allowed.

    Its Jacobian is that of differences, which need no compilation; ``end`` is that of the whole
    motion, ``largest`` are the largest entries that x had before.
    """
    stepper = _RadauStepper(problem.flow(x.size), t, x, method, abs(end - t), is_exact=False)
    stepper.sizes.add(largest)
    stepper.length = abs(target - t)
    try:
        with np.errstate(all="ignore"):
            stepper.step(target)
    except (EvaluationError, ArithmeticError, ValueError):
        return None
    if stepper.t != target:
        return None
    solver = stepper.solver
    return Attempt(stepper.x, solver.atol + solver.rtol * np.abs(stepper.x), stepper.work)


def expected_work(problem: Problem, size: int) -> float:
    """Return what a step takes, with a new Jacobian by differences, in calls."""
    return (NUM_RATES + 2 * size) * problem.rate_work + _elimination_work(size)
