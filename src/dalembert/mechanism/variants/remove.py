"""A mechanism without some of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.mechanism.parts.spring import JointSpring
from dalembert.mechanism.variants.rename import KINDS, names_of

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

Gone = dict[str, set[str]]
"""The names of parts to remove, by kind."""


def without(mechanism: Mechanism, *names: str, of: str | None = None) -> Mechanism:
    """Return the mechanism without parts, and without what hangs on them.

    With a link or joint goes the whole branch behind it. What was fixed to the branch goes too
    (frames, loops, couplings, actuators, springs), each with a note.

    Args:
        mechanism: What to change.
        names: Of links, joints, frames, loops, couplings, actuators, springs or keyframes.
        of: The kind of parts, such as "loops", where several kinds have such a name.

    >>> import dalembert as da
    >>> da.textbook.robots.planar_arm_nr(3).remove("link3").nv
    2

    Raises:
        UnknownName: there is no such part.
        InvalidMechanism: the root cannot go; a joint that stays follows one that goes.
    """
    gone = _chosen(mechanism, names, of)
    if mechanism.root in gone["links"]:
        raise InvalidMechanism(
            f"expected links other than the root of {mechanism.name} to remove, got "
            f"{mechanism.root!r}"
        )
    # the branches: parents come first
    for joint in mechanism.joints:
        if {joint.child, joint.parent} & gone["links"] or joint.name in gone["joints"]:
            gone["links"].add(joint.child)
            gone["joints"].add(joint.name)
    for joint in mechanism.joints:
        if joint.mimic and joint.name not in gone["joints"] and joint.mimic.joint in gone["joints"]:
            raise InvalidMechanism(
                f"expected joint {joint.name!r} to go with {joint.mimic.joint!r}, which it mimics, "
                "got it left alone: remove it too, or lock it first"
            )
    notes = []
    for kind, name in _fastened(mechanism, gone):
        if name not in gone[kind]:
            gone[kind].add(name)
            notes.append(f"{kind[:-1]} {name!r} removed with what it was fixed to")
    return replace(
        mechanism,
        **{
            kind: tuple(part for part in getattr(mechanism, kind) if part.name not in gone[kind])
            for kind in KINDS[:-1]
        },
        keyframes=tuple(
            keyframe.without(gone["joints"])
            for keyframe in mechanism.keyframes
            if keyframe.name not in gone["keyframes"]
        ),
        notes=(*mechanism.notes, *notes),
    )


def _chosen(mechanism: Mechanism, names: tuple[str, ...], of: str | None) -> Gone:
    """Return the parts of these names, by kind."""
    known = names_of(mechanism, of)
    gone: Gone = {kind: set() for kind in KINDS}
    for name in names:
        kinds = known.get(name)
        if kinds is None:
            raise UnknownName(
                f"expected a name of {of or 'a part'} of {mechanism.name}, got {name!r} "
                f"({nearest(str(name), known)})"
            )
        # a joint with the name of its own child is the same branch
        same = kinds == ["links", "joints"] and mechanism.joint(name).child == name
        if len(kinds) > 1 and not same:
            raise InvalidMechanism(
                f"expected a name that one part of {mechanism.name} has, got {name!r} of "
                f"{' and '.join(kinds)}: say which with of="
            )
        gone[kinds[0]].add(name)
    return gone


def _fastened(mechanism: Mechanism, gone: Gone) -> Iterator[tuple[str, str]]:
    """Yield kind and name of whatever is fixed to links or joints that go."""
    links, joints = gone["links"], gone["joints"]

    def hangs(part: Any) -> bool:
        return part.first.link in links or part.second.link in links

    for frame in mechanism.frames:
        if frame.link in links:
            yield "frames", frame.name
    for loop in mechanism.loops:
        if hangs(loop):
            yield "loops", loop.name
    for coupling in mechanism.couplings:
        if {*coupling.joints} & joints:
            yield "couplings", coupling.name
    for actuator in mechanism.actuators:
        if {*actuator.joints} & joints or actuator.host in links:
            yield "actuators", actuator.name
    for spring in mechanism.springs:
        between = isinstance(spring, JointSpring)
        if {*spring.joints} & joints if between else hangs(spring):
            yield "springs", spring.name
