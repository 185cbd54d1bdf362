"""Explicit methods with a fixed step, each written once for numbers and for expressions.

`simulate` takes their steps on numbers, `rollout` compiles a step of expressions into a loop.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from dalembert.expr import Expr
from dalembert.simulation.methods.base import Integrator, Stepper
from dalembert.simulation.methods.fixed_step import FixedStepper, checked_step, cubic

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.problem.problem import Problem
    from dalembert.types import Array


S = TypeVar("S", float, Expr)
"""A time: a number, or an expression."""

Time = TypeVar("Time", float, Expr, contravariant=True)


class Motion(Protocol[Time]):
    """What an explicit step asks for; arrays are of numbers, or of expressions (``dtype=object``).

    ``nq`` entries of x are q, the next ``nv`` are q̇.
    """

    @property
    def nq(self) -> int:
        """Entries of q."""
        ...

    def rate(self, t: Time, x: np.ndarray, /) -> np.ndarray:
        """Return ẋ at the time t."""
        ...

    def moved(self, q: np.ndarray, v: np.ndarray, h: Time, /) -> np.ndarray:
        """Return q after moving with the velocity v for the time h."""
        ...


@dataclass(frozen=True)
class ExplicitMethod(Integrator):
    """A method whose step is arithmetic on rates, with neither choices nor iterations.

    Args:
        step: Seconds.
    """

    step: float = 1e-3
    allows_switching: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_step(self.step, type(self).__name__)

    @abstractmethod
    def advance(self, motion: Motion[S], t: S, x: Array, h: S) -> tuple[Array, Array]:
        """Return x a time h later, and ẋ at the time t."""

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _ExplicitStepper(self, problem, t, x)


class _ExplicitStepper(FixedStepper):
    def __init__(self, method: ExplicitMethod, problem: Problem, t: float, x: np.ndarray) -> None:
        super().__init__(problem, t, x, method.step)
        self.method = method

    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        t, x, problem = self.t, self.x, self.problem
        new, rate = self.method.advance(problem, t, x, h)
        return new, cubic(t, x, t + h, new, lambda s, y: rate if s == t else problem.rate(s, y))
