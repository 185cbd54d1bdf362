"""Radau IIA of order 5, SciPy's: implicit, for stiff motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import CALL_OPERATIONS, Integrator, Step, Stepper
from dalembert.simulation.methods.rate_jacobian import rate_jacobian
from dalembert.simulation.problem.scales import Scales

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

SMALL = 0.04
"""An entry of the state below this part of its size in the motion is small: as good as zero."""

FIRST_PART = 1e-3
"""The part of the whole motion over which sizes of positions are taken."""

LEAST = 1e-290

NUM_RATES = 12
"""Rates of a step, of three stages each time that Newton's method goes round."""


def _elimination_work(size: int) -> float:
    """Return the work of a factorisation in calls, the mean of a real and a complex one."""
    return 1 + 5 / 3 * size**3 / CALL_OPERATIONS


@dataclass(frozen=True)
class Radau(Integrator):
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
    integrates_extras: ClassVar[bool] = True
    allows_switching: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (self.rtol > 0 and self.atol >= 0):
            raise EvaluationError(
                f"expected a positive rtol of Radau and atol from 0, got {self.rtol!r} and "
                f"{self.atol!r}"
            )

    def start(
        self,
        problem: Problem,
        t: float,
        x: np.ndarray,
        end: float,
        *,
        largest: np.ndarray | None = None,
    ) -> Stepper:
        """Begin at a state; ``largest`` are the largest entries that x had before."""
        return _RadauStepper(problem, t, x, self, abs(end - t), largest)


class Attempt(NamedTuple):
    """The end of a step, the errors that are allowed there, and the work in calls."""

    x: np.ndarray
    allowed: np.ndarray
    work: float


class _RadauStepper(Stepper):
    def __init__(
        self,
        problem: Problem,
        t: float,
        x: np.ndarray,
        method: Radau,
        duration: float,
        largest: np.ndarray | None,
        *,
        is_exact: bool = True,
    ) -> None:
        self.problem, self.t, self.x, self.method = problem, t, x, method
        self.duration, self.scales = duration, Scales(problem, x.size)
        self.jacobian = rate_jacobian(problem, x.size, duration, is_exact=is_exact)
        self.largest_seen = np.zeros_like(x) if largest is None else largest
        self.solver: Any = None
        self.length: float | None = None

    def step(self, end: float) -> Step:
        if self.solver is None or self.solver.t_bound != end:
            self.solver = self._solver(end)
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
        n, rate = self.x.size, self.problem.rate_work
        return (rates + 2 * n * jacobians) * rate + _elimination_work(n) * eliminations

    def _solver(self, end: float) -> Any:
        from scipy.integrate import Radau as Solver

        t, x, h = self.t, self.x, FIRST_PART * self.duration
        self.scales.look(t, x)
        # what single forces would do: at rest they cancel, and only rounding is left of them
        changes = h * (np.abs(self.jacobian(t, x)) @ np.abs(x) + np.abs(self.problem.rate(t, x)))
        self.largest_seen = np.maximum(self.largest_seen, np.maximum(np.abs(x), changes))
        sizes = self.scales.with_energies(np.maximum(self.largest_seen, self.scales.sizes(h)))
        first = None if self.length is None else min(self.length, abs(end - self.t))
        return Solver(
            self.problem.rate,
            self.t,
            self.x,
            end,
            rtol=self.method.rtol,
            atol=np.maximum(self.method.atol + SMALL * self.method.rtol * sizes, LEAST),  # type: ignore[arg-type]
            jac=self.jacobian,
            first_step=first,
        )

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
    stepper = _RadauStepper(problem, t, x, method, abs(end - t), largest, is_exact=False)
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
