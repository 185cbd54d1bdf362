"""The base of all integrators: they take steps in time, and can be put at another state."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem


DEGREE = 7
"""Degree of the polynomial through the states of a step, unless its method knows a better one."""

NODES = (1 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)) / 2
FIT = np.linalg.inv(NODES[:, None] ** np.arange(DEGREE + 1))


class Step(NamedTuple):
    """A step taken: the time and state that it reached, and states in between.

    ``coefficients`` gives the polynomial of these, if the method knows it: rows of powers of the
    time since the step began. ``is_exact``: they are as exact as those at the end.
    """

    t: float
    x: np.ndarray
    dense: Callable[[float], np.ndarray]
    coefficients: Callable[[], np.ndarray] | None = None
    is_exact: bool = False

    def polynomial(self, t0: float, x0: np.ndarray) -> np.ndarray:
        """Return the coefficients, ``(degree + 1, n)``, of a step from a state."""
        if self.coefficients is not None:
            return self.coefficients()
        h = self.t - t0
        inner = [self.dense(t0 + s * h) for s in NODES[1:-1].tolist()]
        return FIT @ np.array([x0, *inner, self.x]) / h ** np.arange(DEGREE + 1.0)[:, None]


class Several(ABC):
    """Steps that a method took at once: N + 1 times ``t`` and states ``x``, the first where it was.

    ``series`` has `Step.polynomial` of each, ``(N, degree + 1, n)``; states inside are as exact as
    those at the ends. The stepper stands at the end of the last one.
    """

    t: np.ndarray
    x: np.ndarray
    series: np.ndarray

    @abstractmethod
    def step(self, number: int) -> Step:
        """Return one of the steps, from 0."""

    @abstractmethod
    def inside(self, count: int, parts: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times ``(count, parts - 1)`` and states that divide steps into equal parts."""

    @abstractmethod
    def keep(self, count: int) -> None:
        """Put the stepper back to the end of the first ``count`` steps."""


CALL_OPERATIONS = 25_000
"""Arithmetic operations of compiled code that take as long as its call from Python, about 5 µs."""


class Sizes(ABC):
    """How large the entries of x are in a motion: errors of a step are measured beside them.

    Attributes:
        is_local: Whether they are those of the state looked at last, not of the motion so far.
        is_growing: Whether the next look is due after one step, not only now and then.
    """

    is_local: bool = False
    is_growing: bool = True

    @property
    def acceleration(self) -> float:
        """The largest acceleration of any coordinate so far, without reactions; 0 if unknown."""
        return 0.0

    def add(self, x: np.ndarray) -> None:  # noqa: B027, those of one state forget it
        """Take note of entries that the motion has."""

    @abstractmethod
    def look(self, t: float, x: np.ndarray) -> None:
        """Take a state into account."""

    @abstractmethod
    def of_step(self, h: float) -> np.ndarray:
        """Return the size of every entry in a step of length h, beside its values at both ends."""

    def before_step(self, h: float) -> np.ndarray:
        """Return the same where the end of the step is not known yet."""
        return self.of_step(h)


class Flow(NamedTuple):
    """A motion ẋ = f(t, x) as steppers see it. Nothing writes into it.

    Args:
        rate: Gives ẋ at (t, x).
        work: What one rate takes, in calls of compiled code.
        sizes: Begins to measure the entries of x.
        jacobian: Gives ∂ẋ/∂x as a function of (t, x), for a motion of so many seconds; by
            differences, which need no compilation, unless it is to be exact.
    """

    rate: Callable[[float, np.ndarray], np.ndarray]
    work: float
    sizes: Callable[[], Sizes]
    jacobian: Callable[[float, bool], Callable[[float, np.ndarray], np.ndarray]] | None = None


class Stepper(ABC):
    """An integration under way.

    Attributes:
        t: The time, in seconds.
        x: The state.
        work: What the steps so far took, in calls of compiled code from Python.
        is_adaptive: Whether it chooses the length of its steps.
    """

    t: float
    x: np.ndarray
    work: float = 0.0
    is_adaptive: ClassVar[bool] = True

    @abstractmethod
    def step(self, end: float) -> Step:
        """Take one step, not beyond ``end``.

        Raises:
            EvaluationError: the step failed; the message says why.
        """

    def several(self, end: float) -> Several | None:
        """Take several steps at once, not beyond ``end``; None where the next wants care.

        They are those that `step` would take one after the other.
        """
        return None

    @abstractmethod
    def reset(self, t: float, x: np.ndarray) -> None:
        """Go on from another state: after a projection, an impact, an event."""

    def remember(self, x: np.ndarray) -> None:  # noqa: B027, most measure errors otherwise
        """Take note of entries that the motion had before, where errors are measured by them."""

    @property
    def notes(self) -> Sequence[str]:
        """Sentences on the steps so far, for the trajectory."""
        return ()

    def aside(self) -> Stepper:
        """Return a stepper of its own for steps that are only looked at."""
        return copy.copy(self)


class Integrator(ABC):
    """A method to integrate a motion; members are frozen dataclasses with their options.

    Attributes:
        integrates_extras: Whether it takes x as one vector and asks for nothing but
            ``problem.rate``: then x may have extra entries behind (q, q̇), as the integrals of the
            energy audit.
        allows_switching: Whether forces may switch between steps, as contacts and dry friction do:
            it asks ``problem`` for rates or accelerations and keeps no forces of its own.
        needs_jacobian: Whether it asks for ∂ẋ/∂x, in the entries of x.
        stored_parts: In how many parts of equal length a step is stored where every step is.
    """

    integrates_extras: ClassVar[bool] = False
    allows_switching: ClassVar[bool] = False
    needs_jacobian: ClassVar[bool] = False
    stored_parts: ClassVar[int] = 1

    @abstractmethod
    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        """Begin at a state; ``end`` may lie before ``t`` to run backwards."""
