"""Integrates a motion together with small changes of it, all under error control."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.variations.returning import Returning
from dalembert.simulation.variations.sizes import Sizes
from dalembert.simulation.variations.stepping import Stepping

if TYPE_CHECKING:
    from dalembert.simulation.methods.dop853 import DOP853
    from dalembert.simulation.problem.start import Times
    from dalembert.simulation.variations.variation import Variation


class Integration(Stepping):
    """The motion y = (x, S) with Ṡ = A S + (0, B): S has a column for each change.

    The last columns are those of the parameters. Errors of every entry are relative to it, or to
    4 % of the size that its column gives it (`Sizes`). With ``restarts`` S begins anew at each time
    that is asked for.
    """

    def __init__(
        self, variation: Variation, method: DOP853 | Radau, span: Times, *, restarts: bool
    ) -> None:
        super().__init__(method, float(span.all[0]), float(span.all[-1]))
        self.variation, self.span, self.restarts = variation, span, restarts
        self.size, n = variation.nq + variation.nv, variation.nv
        S = np.concatenate([np.eye(2 * n), np.zeros((2 * n, len(variation.parameters)))], axis=1)
        self.shape, self.first = S.shape, S.ravel()
        self.returning = Returning(variation.model)

    def states(self, x: np.ndarray) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """Yield times, states and S: at the times asked for, or after every step.

        Raises:
            EvaluationError: a step failed, or the end is out of reach.
        """
        t, y = float(self.span.all[0]), np.concatenate([x, self.first])
        self.returning.begin(x)
        yield t, *self._parts(y)
        for goal in self.span.all[1:].tolist():
            if self.restarts:
                y = np.concatenate([y[: self.size], self.first])
            for t, y in self.run(t, y, goal):  # noqa: B020, it goes on from where it is
                if self.span.is_stepwise or t == goal:
                    yield t, *self._parts(y)

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        x, S = self._parts(y)
        at = self.variation.at(t, x)
        return np.concatenate([at.rate, at.of_columns(S).ravel()])

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ∂ẏ/∂y without ∂²ẋ/∂x², which moves no eigenvalue: S acts on nothing."""
        A = self.variation.at(t, y[: self.size]).A
        J, columns = np.zeros((y.size, y.size)), self.shape[1]
        J[: self.size, : self.size] = A
        J[self.size :, self.size :] = np.kron(A, np.eye(columns))
        return J

    def allowed(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        x, S = self._parts(y)
        sizes = Sizes(self.variation, t, x)
        self.returning.look(x, sizes.weights)
        columns = sizes.of_columns(S, h, self.part)
        # SciPy's Radau asks for sizes before a step, which columns of zeros do not have yet
        if isinstance(self.method, Radau):
            columns[:, sizes.is_unknown(S)] = np.inf
        return np.concatenate([sizes.of_state(h, self.part), columns.ravel()])

    def _parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y[: self.size], y[self.size :].reshape(self.shape)
