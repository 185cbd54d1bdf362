"""Name every mass, centre of mass, inertia and length of a mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dalembert.expr import Expr, parameters
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.spring import PointSpring
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

AXES = "xyz"
PRODUCTS = ("xx", "yy", "zz", "xy", "xz", "yz")


def symbolic(mechanism: Mechanism) -> tuple[Mechanism, dict[Expr, Any]]:
    """Return the mechanism with symbols for its numbers, and the numbers they stand for.

    The i-th joint and its link get m_i, the centre of mass r_xi r_yi r_zi, the inertia about it
    I_xxi … I_yzi, and lengths p_xi … (before the joint) and d_xi … (behind it). Links without
    inertia, zero lengths, and what is symbolic already stay as they are; gravity becomes g when it
    points along an axis. The i-th actuator gets the rotor inertia J_i, the i-th spring between
    points the rest length l_i.
    """
    values: dict[Expr, Any] = {}

    def named(name: str, value: Any) -> Any:
        if isinstance(value, Expr):
            return value
        (symbol,) = parameters(name)
        values[symbol] = value
        return symbol

    by_child = {joint.child: i for i, joint in enumerate(mechanism.joints, 1)}
    links = tuple(
        _symbolic_link(link, by_child[link.name], named) if link.name in by_child else link
        for link in mechanism.links
    )
    joints = tuple(
        replace(
            joint,
            placement=_symbolic_pose(joint.placement, f"p_{{}}{i}", named),
            after=_symbolic_pose(joint.after, f"d_{{}}{i}", named),
        )
        for i, joint in enumerate(mechanism.joints, 1)
    )
    actuators = tuple(
        replace(a, rotor_inertia=named(f"J{i}", a.rotor_inertia)) if a.has_rotor else a
        for i, a in enumerate(mechanism.actuators, 1)
    )
    springs = tuple(
        s._replace(rest_length=named(f"l{i}", s.rest_length))
        if isinstance(s, PointSpring) and s.rest_length != 0
        else s
        for i, s in enumerate(mechanism.springs, 1)
    )
    gravity = mechanism.gravity
    pulling = [i for i in range(3) if gravity[i] != 0]
    if len(pulling) == 1 and not isinstance(gravity[pulling[0]], Expr):
        i = pulling[0]
        strength = gravity[i]
        g = named("g", abs(strength))
        pull = tuple((g if strength > 0 else -g) if j == i else 0 for j in range(3))
        gravity = (pull[0], pull[1], pull[2])
    named_parts = replace(
        mechanism, links=links, joints=joints, gravity=gravity, actuators=actuators, springs=springs
    )
    return named_parts, values


def _symbolic_link(link: Link, i: int, named: Any) -> Link:
    if link.is_massless:
        return link
    m, h, _ = link.inertia
    com = link.inertia.com() if m != 0 else h
    about = link.inertia.about_com() if m != 0 else link.inertia.tensor
    numbers = [about[0][0], about[1][1], about[2][2], about[0][1], about[0][2], about[1][2]]
    mass = named(f"m{i}", m)
    c = tuple(named(f"r_{axis}{i}", x) for axis, x in zip(AXES, com, strict=True))
    xx, yy, zz, xy, xz, yz = (
        named(f"I_{pair}{i}", x) for pair, x in zip(PRODUCTS, numbers, strict=True)
    )
    tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return replace(link, inertia=Inertia.from_com(mass, (c[0], c[1], c[2]), tensor))


def _symbolic_pose(pose: Pose, pattern: str, named: Any) -> Pose:
    p = tuple(
        x if isinstance(x, int) and x == 0 else named(pattern.format(axis), x)
        for axis, x in zip(AXES, pose.p, strict=True)
    )
    return Pose(pose.R, (p[0], p[1], p[2]))
