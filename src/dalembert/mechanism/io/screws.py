"""Product of exponentials: joints as screws in the home configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr
from dalembert.mechanism.given import items
from dalembert.mechanism.io.dh import chain_links
from dalembert.mechanism.parts.joint import Joint, JointKind, unit_axis
from dalembert.mechanism.parts.link import Link
from dalembert.spatial.exact import exact, exact_vector
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import transform_twist
from dalembert.spatial.vectors import ZERO, Vec, cross, dot, scale
from dalembert.types import Scalar

# rounding of screws that are given in decimals: of |ω|² = 1, and of a hinge's pitch (m/rad)
UNIT = 1e-9
NO_PITCH = 1e-12
Screw = Sequence[Sequence[Scalar]]
"""A unit twist ((v), (ω)): linear velocity of the point at the origin, then angular velocity."""


def screw_chain(
    screws: Sequence[Screw], home: Sequence[Pose], links: Sequence[Link] | None, body: bool
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """Return the links, the base first, and joints of a product of exponentials.

    See `Mechanism.from_screws`.
    """
    screws = items(screws, None, "a list of screws", "the arm")
    home = items(home, None, "a list of poses", "the links at home")
    if len(screws) != len(home) or not screws or not all(isinstance(X, Pose) for X in home):
        raise InvalidMechanism(
            f"expected a home pose for each screw, got {len(screws)} screws and {len(home)} poses"
        )
    bodies = chain_links(links, len(home))
    joints = []
    X_WP, parent = Pose(), "base"
    for i, (screw, X_WL, link) in enumerate(zip(screws, home, bodies, strict=True)):
        parts = items(screw, [2], "a twist ((v), (ω))", f"screw {i + 1}")
        v, w = (exact_vector(part) for part in parts)
        if body:
            v, w = transform_twist(X_WL, (v, w))
        joints.append(_joint(f"joint{i + 1}", v, w, X_WP, X_WL, parent, link.name))
        X_WP, parent = X_WL, link.name
    return (Link("base"), *bodies), tuple(joints)


def _require_unit(u: Vec, what: str, name: str) -> None:
    size = dot(u, u)
    if not isinstance(size, Expr) and abs(size - 1) > UNIT:
        text = ", ".join(map(str, u))
        raise InvalidMechanism(
            f"expected a unit {what} in the screw of {name!r}, got ({text}): divide by its size"
        )


def _pitch(pitch: Any) -> Any:
    """Return the pitch, a whole zero for what is only the rounding of a hinge."""
    return 0 if not isinstance(pitch, Expr) and abs(pitch) <= NO_PITCH else pitch


def _joint(name: str, v: Any, w: Any, X_WP: Pose, X_WL: Pose, parent: str, child: str) -> Joint:
    if w == ZERO:
        kind, axis, point, pitch = JointKind.PRISMATIC, v, ZERO, 0
        if v != ZERO:
            _require_unit(v, "linear velocity", name)
    else:
        _require_unit(w, "angular velocity", name)
        pitch = _pitch(exact(dot(w, v)))
        # the point of the axis nearest to the origin: ω × v
        axis, point = w, cross(w, v)
        slides = not (isinstance(pitch, int) and pitch == 0)
        kind = JointKind.HELICAL if slides else JointKind.REVOLUTE
    X_WJ = Pose(p=scale(1, point))
    placement, after = X_WP.inverse() @ X_WJ, X_WJ.inverse() @ X_WL
    unit, placement, after = unit_axis(axis, placement, after, f"joint {name!r}")
    return Joint(
        name, kind, parent, child, placement=placement, axis=unit, after=after, pitch=pitch
    )
