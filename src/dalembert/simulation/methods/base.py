"""The base of all integrators: they take steps in time, and can be put at another state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.problem.problem import Problem


class Step(NamedTuple):
    """A step taken: the time and state that it reached, and states in between."""

    t: float
    x: np.ndarray
    dense: Callable[[float], np.ndarray]


class Stepper(ABC):
    """An integration under way."""

    t: float
    x: np.ndarray

    @abstractmethod
    def step(self, end: float) -> Step:
        """Take one step, not beyond ``end``.

        Raises:
            EvaluationError: the step failed; the message says why.
        """

    @abstractmethod
    def reset(self, t: float, x: np.ndarray) -> None:
        """Go on from another state: after a projection, an impact, an event."""


class Integrator(ABC):
    """A method to integrate a motion; members are frozen dataclasses with their options.

    Attributes:
        integrates_extras: Whether it takes x as one vector and asks for nothing but
            ``problem.rate``: then x may have extra entries behind (q, q̇), as the integrals of the
            energy audit.
        allows_switching: Whether forces may switch between steps, as contacts and dry friction do:
            it asks ``problem`` for rates or accelerations and keeps no forces of its own.
        stored_parts: In how many parts of equal length a step is stored where every step is.
    """

    integrates_extras: ClassVar[bool] = False
    allows_switching: ClassVar[bool] = False
    stored_parts: ClassVar[int] = 1

    @abstractmethod
    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        """Begin at a state; ``end`` may lie before ``t`` to run backwards."""
