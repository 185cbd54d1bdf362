"""Denavit–Hartenberg tables, standard and modified (Craig's)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, cast

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits
from dalembert.mechanism.parts.link import Link
from dalembert.spatial.exact import exact, rotation_from_rpy
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import sincos
from dalembert.spatial.vectors import Mat
from dalembert.types import Scalar


class DHRow(NamedTuple):
    """One joint: lengths a and d, twist α, offset θ of a revolute joint; ``prismatic`` slides d."""

    a: Any = 0
    alpha: Any = 0
    d: Any = 0
    theta: Any = 0
    prismatic: bool = False


def dh_chain(
    rows: Sequence[DHRow | Sequence[Scalar]],
    links: Sequence[Link] | None,
    modified: bool,
    limits: Sequence[tuple[float, float]] | None,
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """Return the links, the base first, and joints of a DH table; see `Mechanism.from_dh`."""
    table = [row if isinstance(row, DHRow) else DHRow(*cast("Sequence[Any]", row)) for row in rows]
    if not table:
        raise InvalidMechanism("expected at least one row in the DH table, got none")
    bodies = list(links) if links is not None else [Link(f"link{i + 1}") for i in range(len(table))]
    if len(bodies) != len(table):
        raise InvalidMechanism(
            f"expected one link for each of the {len(table)} rows, got {len(bodies)}"
        )
    joints = []
    parent = "base"
    for i, (row, body) in enumerate(zip(table, bodies, strict=True)):
        placement, after = _modified(row) if modified else _standard(row)
        joints.append(
            Joint(
                f"joint{i + 1}",
                JointKind.PRISMATIC if row.prismatic else JointKind.REVOLUTE,
                parent,
                body.name,
                placement=placement,
                after=after,
                limits=Limits(*limits[i]) if limits else Limits(),
            )
        )
        parent = body.name
    return (Link("base"), *bodies), tuple(joints)


def _standard(row: DHRow) -> tuple[Pose, Pose]:
    """Return placement and after: the offset θ turns before the joint, the rest follows it."""
    after = Pose(rotation_about((1, 0, 0), row.alpha), (exact(row.a), 0, exact(row.d)))
    return Pose(rotation_about((0, 0, 1), row.theta)), after


def _modified(row: DHRow) -> tuple[Pose, Pose]:
    before = Pose(rotation_about((1, 0, 0), row.alpha), (exact(row.a), 0, 0))
    offset = Pose(rotation_about((0, 0, 1), row.theta))
    return before @ offset, Pose(p=(0, 0, exact(row.d)))


def rotation_about(axis: tuple[int, int, int], angle: float | Fraction | Expr) -> Mat:
    """Return the exact rotation about a coordinate axis by a number or an expression."""
    if isinstance(angle, Expr) and angle.symbols:
        return axis_rotation(axis, *sincos(angle))
    value = float(angle)
    return rotation_from_rpy(*(value * k for k in axis))
