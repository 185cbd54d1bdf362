"""The base of all tasks: an error that shall vanish, with its Jacobian, over expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dalembert.expr import Expr, as_expr, tangent
from dalembert.model.border import finite_array
from dalembert.model.formulas.rows import dot

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

Rows = list[list[Expr]]
Target = Sequence[Any]
"""The numbers of one target as expressions, nested in lists as its shape says."""


class Task(ABC):
    """A condition that a configuration shall satisfy, such as a frame at a pose.

    Attributes:
        target: Numbers, with leading axes for a batch.
        weight: Factor of the error against that of other tasks.
        priority: Tasks of priority 0 come first; each later one takes what freedom those before
            it leave. `solve_ik` solves all tasks together and takes 0 alone.
    """

    target: ArrayLike
    weight: float
    priority: int

    @property
    @abstractmethod
    def name(self) -> str:
        """How statuses and errors call it."""

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames or links that the mechanism must have."""
        return ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of one target."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The unit of each row of the error, such as "m" or "rad"."""

    @property
    def weights(self) -> tuple[float, ...]:
        """A factor for each row of the error."""
        return (self.weight,) * len(self.units)

    @property
    def structure(self) -> Hashable:
        """A key that is equal for tasks with the same expressions: the target's numbers aside."""
        return type(self), self.frames, self.weights

    @abstractmethod
    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        """Return e = x_d - f(q), one expression for each unit."""

    def square(self, model: Model, q: Sequence[Expr], target: Target) -> Expr:
        """Return what counts as |e|²; zero only where the task is satisfied.

        The error itself may also vanish elsewhere, as that of a rotation does at a half turn.
        """
        return squared(self.error(model, q, target))

    @abstractmethod
    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        """Return ∂f/∂q along velocities, one row of ``nv`` expressions for each unit."""

    def drift(
        self, model: Model, q: Sequence[Expr], v: Sequence[Expr], target: Target
    ) -> list[Expr]:
        """Return J̇ q̇, so that the rows accelerate by J q̈ + J̇ q̇ while the target rests."""
        rates = [dot(row, v) for row in self.jacobian(model, q, target)]
        motion = model.expressions("configuration_rate", q, v)
        return tangent(rates, dict(zip(q, motion, strict=True)))

    def points(self, targets: Array) -> Array | None:
        """Return where the frame's origin shall be, ``(N, 3)``; None if the task leaves it open."""
        return None

    def defect(self, target: Target) -> Expr | None:
        """Return a number ≥ 0 that vanishes where `targets` would return a target unchanged.

        None where that is not known: `targets` then looks at every one.
        """
        return as_expr(0) if type(self).targets is Task.targets else None

    def targets(self) -> Array:
        """Return the target as an array ``(..., *shape)``.

        Raises:
            EvaluationError: its shape does not fit, or a number is not finite.
        """
        return finite_array(self.target, self._called, (..., *self.shape))

    @property
    def _called(self) -> str:
        return f"the target of {type(self).__name__} of {self.name}"


@dataclass(frozen=True, eq=False)
class FrameTask(Task):
    """A condition on a frame or link.

    Args:
        frame: The frame or link that it is about.
        target: Numbers, with leading axes for a batch.
        weight: Factor of the error against that of other tasks.
        priority: See `Task`.
    """

    frame: str
    target: ArrayLike
    weight: float = 1.0
    priority: int = field(default=0, kw_only=True)

    @property
    def name(self) -> str:
        return self.frame

    @property
    def frames(self) -> tuple[str, ...]:
        return (self.frame,)


class RateTask(Task):
    """A velocity that shall have a value; `error` is that value of J q̇, and no position counts."""


def squared(e: Sequence[Expr]) -> Expr:
    """Return eᵀe."""
    return dot(e, e)
