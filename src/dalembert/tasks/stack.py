"""Several tasks below each other: symbols for their targets, rows by priority."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.expr import Expr, parameters
from dalembert.model.border import all_of_kind, finite_array
from dalembert.tasks.base import Rows, Target, Task

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


class Stack:
    """Tasks with symbols for the numbers of their targets.

    Attributes:
        tasks: The tasks, in the order of their rows.
        targets: One for each task, nested as its shape says.

    Raises:
        InvalidMechanism: the model has symbols without values.
    """

    def __init__(self, model: Model, tasks: Sequence[Task]) -> None:
        if model.symbols.parameters:
            names = ", ".join(map(str, model.symbols.parameters))
            raise InvalidMechanism(
                f"expected numbers for all parameters, got symbols {names}: give values with "
                "da.compile(..., parameters=...)"
            )
        self.model, self.tasks = model, tuple(tasks)
        self.targets: list[Target] = []
        count = 0
        for task in self.tasks:
            size = int(np.prod(task.shape))
            flat = symbol_list("target{}", size, count) if size else []
            self.targets.append(_nested(flat, task.shape))
            count += size

    @property
    def inputs(self) -> dict[str, Target]:
        """The symbols of the targets, by name."""
        pairs = zip(self.tasks, self.targets, strict=True)
        return {f"target_{k}": x for k, (task, x) in enumerate(pairs) if 0 not in task.shape}

    @cached_property
    def errors(self) -> list[list[Expr]]:
        """The error of each task, without weights."""
        q = self.model.symbols.q
        pairs = zip(self.tasks, self.targets, strict=True)
        return [task.error(self.model, q, target) for task, target in pairs]

    @cached_property
    def jacobians(self) -> list[Rows]:
        """The Jacobian of each task, without weights."""
        q = self.model.symbols.q
        pairs = zip(self.tasks, self.targets, strict=True)
        return [task.jacobian(self.model, q, target) for task, target in pairs]

    @cached_property
    def drifts(self) -> list[list[Expr]]:
        """J̇ q̇ of each task, without weights."""
        q, v = self.model.symbols.q, self.model.symbols.qd
        pairs = zip(self.tasks, self.targets, strict=True)
        return [task.drift(self.model, q, v, target) for task, target in pairs]

    def levels(self, costs: Sequence[tuple[Rows, list[Expr]]]) -> list[tuple[Rows, list[Expr]]]:
        """Return rows and right sides of each priority, of those of each task."""
        return [
            ([row for k in level for row in costs[k][0]], [x for k in level for x in costs[k][1]])
            for level in self.priorities
        ]

    @property
    def priorities(self) -> list[list[int]]:
        """The places of the tasks of each priority, the first one first."""
        levels = sorted({task.priority for task in self.tasks})
        return [
            [k for k, task in enumerate(self.tasks) if task.priority == level] for level in levels
        ]

    def checked(self, targets: Sequence[ArrayLike] | None = None) -> list[Array]:
        """Return single targets as arrays: given ones, or those of the tasks.

        Raises:
            EvaluationError: there are too few or too many, one has another shape, or is not finite.
        """
        if targets is None:
            targets = [task.targets() for task in self.tasks]
        pairs = zip(self._asked, self._listed(targets), strict=True)
        return [finite_array(x, name, shape) for (name, shape), x in pairs if 0 not in shape]

    def shaped(self, targets: Sequence[ArrayLike]) -> list[Array]:
        """Return the same without a look at the numbers of arrays that have the right shape."""
        pairs = zip(self._asked, self._listed(targets), strict=True)
        return [
            x
            if type(x) is np.ndarray and x.shape == shape and x.dtype == float
            else finite_array(x, name, shape)
            for (name, shape), x in pairs
            if 0 not in shape
        ]

    def _listed(self, targets: Sequence[ArrayLike]) -> Sequence[ArrayLike]:
        if not isinstance(targets, list | tuple):
            targets = all_of_kind(targets, object, "targets=", "targets")  # type: ignore[assignment]
        if len(targets) != len(self.tasks):
            raise EvaluationError(f"expected {len(self.tasks)} targets, got {len(targets)}")
        return targets

    @cached_property
    def _asked(self) -> list[tuple[str, tuple[int, ...]]]:
        """What errors call each target, and its shape."""
        return [(f"the target of {task.name}", task.shape) for task in self.tasks]


def weighted(weights: Sequence[float], rows: Rows) -> Rows:
    """Return each row times its weight."""
    return [[w * x for x in row] for w, row in zip(weights, rows, strict=True)]


def symbol_list(pattern: str, count: int, first: int = 0) -> list[Expr]:
    """Return symbols with numbers in their names."""
    return list(parameters(" ".join(pattern.format(first + i) for i in range(count))))


def _nested(flat: Sequence[Expr], shape: tuple[int, ...]) -> Target:
    if not shape:
        return flat[0]  # type: ignore[return-value]
    if len(shape) == 1:
        return list(flat)
    size = len(flat) // shape[0]
    return [_nested(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]
