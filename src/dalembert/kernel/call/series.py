"""Kernels of power series: the coefficients of a motion, and steps along them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from dalembert.types import Array


class StepStart(NamedTuple):
    """Where steps begin: time (s) and state, the powers h⁰ … h³ of the step before, and carry.

    ``powers`` are zeros where there was no step before; ``carry`` is what rounding took of x.
    """

    t: float
    x: Array
    powers: Array
    carry: Array


class Steps(NamedTuple):
    """Steps taken: N + 1 times (s) and states ``(N + 1, n)``, and N series ``(N, order + 1, n)``.

    ``powers`` and ``carry`` are those of `StepStart` for the steps to come.
    """

    t: Array
    x: Array
    series: Array
    powers: Array
    carry: Array


class SeriesKernel(ABC):
    """The Taylor coefficients of the solution of ẋ = f(x).

    Attributes:
        is_timed: Whether the last entry of the state is the time itself.
        FEW: At most so many of the first coefficients are what an error is measured beside.
    """

    is_timed: bool
    FEW: ClassVar[int] = 4

    @staticmethod
    def window(order: int) -> range:
        """Return the last orders, which have a say in the length of a step.

        Ten before the highest, and of low orders the upper half: none is one of the first, beside
        which the error is measured.
        """
        return range(max(order - 10, (order + 1) // 2, 1), order + 1)

    @abstractmethod
    def __call__(self, *arrays: Sequence[float] | Array) -> Array:
        """Return the coefficients at a state, one row for each order from 0."""

    @abstractmethod
    def steps(
        self,
        start: StepStart,
        end: float,
        most: int,
        constants: Sequence[Array] = (),
        *,
        longest: float,
        safety: float,
    ) -> Steps:
        """Take at most so many steps, not beyond ``end``; see `series.steps` for their length.

        There are fewer, perhaps none, where a step needs a closer look.

        Args:
            start: Where to begin.
            end: The time in seconds that no step goes beyond; it may lie in the past.
            most: How many steps to take.
            constants: One array for each input of the program behind the state.
            longest: The longest step in seconds.
            safety: Factor of the step that the coefficients allow.
        """
