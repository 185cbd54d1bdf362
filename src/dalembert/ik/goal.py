"""The goal of a search: tasks, bounds, targets and tolerance together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from dalembert.ik.problem import Problem
from dalembert.ik.space import SearchSpace

if TYPE_CHECKING:
    from dalembert.types import Array


class Aim(Protocol):
    """What a step-by-step method asks of a goal: errors, Jacobians and how places move."""

    def of(self, samples: Array) -> Self:
        """Return the goal of some samples, by their numbers or by a mask."""
        ...

    def error_and_jacobian(self, q: Array) -> tuple[Array, Array]:
        """Return the weighted error ``(N, m)`` and its Jacobian ``(N, m, n)``."""
        ...

    def is_reached(self, q: Array) -> Array:
        """Tell which places have |e| ≤ tolerance."""
        ...

    def clipped(self, q: Array) -> Array:
        """Return q inside its bounds."""
        ...

    def moved(self, q: Array, step: Array) -> Array:
        """Return q after a step."""
        ...


class Goal(NamedTuple):
    """Configurations of a space with |e| ≤ tolerance, one for each row of the targets.

    ``targets`` holds for each task that has one an array ``(N, *shape)``.
    """

    problem: Problem
    space: SearchSpace
    targets: Sequence[Array]
    tolerance: float

    def of(self, samples: Array) -> Goal:
        """Return the goal of some samples, by their numbers or by a mask."""
        return self._replace(targets=[x[samples] for x in self.targets])

    def error_and_jacobian(self, q: Array) -> tuple[Array, Array]:
        """Return W e ``(N, m)`` and W J ``(N, m, nv)``."""
        return self.problem.error_and_jacobian(q, *self.targets)

    def clipped(self, q: Array) -> Array:
        """Return q inside the bounds."""
        return self.space.clipped(q)

    def moved(self, q: Array, step: Array) -> Array:
        """Return q after a step along velocities."""
        return self.space.model.configuration.integrate(q, step)

    def norm(self, q: Array) -> Array:
        """Return |e| ``(N,)``."""
        return self.problem.norm(q, self.targets)

    def is_reached(self, q: Array) -> Array:
        """Tell which configurations have |e| ≤ tolerance."""
        return self.norm(q) <= self.tolerance
