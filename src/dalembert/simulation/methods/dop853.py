"""The explicit Runge–Kutta method of order 8 by Dormand and Prince, with error control."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import Integrator, Step, Stepper

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
NUM_STAGES = 12

SHORTEST = 2e-15
"""A step shorter than this part of the time, or of a millisecond, is lost in rounding."""

ROUGH = 1e-9
"""Errors of ẋ below this part of it may be rounding."""

NOISE_DECAY = 0.8
"""What a step leaves of the noise that was found: it is measured again from time to time."""


@dataclass(frozen=True)
class DOP853(Integrator):
    """Order 8, with errors of order 5 and 3 to choose the step; smooth states in between.

    Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, section II.10. The
    coefficients are those that SciPy holds. The default tolerances are near rounding: with them
    energy is kept to 1e-11 over seconds, and a step costs no more than with loose ones.

    Args:
        rtol: Relative error of a step.
        atol: Absolute error of a step.
        largest: The longest step, in seconds.
    """

    rtol: float = 2.5e-14
    atol: float = 1e-15
    largest: float = math.inf
    integrates_extras: ClassVar[bool] = True
    allows_switching: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("rtol", "atol", "largest"):
            if not getattr(self, name) > 0:
                raise EvaluationError(
                    f"expected a positive {name} for DOP853, got {getattr(self, name)!r}"
                )

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _Dop853Stepper(problem.rate, t, x, self)


class _Tableau:
    """The coefficients, each row of A as long as the stages that it combines."""

    @cached_property
    def A(self) -> list[np.ndarray]:
        return [row[:s].copy() for s, row in enumerate(self._scipy.A)]

    @cached_property
    def extra(self) -> list[np.ndarray]:
        return [row[:s].copy() for s, row in enumerate(self._scipy.A_EXTRA, NUM_STAGES + 1)]

    @cached_property
    def errors(self) -> np.ndarray:
        """Rows E5 and E3: two estimates of the error by one product."""
        return np.stack([self._scipy.E5, self._scipy.E3])

    @cached_property
    def _scipy(self):
        from scipy.integrate import DOP853 as Solver

        return Solver

    def __getattr__(self, name: str):
        return getattr(self._scipy, name)


TABLEAU = _Tableau()


class _Trial(NamedTuple):
    """A step that may be taken: its error over what is allowed, and ``estimate`` of it in ẋ."""

    h: float
    error: float
    x: np.ndarray
    stages: np.ndarray
    estimate: np.ndarray

    def is_noise(self, before: _Trial) -> bool:
        """Tell whether the error is rounding in the rates, which no shorter step removes.

        Then it falls with h itself instead of a high power, and is tiny beside the rates. So it is
        near singular constraints, where rounding grows.
        """
        if (
            not math.isfinite(before.error)
            or self.estimate.max() > ROUGH * np.abs(self.stages).max()
        ):
            return False
        return before.error / self.error < (before.h / self.h) ** 2


class _Dop853Stepper(Stepper):
    def __init__(
        self,
        rate: Callable[[float, np.ndarray], np.ndarray],
        t: float,
        x: np.ndarray,
        method: DOP853,
    ) -> None:
        self.rate, self.method = rate, method
        self.noise = np.zeros_like(x)
        self.nodes = [float(c) for c in TABLEAU.C[:NUM_STAGES]]
        self.reset(t, x)
        self.length = self._first_length()

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x = t, x
        self.f = self.rate(t, x)

    def step(self, end: float) -> Step:
        rejected: _Trial | None = None
        fault: EvaluationError | None = None
        while True:
            distance = end - self.t
            wanted = min(self.length, self.method.largest)
            is_last = abs(distance) <= wanted
            # two steps that are alike rather than a short one at the end
            h = distance if is_last else math.copysign(min(wanted, abs(distance) / 2), distance)
            if abs(h) < SHORTEST * max(abs(self.t), 1e-3) and not is_last:
                raise fault or EvaluationError(
                    f"expected a step of DOP853 from t = {self.t:.12g} to succeed, got a step of "
                    f"{abs(h):.3g} s that time cannot resolve: the motion is not smooth there, or "
                    "stiff (try Radau)"
                )
            try:
                trial = self._trial(h)
            except EvaluationError as error:
                # a trial state without a rate: come closer, as far as there is a step left
                fault, rejected = error, None
                self.length = abs(h) * SHRINK
                continue
            if trial.error < 1:
                break
            if rejected is not None and trial.is_noise(rejected):
                self.noise = 2 * trial.estimate
                break
            factor = SHRINK
            if math.isfinite(trial.error):
                # the second trial is far enough from the first to tell noise from curvature
                factor = min(
                    max(SHRINK, SAFETY * trial.error**-0.125), 0.5 if rejected is not None else 1.0
                )
            self.length, rejected = abs(h) * factor, trial
        return self._accept(trial, end if is_last else self.t + h, rejected, wanted)

    def _accept(self, trial: _Trial, t: float, rejected: _Trial | None, wanted: float) -> Step:
        error, h = trial.error, trial.h
        grow = GROW if error == 0 else min(GROW, max(SHRINK, SAFETY * error**-0.125))
        length = abs(h) * (1.0 if rejected is not None else grow)
        # a step that was cut short says nothing against the longer one
        is_cut = abs(h) < 0.999 * wanted
        self.length = max(length, wanted) if is_cut else length
        self.noise = NOISE_DECAY * self.noise
        t0, x0, K = self.t, self.x, trial.stages
        self.t, self.x, self.f = t, trial.x, K[NUM_STAGES]
        return Step(t, trial.x, self._between(t0, x0, h, trial.x, K))

    def _trial(self, h: float) -> _Trial:
        t, x, rate = self.t, self.x, self.rate
        K = np.empty((NUM_STAGES + 1, x.size))
        K[0] = self.f
        for s in range(1, NUM_STAGES):
            K[s] = rate(t + self.nodes[s] * h, x + h * (TABLEAU.A[s] @ K[:s]))
        new = x + h * (TABLEAU.B @ K[:NUM_STAGES])
        K[NUM_STAGES] = rate(t + h, new)
        # the error over what is allowed: h e₅² / √(e₅² + e₃²/100)
        size = np.maximum(np.abs(x), np.abs(new))
        scale = self.method.atol + self.method.rtol * size + abs(h) * self.noise
        estimates = TABLEAU.errors @ K
        e5, e3 = estimates / scale
        square5, square3 = float(e5 @ e5), float(e3 @ e3)
        error = 0.0
        if square5 != 0:
            error = abs(h) * square5 / math.sqrt((square5 + 0.01 * square3) * x.size)
        return _Trial(h, error, new, K, np.abs(estimates[0]))

    def _first_length(self) -> float:
        scale = self.method.atol + self.method.rtol * np.abs(self.x)
        size, speed = np.linalg.norm(self.x / scale), np.linalg.norm(self.f / scale)
        return 1e-4 if size < 1e-5 or speed < 1e-5 else float(0.01 * size / speed)

    def _between(
        self, t0: float, x0: np.ndarray, h: float, x1: np.ndarray, K: np.ndarray
    ) -> Callable[[float], np.ndarray]:
        """Return the polynomial of degree 7 through the step; its stages are made when asked."""
        rate = self.rate

        @cache
        def parts() -> list[np.ndarray]:
            stages = list(K)
            for row, c in zip(TABLEAU.extra, TABLEAU.C_EXTRA, strict=True):
                stages.append(rate(t0 + c * h, x0 + h * (row @ np.array(stages))))
            d = x1 - x0
            first, last = h * stages[0], h * stages[NUM_STAGES]
            higher = h * (TABLEAU.D @ np.array(stages))
            return [d, first - d, 2 * d - (first + last), *higher]

        def between(t: float) -> np.ndarray:
            s = (t - t0) / h
            y = np.zeros_like(x0)
            for i, part in enumerate(reversed(parts())):
                y = (y + part) * (s if i % 2 == 0 else 1 - s)
            return x0 + y

        return between
