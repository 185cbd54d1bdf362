"""The collocation methods of Gauss and Legendre: implicit, symplectic, symmetric."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import Integrator, Stepper
from dalembert.simulation.methods.fixed_step import FixedStepper, checked_step, cubic
from dalembert.simulation.methods.momenta import HamiltonianForm
from dalembert.simulation.methods.rounding import CompensatedSum, iterate

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem


class Tableau(NamedTuple):
    """Nodes c, weights b and coefficients A of a Runge–Kutta method.

    ``ahead`` continues a polynomial through the nodes to those of the next step.
    """

    c: np.ndarray
    b: np.ndarray
    A: np.ndarray

    @property
    def ahead(self) -> np.ndarray:
        """The polynomials of Lagrange at 1 + c."""
        powers = np.arange(len(self.c))
        V = self.c[:, None] ** powers
        return (1 + self.c[:, None]) ** powers @ np.linalg.inv(V)


@dataclass(frozen=True)
class GaussLegendre(Integrator):
    """Gauss–Legendre collocation in (q, p): Hairer, Lubich & Wanner, Geometric Numerical
    Integration, II.1.3.

    The map in positions and momenta is symplectic, so the energy of a conservative system stays in
    a band of width step^order for exponentially long times; steps run backwards undo themselves.
    Stages are solved by sweeps to the last digit, sums are compensated. Quaternions are four
    numbers: these methods keep their length, as every quadratic invariant, and rounding is scaled
    away after each step.

    Args:
        order: 4 or 6.
        step: Seconds.
    """

    order: int = 6
    step: float = 1e-2

    def __post_init__(self) -> None:
        checked_step(self.step, "GaussLegendre")
        if self.order not in (4, 6):
            raise EvaluationError(f"expected the order 4 or 6, got {self.order!r}")

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _GaussStepper(problem, t, x, self)


class _GaussStepper(FixedStepper):
    """Keeps y = (q, p) as a compensated sum; x is what others see of it."""

    def __init__(self, problem: Problem, t: float, x: np.ndarray, method: GaussLegendre) -> None:
        self.form = HamiltonianForm(problem)
        self.tableau = tableau(method.order // 2)
        self.ahead = self.tableau.ahead
        super().__init__(problem, t, x, method.step)
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        super().reset(t, x)
        n = self.problem.model.nq
        p = self.form.momentum(t, x[:n], x[n:])
        self.y = CompensatedSum(np.concatenate([x[:n], p]))
        self.slopes: np.ndarray | None = None

    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        c, b, A = self.tableau
        t, x, y, n = self.t, self.x, self.y.value, self.problem.model.nq
        form, times, scale = self.form, (t + h * c).tolist(), float(np.abs(y).max()) or 1.0
        # the last step's polynomial, continued, is near the slopes of this one
        slopes = (
            np.tile(form.rate(t, y), (len(c), 1))
            if self.slopes is None
            else self.ahead @ self.slopes
        )

        def sweep() -> float:
            nonlocal slopes
            # Y = y + h A f(Y)
            stages = y + h * (A @ slopes)
            new = np.array([form.rate(s, Y) for s, Y in zip(times, stages, strict=True)])
            change, slopes = np.abs(new - slopes).max(), new
            return abs(h) * float(change) / scale

        iterate(sweep, "GaussLegendre")
        self.slopes = slopes
        y = self.y.add(h * (b @ slopes))
        new = np.concatenate([y[:n], form.velocity(t + h, y[:n], y[n:])])
        rate = self.problem.rate
        return new, cubic(t, x, rate(t, x), t + h, new, lambda: rate(t + h, new))


def tableau(stages: int) -> Tableau:
    """Return the coefficients of 2 or 3 stages."""
    if stages == 2:
        r = math.sqrt(3) / 6
        return Tableau(
            np.array([0.5 - r, 0.5 + r]),
            np.array([0.5, 0.5]),
            np.array([[0.25, 0.25 - r], [0.25 + r, 0.25]]),
        )
    r = math.sqrt(15)
    return Tableau(
        np.array([0.5 - r / 10, 0.5, 0.5 + r / 10]),
        np.array([5 / 18, 4 / 9, 5 / 18]),
        np.array(
            [
                [5 / 36, 2 / 9 - r / 15, 5 / 36 - r / 30],
                [5 / 36 + r / 24, 2 / 9, 5 / 36 - r / 24],
                [5 / 36 + r / 30, 2 / 9 + r / 15, 5 / 36],
            ]
        ),
    )
