"""Taylor's method: as many derivatives of the motion as rounding makes sense of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.base import Integrator, Step, Stepper
from dalembert.simulation.methods.rounding import CompensatedSum
from dalembert.simulation.methods.taylor.rates import series

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

ROUNDING = float(np.finfo(float).eps)
# coefficients before the last that have a say in the step
WINDOW = 10
# the first ones, beside which an error is measured
FEW = 4
# sines of larger angles are not reduced inside a series
LARGE_ANGLE = 1.6e6
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
        return _TaylorStepper(series(problem, self.order, x.size), self, t, x)


class _TaylorStepper(Stepper):
    def __init__(
        self,
        series: Callable[[float, np.ndarray], np.ndarray],
        method: Taylor,
        t: float,
        x: np.ndarray,
    ) -> None:
        self.series, self.max_step = series, method.max_step
        p = method.order
        self.powers = np.arange(1.0, p + 1)
        # h = exp(-2 - 0.7/(p-1)) (|x|/|xₘ|)^(1/m), the smallest of the last m
        self.last = np.arange(max(p - WINDOW, 1), p + 1)
        self.roots = [-1 / m for m in self.last.tolist()]
        # of the length that the last step could have had
        self.first_powers = np.arange(FEW)[:, None]
        self.powers_before = np.zeros((FEW, 1))
        # the last series, with the state that it belongs to
        self.known: tuple[float, np.ndarray, np.ndarray] | None = None
        self.safety = math.exp(-2 - 0.7 / (p - 1))
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x, self.sum = t, x, CompensatedSum(x)

    def step(self, end: float) -> Step:
        t, x = self.t, self.x
        if self.known is None or self.known[0] != t or self.known[1] is not x:
            self.known = t, x, self.series(t, x)
        c = self.known[2]
        h = self._length(c)
        if h < LONGEST:
            self.powers_before = h**self.first_powers
        is_last = abs(end - t) <= h
        self.t = end if is_last else t + math.copysign(h, end - t)
        # as long as the floats of time say
        h = self.t - t
        if self.t == t:
            raise EvaluationError(
                f"expected a step that moves the time, got {h:.3g} s at t = {t:.9g}: the motion "
                "has a singularity here"
            )
        self.x = self.sum.add(h**self.powers @ c[1:])

        def coefficients() -> np.ndarray:
            return np.vstack([x, c[1:] * (h**self.powers)[:, None]])

        def dense(s: float) -> np.ndarray:
            return x + (s - t) ** self.powers @ c[1:]

        return Step(self.t, self.x, dense, coefficients, is_exact=True)

    def _length(self, c: np.ndarray) -> float:
        """Return the step that the last coefficients allow: |xₘ| hᵐ ≤ ε |xₖ| hᵏ.

        That is beside x itself for k = 0, and beside its change in the step for other k: in the
        last step, if that says something about every entry of the state.
        """
        sizes = np.abs(c)
        motion = (sizes[:FEW] * self.powers_before).max(axis=0)
        if not motion.min() > 0:
            return self._new_length(sizes)
        beside = (sizes[self.last] / motion).max(axis=1).tolist()
        if not all(map(math.isfinite, beside)):
            raise self._no_series()
        h = self.max_step
        for size, root in zip(beside, self.roots, strict=True):
            # coefficients that vanish allow any step
            if size > 0:
                h = min(h, self.safety * size**root)
        return h

    def _new_length(self, sizes: np.ndarray) -> float:
        """Return the step with the most generous k for each entry, the first that does not vanish
        for entries that vanish so far.
        """
        with np.errstate(divide="ignore"):
            logs = np.log(sizes)
        last = logs[self.last]
        if not (last < math.inf).all():
            raise self._no_series()
        lengths = np.full(last.shape, -math.inf)
        for k in range(int(self.last[0])):
            if k >= FEW and np.isfinite(lengths[last > -math.inf]).all():
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
