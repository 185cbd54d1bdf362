"""Steps of SciPy's methods whose absolute tolerances follow the sizes of what they integrate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.pace import Pace

if TYPE_CHECKING:
    from dalembert.simulation.methods.dop853 import DOP853

SMALL = 0.04
"""An entry below this part of its size is small: its error is measured beside that size."""

FIRST_PART = 1e-3
"""The first step that is tried, as a part of the whole motion."""

LEAST = 1e-290


class Stepping(ABC):
    """A differential equation ẏ = f(t, y) that says how large the errors of a step may be.

    Args:
        method: With its tolerances.
        start, end: Of the whole motion, in seconds.
    """

    def __init__(self, method: DOP853 | Radau, start: float, end: float) -> None:
        self.method, self.part = method, SMALL * method.rtol
        self._pace, self._length = Pace(start, end), FIRST_PART * abs(end - start)

    @abstractmethod
    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ẏ."""

    @abstractmethod
    def allowed(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        """Return the errors of a step of length h that are allowed beside the relative ones."""

    def repaired(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return y as it is after a step that ended there: on its constraints."""
        return y

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return ∂ẏ/∂y, which `Radau` asks for."""
        raise NotImplementedError

    def run(self, t: float, y: np.ndarray, end: float) -> Iterator[tuple[float, np.ndarray]]:
        """Yield time and y after every step; the last step ends exactly at the end.

        Raises:
            EvaluationError: a step failed, or the end of the motion is out of reach.
        """
        solver = self._solver(t, y, end)
        while solver.status == "running":
            errors = self.allowed(solver.t, solver.y, solver.h_abs)
            solver.atol = np.maximum(self.method.atol + errors, LEAST)
            # errors that no double holds fail the step
            with np.errstate(over="ignore", invalid="ignore"):
                message = solver.step()
            tried = solver.h_abs
            if solver.status == "failed":
                raise EvaluationError(
                    f"expected a step of the sensitivities from t = {solver.t:.9g} to succeed, "
                    f"got: {message} The motion is singular there, or the tolerance of "
                    f"{self.method} is below rounding"
                )
            self._pace.count_steps(solver.t)
            if self._pace.is_slow:
                self._pace.check()
            # a step that was cut at the end says nothing about the next one
            self._length = max(self._length, tried) if solver.status == "finished" else tried
            y = self.repaired(float(solver.t), solver.y)
            if y is not solver.y:
                solver.y, solver.f = y, self.rate(float(solver.t), y)
            yield float(solver.t), y

    def _solver(self, t: float, y: np.ndarray, end: float) -> Any:
        from scipy import integrate

        options: dict[str, Any] = {
            "rtol": self.method.rtol,
            "first_step": min(self._length, abs(end - t)),
        }
        if isinstance(self.method, Radau):
            return integrate.Radau(self.rate, t, y, end, jac=self.jacobian, **options)
        return integrate.DOP853(self.rate, t, y, end, max_step=self.method.largest, **options)
