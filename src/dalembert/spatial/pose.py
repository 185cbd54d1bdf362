"""Poses X_AB = (R_AB, p_AB): where frame B is in frame A."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dalembert.expr.data import packable
from dalembert.spatial.vectors import (
    IDENTITY,
    ZERO,
    Mat,
    Vec,
    add,
    multiply,
    neg,
    rotate,
    sub,
    transpose,
    unrotate,
)


@packable
class Pose(NamedTuple):
    """Rotation R_AB and position p_AB of frame B in frame A; adjacent letters cancel under @.

    >>> X_AB, X_BC = Pose(p=(1, 0, 0)), Pose(p=(0, 2, 0))
    >>> (X_AB @ X_BC).p
    (1, 2, 0)
    """

    R: Mat = IDENTITY
    p: Vec = ZERO

    def __matmul__(self, other: Pose) -> Pose:
        """Return X_AC = X_AB X_BC."""
        return Pose(multiply(self.R, other.R), add(self.p, rotate(self.R, other.p)))

    def inverse(self) -> Pose:
        """Return X_BA."""
        return Pose(transpose(self.R), neg(unrotate(self.R, self.p)))

    def point(self, p_B: Vec) -> Vec:
        """Return the point p_A from its components p_B."""
        return add(self.p, rotate(self.R, p_B))

    def point_back(self, p_A: Vec) -> Vec:
        """Return the components p_B of a point p_A."""
        return unrotate(self.R, sub(p_A, self.p))

    def map(self, f: Callable[[Any], Any]) -> Pose:
        """Return the pose with f applied to every scalar."""
        return Pose(
            tuple(tuple(f(x) for x in row) for row in self.R),  # type: ignore[arg-type]
            tuple(f(x) for x in self.p),  # type: ignore[arg-type]
        )

    @property
    def is_identity(self) -> bool:
        """Tell whether this is structurally the identity."""
        return self.R == IDENTITY and self.p == ZERO
