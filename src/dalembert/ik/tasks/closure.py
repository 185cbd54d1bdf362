"""The task that every configuration of a closed mechanism has: its loops stay closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.ik.methods.damped_step import squared
from dalembert.ik.tasks.base import Rows, Task
from dalembert.ik.tasks.pose import rotation_error, rotation_square

if TYPE_CHECKING:
    from dalembert.model import Model

# a loop counts more than any target: what cannot be reached must not pull it open
WEIGHT = 30.0


@dataclass(frozen=True, eq=False)
class ClosureTask(Task):
    """Loops and couplings of a mechanism; welded loops also keep their orientation."""

    frame: str = "loops"
    target: Any = ()
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

    def error(self, model: Model, q: Sequence[Any], target: Any) -> list[Any]:
        error, _ = self._parts(model, q)
        return error

    def square(self, model: Model, q: Sequence[Any], target: Any) -> Any:
        _, square = self._parts(model, q)
        return square

    def _parts(self, model: Model, q: Sequence[Any]) -> tuple[list[Any], Any]:
        """Return -a(q), the turns of welds as far as a half turn, and what counts as its square."""
        a = iter(model.expressions("constraint_error", q))
        error: list[Any] = []
        square: Any = 0
        for loop in model.mechanism.loops:
            offset = [-next(a) for _ in range(3)]
            error, square = error + offset, square + squared(offset)
            if loop.kind == "frame":
                _ = [next(a) for _ in range(3)]
                # A says how the first frame turns against the second
                first, second = (_axes(model, q, f) for f in (loop.first, loop.second))
                error += rotation_error(first, second)
                square = square + rotation_square(first, second)
        rest = [-x for x in a]
        return error + rest, square + squared(rest)

    def jacobian(self, model: Model, q: Sequence[Any], target: Any) -> Rows:
        return model.expressions("constraint_jacobian", q)

    def targets(self) -> np.ndarray:
        return np.zeros(0)


def _axes(model: Model, q: Sequence[Any], frame: Any) -> Rows:
    """Return the orientation of a frame that is fixed to a link."""
    R_WL = model.expressions("forward_kinematics", q, frame=frame.link)
    R_LF = frame.placement.R
    return [[sum(R_WL[i][k] * R_LF[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
