"""Many steps of changes at once, along the power series of a long motion.

The motion is a polynomial in every step of `Taylor`, so that A and B are known at all stages of all
steps beforehand, by one call of a kernel. Changes are linear: each step of `DOP853` is a matrix,
and all of them are computed together. What is left to do one after the other is their product.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.methods.dop853 import NUM_STAGES, TABLEAU
from dalembert.simulation.methods.taylor.rates import why_no_series
from dalembert.simulation.methods.taylor.taylor import BeyondSeries, Taylor, increment
from dalembert.simulation.problem.problem import Problem
from dalembert.simulation.variations.equations.variation import Slopes
from dalembert.simulation.variations.sizes import Sizes

if TYPE_CHECKING:
    from dalembert.simulation.constraints.constraints import Constraints
    from dalembert.simulation.methods.base import Stepper
    from dalembert.simulation.methods.dop853 import DOP853
    from dalembert.simulation.variations.equations.variation import Variation

MOST_NUMBERS = 2_000_000
"""Of all stages that are computed together."""

MOST_PARTS = 4096
"""A step of the series that has to be divided more often is left to single steps."""

SAFE = 0.25
"""The error over what is allowed at which the parts of a step are chosen."""

MANY = 16
"""Of more velocities and constraints the code of a series takes longer to compile than it saves."""


class _Matrices(NamedTuple):
    """Steps as matrices [Φ, Γ], their two errors, where they begin, and A and B there."""

    t: np.ndarray
    x: np.ndarray
    h: np.ndarray
    P: np.ndarray
    errors: np.ndarray
    at: Slopes


class ManySteps:
    """Takes the changes of a smooth motion along, many steps at once.

    Args:
        variation: The motion.
        stepper: Takes its steps.
        method: With the tolerances of changes.
        part: Errors beside the size of a column.
        constraints: Those of the model, if it has any.
    """

    def __init__(
        self,
        variation: Variation,
        stepper: Stepper,
        method: DOP853,
        part: float,
        constraints: Constraints | None,
    ) -> None:
        self.variation, self.stepper, self.constraints = variation, stepper, constraints
        self.method, self.part = method, part
        # into how many parts a step of the series is divided
        self.num_parts = 8

    @classmethod
    def start(
        cls, variation: Variation, method: DOP853, part: float, end: float
    ) -> ManySteps | None:
        """Return it for a motion that goes on to the end; None if it has no series or is large."""
        problem = Problem(variation.model, variation.setting.drive, Projection(), is_audited=False)
        size = variation.nv + (0 if problem.constraints is None else len(problem.constraints.names))
        is_plain = not variation.is_switched and method.largest == math.inf
        if size > MANY or not is_plain or why_no_series(problem) is not None:
            return None
        x = np.concatenate([variation.model.neutral, np.zeros(variation.nv)])
        stepper = Taylor().start(problem, end, x, end)
        return cls(variation, stepper, method, part, problem.constraints)

    def run(
        self, t: float, x: np.ndarray, S: np.ndarray, end: float
    ) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """Yield time, state and S after every step; the last one ends exactly at the end.

        Raises:
            EvaluationError: a step failed.
            BeyondSeries: other methods can go on.
        """
        if self.stepper.t != t or self.stepper.x is not x:
            self.stepper.reset(t, x)
        while self.stepper.t != end:
            times, series = self._steps(end)
            for t, x, S in self._along(times, series, S):  # noqa: B020, it goes on from there
                yield t, x, S

    def _steps(self, end: float) -> tuple[np.ndarray, np.ndarray]:
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

    def _along(
        self, t: np.ndarray, series: np.ndarray, S: np.ndarray
    ) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        done = 0
        while done < len(series):
            most = max(1, MOST_NUMBERS // (self.num_parts * (NUM_STAGES + 1) * S.size))
            block = slice(done, min(done + most, len(series)))
            steps = self._matrices(t[block.start : block.stop + 1], series[block])
            states = _products(steps.P, S)
            errors = self._errors(steps, states).reshape(-1, self.num_parts).max(axis=1)
            good = len(errors) if (errors <= 1).all() else int(np.argmax(~(errors <= 1)))
            num = good * self.num_parts
            ends = np.concatenate([steps.t[1:num], t[[done + good]]]) if num else []
            for when, x, S in zip(ends, steps.x[1 : num + 1], states[1 : num + 1], strict=True):
                yield float(when), x, S
            done += good
            self._choose_parts(errors, t[done], is_good=good == len(errors))

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
