"""A mechanism whose parts have other names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import UnknownName, nearest
from dalembert.mechanism.parts.link import Frame
from dalembert.mechanism.parts.spring import JointSpring, Spring

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

KINDS = (
    "links",
    "joints",
    "frames",
    "loops",
    "couplings",
    "actuators",
    "springs",
    "keyframes",
)
"""The kinds of parts that have names: the fields of a mechanism."""

NewName = Callable[[str, str], str]
"""The new name of a part, from its kind and its name."""


def renamed(
    mechanism: Mechanism,
    names: Mapping[str, str] | None = None,
    *,
    of: str | None = None,
    prefix: str = "",
    name: str | None = None,
) -> Mechanism:
    """Return the mechanism with new names, wherever the old ones stood.

    Args:
        mechanism: What to change.
        names: New names by old ones, of whatever parts have them.
        of: The kind of parts to rename, such as "joints"; all kinds unless given.
        prefix: Put before every name, of the kind ``of`` if given.
        name: The new name of the mechanism.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.planar_arm_nr(2).rename({"joint1": "shoulder"}, prefix="left_")
    >>> [joint.name for joint in arm.joints]
    ['left_shoulder', 'left_joint2']

    Raises:
        UnknownName: a name is that of no part.
        InvalidMechanism: two parts would have one name.
    """
    names = names or {}
    known = names_of(mechanism, of)
    for old in names:
        if old not in known:
            raise UnknownName(
                f"expected a name of {of or 'a part'} of {mechanism.name}, got {old!r} "
                f"({nearest(str(old), known)})"
            )

    def new_name(kind: str, old: str) -> str:
        if of is not None and kind != of:
            return old
        return prefix + (names.get(old, old) if kind in KINDS else old)

    return replace(_with_names(mechanism, new_name), name=mechanism.name if name is None else name)


def names_of(mechanism: Mechanism, of: str | None = None) -> dict[str, list[str]]:
    """Return the names of parts, each with the kinds of parts that have it."""
    if of is not None and of not in KINDS:
        raise UnknownName(
            f"expected one of {', '.join(KINDS)} for of=, got {of!r} ({nearest(str(of), KINDS)})"
        )
    found: dict[str, list[str]] = {}
    for kind in KINDS if of is None else (of,):
        for part in getattr(mechanism, kind):
            found.setdefault(part.name, []).append(kind)
    return found


def fresh_name(wanted: str, *mechanisms: Mechanism) -> str:
    """Return a name that no part has: the wanted one, or with the first free number behind it."""
    taken, name, number = {x for m in mechanisms for x in names_of(m)}, wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _with_names(mechanism: Mechanism, new: NewName) -> Mechanism:
    def link(name: str) -> str:
        return new("links", name)

    def joint(name: str) -> str:
        return new("joints", name)

    def end(frame: Frame) -> Frame:
        return frame._replace(name=new("ends", frame.name), link=link(frame.link))

    def spring(x: Spring) -> Spring:
        name = new("springs", x.name)
        if isinstance(x, JointSpring):
            return x._replace(name=name, terms=tuple((joint(j), k) for j, k in x.terms))
        return x._replace(name=name, first=end(x.first), second=end(x.second))

    return replace(
        mechanism,
        links=tuple(replace(x, name=link(x.name)) for x in mechanism.links),
        joints=tuple(
            replace(
                x,
                name=joint(x.name),
                parent=link(x.parent),
                child=link(x.child),
                mimic=x.mimic and x.mimic._replace(joint=joint(x.mimic.joint)),
            )
            for x in mechanism.joints
        ),
        frames=tuple(
            x._replace(name=new("frames", x.name), link=link(x.link)) for x in mechanism.frames
        ),
        loops=tuple(
            x._replace(name=new("loops", x.name), first=end(x.first), second=end(x.second))
            for x in mechanism.loops
        ),
        couplings=tuple(
            x._replace(
                name=new("couplings", x.name),
                joint=joint(x.joint),
                others=tuple(joint(k) for k in x.others),
            )
            for x in mechanism.couplings
        ),
        actuators=tuple(
            replace(
                x,
                name=new("actuators", x.name),
                joint=joint(x.joint),
                host=x.host and link(x.host),
                others=tuple((joint(j), k) for j, k in x.others),
            )
            for x in mechanism.actuators
        ),
        springs=tuple(spring(x) for x in mechanism.springs),
        keyframes=tuple(
            x._replace(
                name=new("keyframes", x.name),
                positions=tuple((joint(j), values) for j, values in x.positions),
            )
            for x in mechanism.keyframes
        ),
    )
