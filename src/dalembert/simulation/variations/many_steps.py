"""Steps of a motion with its changes: many at once, along power series, where it is long.

The motion is a polynomial in every step of `Taylor`, so that A and B are known at all stages of all
steps beforehand, by one call of a kernel. Changes are linear: each step of `DOP853` is a matrix,
and all of them are computed together. What is left to do one after the other is their product.
"""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.methods.base import Integrator, Step, Stepper
from dalembert.simulation.methods.dop853 import NUM_STAGES, TABLEAU
from dalembert.simulation.methods.taylor.rates import has_fast_series
from dalembert.simulation.methods.taylor.taylor import BeyondSeries, Taylor, increment
from dalembert.simulation.problem.problem import Problem
from dalembert.simulation.variations.equations.variation import Slopes
from dalembert.simulation.variations.sizes import Sizes

if TYPE_CHECKING:
    from dalembert.simulation.constraints.constraints import Constraints
    from dalembert.simulation.methods.flow import FlowMethod
    from dalembert.simulation.variations.changes import Changes

STEPS_BETWEEN_LOOKS = 100
"""So often it is asked whether many more steps are to come."""

LONG = 500
"""Of so many more steps it is worth it to compile the power series of the motion."""

STEPS_BETWEEN_STATES = 8
"""How often, in many steps, it is looked how far the motion got."""

MOST_NUMBERS = 2_000_000
"""Of all stages that are computed together."""

MOST_PARTS = 4096
"""A step of the series that has to be divided more often is left to single steps."""

SAFE = 0.25
"""The error over what is allowed at which the parts of a step are chosen."""


class _Matrices(NamedTuple):
    """Steps as matrices [Φ, Γ], their two errors, where they begin, and A and B there."""

    t: np.ndarray
    x: np.ndarray
    h: np.ndarray
    P: np.ndarray
    errors: np.ndarray
    at: Slopes


@dataclass(frozen=True)
class WithChanges(Integrator):
    """A method whose steps carry the changes of a motion beside it."""

    method: FlowMethod
    integrates_extras: ClassVar[bool] = True
    allows_switching: ClassVar[bool] = True

    def start(self, problem: Changes, t: float, x: np.ndarray, end: float) -> Stepper:  # type: ignore[override]
        return _ChangesStepper(problem, self.method, t, x, end)


class _ChangesStepper(Stepper):
    """Takes steps of the method, and keeps changes on the constraints; see `ManySteps`."""

    def __init__(
        self, motion: Changes, method: FlowMethod, t: float, x: np.ndarray, end: float
    ) -> None:
        self.motion, self.method, self.start, self.end = motion, method, t, end
        self.inner, self.t, self.x = method.start(motion, t, x, end), t, x
        self.may_go_far = motion.running is None and method.may_be_replaced
        self.num_steps = 0
        self.far: ManySteps | None = None
        # whether the state is another than that where the method stands
        self.is_moved = False

    def step(self, end: float) -> Step:
        self.num_steps += 1
        if self.far is None or self.num_steps % STEPS_BETWEEN_STATES == 0:
            self.motion.returning.look(self.x[: self.motion.size], self.motion.weights)
        if self.may_go_far and self.far is None and self.num_steps % STEPS_BETWEEN_LOOKS == 0:
            self.far = self._look_far()
            self.is_moved |= self.far is not None
        try:
            step = self._step(end) if self.far is None else self._far_step(self.far, end)
        except BeyondSeries:
            self.may_go_far, self.far, self.is_moved = False, None, True
            step = self._step(end)
        self.t, self.x = step.t, step.x
        return step

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x, self.is_moved = t, x, True
        if self.motion.variation.is_switched:
            self.far = None

    def aside(self) -> Stepper:
        found = copy.copy(self)
        found.inner, found.may_go_far = self.inner.aside(), False
        if self.far is not None:
            found.far, found.is_moved = None, True
        return found

    def _step(self, end: float) -> Step:
        if self.is_moved:
            self.inner.reset(self.t, self.x)
        try:
            # errors that no double holds fail the step
            with np.errstate(over="ignore", invalid="ignore"):
                step = self.inner.step(end)
        except EvaluationError as error:
            raise EvaluationError(
                f"{error}: the motion is singular there, or the tolerance of {self.method} is "
                "below rounding"
            ) from error
        y = self.motion.onto(step.t, step.x, self.motion.variation)
        self.is_moved = not np.array_equal(y, step.x)
        return step._replace(x=y)

    def _far_step(self, far: ManySteps, end: float) -> Step:
        if self.is_moved:
            far.reset(self.t, self.x)
        self.is_moved = False
        step = far.step(end)
        if self.num_steps % STEPS_BETWEEN_STATES == 0:
            self.motion.measured(step.t, step.x)
        return step

    def _look_far(self) -> ManySteps | None:
        """Return what takes many steps at once, if so many are to come that it is worth it."""
        left, gone = abs(self.end - self.t), abs(self.t - self.start)
        is_long = left * self.num_steps > LONG * gone
        return ManySteps.begin(self.motion, self.method, self.end) if is_long else None


class _Known(NamedTuple):
    """A step of the series between two times, and x and S at both ends."""

    t: tuple[float, float]
    series: np.ndarray
    x: np.ndarray
    S: tuple[np.ndarray, np.ndarray]


class ManySteps:
    """Takes the changes of a smooth motion along, many steps at once.

    Args:
        motion: With its changes.
        stepper: Takes steps of the motion alone.
        method: With the tolerances of changes.
        constraints: Those of the model, if it has any.
    """

    def __init__(
        self,
        motion: Changes,
        stepper: Stepper,
        method: FlowMethod,
        constraints: Constraints | None,
    ) -> None:
        self.motion, self.variation, self.stepper = motion, motion.variation, stepper
        self.constraints, self.method, self.part = constraints, method, motion.part
        # into how many parts a step of the series is divided
        self.num_parts = 8
        # steps that have been computed
        self.known = deque[_Known]()

    @classmethod
    def begin(cls, motion: Changes, method: FlowMethod, end: float) -> ManySteps | None:
        """Return it for a motion that goes on to the end; None if it has no series or is large."""
        variation = motion.variation
        problem = Problem(motion.model, motion.forcing, Projection(), is_audited=False)
        if variation.is_switched or not has_fast_series(problem):
            return None
        x = np.concatenate([variation.model.neutral, np.zeros(variation.nv)])
        stepper = Taylor().start(problem, end, x, end)
        return cls(motion, stepper, method, problem.constraints)

    def reset(self, t: float, y: np.ndarray) -> None:
        """Go on from a state with its changes."""
        x, self.S = self.motion.split(y)
        if self.known or self.stepper.t != t or not np.array_equal(self.stepper.x, x):
            self.stepper.reset(t, x)
        self.known.clear()

    def step(self, end: float) -> Step:
        """Take the next step: many are computed at once.

        Raises:
            EvaluationError: a step failed.
            BeyondSeries: other methods can go on.
        """
        if not self.known:
            times, series = self._series(end)
            self.known.extend(self._along(times, series, self.S))
        (t0, t), series, x, (before, self.S) = self.known.popleft()

        def dense(s: float) -> np.ndarray:
            inside = series[0] + increment(series, np.asarray(s - t0))
            parts = self.num_parts
            (found,) = self._along(np.array([t0, s]), series[None], before)
            self.num_parts = parts
            return np.concatenate([inside, found.S[1].ravel()])

        return Step(t, np.concatenate([x, self.S.ravel()]), dense, lambda: series, is_exact=True)

    def _series(self, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the times and series of the next steps of the motion."""
        t, x = self.stepper.t, self.stepper.x
        try:
            steps = self.stepper.several(end)
            if steps is not None:
                sound = self._num_closed(steps.t[1:], steps.x[1:])
                steps.keep(sound)
                if sound:
                    return steps.t[: sound + 1], steps.series[:sound]
            step = self.stepper.step(end)
        except BeyondSeries:
            raise
        except EvaluationError as error:
            raise EvaluationError(f"{error}: the motion is singular there") from error
        if self.constraints is not None:
            n = self.variation.nq
            q, v, _ = self.constraints.project(step.t, step.x[:n], step.x[n:])
            self.stepper.reset(step.t, np.concatenate([q, v]))
        return np.array([t, step.t]), step.polynomial(t, x)[None]

    def _num_closed(self, t: np.ndarray, x: np.ndarray) -> int:
        """Return how many of some states are on the constraints, from the first on."""
        if self.constraints is None:
            return len(t)
        n = self.variation.nq
        _, closed = self.constraints.look_at(t, x[:, :n], x[:, n:])
        return len(closed) if closed.all() else int(np.argmin(closed))

    def _along(self, t: np.ndarray, series: np.ndarray, S: np.ndarray) -> list[_Known]:
        """Return steps along series, with changes from S on."""
        known = list[_Known]()
        while len(known) < len(series):
            done = len(known)
            most = max(1, MOST_NUMBERS // (self.num_parts * (NUM_STAGES + 1) * S.size))
            block = slice(done, min(done + most, len(series)))
            steps = self._matrices(t[block.start : block.stop + 1], series[block])
            states = _products(steps.P, S)
            errors = self._errors(steps, states).reshape(-1, self.num_parts).max(axis=1)
            good = len(errors) if (errors <= 1).all() else int(np.argmax(~(errors <= 1)))
            for i in range(good):
                k, before = done + i, states[i * self.num_parts]
                S = states[(i + 1) * self.num_parts]
                x = steps.x[(i + 1) * self.num_parts]
                known.append(_Known((float(t[k]), float(t[k + 1])), series[k], x, (before, S)))
            self._choose_parts(errors, t[len(known)], is_good=good == len(errors))
        return known

    def _choose_parts(self, errors: np.ndarray, t: float, *, is_good: bool) -> None:
        """Divide the next steps so that their errors are below what is allowed."""
        if is_good:
            factor = (float(errors.max()) / SAFE) ** 0.125
            self.num_parts = max(1, round(self.num_parts * min(factor, 2.0)))
            return
        self.num_parts *= 2
        if self.num_parts > MOST_PARTS or not np.isfinite(errors).all():
            raise BeyondSeries(
                f"expected errors of changes that fall with the step, got others at t = {t:.9g}"
            )

    def _matrices(self, t: np.ndarray, series: np.ndarray) -> _Matrices:
        """Return all steps of ``num_parts`` parts of the series, one after the other."""
        variation, parts = self.variation, self.num_parts
        n, m = 2 * variation.nv, len(variation.parameters)
        # when every stage is: (series, parts, stages)
        h = np.diff(t) / parts
        nodes = np.append(TABLEAU.C[:NUM_STAGES], 1.0)
        since = h[:, None, None] * (np.arange(parts)[:, None] + nodes)
        x = series[:, None, None, 0] + increment(series[:, None, None], since)
        when = t[:-1, None, None] + since
        flat = variation.at(when.ravel(), x.reshape(-1, x.shape[-1]))
        h = np.repeat(h, parts)
        at = Slopes(*(a.reshape(len(h), len(nodes), *a.shape[1:]) for a in flat))
        # stages: K = A Y + (0, B)
        first = np.concatenate([np.eye(n), np.zeros((n, m))], axis=1)
        K = np.empty((len(nodes), len(h), n, n + m))
        step = h[:, None, None]
        for s in range(len(nodes)):
            row = TABLEAU.A[s] if s < NUM_STAGES else TABLEAU.B
            Y = first + step * np.tensordot(row, K[:s], 1)
            K[s] = at.A[:, s] @ Y
            K[s, :, :, n:] += at.B[:, s]
        P = first + step * np.tensordot(TABLEAU.B, K[:NUM_STAGES], 1)
        errors = np.tensordot(TABLEAU.errors, K, 1)
        states = x[:, :, 0].reshape(-1, x.shape[-1])
        ends = np.concatenate([states, x[-1:, -1, -1]])
        found = variation.onto(when[:, :, -1].ravel(), ends[1:])
        if found is not None:
            # every step ends on the constraints
            P, D = found[1].D @ P, found[1].D
            P[..., n:] += found[1].d
            errors = D @ errors
        starts = Slopes(*(a[:, 0] for a in at))
        return _Matrices(when[:, :, 0].ravel(), ends, h, P, errors, starts)

    def _errors(self, steps: _Matrices, S: np.ndarray) -> np.ndarray:
        """Return the error of each step over what is allowed: h e₅² / √(e₅² + e₃²/100)."""
        n, h = S.shape[-2], np.abs(steps.h)
        found = steps.errors[..., :n] @ S[:-1]
        found[..., n:] += steps.errors[..., n:]
        v = steps.x[:-1, self.variation.nq :]
        sizes = Sizes(self.variation, steps.at, v).of_columns(S[:-1], h, self.part)
        allowed = self.method.atol + sizes
        allowed += self.method.rtol * np.maximum(np.abs(S[:-1]), np.abs(S[1:]))
        found /= np.maximum(allowed, np.finfo(float).tiny)
        five, three = (found**2).sum(axis=(-2, -1))
        mean = np.sqrt((five + 0.01 * three) * S[0].size)
        return h * np.divide(five, mean, out=np.zeros_like(five), where=mean > 0)


def _products(P: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Return S before the first step and after each: S⁺ = Φ S + (0, Γ)."""
    n = len(S)
    found = np.empty((len(P) + 1, *S.shape))
    found[0] = S
    for k, step in enumerate(P):
        np.matmul(step[:, :n], found[k], out=found[k + 1])
        found[k + 1, :, n:] += step[:, n:]
    return found
