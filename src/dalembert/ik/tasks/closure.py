"""The task of closed mechanisms: loops and couplings stay closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import Expr, as_expr
from dalembert.ik.methods.damped_step import squared
from dalembert.ik.tasks.base import Rows, Target, Task
from dalembert.ik.tasks.pose import rotation_error, rotation_square
from dalembert.spatial.vectors import Mat, multiply

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

# a loop counts more than any target: what cannot be reached must not pull it open
WEIGHT = 30.0


@dataclass(frozen=True, eq=False)
class ClosureTask(Task):
    """Loops and couplings of a mechanism; welded loops also keep their orientation."""

    frame: str = "loops"
    target: ArrayLike = ()
    weight: float = WEIGHT
    welds: tuple[bool, ...] = ()
    num_couplings: int = 0

    @classmethod
    def of(cls, model: Model) -> ClosureTask | None:
        """Return the task of a model, or None where there is nothing to close."""
        if not model.description.has_constraints:
            return None
        mechanism = model.mechanism
        welds = tuple(loop.kind == "frame" for loop in mechanism.loops)
        return cls(welds=welds, num_couplings=len(mechanism.couplings))

    @property
    def shape(self) -> tuple[int, ...]:
        return (0,)

    @property
    def units(self) -> tuple[str, ...]:
        rows: tuple[str, ...] = ()
        for is_weld in self.welds:
            rows += ("m",) * 3 + ("rad",) * 3 * is_weld
        return rows + ("rad",) * self.num_couplings

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
        a = iter(model.expressions("constraint_error", q))
        error: list[Expr] = []
        square = as_expr(0)
        for loop in model.mechanism.loops:
            offset = [-next(a) for _ in range(3)]
            error, square = error + offset, square + squared(offset)
            if loop.kind == "frame":
                _ = [next(a) for _ in range(3)]
                # the rows of A are the angular velocity of the first frame against the second
                first, second = (
                    _axes(model, q, f.link, f.placement.R) for f in (loop.first, loop.second)
                )
                error += rotation_error(first, second)
                square = square + rotation_square(first, second)
        rest = [-x for x in a]
        return error + rest, square + squared(rest)

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return model.expressions("constraint_jacobian", q)

    def targets(self) -> Array:
        return np.zeros(0)


def _axes(model: Model, q: Sequence[Expr], link: str, R_LF: Mat) -> Rows:
    """Return R_WF of a frame that is fixed to a link."""
    X_WL = model.expressions("forward_kinematics", q, frame=link)
    # R_WF = R_WL R_LF, of the first three rows and columns
    return [list(row) for row in multiply(X_WL, R_LF)]
