"""The explicit Runge–Kutta method of order 8 by Dormand and Prince, with error control."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import DEGREE, Step
from dalembert.simulation.methods.flow import FIRST_PART, SMALL, FlowMethod, FlowStepper

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Flow, Stepper

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
NUM_STAGES = 12
TINY = float(np.finfo(float).tiny)

SHORTEST = 8
"""A step of fewer units in the last place of the time is lost in rounding."""

SHORTEST_PART = 1e-18
"""A step shorter than this part of the whole motion never comes to its end."""

ROUGH = 1e-9
"""Errors of ẋ below this part of it may be rounding."""

ROUGHEST = 1e-7
"""Rounding above this part of the rates leaves no digits to choose steps by."""

NOISIEST = 1e7
"""Errors over what is allowed that are no rounding any more: a trial state has left the motion."""

NOISE_DECAY = 0.98
"""What a step leaves of the noise that was found: it is measured again from time to time."""

STEPS_BETWEEN_LOOKS = 10
"""Noise is measured when a step was rejected, and from then on after so many steps."""

MARGIN = 20
"""How far errors stay above the noise, so that steps are chosen by the motion and not by it."""

MUCH = 10
"""Rounding that is so much above the tolerances is worth a note."""

NUDGE = 2 * float(np.finfo(float).eps)
"""Relative change of a state that rounding makes anyway."""

WIDER = 8
"""A nudge so much larger changes smooth rates so much more, and those that switch no more."""


@dataclass(frozen=True)
class DOP853(FlowMethod):
    """Order 8, with errors of order 5 and 3 to choose the step; smooth states in between.

    Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, section II.10. The
    coefficients are those that SciPy holds. The default tolerances are near rounding: with them
    energy is kept to 1e-11 over seconds, and a step costs no more than with loose ones.

    Errors are relative to each entry of the state, or to 4 % of its size in this motion if that is
    more: so the result does not depend on units.

    Args:
        rtol: Relative error of a step.
        atol: Absolute error of a step, beside the relative one.
        largest: The longest step, in seconds.
    """

    rtol: float = 2.5e-14
    atol: float = 0.0
    largest: float = math.inf

    def __post_init__(self) -> None:
        for name in ("rtol", "largest"):
            if not getattr(self, name) > 0:
                raise EvaluationError(
                    f"expected a positive {name} for DOP853, got {getattr(self, name)!r}"
                )
        if not self.atol >= 0:
            raise EvaluationError(f"expected atol of DOP853 from 0, got {self.atol!r}")

    @property
    def may_be_replaced(self) -> bool:
        return self.largest == math.inf

    def begin(self, flow: Flow, t: float, x: np.ndarray, duration: float) -> Stepper:
        return _Dop853Stepper(flow, t, x, self, duration)


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
    """A step that may be taken: its error over what is allowed, and two ``estimates`` of ẋ's."""

    h: float
    error: float
    x: np.ndarray
    stages: np.ndarray
    estimates: np.ndarray

    def is_noise(self, before: _Trial) -> bool:
        """Tell whether the error is rounding in the rates, which no shorter step removes.

        Then it falls with h itself instead of a high power, and is tiny beside the rates. So it is
        near singular constraints, where rounding grows.
        """
        if (
            not before.error < NOISIEST
            or np.abs(self.estimates[0]).max() > ROUGH * np.abs(self.stages).max()
        ):
            return False
        return before.error / self.error < (before.h / self.h) ** 2


class _Dop853Stepper(FlowStepper):
    def __init__(
        self, flow: Flow, t: float, x: np.ndarray, method: DOP853, duration: float
    ) -> None:
        self.rate, self.rate_work, self.method = flow.rate, flow.work, method
        self.sizes, self.noise = flow.sizes(), np.zeros_like(x)
        self.sizes.look(t, x)
        self.nodes = [float(c) for c in TABLEAU.C[:NUM_STAGES]]
        self.length, self.shortest = FIRST_PART * duration, SHORTEST_PART * duration
        # changes to and fro, in no order that the motion could have
        self.nudges = NUDGE * np.sign(np.cos(np.outer((1.0, 2.0), np.arange(1.0, x.size + 1) ** 2)))
        self.steps_since_look = STEPS_BETWEEN_LOOKS
        # rounding over what the tolerances allow, the most of it where there is more than rounding
        self.loss, self.is_at_rest = 0.0, False
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x = t, x
        self.f = self.rate(t, x)
        self.sizes.add(x)
        if self.sizes.is_local:
            self.sizes.look(t, x)

    def step(self, end: float) -> Step:
        rejected: _Trial | None = None
        fault: EvaluationError | None = None
        while True:
            distance = end - self.t
            wanted = min(self.length, self.method.largest)
            is_last = abs(distance) <= wanted
            # two steps that are alike rather than a short one at the end
            h = distance if is_last else math.copysign(min(wanted, abs(distance) / 2), distance)
            # as long as the floats of time say
            h = self.t + h - self.t
            if abs(h) <= max(SHORTEST * math.ulp(self.t), self.shortest) and not is_last:
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
            if trial.error >= 1 and self.steps_since_look >= STEPS_BETWEEN_LOOKS:
                self._measure_noise()
                trial = trial._replace(error=self._error(trial))
            if trial.error < 1:
                break
            if rejected is not None and trial.is_noise(rejected):
                self.noise = np.maximum(self.noise, MARGIN * np.abs(trial.estimates[0]))
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
        self.noise, self.steps_since_look = NOISE_DECAY * self.noise, self.steps_since_look + 1
        is_due = self.steps_since_look % STEPS_BETWEEN_LOOKS == 0
        if is_due or self.sizes.is_growing:
            # forces that grow from zero have no size at the start
            self.sizes.look(t, trial.x)
        if is_due and not self.is_at_rest:
            loss = abs(h) * self.noise / (MARGIN * self._allowed(trial))
            self.loss = max(self.loss, float(loss.max()))
        t0, x0, K = self.t, self.x, trial.stages
        self.t, self.x, self.f = t, trial.x, K[NUM_STAGES]
        self.sizes.add(trial.x)
        if is_due and self.noise.any():
            # where noise is forgotten, steps shrink with it, and none is rejected
            self._measure_noise()
        parts = self._parts(t0, x0, h, trial.x, K)

        def between(t: float) -> np.ndarray:
            s = (t - t0) / h
            y = np.zeros_like(x0)
            for i, part in enumerate(reversed(parts())):
                y = (y + part) * (s if i % 2 == 0 else 1 - s)
            return x0 + y

        def coefficients() -> np.ndarray:
            found = POWERS @ np.array(parts())
            found[0] += x0
            return found / h**ORDERS

        return Step(t, trial.x, between, coefficients)

    def _trial(self, h: float) -> _Trial:
        t, x, rate = self.t, self.x, self.rate
        K = np.empty((NUM_STAGES + 1, x.size))
        K[0] = self.f
        for s in range(1, NUM_STAGES):
            K[s] = rate(t + self.nodes[s] * h, x + h * (TABLEAU.A[s] @ K[:s]))
        new = x + h * (TABLEAU.B @ K[:NUM_STAGES])
        K[NUM_STAGES] = rate(t + h, new)
        self.work += NUM_STAGES * self.rate_work
        trial = _Trial(h, math.inf, new, K, TABLEAU.errors @ K)
        return trial._replace(error=self._error(trial))

    def _error(self, trial: _Trial) -> float:
        """Return the error over what is allowed: h e₅² / √(e₅² + e₃²/100)."""
        h = abs(trial.h)
        estimates = trial.estimates / (self._allowed(trial) + h * self.noise)
        # beside the largest entry: squares of huge errors would be infinite, and their ratio zero
        size = float(np.abs(estimates).max())
        if not 0 < size < math.inf:
            return size if size == 0 else math.inf
        e5, e3 = estimates / size
        square5, square3 = float(e5 @ e5), float(e3 @ e3)
        mean = math.sqrt((square5 + 0.01 * square3) * trial.x.size)
        return h * size * square5 / mean if square5 else 0.0

    def _allowed(self, trial: _Trial) -> np.ndarray:
        """Return the errors that the tolerances allow."""
        size = np.maximum(np.abs(self.x), np.abs(trial.x))
        motion = self.sizes.of_step(abs(trial.h))
        allowed = self.method.rtol * np.maximum(size, SMALL * motion)
        return np.maximum(self.method.atol + allowed, TINY)

    @property
    def notes(self) -> Sequence[str]:
        if self.loss <= MUCH:
            return ()
        attained, asked = self.loss * self.method.rtol, self.method.rtol
        text = (
            "rounding of the accelerations is above the tolerances: steps have a relative error of "
            f"{attained:.0e}, not of rtol = {asked:.0e}"
        )
        return (text,)

    def _measure_noise(self) -> None:
        """Find the rounding in ẋ: what changes if the last digits of the state do."""
        self.steps_since_look = 0
        noise = self._change(self.nudges)
        # at rest, forces that cancel leave nothing but rounding of their own size
        size, moving = noise.max(), np.abs(self.f).max()
        rates = max(moving, self.sizes.acceleration)
        self.is_at_rest = size > ROUGHEST * moving
        # a force that switches here is no rounding: it changes by the same whatever the nudge
        if size <= ROUGH * rates or (
            size <= ROUGHEST * rates and self._change(WIDER * self.nudges).max() > WIDER / 2 * size
        ):
            self.noise = np.maximum(self.noise, MARGIN * noise)

    def _change(self, nudges: np.ndarray) -> np.ndarray:
        changes = [self.rate(self.t, self.x * (1 + nudge)) - self.f for nudge in nudges]
        found = np.abs(changes).max(axis=0)
        # and what velocities that such rates have made leave in the rates of positions
        more = self.rate(self.t, self.x + self.length * changes[0]) - self.f
        return np.maximum(found, np.abs(more))

    def _parts(
        self, t0: float, x0: np.ndarray, h: float, x1: np.ndarray, K: np.ndarray
    ) -> Callable[[], list[np.ndarray]]:
        """Return the polynomial of degree 7 through the step; its stages are made when asked.

        With s from 0 to 1 it is x₀ + s (F₁ + (1 - s) (F₂ + s (F₃ + …))).
        """
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

        return parts


def _powers() -> np.ndarray:
    """Return s, s (1 - s), s² (1 - s), … as rows of powers of s, one column each."""
    product, columns = np.polynomial.Polynomial([1.0]), []
    for i in range(DEGREE):
        product = product * np.polynomial.Polynomial([0.0, 1.0] if i % 2 == 0 else [1.0, -1.0])
        columns.append(np.pad(product.coef, (0, DEGREE + 1 - len(product.coef))))
    return np.array(columns).T


POWERS, ORDERS = _powers(), np.arange(DEGREE + 1.0)[:, None]
