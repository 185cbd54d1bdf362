"""Methods that ask for nothing but a flow."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from dalembert.simulation.methods.base import Integrator, Sizes, Stepper

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Flow
    from dalembert.simulation.problem.problem import Problem

Measured: TypeAlias = tuple[Callable[[float], np.ndarray], "np.ndarray | bool"]
"""What `LocalSizes` measures."""

SMALL = 0.04
"""An entry of the state below this part of its size in the motion is small: as good as zero."""

FIRST_PART = 1e-3
"""The first step that is tried, as a part of the whole motion."""


class LocalSizes(Sizes):
    """Sizes that depend on the present state alone.

    Args:
        measure: Gives them at a time and state, as a function of the length of a step; and tells
            which entries are zero and do not move yet, so that the step itself has to tell.
    """

    is_local = True

    def __init__(self, measure: Callable[[float, np.ndarray], Measured]) -> None:
        self.measure = measure

    def look(self, t: float, x: np.ndarray) -> None:
        self.at, self.unknown = self.measure(t, x)

    def of_step(self, h: float) -> np.ndarray:
        return self.at(h)

    def before_step(self, h: float) -> np.ndarray:
        return np.where(self.unknown, np.inf, self.at(h))


class FlowStepper(Stepper):
    """A stepper along a flow.

    Attributes:
        sizes: What it measures errors by.
    """

    sizes: Sizes

    def remember(self, x: np.ndarray) -> None:
        self.sizes.add(x)

    def aside(self) -> Stepper:
        found = copy.copy(self)
        found.sizes = copy.copy(self.sizes)
        return found


class FlowMethod(Integrator):
    """A method that moves along any flow: that of a simulation, or one with changes beside it.

    Attributes:
        rtol: Relative error of a step.
        atol: Absolute error of a step, beside the relative one.
        may_be_replaced: Whether another explicit method may go on where a motion is long.
    """

    integrates_extras: ClassVar[bool] = True
    allows_switching: ClassVar[bool] = True
    rtol: float
    atol: float

    @property
    def may_be_replaced(self) -> bool:
        """Whether another explicit method may go on where a motion is long."""
        return False

    @abstractmethod
    def begin(self, flow: Flow, t: float, x: np.ndarray, duration: float) -> Stepper:
        """Begin at a state of a motion that takes so many seconds."""

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return self.begin(problem.flow(x.size), t, x, abs(end - t))
