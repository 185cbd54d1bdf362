"""Tasks that place a frame: its origin, its orientation, both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, sqrt
from dalembert.spatial.arrays import check_poses, nearest_rotation
from dalembert.spatial.rotation.check import checked_rotation, rotation_defects
from dalembert.spatial.rotation.check import rotation_error as rotation_defect
from dalembert.tasks.base import FrameTask, Rows, Target, Task, squared

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

# of RᵀR - 1: a rotation that was computed in doubles
ROUNDING = 1e-12
# keeps the error finite at a half turn, whatever the target's rounding
HALF_TURN = 1e-5


@dataclass(frozen=True, eq=False)
class PositionTask(FrameTask):
    """The origin of a frame at a point of the world, or on some of its coordinates.

    Args:
        axes: The coordinates that count; the target holds those.
    """

    axes: str = "xyz"

    def __post_init__(self) -> None:
        check_axes(self.axes)

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
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        return [x - X["xyz".index(a)][3] for a, x in zip(self.axes, target, strict=True)]

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        J = model.expressions("jacobian", q, frame=self.frame)
        return [J["xyz".index(a)] for a in self.axes]

    def points(self, targets: Array) -> Array | None:
        return targets if self.axes == "xyz" else None


@dataclass(frozen=True, eq=False)
class OrientationTask(FrameTask):
    """The axes of a frame along those of a rotation matrix ``(..., 3, 3)``.

    A matrix with a few decimals stands for the nearest rotation.

    The error is 2 sin(θ/2) a, with θ the angle and a the axis of the turn that is left. Its length
    grows almost up to the half turn, unlike sin θ, and it needs no case distinction.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        return (3, 3)

    @property
    def units(self) -> tuple[str, ...]:
        return ("rad",) * 3

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        return rotation_error(X, target)

    def square(self, model: Model, q: Sequence[Expr], target: Target) -> Expr:
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        return rotation_square(X, target)

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return model.expressions("jacobian", q, frame=self.frame)[3:]

    def defect(self, target: Target) -> Expr:
        return _rotation_defect(target)

    def targets(self) -> Array:
        R = super().targets()
        checked_rotation(R, self._called)
        return _exact(R)


class AnyPose(Task):
    """A pose ``(..., 4, 4)`` of something; a matrix with a few decimals stands for the nearest."""

    turn_weight: float

    @property
    def shape(self) -> tuple[int, ...]:
        return (4, 4)

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",) * 3 + ("rad",) * 3

    @property
    def weights(self) -> tuple[float, ...]:
        return (self.weight,) * 3 + (self.weight * self.turn_weight,) * 3

    @abstractmethod
    def pose(self, model: Model, q: Sequence[Expr]) -> Rows:
        """Return the pose that shall be the target."""

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        X = self.pose(model, q)
        return [target[i][3] - X[i][3] for i in range(3)] + rotation_error(X, target)

    def square(self, model: Model, q: Sequence[Expr], target: Target) -> Expr:
        X = self.pose(model, q)
        return squared([target[i][3] - X[i][3] for i in range(3)]) + rotation_square(X, target)

    def defect(self, target: Target) -> Expr:
        last = [x - one for x, one in zip(target[3], (0, 0, 0, 1), strict=True)]
        return _rotation_defect(target) + sqrt(squared(last))

    def targets(self) -> Array:
        X = super().targets()
        check_poses(X, self._called)
        X[..., :3, :3] = _exact(X[..., :3, :3])
        return X


@dataclass(frozen=True, eq=False)
class PoseTask(AnyPose, FrameTask):
    """A frame at a pose ``(..., 4, 4)``; a matrix with a few decimals stands for the nearest one.

    Args:
        turn_weight: Further factor of the orientation: metres for a radian.
    """

    turn_weight: float = 1.0

    def pose(self, model: Model, q: Sequence[Expr]) -> Rows:
        return model.expressions("forward_kinematics", q, frame=self.frame)

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return model.expressions("jacobian", q, frame=self.frame)

    def points(self, targets: Array) -> Array | None:
        return targets[..., :3, 3]


def check_axes(axes: str) -> None:
    """Raise `EvaluationError` unless axes are some of "xyz"."""
    if not axes or any(a not in "xyz" for a in axes):
        raise EvaluationError(f"expected axes among x, y and z, got {axes!r}")


def rotation_error(R: Rows, R_d: Target) -> list[Expr]:
    """Return 2 sin(θ/2) a of the turn R_d Rᵀ, from the first three rows and columns of each."""
    # 2 sin θ a = Σ over columns r × r_d
    double = [
        sum((R[i][k] * R_d[j][k] - R[j][k] * R_d[i][k] for k in range(3)), as_expr(0))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    scale = turn_scale(R, R_d)
    return [x * scale for x in double]


def turn_scale(R: Rows, R_d: Target) -> Expr:
    """Return 1 / (2 cos(θ/2)), which makes 2 sin(θ/2) of 2 sin θ, up to half a turn."""
    trace = sum((R[i][k] * R_d[i][k] for i in range(3) for k in range(3)), as_expr(0))
    # 2 cos(θ/2) = √(1 + tr); the guard leaves the slope at θ = 0 as it is
    return sqrt((1 + HALF_TURN / 4) / (1 + HALF_TURN + trace))


def rotation_square(R: Rows, R_d: Target) -> Expr:
    """Return 4 sin²(θ/2) = ½ |R - R_d|², from the first three rows and columns of each."""
    return squared([R[i][k] - R_d[i][k] for i in range(3) for k in range(3)]) / 2


def _rotation_defect(R: Target) -> Expr:
    """Return how far the first three rows and columns are from a rotation."""
    x, y, z = ((row[0], row[1], row[2]) for row in R[:3])
    return sqrt(squared(rotation_defects((x, y, z))))


def _exact(R: Array) -> Array:
    """Return the nearest rotations where rounding has left others: only those can be reached."""
    return R if rotation_defect(R) <= ROUNDING else nearest_rotation(R)
