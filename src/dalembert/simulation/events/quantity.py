"""A quantity whose zeros are events: its value and rate along a motion, and bounds of both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import ONE, Expr, parameters, tangent, time
from dalembert.simulation.constraints.rounding import rounding_bounds
from dalembert.simulation.events.bounds import bounds
from dalembert.simulation.problem.callbacks import call
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.problem import Problem


ROUNDING = 64 * float(np.finfo(float).eps)
"""A value below this part of its rounding bound is zero."""

NOISE = 1e-13
"""A value of a function below this part of the largest one seen is zero."""


class Enclosure(NamedTuple):
    """Centres and radii of a quantity and of its rate, in each of N cells of a step.

    ``noise`` is what cannot be told from zero.
    """

    value: np.ndarray
    radius: np.ndarray
    rate: np.ndarray
    rate_radius: np.ndarray
    noise: np.ndarray


class Reading(NamedTuple):
    """A quantity, its rate, and what cannot be told from zero."""

    value: float
    rate: float
    noise: float


class Quantity(ABC):
    """A number that depends on time and state."""

    @abstractmethod
    def value(self, t: float, x: np.ndarray) -> float:
        """Return the quantity at a state (q, q̇)."""

    @abstractmethod
    def read(self, t: float, x: np.ndarray, xd: np.ndarray) -> Reading:
        """Return the quantity, its derivative at a state that changes with ẋ, and its rounding."""


class Expression(Quantity):
    """A quantity that is known as an expression; arrays may have a leading axis.

    Args:
        model: Whose symbols occur in it.
        of: The expression.
    """

    def __init__(self, model: Model, of: Expr) -> None:
        self.nq = model.nq
        self._value = compiled(
            model, ("crossing", of), lambda: {"value": [of]}, state_symbols(model), [of]
        )
        self._model, self._of = model, of
        self._bounds = model.once(("bounds of crossing", of), self._compiled_bounds)

    def value(self, t: float, x: np.ndarray) -> float:
        return float(self._value(t, x[: self.nq], x[self.nq :])[0])

    def values(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return the quantity at many states."""
        q, v = (np.ascontiguousarray(part) for part in (x[:, : self.nq], x[:, self.nq :]))
        return self._value(t, q, v)[:, 0]

    def read(self, t: float, x: np.ndarray, xd: np.ndarray) -> Reading:
        cell = np.zeros((4, x.size + 1))
        cell[0, :-1], cell[0, -1], cell[2, :-1] = x, t, xd[: x.size]
        value, _, rate, _, bound = self._bounds(*cell).tolist()
        return Reading(value, rate, ROUNDING * bound)

    def bounds(self, cells: np.ndarray) -> Enclosure:
        """Return bounds in cells: centres and radii of (x, t), then of (ẋ, 1), ``(4, N, n + 1)``.

        What has no bound is infinitely wide.
        """
        try:
            found = self._bounds(*cells)
        except EvaluationError:
            found = np.zeros((len(cells[0]), 5))
            found[:, 1] = found[:, 3] = np.inf
        value, radius, rate, rate_radius, bound = found.T
        return Enclosure(value, radius, rate, rate_radius, ROUNDING * bound)

    def _compiled_bounds(self) -> Callable[..., np.ndarray]:
        model, of = self._model, self._of
        symbols = [*model.symbols.q, *model.symbols.qd]
        n = len(symbols)
        names = [" ".join(f"{name}{i}" for i in range(n + 1)) for name in ("r_", "d_", "s_")]
        radii, rates, rate_radii = (list(parameters(text)) for text in names)
        varying = [*symbols, time]
        along = dict(zip(symbols, rates, strict=False)) | {time: ONE}
        rate = tangent([of], along)[0]
        spread = dict(zip(varying, radii, strict=True)) | dict(zip(rates, rate_radii, strict=True))
        balls = bounds([of, rate], spread)
        out = [*(x for ball in balls for x in ball), *rounding_bounds([of])]
        ports = {"x": varying, "r": radii, "xd": rates, "s": rate_radii}
        return model.compile(out, ports, name="bounds")


class Measured(Quantity):
    """A quantity that is known by a function of (t, q, q̇)."""

    def __init__(self, problem: Problem, of: Callable[..., float], name: str) -> None:
        self.nq, self.of, self.name = problem.nq, of, name
        # over which rates are taken as differences, in seconds
        self.nudge, self.largest = 1e-6, 0.0

    def value(self, t: float, x: np.ndarray) -> float:
        found = float(call(self.of, f"the function of {self.name}", t, x[: self.nq], x[self.nq :]))
        if not np.isfinite(found):
            raise EvaluationError(
                f"expected a finite number from the function of {self.name}, got {found} at "
                f"t = {t:.9g}"
            )
        return found

    def read(self, t: float, x: np.ndarray, xd: np.ndarray) -> Reading:
        before, after = t - self.nudge, t + self.nudge
        way = xd[: x.size]
        up, down = x + (after - t) * way, x - (t - before) * way
        rate = (self.value(after, up) - self.value(before, down)) / (after - before)
        value = self.value(t, x)
        self.largest = max(self.largest, abs(value))
        return Reading(value, rate, NOISE * self.largest)
