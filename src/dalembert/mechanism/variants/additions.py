"""A mechanism with one more frame, loop or freedom, or with another inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.given import pose
from dalembert.mechanism.parts.closure import Loop
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.variants.lock import positions_of
from dalembert.mechanism.variants.rename import fresh_name, names_of
from dalembert.spatial.exact import exact_vector, rotation_from_rpy
from dalembert.spatial.pose import Pose
from dalembert.types import Scalar

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism
    from dalembert.types import ArrayLike

End = str | tuple[str, Sequence[Scalar]]
"""An end of a loop: a frame by name, or a frame and a point in it (m)."""


def with_frame(
    mechanism: Mechanism,
    name: str,
    on: str,
    *,
    origin: Sequence[Scalar] = (0, 0, 0),
    rpy: Sequence[float] = (0, 0, 0),
    placement: Pose | ArrayLike | None = None,
) -> Mechanism:
    """Return the mechanism with one more named frame, fixed to a link or to another frame.

    Args:
        mechanism: What to change.
        name: Of the new frame; no frame or link may have it.
        on: A link or frame.
        origin: Of the new frame in ``on``, (3,), in m.
        rpy: Its roll, pitch and yaw in rad: R = R_z(yaw) R_y(pitch) R_x(roll).
        placement: The pose in ``on``, or its 4 × 4 matrix, instead of both.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.ur5e().add_frame("tool", "link6", origin=(0, 0, 0.1))
    >>> arm.frame("tool").link
    'link6'
    """
    if name in names_of(mechanism, "frames") or name in names_of(mechanism, "links"):
        raise InvalidMechanism(
            f"expected a name that no frame or link of {mechanism.name} has, got {name!r}"
        )
    at = mechanism.frame(on)
    X = Pose(rotation_from_rpy(*rpy), exact_vector(origin))
    X = X if placement is None else pose(placement, "placement=")
    new = Frame(name, at.link, at.placement @ X)
    return replace(mechanism, frames=(*mechanism.frames, new))


def with_keyframe(
    mechanism: Mechanism, name: str, q: ArrayLike | Mapping[str, Scalar | Sequence[Scalar]]
) -> Mechanism:
    """Return the mechanism with one more named configuration.

    Args:
        mechanism: What to change.
        name: Of the new keyframe; no keyframe may have it.
        q: A configuration, ``(nq,)`` in rad and m, or positions by joint name; joints that are not
            named are neutral.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.planar_arm_nr(2).add_keyframe("bent", {"joint2": 1.5})
    >>> arm.keyframe("bent").configuration(arm.joints)
    (0, Fraction(3, 2))
    """
    if name in names_of(mechanism, "keyframes"):
        raise InvalidMechanism(
            f"expected a name that no keyframe of {mechanism.name} has, got {name!r}"
        )
    joints = tuple(q) if isinstance(q, Mapping) else [j.name for j in mechanism.moving_joints]
    found = positions_of(mechanism, joints, q)
    new = Keyframe(name, tuple((joint, found[joint]) for joint in joints))
    return replace(mechanism, keyframes=(*mechanism.keyframes, new))


def with_loop(
    mechanism: Mechanism, name: str, first: End, second: End, *, kind: str = "point"
) -> Mechanism:
    """Return the mechanism with one more loop, which keeps two frames together.

    Args:
        mechanism: What to change.
        name: Of the new loop; no loop may have it.
        first: A frame or link, or one of these with a point in it.
        second: The same, of another link.
        kind: "point" keeps the origins together, "frame" the orientations too.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.planar_arm_nr(3)
    >>> arm.add_loop("pin", "tip", ("world", (1, 0, 0))).loops[0].first.link
    'link3'
    """
    if kind not in ("point", "frame"):
        raise InvalidMechanism(f"expected loop kind 'point' or 'frame', got {kind!r}")
    if name in names_of(mechanism, "loops"):
        raise InvalidMechanism(
            f"expected a name that no loop of {mechanism.name} has, got {name!r}"
        )
    ends = [_end(mechanism, f"{name}_{i}", end) for i, end in enumerate((first, second), 1)]
    if ends[0].link == ends[1].link:
        raise InvalidMechanism(
            f"expected loop {name!r} between two links of {mechanism.name}, got "
            f"{ends[0].link!r} twice"
        )
    return replace(mechanism, loops=(*mechanism.loops, Loop(name, kind, ends[0], ends[1])))


def _end(mechanism: Mechanism, name: str, end: End) -> Frame:
    frame, point = (end, (0, 0, 0)) if isinstance(end, str) else end
    at = mechanism.frame(frame)
    return Frame(name, at.link, at.placement @ Pose(p=exact_vector(point)))


def with_inertia(
    mechanism: Mechanism,
    link: str,
    *,
    mass: Scalar,
    com: Sequence[Scalar] = (0, 0, 0),
    inertia: Sequence[Scalar] | None = None,
) -> Mechanism:
    """Return the mechanism with another mass, centre of mass and inertia of a link.

    The numbers are those of `Link.of`: kg, m, and kg m² about the centre of mass.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.ur5e().replace_inertia("link6", mass=2)
    >>> arm.link("link6").inertia.m
    2
    """
    old, body = mechanism.link(link), Link.of(link, mass=mass, com=com, inertia=inertia)
    new = replace(old, inertia=body.inertia, has_inertia=True)
    return replace(mechanism, links=tuple(new if x.name == link else x for x in mechanism.links))


def with_floating_base(mechanism: Mechanism, name: str | None = None) -> Mechanism:
    """Return the mechanism with its root free in space, behind a joint of six freedoms.

    The new root is ``world``, the joint ``floating_base`` unless named; where a part has such a
    name already, a number is put behind it.

    Raises:
        InvalidMechanism: the mechanism floats already, or ``name`` is that of another joint.
    """
    first = [joint for joint in mechanism.joints if joint.parent == mechanism.root]
    massless = mechanism.link(mechanism.root).is_massless
    if massless and len(first) == 1 and first[0].kind is JointKind.FLOATING:
        raise InvalidMechanism(
            f"expected a mechanism that does not float, got {mechanism.name}: joint "
            f"{first[0].name!r} sets it free already"
        )
    world = Link(fresh_name("world", mechanism))
    joint = Joint(
        fresh_name("floating_base", mechanism) if name is None else name,
        JointKind.FLOATING,
        world.name,
        mechanism.root,
    )
    return replace(mechanism, links=(world, *mechanism.links), joints=(joint, *mechanism.joints))
