"""The collocation methods of Gauss and Legendre: implicit, symplectic, symmetric."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, parameters, substitute, time
from dalembert.model.formulas.momenta import hamilton_rates
from dalembert.simulation.methods.base import Integrator, Stepper
from dalembert.simulation.methods.fixed_step import FixedStepper, checked_step, cubic
from dalembert.simulation.methods.momenta import HamiltonianForm
from dalembert.simulation.methods.rounding import CompensatedSum, iterate
from dalembert.simulation.methods.sweeps import Sweep, Sweeps, can_sweep

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
        self.sweeps = (
            Sweeps(problem, str(method), lambda: _sweep(problem, self.tableau))
            if can_sweep(problem)
            else None
        )
        super().__init__(problem, t, x, method.step)
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        super().reset(t, x)
        n = self.problem.model.nq
        p = self.form.momentum(t, x[:n], x[n:])
        self.y = CompensatedSum(np.concatenate([x[:n], p]))
        self.slopes: np.ndarray | None = None

    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        t, x, y, n = self.t, self.x, self.y.value, self.problem.model.nq
        form, scale = self.form, float(np.abs(y).max()) or 1.0
        # the last step's polynomial, continued, is near the slopes of this one
        near = (
            np.tile(form.rate(t, y), (len(self.ahead), 1))
            if self.slopes is None
            else self.ahead @ self.slopes
        )
        if self.sweeps is not None:
            self.slopes, change = self.sweeps.solve(near, y, np.array([t, h, scale]))
        else:
            self.slopes = self._swept(near, y, h, scale)
            change = h * (self.tableau.b @ self.slopes)
        y = self.y.add(change)
        new = np.concatenate([y[:n], form.velocity(t + h, y[:n], y[n:])])
        return new, cubic(t, x, t + h, new, self.problem.rate)

    def _swept(self, slopes: np.ndarray, y: np.ndarray, h: float, scale: float) -> np.ndarray:
        """Return the slopes of the stages where forces or constraints need Python."""
        c, _, A = self.tableau
        form, times = self.form, (self.t + h * c).tolist()

        def sweep() -> float:
            nonlocal slopes
            # Y = y + h A f(Y)
            stages = y + h * (A @ slopes)
            new = np.array([form.rate(s, Y) for s, Y in zip(times, stages, strict=True)])
            change, slopes = np.abs(new - slopes).max(), new
            return abs(h) * float(change) / scale

        iterate(sweep, "GaussLegendre")
        return slopes


def _sweep(problem: Problem, tableau: Tableau) -> Sweep:
    """Return a sweep over the slopes of all stages, as expressions of y = (q, p)."""
    model = problem.model
    p, rates, _ = hamilton_rates(model, problem.inputs)
    y, (t, h, scale) = [*model.symbols.q, *p], parameters("sweep_time sweep_step sweep_scale")
    names = [" ".join(f"slope{i}_{k}" for k in range(len(y))) for i in range(len(tableau.c))]
    slopes = [parameters(text) for text in names]
    new: list[list[Expr]] = []
    c, b, A = (np.vectorize(Fraction, otypes=[object])(part).tolist() for part in tableau)
    for node, row in zip(c, A, strict=True):
        # Y = y + h A f(Y)
        parts = [sum(a * s[k] for a, s in zip(row, slopes, strict=True)) for k in range(len(y))]
        at = {z: z + h * part for z, part in zip(y, parts, strict=True)}
        new.append(substitute(rates, at | {time: t + node * h}))
    pairs = [(a, b) for f, g in zip(new, slopes, strict=True) for a, b in zip(f, g, strict=True)]
    return Sweep(
        unknowns=slopes,
        new=new,
        wanted=[h * sum(w * f[k] for w, f in zip(b, new, strict=True)) for k in range(len(y))],
        sizes=[h * (f - g) / scale for f, g in pairs],
        inputs={"y": y, "clock": [t, h, scale]},
    )


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
