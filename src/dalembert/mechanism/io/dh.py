"""Denavit–Hartenberg tables, standard and modified (Craig's)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr
from dalembert.mechanism.given import items
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
    expected = "a, α, d, θ, and perhaps whether it is prismatic,"
    table = [
        row if isinstance(row, DHRow) else DHRow(*items(row, range(1, 6), expected, f"row {i}"))
        for i, row in enumerate(items(rows, None, "a list of rows", "the DH table"), 1)
    ]
    if not table:
        raise InvalidMechanism("expected at least one row in the DH table, got none")
    bodies = chain_links(links, len(table))
    bounds = [Limits()] * len(table)
    if limits is not None:
        pairs = items(limits, [len(table)], "lower and upper positions", "each joint")
        bounds = [Limits(*items(pair, [2], "(lower, upper)", "a joint")) for pair in pairs]
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
                limits=bounds[i],
            )
        )
        parent = body.name
    return (Link("base"), *bodies), tuple(joints)


def chain_links(links: Sequence[Link] | None, count: int) -> list[Link]:
    """Return the links of a serial arm, one for each joint; without inertia unless given."""
    if links is None:
        return [Link(f"link{i + 1}") for i in range(count)]
    found = items(links, [count], f"{count} links, one for each joint,", "a serial arm")
    for link in found:
        if not isinstance(link, Link):
            raise InvalidMechanism(f"expected links made by Link.of, got {link!r:.60}")
    return found


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
    x, y, z = (angle if k else 0 for k in axis)
    return rotation_from_rpy(x, y, z)  # type: ignore[arg-type]
