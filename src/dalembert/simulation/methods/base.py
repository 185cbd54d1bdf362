"""What an integrator is: it takes steps in time, and can be put somewhere else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np

    from dalembert.model import Model


class Problem(Protocol):
    """What an integrator sees of a simulation; a state is x = (q, q̇), ``nq + nv`` numbers."""

    model: Model

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return ẋ, forces and constraints included."""
        ...

    def acceleration(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̈, forces and constraints included."""
        ...

    def force(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the applied torques or inputs."""
        ...


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


class Method(ABC):
    """A way to integrate; members are frozen dataclasses with their options.

    A method that takes x as one vector and asks for nothing but ``problem.rate`` says so with
    ``is_plain``: the integrals of the energy audit then ride along as further entries of x.
    Where every step is stored, it is stored in ``parts`` of equal length.
    """

    is_plain: ClassVar[bool] = False
    parts: ClassVar[int] = 1

    @abstractmethod
    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        """Begin at a state; ``end`` may lie before ``t`` to run backwards."""
