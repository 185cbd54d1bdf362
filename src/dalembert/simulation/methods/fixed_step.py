"""Steps of a given length, the last one cut at the end."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from dalembert.model.border import number_in, of_kind
from dalembert.simulation.methods.base import Step, Stepper

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.problem.problem import Problem

# a rest of the interval smaller than this part of a step is rounding, and joins the last step
REST = 1e-6


def checked_step(step: float, where: str) -> None:
    """Raise unless a step is a positive number."""
    of_kind(step, (int, float), f"the step of {where} in s", "a number")
    number_in(step, f"the step of {where} in s", above=0)


class FixedStepper(Stepper):
    """Takes steps of one length; members say how a step advances."""

    is_adaptive: ClassVar[bool] = False

    def __init__(self, problem: Problem, t: float, x: np.ndarray, step: float) -> None:
        self.problem, self.t, self.x, self.length = problem, t, x, step

    @abstractmethod
    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        """Return the state a signed time h later, and states in between."""

    def step(self, end: float) -> Step:
        h = math.copysign(self.length, end - self.t)
        is_last = abs(end - self.t) <= self.length * (1 + REST)
        x, dense = self.advance(end - self.t if is_last else h)
        self.t, self.x = (end if is_last else self.t + h), x
        return Step(self.t, x, dense)

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x = t, x


def cubic(
    t0: float,
    x0: np.ndarray,
    t1: float,
    x1: np.ndarray,
    rate: Callable[[float, np.ndarray], np.ndarray],
) -> Callable[[float], np.ndarray]:
    """Return Hermite's cubic through two states; rates at its ends are made when asked for."""
    h = t1 - t0
    rates = cache(lambda: (rate(t0, x0), rate(t1, x1)))

    def between(t: float) -> np.ndarray:
        s = (t - t0) / h
        d, (f0, f1) = x1 - x0, rates()
        # x0 + s h f0 + s² (3 d - h (2 f0 + f1)) + s³ (h (f0 + f1) - 2 d)
        return x0 + s * (h * f0 + s * (3 * d - h * (2 * f0 + f1) + s * (h * (f0 + f1) - 2 * d)))

    return between
