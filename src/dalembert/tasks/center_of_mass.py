"""The task of the centre of mass."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.tasks.base import Rows, Target, Task
from dalembert.tasks.pose import check_axes

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike


@dataclass(frozen=True, eq=False)
class CenterOfMassTask(Task):
    """The centre of mass of the moving links at a point of the world.

    Args:
        target: The point in m, or its coordinates along ``axes``; leading axes for a batch.
        weight: Factor of the error against that of other tasks.
        axes: The coordinates that count, such as "xy" for balance.
        priority: See `Task`.

    >>> import dalembert as da
    >>> arm = da.compile(da.textbook.robots.ur5e())
    >>> found = da.solve_ik(arm, da.ik.CenterOfMassTask([0.1, 0.2], axes="xy"))
    >>> arm.center_of_mass(found.q)[:2].round(6).tolist()
    [0.1, 0.2]
    """

    target: ArrayLike
    weight: float = 1.0
    axes: str = "xyz"
    priority: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        check_axes(self.axes)

    @property
    def name(self) -> str:
        return "the centre of mass"

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.axes),)

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",) * len(self.axes)

    @property
    def structure(self) -> Hashable:
        return super().structure, self.axes

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        c = model.expressions("center_of_mass", q)
        return [x - c["xyz".index(a)] for a, x in zip(self.axes, target, strict=True)]

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        J = model.expressions("center_of_mass_jacobian", q)
        return [J["xyz".index(a)] for a in self.axes]
