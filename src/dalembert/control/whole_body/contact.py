"""Contacts that hold a robot up: points that rest on a surface and push against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.types import Array

PLANAR = 1e-9
"""Singular value, beside the largest, below which points do not hold a motion of their link."""


@dataclass(frozen=True, eq=False)
class SurfaceContact:
    """Points of a link that rest on a surface with friction, such as the corners of a foot.

    The points do not move. Each pushes with a force inside a pyramid within its friction cone
    |f_t| ≤ μ f_n: the edges of the pyramid lie on the cone, so the true cone is kept.

    Args:
        frame: The frame or link that touches.
        friction: Coefficient of friction μ.
        points: Where it touches, in the axes of the frame, ``(k, 3)`` in m. Default: its origin.
        normal: Direction out of the surface, in the world, ``(3,)``.
        max_force: Largest normal force of each point, in N. Default: none.
        sides: Faces of the pyramid, at least 3. More come closer to the cone and take more time.

    Raises:
        EvaluationError: an argument is out of its range.
    """

    frame: str
    friction: float
    points: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0),)
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    max_force: float = np.inf
    sides: int = 4

    def __post_init__(self) -> None:
        points = finite_array(self.points, f"the points of {self.frame}", (..., 3))
        normal = finite_array(self.normal, f"the normal at {self.frame}", (3,))
        if points.ndim != 2 or not len(points):
            raise EvaluationError(
                f"expected points (k, 3) of the contact of {self.frame}, got shape {points.shape}"
            )
        if not np.linalg.norm(normal):
            raise EvaluationError(f"expected a direction for the normal at {self.frame}, got zero")
        if not finite_array(self.friction, f"the friction of {self.frame}", ()) > 0:
            raise EvaluationError(
                f"expected friction above 0 at {self.frame}, got {self.friction}: a contact "
                "without friction is a PlaneTask"
            )
        if not self.max_force > 0:
            raise EvaluationError(
                f"expected max_force above 0 N at {self.frame}, got {self.max_force}"
            )
        if self.sides != int(self.sides) or self.sides < 3:
            raise EvaluationError(
                f"expected at least 3 sides of a pyramid at {self.frame}, got {self.sides}"
            )

    @cached_property
    def places(self) -> Array:
        """The points as an array, ``(k, 3)``."""
        return np.asarray(self.points, float)

    @cached_property
    def axes(self) -> Array:
        """Two tangents and the normal as columns, ``(3, 3)``."""
        n = np.asarray(self.normal, float)
        n = n / np.linalg.norm(n)
        # the world's axis that is farthest from the normal
        along = np.eye(3)[np.abs(n).argmin()]
        first = along - (along @ n) * n
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(n, first), n], axis=1)

    @cached_property
    def faces(self) -> Array:
        """Rows over (f_1, f_2, f_n) that are at least 0 inside the pyramid, ``(sides, 3)``."""
        # edges at angles 0, 2π/k, …: each face stands between two of them
        angles = (np.arange(self.sides) + 0.5) * 2 * np.pi / self.sides
        reach = self.friction * np.cos(np.pi / self.sides)
        columns = [-np.cos(angles), -np.sin(angles), np.full(self.sides, reach)]
        return np.stack(columns, axis=1)

    @cached_property
    def held(self) -> Array:
        """Independent combinations of the frame's own twist that the points stop, ``(r, 6)``.

        r is 3 for a point, 5 for two, 6 for three that are not in line.
        """
        # ṗ = u + ω × p
        rows = [np.concatenate([np.eye(3), _cross(-p)], axis=1) for p in self.places]
        if len(rows) == 1:
            return rows[0]
        _, s, basis = np.linalg.svd(np.concatenate(rows))
        rank = int((s > PLANAR * s[0]).sum())
        return np.eye(6) if rank == 6 else basis[:rank]


def _cross(p: Array) -> Array:
    """Return the matrix of p ×."""
    x, y, z = p
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
