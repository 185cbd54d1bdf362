"""Taylor's method: as many derivatives of the motion as rounding makes sense of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model import SeriesKernel, Steps, StepStart
from dalembert.simulation.methods.base import (
    CALL_OPERATIONS,
    Integrator,
    Several,
    Step,
    Stepper,
)
from dalembert.simulation.methods.rounding import CompensatedSum
from dalembert.simulation.methods.taylor.rates import MotionSeries, series

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

ROUNDING = float(np.finfo(float).eps)
# steps that are taken before they are asked for
MOST_AHEAD = 64
# sines of larger angles are not reduced inside a series
LARGE_ANGLE = 1.6e6
# of tolerances: |ẋ - f(x)| h at the end of a step, beside the motion
DEFECT = 100.0
SMALLEST_DEFECT = 1e6 * ROUNDING
MOST_HALVINGS = 50
# powers of longer steps are no floats
LONGEST = 1e80


class BeyondSeries(EvaluationError):
    """The state has left the range in which power series are compiled; another method goes on."""


@dataclass(frozen=True)
class Taylor(Integrator):
    """Power series of the motion, compiled; order and step follow from the tolerance.

    Order ⌈-½ ln tolerance⌉ + 1 (20 at rounding), and the step from the radius of convergence that
    the last coefficients tell: Jorba & Zou, A software package for the numerical integration of
    ODEs by means of high-order Taylor methods, Experimental Mathematics 14 (2005), 99-117. They
    take the last two; from a symmetric start both may vanish (a motion in t², t⁶, t¹⁰, …), so more
    are asked. Sums are compensated, so the error of a long run is that of rounding the steps.

    The coefficients of tanh(v / s) far from v = 0 are below rounding and tell nothing of the change
    to come; so the rate of every series is compared with f(x) where its step ends, and the step is
    halved until they agree. What comes and goes within one step is not seen: ``max_step``.

    The forces must be analytic and known as expressions: constants or a law of expressions.
    Quaternions are integrated as four numbers and scaled to length one after every step.

    Args:
        tolerance: Error of a step, of every entry of the state beside that entry, or beside its
            change in the step where that is more.
        max_step: The longest step in seconds.
    """

    tolerance: float = ROUNDING
    max_step: float = math.inf
    integrates_extras: ClassVar[bool] = True
    # its steps are long: what is stored in between keeps resampling exact
    stored_parts: ClassVar[int] = 4

    def __post_init__(self) -> None:
        if not ROUNDING <= self.tolerance < 1:
            raise EvaluationError(
                f"expected a tolerance of Taylor from {ROUNDING:.3g} to 1, got {self.tolerance!r}"
            )
        if not self.max_step > 0:
            raise EvaluationError(f"expected a positive max_step, got {self.max_step!r}")

    @property
    def order(self) -> int:
        """The highest power of time."""
        return math.ceil(-math.log(self.tolerance) / 2) + 1

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        """Begin at a state.

        Raises:
            EvaluationError: the forces are not known as expressions.
        """
        operations = problem.rate_operations * self.order**2 / 2
        return _TaylorStepper(series(problem, self.order, x.size), self, t, x, operations)


class _TaylorStepper(Stepper):
    """Takes steps ahead of those that it is asked for: more and more as long as none is in vain."""

    def __init__(
        self, series: MotionSeries, method: Taylor, t: float, x: np.ndarray, operations: float
    ) -> None:
        self.series, self.max_step = series, method.max_step
        self.step_work = operations / CALL_OPERATIONS
        p = method.order
        # h = exp(-2 - 0.7/(p-1)) (|x|/|xₘ|)^(1/m), the smallest of the last m
        self.last = np.array(SeriesKernel.window(p))
        self.safety = math.exp(-2 - 0.7 / (p - 1))
        self.defect = max(DEFECT * method.tolerance, SMALLEST_DEFECT)
        # of the length that the last step could have had
        self.powers = np.zeros(SeriesKernel.FEW)
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x, self.carry = t, x, np.zeros_like(x)
        self.ahead: Steps | None = None
        self.end, self.place, self.most = math.nan, 0, 1

    def step(self, end: float) -> Step:
        if not self._look_ahead(end):
            return self._careful_step(end)
        assert self.ahead is not None
        step = _taylor_step(self.ahead, self.place)
        self._stand_at(self.place + 1)
        return step

    def several(self, end: float) -> Several | None:
        if not self._look_ahead(end):
            return None
        assert self.ahead is not None
        taken = _SeveralSteps(self, self.ahead, self.place)
        self._stand_at(len(self.ahead.series))
        return taken

    def _look_ahead(self, end: float) -> bool:
        """Make sure that the next step is known; tell whether it could be."""
        if self.ahead is not None and self.end == end and self.place < len(self.ahead.series):
            return True
        found = self._steps_that_hold(end)
        self.ahead, self.end, self.place = found, end, 0
        self.powers, self.carry = found.powers, found.carry
        self.work += 1 + len(found.series) * self.step_work
        self.most = min(2 * self.most, MOST_AHEAD)
        return bool(len(found.series))

    def _steps_that_hold(self, end: float) -> Steps:
        """Return steps whose series still solves ẋ = f(x) where they end."""
        start = StepStart(self.t, self.x, self.powers, self.carry)
        most, longest = self.most, self.max_step
        for _ in range(MOST_HALVINGS):
            found = self.series.steps(start, end, most, longest=longest, safety=self.safety)
            good = self._num_holding(found)
            if good == len(found.series):
                return found
            # the same steps without the first that does not hold, or half of that one
            if good:
                most = good
            else:
                most, longest = 1, abs(float(found.t[1] - found.t[0])) / 2
        # however short, the rates differ: what is seen is rounding
        return self.series.steps(start, end, 1, longest=self.max_step, safety=self.safety)

    def _num_holding(self, taken: Steps) -> int:
        """Return how many steps end before the first whose series no longer solves ẋ = f(x)."""
        if not self.series.may_hide or not len(taken.series):
            return len(taken.series)
        last = self.series(float(taken.t[-1]), taken.x[-1])[1]
        rates = np.vstack([taken.series[1:, 1], last])
        good = holds(taken.series, np.diff(taken.t), rates, self.defect)
        return len(good) if good.all() else int(good.argmin())

    def _stand_at(self, place: int) -> None:
        """Stand at the end of a number of the steps that are known."""
        assert self.ahead is not None
        self.place, self.t, self.x = place, float(self.ahead.t[place]), self.ahead.x[place]

    def _careful_step(self, end: float) -> Step:
        """Take a step where an entry of the state does not move yet, or say why there is none."""
        t, x = self.t, self.x
        self.work += 1 + self.step_work
        c = self.series(t, x)
        h = self._length_that_holds(c, end)
        # a motion that is a polynomial allows any step
        self.powers = (h if h < LONGEST else abs(end - t)) ** np.arange(SeriesKernel.FEW)
        is_last = abs(end - t) <= h
        # as long as the floats of time say
        self.t = end if is_last else t + math.copysign(h, end - t)
        if self.t == t:
            raise EvaluationError(
                f"expected a step that moves the time, got {h:.3g} s at t = {t:.9g}: the motion "
                "has a singularity here"
            )
        total = CompensatedSum(x, self.carry)
        self.x = total.add(increment(c, np.array(self.t - t)))
        self.carry, self.ahead = total.carry, None
        taken = Steps(
            np.array([t, self.t]), np.stack([x, self.x]), c[None], self.powers, self.carry
        )
        return _taylor_step(taken, 0)._replace(x=self.x)

    def _length_that_holds(self, c: np.ndarray, end: float) -> float:
        """Return the step that the coefficients allow, halved until it holds where it ends."""
        longest = self._length(c)
        h = min(longest, abs(end - self.t))
        for _ in range(MOST_HALVINGS if self.series.may_hide else 0):
            step = np.array([math.copysign(h, end - self.t)])
            rate = self.series(self.t + step[0], self.x + increment(c, step[0]))[1]
            if holds(c[None], step, rate[None], self.defect)[0]:
                return longest if h == abs(end - self.t) else h
            h /= 2
        return longest

    def _length(self, c: np.ndarray) -> float:
        """Return the step that the last coefficients allow: |xₘ| hᵐ ≤ ε |xₖ| hᵏ.

        That is beside x itself for k = 0, and beside its change in the step for other k: with the
        most generous k for each entry, the first that does not vanish for entries that vanish so
        far.
        """
        with np.errstate(divide="ignore"):
            logs = np.log(np.abs(c))
        last = logs[self.last]
        if not (last < math.inf).all():
            raise self._no_series()
        lengths = np.full(last.shape, -math.inf)
        for k in range(int(self.last[0])):
            if k >= SeriesKernel.FEW and np.isfinite(lengths[last > -math.inf]).all():
                break
            with np.errstate(invalid="ignore"):
                lengths = np.fmax(lengths, (logs[k] - last) / (self.last - k)[:, None])
        # coefficients that vanish allow any step
        found = lengths[(last > -math.inf) & (lengths > -math.inf)]
        return min(self.max_step, self.safety * math.exp(min(found.min(initial=700.0), 700.0)))

    def _no_series(self) -> EvaluationError:
        if np.abs(self.x).max() > LARGE_ANGLE:
            k = int(np.abs(self.x).argmax())
            return BeyondSeries(
                f"expected angles of at most {LARGE_ANGLE:.2g} rad for power series, got "
                f"{self.x[k]:.3g} in entry {k} of the state at t = {self.t:.9g}: take DOP853"
            )
        return EvaluationError(
            f"expected a finite power series of the motion, got another at t = {self.t:.9g}: "
            "the accelerations have no finite value there"
        )


class _SeveralSteps(Several):
    """Steps along series, from a place in those that a stepper knows."""

    def __init__(self, stepper: _TaylorStepper, known: Steps, place: int) -> None:
        self.stepper, self.known, self.place = stepper, known, place
        self.t, self.x, self.series = known.t[place:], known.x[place:], known.series[place:]

    def step(self, number: int) -> Step:
        return _taylor_step(self.known, self.place + number)

    def inside(self, count: int, parts: int) -> tuple[np.ndarray, np.ndarray]:
        t0 = self.t[:count, None]
        t = t0 + (self.t[1 : count + 1, None] - t0) * np.arange(1, parts) / parts
        return t, self.x[:count, None] + increment(self.series[:count, None], t - t0)

    def keep(self, count: int) -> None:
        self.stepper._stand_at(self.place + count)


def _taylor_step(known: Steps, number: int) -> Step:
    """Return one of the steps along series, with the states in between."""
    (t, end), (x, new) = known.t[number : number + 2].tolist(), known.x[number : number + 2]
    c = known.series[number]

    def dense(s: float) -> np.ndarray:
        return x + increment(c, np.asarray(s - t))

    return Step(end, new, dense, lambda: c, is_exact=True)


def increment(series: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Return Σ cₖ hᵏ without the first term, by Horner's rule: ``(..., n)`` for h ``(...)``.

    Entry by entry, so that one state and many have the same bits.
    """
    s = h[..., None]
    total = series[..., -1, :]
    for k in range(series.shape[-2] - 2, 0, -1):
        total = total * s + series[..., k, :]
    return total * s


def holds(series: np.ndarray, h: np.ndarray, rates: np.ndarray, defect: float) -> np.ndarray:
    """Tell for each series whether Σ k cₖ hᵏ⁻¹ is the rate at its end: |difference| h ≤ defect.

    That is beside the largest |cₖ hᵏ| of the entry, or beside rounding of the largest entry:
    ``(N, order + 1, n)`` for h ``(N,)`` and rates ``(N, n)``. A rate that is not finite is left to
    the next step, which says so.
    """
    k = np.arange(series.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        terms = series * (h[:, None] ** k)[..., None]
        # h ẋ of the series beside h f(x)
        miss = np.abs((k[:, None] * terms).sum(1) - h[:, None] * rates)
        noise = 100 * ROUNDING * np.abs(series[:, 0]).max(-1, keepdims=True)
        wrong = miss > np.maximum(defect * np.abs(terms).max(1), noise)
    return ~wrong.any(1)
