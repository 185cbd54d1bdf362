"""Where links are and how they move, as expressions of a model's symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec, add, cross, sub

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array


class MovingLink(NamedTuple):
    """A link in motion.

    Attributes:
        pose: Its pose in the world.
        linear: The velocity of its origin, in m/s along axes of the world.
        angular: In rad/s, along the same axes.
    """

    pose: Pose
    linear: Vec
    angular: Vec

    def velocity(self, point: Vec) -> Vec:
        """Return the velocity of the material point at a place of the world."""
        return add(self.linear, cross(self.angular, sub(point, self.pose.p)))


def moving_links(model: Model, names: Iterable[str]) -> dict[str, MovingLink]:
    """Return links by their names."""
    links = tuple(dict.fromkeys(names))
    if not links:
        return {}
    q, qd = list(model.symbols.q), list(model.symbols.qd)
    X = model.expressions("forward_kinematics", q, frame=links)
    V = model.expressions("frame_velocity", q, qd, frame=links, reference="world")
    return {
        name: MovingLink(_pose(matrix), tuple(v[:3]), tuple(v[3:]))  # type: ignore[arg-type]
        for name, matrix, v in zip(links, X, V, strict=True)
    }


def _pose(matrix: Sequence[Sequence[Any]] | Array) -> Pose:
    """Return the pose of a 4 × 4 matrix."""
    a, b, c = (tuple(row) for row in list(matrix)[:3])
    return Pose((a[:3], b[:3], c[:3]), (a[3], b[3], c[3]))  # type: ignore[arg-type]
