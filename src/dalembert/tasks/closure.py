"""The task of closed mechanisms: loops and couplings stay closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import Expr, as_expr
from dalembert.spatial.vectors import Mat, multiply
from dalembert.tasks.base import Rows, Target, Task
from dalembert.tasks.pose import rotation_square, turn_scale

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.description import ConstraintRow
    from dalembert.types import Array, ArrayLike

# a loop counts more than any target: what cannot be reached must not pull it open
WEIGHT = 30.0


@dataclass(frozen=True, eq=False)
class ClosureTask(Task):
    """Loops and couplings of a mechanism; welded loops also keep their orientation."""

    target: ArrayLike = ()
    weight: float = WEIGHT
    priority: int = 0
    rows: tuple[ConstraintRow, ...] = ()

    @property
    def name(self) -> str:
        return "loops"

    @classmethod
    def of(cls, model: Model) -> ClosureTask | None:
        """Return the task of a model, or None where there is nothing to close."""
        if not model.description.has_constraints:
            return None
        return cls(rows=model.description.constraint_rows)

    @property
    def shape(self) -> tuple[int, ...]:
        return (0,)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(row.unit for row in self.rows)

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        error, _ = self._parts(model, q)
        return error

    def square(self, model: Model, q: Sequence[Expr], target: Target) -> Expr:
        _, square = self._parts(model, q)
        return square

    def _parts(self, model: Model, q: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """Return the error -a(q) and its square; of a weld 2 sin(θ/2) as in an orientation task.

        The rows sin θ of a weld in a(q) vanish at a half turn too.
        """
        frames = {
            i: [_axes(model, q, f.link, f.placement.R) for f in (loop.first, loop.second)]
            for i, loop in enumerate(model.mechanism.loops)
            if loop.kind == "frame"
        }
        scales = {i: 2 * turn_scale(*pair) for i, pair in frames.items()}
        square = sum((rotation_square(*pair) for pair in frames.values()), as_expr(0))
        error: list[Expr] = []
        for row, a in zip(self.rows, model.expressions("constraint_error", q), strict=True):
            if row.weld is None:
                square = square + a * a
                error.append(-a)
            else:
                error.append(-a * scales[row.weld])
        return error, square

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return model.expressions("constraint_jacobian", q)

    def defect(self, target: Target) -> Expr:
        return as_expr(0)

    def targets(self) -> Array:
        return np.zeros(0)


def _axes(model: Model, q: Sequence[Expr], link: str, R_LF: Mat) -> Rows:
    """Return R_WF of a frame that is fixed to a link."""
    X_WL = model.expressions("forward_kinematics", q, frame=link)
    # R_WF = R_WL R_LF, of the first three rows and columns
    return [list(row) for row in multiply(X_WL, R_LF)]
