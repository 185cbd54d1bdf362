"""The task of the momentum of the whole robot."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.tasks.base import RateTask, Rows, Target

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike


@dataclass(frozen=True, eq=False)
class MomentumTask(RateTask):
    """The centroidal momentum at a value: linear in kg m/s, angular in kg m²/s.

    It is a condition on velocities, for `DifferentialIK` and `WholeBody`. The angular momentum is
    about the centre of mass, in world axes.

    Args:
        target: The momentum of ``rows``, ``(len(rows),)``; leading axes for a batch. Zero damps
            what arms and waist swing.
        weight: Factor of the error against that of other tasks.
        rows: Which of (px, py, pz, lx, ly, lz) count.
        priority: See `Task`.
    """

    target: ArrayLike
    weight: float = 1.0
    rows: Sequence[int] = tuple(range(6))
    priority: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        rows = tuple(self.rows)
        if not rows or any(k not in range(6) for k in rows) or len(set(rows)) < len(rows):
            raise EvaluationError(
                f"expected different rows of a momentum among 0 to 5, got {self.rows!r}: 0 to 2 "
                "are linear"
            )
        object.__setattr__(self, "rows", rows)

    @property
    def name(self) -> str:
        return "the momentum"

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.rows),)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("kg m/s" if k < 3 else "kg m²/s" for k in self.rows)

    @property
    def structure(self) -> Hashable:
        return super().structure, tuple(self.rows)

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        return list(target)

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        A = model.expressions("centroidal_map", q)
        return [A[k] for k in self.rows]
