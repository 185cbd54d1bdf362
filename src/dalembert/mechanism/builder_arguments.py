"""What a person gives to the builder, as the parts of a mechanism take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import InvalidMechanism, nearest
from dalembert.mechanism.given import items
from dalembert.mechanism.parts.joint import JointKind, Limits, Mimic
from dalembert.mechanism.parts.link import Frame
from dalembert.spatial.exact import exact, exact_vector, rotation_from_rpy
from dalembert.spatial.pose import Pose
from dalembert.types import Scalar

AXES = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
}
Axis = str | Sequence[Scalar]
"""One of x, y, z, -x, -y, -z, or a direction of any length."""

Point = tuple[str, Sequence[Scalar]]
"""A link, and a point in its frame (m)."""


def direction_of(axis: Axis, where: str) -> Sequence[Scalar]:
    """Return the direction of an axis."""
    direction = AXES.get(axis) if isinstance(axis, str) else axis
    if direction is None:
        raise InvalidMechanism(
            f"expected an axis x, y, z, -x, -y, -z or three numbers for {where}, got {axis!r}"
        )
    return direction


def ends_of(name: str, first: Point, second: Point) -> tuple[Frame, Frame]:
    """Return the two frames that a loop or a spring of that name joins."""
    expected = "a link and a point in its frame, (link, (x, y, z)),"
    ends = [items(end, [2], expected, repr(name)) for end in (first, second)]
    one, two = (
        Frame(f"{name}_{i}", link, Pose(p=exact_vector(point)))
        for i, (link, point) in enumerate(ends, 1)
    )
    return one, two


def kind_of(kind: JointKind | str, where: str) -> JointKind:
    """Return a kind of joint by its name."""
    kinds = {k.value: k for k in JointKind}
    found = kinds.get(kind) if isinstance(kind, str) else kind
    if not isinstance(found, JointKind):
        raise InvalidMechanism(
            f"expected a kind of joint for {where}, got {kind!r:.60} ({nearest(str(kind), kinds)})"
        )
    return found


def placement_of(origin: Sequence[Scalar], rpy: Sequence[float], where: str) -> Pose:
    """Return a pose of an origin and roll, pitch, yaw."""
    roll, pitch, yaw = items(rpy, [3], "roll, pitch and yaw", where)
    return Pose(rotation_from_rpy(roll, pitch, yaw), exact_vector(origin))


def limits_of(limits: Sequence[float | None] | None, where: str) -> Limits:
    """Return limits; none are open."""
    if limits is None:
        return Limits()
    return Limits(*items(limits, range(5), "(lower, upper), and perhaps velocity, effort,", where))


def mimic_of(mimic: Sequence[Any] | None, where: str) -> Mimic | None:
    """Return what a joint follows, if it does."""
    if mimic is None:
        return None
    joint, *numbers = items(mimic, [1, 2, 3], "(joint, multiplier, offset) to mimic", where)
    return Mimic(joint, *map(exact, numbers))
