"""What a task is: an error that shall vanish, with its Jacobian, over expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.ik.methods.damped_step import squared
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model

Rows = list[list[Any]]


@dataclass(frozen=True, eq=False)
class Task(ABC):
    """Something that a configuration shall satisfy; members add their target and options.

    Args:
        frame: The frame or link that it speaks of.
        target: Numbers, with leading axes for a batch.
        weight: Factor of the error against that of other tasks.
    """

    frame: str
    target: Any
    weight: float = 1.0

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of one target."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The unit of each row of the error: "m" or "rad"."""

    @property
    def weights(self) -> tuple[float, ...]:
        """A factor for each row of the error."""
        return (self.weight,) * len(self.units)

    @property
    def structure(self) -> Hashable:
        """Whatever the expressions depend on, besides the numbers of the target."""
        return type(self), self.frame, self.weights

    @abstractmethod
    def error(self, model: Model, q: Sequence[Any], target: Any) -> list[Any]:
        """Return e = x_d - f(q), one expression for each unit; the target as nested lists."""

    def square(self, model: Model, q: Sequence[Any], target: Any) -> Any:
        """Return what counts as |e|²; zero only where the task is satisfied.

        The error itself may also vanish elsewhere, as that of a rotation does at a half turn.
        """
        return squared(self.error(model, q, target))

    @abstractmethod
    def jacobian(self, model: Model, q: Sequence[Any], target: Any) -> Rows:
        """Return ∂f/∂q along velocities, one row of ``nv`` expressions for each unit."""

    def point(self) -> np.ndarray | None:
        """Return the point of the world that the frame's origin shall be at, if it is one."""
        return None

    def targets(self) -> np.ndarray:
        """Return the target as an array ``(..., *shape)``.

        Raises:
            EvaluationError: its shape does not fit, or a number is not finite.
        """
        return finite_array(self.target, self._name, (..., *self.shape))

    @property
    def _name(self) -> str:
        return f"the target of {type(self).__name__} of {self.frame}"
