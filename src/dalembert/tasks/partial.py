"""Tasks that leave freedoms open: a direction, a plane, a line."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, sqrt
from dalembert.spatial.vectors import cross, dot, scale
from dalembert.tasks.base import FrameTask, Rows, Target, squared
from dalembert.tasks.pose import HALF_TURN

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array


@dataclass(frozen=True, eq=False)
class AxisTask(FrameTask):
    """An axis of a frame along a direction of the world; turns about it stay free.

    The error is 2 sin(θ/2) n with θ the angle between the two and n normal to both.

    Args:
        axis: "x", "y" or "z" of the frame.
    """

    axis: str = "z"

    def __post_init__(self) -> None:
        if self.axis not in ("x", "y", "z"):
            raise EvaluationError(f"expected an axis x, y or z, got {self.axis!r}")

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    @property
    def units(self) -> tuple[str, ...]:
        return ("rad",) * 3

    @property
    def structure(self) -> Hashable:
        return super().structure, self.axis

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        a, d = tuple(X[i]["xyz".index(self.axis)] for i in range(3)), tuple(target)
        # sin θ n = a × d, and cos(θ/2) = √((1 + a·d)/2)
        return [*scale(sqrt((2 + HALF_TURN) / (1 + HALF_TURN + dot(a, d))), cross(a, d))]

    def square(self, model: Model, q: Sequence[Expr], target: Target) -> Expr:
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        # |a - d|² = 4 sin²(θ/2)
        return squared([X[i]["xyz".index(self.axis)] - target[i] for i in range(3)])

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        J = model.expressions("jacobian", q, frame=self.frame)[3:]
        return _across(J, target)

    def defect(self, target: Target) -> Expr:
        return _length_defect(target)

    def targets(self) -> Array:
        return _directions(super().targets(), self.frame)


@dataclass(frozen=True, eq=False)
class PlaneTask(FrameTask):
    """The origin of a frame on a plane; the target is ``(point, normal)``, ``(..., 2, 3)``."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (2, 3)

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",)

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        point, normal = target
        return [dot(tuple(point[i] - X[i][3] for i in range(3)), normal)]

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        J = model.expressions("jacobian", q, frame=self.frame)[:3]
        return [[dot(column, target[1]) for column in zip(*J, strict=True)]]

    def defect(self, target: Target) -> Expr:
        return _length_defect(target[1])

    def targets(self) -> Array:
        return _with_direction(super().targets(), self.frame)


@dataclass(frozen=True, eq=False)
class LineTask(FrameTask):
    """The origin of a frame on a line; the target is ``(point, direction)``, ``(..., 2, 3)``."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (2, 3)

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",) * 3

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        X = model.expressions("forward_kinematics", q, frame=self.frame)
        point, direction = target
        offset = [[point[i] - X[i][3]] for i in range(3)]
        return [row[0] for row in _across(offset, direction)]

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return _across(model.expressions("jacobian", q, frame=self.frame)[:3], target[1])

    def defect(self, target: Target) -> Expr:
        return _length_defect(target[1])

    def targets(self) -> Array:
        return _with_direction(super().targets(), self.frame)


def _across(columns: Rows, d: Target) -> Rows:
    """Return (1 - d dᵀ) B: columns without their part along a unit vector."""
    along = [dot(column, tuple(d)) for column in zip(*columns, strict=True)]
    return [[x - d[i] * s for x, s in zip(columns[i], along, strict=True)] for i in range(3)]


def _with_direction(target: Array, frame: str) -> Array:
    return np.stack([target[..., 0, :], _directions(target[..., 1, :], frame)], axis=-2)


def _length_defect(d: Target) -> Expr:
    """Return |dᵀd - 1|, which vanishes for unit vectors."""
    return sqrt((squared(d) - 1) ** 2)


def _directions(d: Array, frame: str) -> Array:
    """Return unit vectors; the length of a direction has no meaning."""
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    if (length == 0).any():
        raise EvaluationError(f"expected a direction for {frame}, got a vector of length zero")
    return d / length
