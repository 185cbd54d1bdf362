"""Which numbers of a mechanism may depend on ``da.time``.

Free to move by themselves are what closures ask for, where springs rest, how stiff they are, what
resists a joint, and gravity. Bodies and joints are not: a link whose frame moved in its joint would
have a velocity that is not in q̇. Such a motion is a joint of its own, with a drive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, free_symbols, time
from dalembert.mechanism.parts.spring import JointSpring
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

Numbers = Iterator[tuple[str, list[Any]]]


def check_time_dependence(mechanism: Mechanism) -> None:
    """Refuse a mechanism with the time in numbers that must be constant.

    Raises:
        InvalidMechanism: with the part, and what to do instead.
    """
    for where, numbers in _constants(mechanism):
        for x in numbers:
            if isinstance(x, Expr) and time in free_symbols([x]):
                raise InvalidMechanism(
                    f"expected constants for {where}, got {x}, which depends on the time: "
                    "prescribe motion by a joint with Builder.drive, or by a loop whose point "
                    "moves"
                )


def _constants(mechanism: Mechanism) -> Numbers:
    """Yield the numbers that must not depend on time, each with the part that they belong to."""
    for link in mechanism.links:
        m, h, I = link.inertia
        yield f"the inertia of link {link.name!r}", [m, *h, *I]
    for joint in mechanism.joints:
        mimic = () if joint.mimic is None else joint.mimic[1:]
        numbers = [*_entries(joint.placement), *_entries(joint.after), *joint.axis, *mimic]
        yield f"joint {joint.name!r}", [*numbers, *joint.numbers.values()]
    for frame in mechanism.frames:
        yield f"frame {frame.name!r}", _entries(frame.placement)
    for loop in mechanism.loops:
        turns = [x for end in (loop.first, loop.second) for row in end.placement.R for x in row]
        yield f"the axes of loop {loop.name!r}", turns
    for actuator in mechanism.actuators:
        yield (
            f"actuator {actuator.name!r}",
            [
                actuator.gear_ratio,
                actuator.rotor_inertia,
                *(k for _, k in actuator.others),
            ],
        )
    yield from _springs(mechanism)


def _springs(mechanism: Mechanism) -> Numbers:
    """Yield where springs with a damper or armature begin and end: these follow from q̇ alone."""
    for spring in mechanism.springs:
        yield f"the armature of spring {spring.name!r}", [spring.armature]
        kinds = {"a damper": spring.is_damped, "armature": not is_zero(spring.armature)}
        has = " and ".join(kind for kind, is_there in kinds.items() if is_there)
        if not has:
            continue
        if isinstance(spring, JointSpring):
            numbers = [*(k for _, k in spring.terms), spring.rest]
        else:
            numbers = _entries(spring.first.placement) + _entries(spring.second.placement)
        yield f"the ends of spring {spring.name!r}, which has {has}", numbers


def _entries(X: Pose) -> list[Any]:
    return [*X.p, *(x for row in X.R for x in row)]
