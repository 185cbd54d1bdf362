"""A set of tasks on a model, compiled: errors, Jacobians, and the whole iteration."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr
from dalembert.ik.methods.damped_step import clamped, damped_step, damping, free_columns
from dalembert.model import Model
from dalembert.model.border import to_numpy
from dalembert.tasks.base import Rows, Target, Task, squared
from dalembert.tasks.closure import ClosureTask
from dalembert.tasks.joint import position_places
from dalembert.tasks.stack import Stack, symbol_list, weighted

if TYPE_CHECKING:
    from dalembert.types import Array

# iterations for a target that stays out of reach, where convergence is linear
SETTLE = 300


class Problem:
    """Tasks that are solved together; their targets are arrays, given at every call.

    ``model`` is on the processor, ``given`` the one that runs the iteration. ``places`` holds for
    each velocity the place of its joint in q, or None for joints without a position of their own
    (spherical, free).
    """

    def __init__(self, model: Model, tasks: Sequence[Task]) -> None:
        self.given, self.model = model, model.on_host()
        self.tasks = tuple(tasks)
        self.structure = structure_of(tasks)
        self.units = tuple(unit for task in self.tasks for unit in task.units)
        places = position_places(model.configuration)
        self.places = [places.get(i) for i in range(model.nv)]
        self.stack = Stack(self.model, self.tasks)

    # ---- expressions

    @cached_property
    def error(self) -> list[Expr]:
        """e, all tasks below each other, without weights."""
        return [x for e in self.stack.errors for x in e]

    @cached_property
    def square(self) -> Expr:
        """The measure of the error, eᵀe for most tasks: zero only where all are satisfied."""
        q = self.model.symbols.q
        pairs = zip(self.tasks, self.stack.targets, strict=True)
        return sum((task.square(self.model, q, target) for task, target in pairs), as_expr(0))

    @cached_property
    def weighted(self) -> tuple[list[Expr], Rows]:
        """W e and W J."""
        weights = [w for task in self.tasks for w in task.weights]
        rows = [row for J in self.stack.jacobians for row in J]
        error = [w * x for w, x in zip(weights, self.error, strict=True)]
        return error, weighted(weights, rows)

    @cached_property
    def defect(self) -> Expr | None:
        """How far the targets are from ones that can be used as they are; None if nobody knows."""
        total = as_expr(0)
        for task, target in zip(self.tasks, self.stack.targets, strict=True):
            defect = task.defect(target)
            if defect is None:
                return None
            total = total + defect
        return total

    # ---- compiled

    def residual(self, q: Array, *targets: Array) -> tuple[Array, Array]:
        """Return e ``(..., m)`` and the square that decides convergence ``(...)``."""
        return self._residual(q, *targets)

    def error_and_jacobian(self, q: Array, *targets: Array) -> tuple[Array, Array]:
        """Return W e ``(..., m)`` and W J ``(..., m, nv)``."""
        return self._error_and_jacobian(q, *targets)

    def norm(self, q: Array, targets: Sequence[Array]) -> Array:
        """Return |e| at configurations."""
        return np.sqrt(self.residual(q, *targets)[1])

    def settled(self, q: Array, targets: Sequence[Array], bounds: tuple[Array, Array]) -> Array:
        """Return where cautious steps end, close to a local minimum of |W e| inside bounds.

        Raises:
            EvaluationError: the kernels compute in single precision, and cannot be that exact.
        """
        check_precision(self._settling.dtype)
        run = self._settling(q, *targets, *bounds, steps=SETTLE)
        return to_numpy(run.outputs[0])

    @cached_property
    def _residual(self) -> Any:
        outputs = {"e": self.error, "E": self.square}
        return self.model.compile(outputs, self.inputs, name="ik_residual")

    @cached_property
    def _error_and_jacobian(self) -> Any:
        e, J = self.weighted
        return self.model.compile({"e": e, "J": J}, self.inputs, name="ik_error_and_jacobian")

    @cached_property
    def _settling(self) -> Any:
        q, (e, J) = list(self.model.symbols.q), self.weighted
        lower, upper = (symbol_list(f"{name}{{}}", len(q)) for name in ("lower", "upper"))
        # joints at a bound that would leave it stand still
        at = [None if k is None else q[k] for k in self.places]
        low = [None if k is None else lower[k] for k in self.places]
        high = [None if k is None else upper[k] for k in self.places]
        free = free_columns(J, e, at, low, high)
        # q + δ with (JᵀJ + λ) δ = Jᵀe, then inside the bounds
        moved = self.moved(q, damped_step(free, e, damping(J, squared(e), 1)))
        for k in self.places:
            if k is not None:
                moved[k] = clamped(moved[k], lower[k], upper[k])
        inputs = {**self.inputs, "lower": lower, "upper": upper}
        return self.given.loop({"moved": moved}, inputs, {"moved": "q"}, name="ik_settling")

    def moved(self, q: list[Expr], step: list[Expr]) -> list[Expr]:
        """Return q + q̇(step), quaternions scaled back: a step on the manifold to first order."""
        if self.model.configuration.is_flat:
            return [a + b for a, b in zip(q, step, strict=True)]
        rate = self.model.expressions("configuration_rate", q, step)
        return list(
            self.model.expressions("normalized", [a + b for a, b in zip(q, rate, strict=True)])
        )

    @property
    def inputs(self) -> dict[str, Target]:
        """The symbols of q and of the targets, by name."""
        return {"q": list(self.model.symbols.q), **self.stack.inputs}

    # ---- arrays

    def targets(self, tasks: Sequence[Task]) -> tuple[list[Array], tuple[int, ...]]:
        """Return the targets of tasks of this structure as arrays, and their batch axes.

        Raises:
            EvaluationError: the batch axes do not fit together.
        """
        arrays, leading = [], []
        for task in tasks:
            if 0 in task.shape:
                continue
            array = task.targets()
            arrays.append(array)
            leading.append(array.shape[: array.ndim - len(task.shape)])
        try:
            batch = np.broadcast_shapes(*leading)
        except ValueError:
            raise EvaluationError(
                f"expected targets with batch axes that broadcast, got {leading}"
            ) from None
        flat = []
        for array, axes in zip(arrays, leading, strict=True):
            shape = array.shape[len(axes) :]
            flat.append(np.broadcast_to(array, (*batch, *shape)).reshape(-1, *shape))
        return flat, batch


def problem_of(model: Model, tasks: Sequence[Task]) -> Problem:
    """Return the compiled problem of tasks; the same structure is compiled once for each model.

    Raises:
        InvalidMechanism: the model has no links, or symbols without values.
    """
    closure = ClosureTask.of(model)
    tasks = [*tasks, closure] if closure else list(tasks)
    key = ("inverse kinematics", structure_of(tasks))
    return model.once(key, lambda: Problem(model, tasks))


def structure_of(tasks: Sequence[Task]) -> Hashable:
    """Return what tasks with the same expressions have in common."""
    return tuple(task.structure for task in tasks)


def check_precision(dtype: str) -> None:
    """Refuse kernels in single precision: they cannot be as exact as the tolerance.

    Raises:
        EvaluationError: they are.
    """
    if dtype != "float64":
        raise EvaluationError(
            "expected a model in double precision for inverse kinematics, got float32: "
            'compile it with dtype="float64"'
        )
