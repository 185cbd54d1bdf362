"""The task of a frame as another one sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.tasks.base import Rows, Target
from dalembert.tasks.pose import AnyPose

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike


@dataclass(frozen=True, eq=False)
class RelativePoseTask(AnyPose):
    """A frame at a pose in the axes of another one, such as one hand beside the other.

    Args:
        frame: The frame or link that shall be placed.
        base: The frame or link that sees it.
        target: X_BF, ``(..., 4, 4)`` in m; leading axes for a batch.
        weight: Factor of the error against that of other tasks.
        turn_weight: Further factor of the orientation: metres for a radian.
        priority: See `Task`.
    """

    frame: str
    base: str
    target: ArrayLike
    weight: float = 1.0
    turn_weight: float = 1.0
    priority: int = field(default=0, kw_only=True)

    @property
    def name(self) -> str:
        return f"{self.frame} seen from {self.base}"

    @property
    def frames(self) -> tuple[str, ...]:
        return self.frame, self.base

    def pose(self, model: Model, q: Sequence[Expr]) -> Rows:
        return model.expressions("relative_pose", q, frame=self.frame, base=self.base)

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return model.expressions("relative_jacobian", q, frame=self.frame, base=self.base)
