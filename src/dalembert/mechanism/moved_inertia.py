"""Joints that move no inertia: their rows of the mass matrix are zero, so dynamics need more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import MissingInertia
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.spring import JointSpring, PointSpring
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import dot, rotate

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

MAX_NAMES = 6
"""Links that an error names; it counts the others."""


class Idle(NamedTuple):
    """A joint that moves no inertia, and the links that it carries rigidly.

    ``has_mass`` tells whether they have mass, which then lies where the joint does not move it.
    """

    joint: str
    links: tuple[str, ...]
    has_mass: bool


class _Carried(NamedTuple):
    """What hangs on a link: the links welded to it, their inertia, and what moves beyond them."""

    links: tuple[str, ...]
    inertia: Inertia
    mass_beyond: bool
    inertia_beyond: bool

    @property
    def has_mass(self) -> bool:
        return self.mass_beyond or not is_zero(self.inertia.m)

    @property
    def has_inertia(self) -> bool:
        m, h, tensor = self.inertia
        return self.inertia_beyond or not all(is_zero(x) for x in (m, *h, *tensor))


def idle_joints(mechanism: Mechanism) -> tuple[Idle, ...]:
    """Find the joints that move no inertia, whatever the configuration.

    A joint whose follower moves inertia is not among them. Neither is one with a rotor or armature,
    nor one that a loop or a coupling holds: there the constraints decide. A link without mass is
    fine as long as something that moves behind it has mass.
    """
    carried = _carried(mechanism)
    moved = set(_held(mechanism))
    for joint in mechanism.joints:
        master, factor, _ = mechanism.master_of(joint)
        if not is_zero(factor) and _moves(joint, carried[joint.child]):
            moved.add(master.name)
    found = []
    for joint in mechanism.moving_joints:
        if joint.name not in moved:
            group = carried[joint.child]
            found.append(Idle(joint.name, group.links, not is_zero(group.inertia.m)))
    return tuple(found)


def links_without_inertia(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the links whose inertia nobody gave, and without which M is singular.

    A link that was given an inertia of zero is not among them, nor any link of a mechanism that
    accepts nonphysical inertias.
    """
    if mechanism.accept_nonphysical:
        return ()
    groups = [idle.links for idle in idle_joints(mechanism) if not idle.has_mass]
    names = [name for links in groups for name in links if not mechanism.link(name).has_inertia]
    return tuple(dict.fromkeys(names))


def require_inertia(mechanism: Mechanism) -> None:
    """Check that every joint of a mechanism moves inertia, so that it has dynamics.

    Raises:
        MissingInertia: links that joints move were given no mass; the message names them.
    """
    names = links_without_inertia(mechanism)
    if names:
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        raise MissingInertia(
            f"cannot compute dynamics of {mechanism.name}: no mass is given for "
            f"{', '.join(map(repr, names[:MAX_NAMES]))}{more}. Give inertias (replace_inertia), "
            "add a payload (with_payload), or load with massless=True."
        )


def with_massless_links(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism whose links without inertia are massless on purpose.

    Its dynamics are computed; where M is singular, forward dynamics raise `SingularSystem`.
    """
    links = tuple(replace(link, has_inertia=True) for link in mechanism.links)
    return replace(mechanism, links=links)


def _carried(mechanism: Mechanism) -> dict[str, _Carried]:
    """Return for every link what hangs on it rigidly, and whether more moves behind that."""
    below: dict[str, list[Joint]] = {link.name: [] for link in mechanism.links}
    for joint in mechanism.joints:
        below[joint.parent].append(joint)
    found: dict[str, _Carried] = {}
    # parents stand before children
    for name in [*(j.child for j in reversed(mechanism.joints)), mechanism.root]:
        links, inertia = (name,), mechanism.link(name).inertia
        mass, any_inertia = False, False
        for joint in below[name]:
            group = found[joint.child]
            if joint.kind is JointKind.FIXED:
                links += group.links
                if group.inertia != NO_INERTIA:
                    inertia += group.inertia.moved(joint.placement @ joint.after)
                mass, any_inertia = mass or group.mass_beyond, any_inertia or group.inertia_beyond
            else:
                mass, any_inertia = mass or group.has_mass, any_inertia or group.has_inertia
        found[name] = _Carried(links, inertia, mass, any_inertia)
    return found


def _moves(joint: Joint, group: _Carried) -> bool:
    """Tell whether a joint moves inertia; what moves further behind it counts as moved."""
    if not is_zero(joint.armature):
        return True
    if joint.kind is JointKind.PRISMATIC:
        return group.has_mass
    if group.inertia_beyond:
        return True
    body = group.inertia
    if joint.kind in (JointKind.FLOATING, JointKind.SPHERICAL):
        needs_mass = joint.kind is JointKind.FLOATING
        return _turns_everywhere(body) and not (needs_mass and is_zero(body.m))
    # aᵀ I a about the joint's axis, which goes through the joint's frame
    if joint.kind is JointKind.HELICAL and not is_zero(body.m):
        return True
    a, about = joint.axis, body if joint.after.is_identity else body.moved(joint.after)
    return not is_zero(dot(a, rotate(about.tensor, a)))


def _turns_everywhere(body: Inertia) -> bool:
    """Tell whether the body resists every rotation: not all of its mass lies on one line."""
    from dalembert.spatial.inertia.consistency import principal_second_moments

    numbers = (body.m, *body.h, *body.I)
    if all(is_zero(x) for x in numbers):
        return False
    if not all(isinstance(x, int | float | Fraction) for x in numbers):
        # symbols: zeros are known, values are not
        return True
    values, _, _ = principal_second_moments(body)
    _, middle, largest = sorted(abs(float(k)) for k in values)
    return middle > 1e-14 * largest > 0


def _held(mechanism: Mechanism) -> Iterator[str]:
    """Yield the joints whose motion loops or couplings bind, and those that turn rotors."""
    above = {joint.child: joint for joint in mechanism.joints}

    def towards_root(link: str) -> Iterator[str]:
        while link in above:
            yield mechanism.master_of(above[link])[0].name
            link = above[link].parent

    for loop in mechanism.loops:
        for end in (loop.first, loop.second):
            yield from towards_root(end.link)
    named = [name for coupling in mechanism.couplings for name in coupling.joints]
    named += [actuator.joint for actuator in mechanism.actuators if actuator.has_rotor]
    for spring in mechanism.springs:
        if is_zero(spring.armature):
            continue
        if isinstance(spring, JointSpring):
            named += spring.joints
        elif isinstance(spring, PointSpring):
            for end in (spring.first, spring.second):
                yield from towards_root(end.link)
    yield from (mechanism.master_of(mechanism.joint(name))[0].name for name in named)
