"""Integrates a motion together with small changes of it, all under error control."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.pace import Pace
from dalembert.simulation.problem.scales import velocity_of_position
from dalembert.simulation.variations.returning import Returning
from dalembert.simulation.variations.sizes import Sizes

if TYPE_CHECKING:
    from dalembert.simulation.methods.dop853 import DOP853
    from dalembert.simulation.problem.start import Times
    from dalembert.simulation.variations.variation import Variation

SMALL = 0.04
"""An entry below this part of its size is small: its error is measured beside that size."""

FIRST_PART = 1e-3
"""The first step that is tried, as a part of the whole motion."""

LEAST = 1e-290


class Integration:
    """The motion y = (x, S) with Ṡ = A S + (0, B): S has a column for each change.

    The last columns are those of the parameters. Errors of every entry are relative to it, or to
    4 % of the size that its column gives it (`Sizes`). With ``restarts`` S begins anew at each time
    that is asked for.
    """

    def __init__(
        self, variation: Variation, method: DOP853 | Radau, x: np.ndarray, *, restarts: bool
    ) -> None:
        self.variation, self.method, self.restarts = variation, method, restarts
        self.size, n = x.size, variation.nv
        S = np.concatenate([np.eye(2 * n), np.zeros((2 * n, len(variation.parameters)))], axis=1)
        self.shape, self.first = S.shape, S.ravel()
        self.y = np.concatenate([x, self.first])
        self.returning = Returning(variation.model, x)
        self._velocities = velocity_of_position(variation.model)

    def states(self, span: Times) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """Yield times, x and S: at the times asked for, or after every step.

        Raises:
            EvaluationError: a step failed, or the end is out of reach.
        """
        t, end = float(span.all[0]), float(span.all[-1])
        yield t, *self._parts(self.y)
        pace, length = Pace(t, end), FIRST_PART * abs(end - t)
        for goal in span.all[1:].tolist():
            solver = self._solver(t, goal, length)
            while solver.status == "running":
                solver.atol = self._allowed(solver)
                message, tried = solver.step(), solver.h_abs
                if solver.status == "failed":
                    raise EvaluationError(
                        f"expected a step of the sensitivities from t = {solver.t:.9g} to "
                        f"succeed, got: {message} The motion is singular there, or the tolerance "
                        f"of {self.method} is below rounding"
                    )
                pace.count_steps(solver.t)
                if pace.is_slow:
                    pace.check()
                if span.is_stepwise or solver.status == "finished":
                    yield float(solver.t), *self._parts(solver.y)
                # a step that was cut at the goal says nothing about the next one
                length = max(length, tried) if solver.status == "finished" else tried
            t, self.y = goal, solver.y
            if self.restarts:
                self.y = np.concatenate([solver.y[: self.size], self.first])

    def _parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y[: self.size], y[self.size :].reshape(self.shape)

    def _rate(self, t: float, y: np.ndarray) -> np.ndarray:
        x, S = self._parts(y)
        at = self.variation.at(t, x)
        return np.concatenate([at.rate, at.of_columns(S).ravel()])

    def _jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ∂ẏ/∂y without ∂²ẋ/∂x², which moves no eigenvalue: S acts on nothing."""
        A = self.variation.at(t, y[: self.size]).A
        J, columns = np.zeros((y.size, y.size)), self.shape[1]
        J[: self.size, : self.size] = A
        J[self.size :, self.size :] = np.kron(A, np.eye(columns))
        return J

    def _solver(self, t: float, end: float, length: float) -> Any:
        from scipy import integrate

        options: dict[str, Any] = {
            "rtol": self.method.rtol,
            "first_step": min(length, abs(end - t)),
        }
        if isinstance(self.method, Radau):
            return integrate.Radau(self._rate, t, self.y, end, jac=self._jacobian, **options)
        options["max_step"] = self.method.largest
        return integrate.DOP853(self._rate, t, self.y, end, **options)

    def _allowed(self, solver: Any) -> np.ndarray:
        """Return the absolute error of a step that is allowed beside the relative one."""
        x, S = self._parts(solver.y)
        sizes = Sizes(self.variation, solver.t, x, S)
        self.returning.look(x, sizes.weights)
        part = SMALL * self.method.rtol
        q, v, columns = sizes.allowed(abs(solver.h_abs), part)
        # quaternions have the length 1
        q = np.where(self._velocities < 0, part, q[self._velocities])
        # SciPy's Radau asks for sizes before a step, which columns of zeros do not have yet
        if isinstance(self.method, Radau):
            columns[:, sizes.is_unknown] = np.inf
        allowed = np.concatenate([q, v, columns.ravel()])
        return np.maximum(self.method.atol + allowed, LEAST)
