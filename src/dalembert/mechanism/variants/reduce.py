"""A mechanism without fixed joints: links that do not move against each other are one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.closure import Loop
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.link import Frame
from dalembert.mechanism.parts.spring import Bushing, JointSpring, PointSpring, Spring
from dalembert.mechanism.variants.lock import CLOSED_TOLERANCE
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, rotate

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

Fastened = TypeVar("Fastened", Loop, PointSpring | Bushing)
Carried = Mapping[str, tuple[str, Pose]]
"""For each link the link that carries it, and where on it; a link that moves carries itself."""


def reduced(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with links behind fixed joints joined to those that carry them.

    Motions, q and their order stay the same. The name of a link that was joined is a frame where
    the link was; what was fixed to it is fixed to its carrier. Loops and springs whose ends are
    then on one link are left out with a note.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.planar_arm_nr(3).lock("joint2").reduce()
    >>> [link.name for link in arm.links], arm.frame("link2").link
    (['world', 'link1', 'link3'], 'link1')
    """
    links = {link.name: link for link in mechanism.links}
    carried: dict[str, tuple[str, Pose]] = {mechanism.root: (mechanism.root, Pose())}
    joints: list[Joint] = []
    for joint in mechanism.joints:
        base, X = carried[joint.parent]
        at = X @ joint.placement
        if joint.kind is not JointKind.FIXED:
            carried[joint.child] = joint.child, Pose()
            joints.append(replace(joint, parent=base, placement=at))
            continue
        # one body with its carrier
        X_BC = at @ joint.after
        carried[joint.child] = base, X_BC
        own, load = links[base], links.pop(joint.child)
        links[base] = replace(
            own,
            inertia=own.inertia + load.inertia.moved(X_BC),
            has_inertia=own.has_inertia or load.has_inertia,
            visuals=(*own.visuals, *(shape.moved(X_BC) for shape in load.visuals)),
            collisions=(*own.collisions, *(shape.moved(X_BC) for shape in load.collisions)),
        )
    named = {frame.name for frame in mechanism.frames}
    places = [
        Frame(name, base, X)
        for name, (base, X) in carried.items()
        if name not in links and name not in named
    ]
    notes: list[str] = []
    loops = [_ends(loop, carried) for loop in mechanism.loops]
    springs = [
        spring if isinstance(spring, JointSpring) else _ends(spring, carried)
        for spring in mechanism.springs
    ]
    for loop in loops:
        _require_closed(loop)
    return replace(
        mechanism,
        links=tuple(links.values()),
        joints=tuple(joints),
        frames=(*(_frame(frame, carried) for frame in mechanism.frames), *places),
        loops=tuple(x for x in loops if not _is_still(x, "loop", notes)),
        actuators=tuple(_actuator(a, mechanism, carried) for a in mechanism.actuators),
        springs=tuple(x for x in springs if not _is_still(x, "spring", notes)),
        notes=(*mechanism.notes, *notes),
    )


def _is_still(part: Loop | Spring, what: str, notes: list[str]) -> bool:
    """Tell whether both ends of a part are on one link, where it does nothing; note it."""
    if isinstance(part, JointSpring) or part.first.link != part.second.link:
        return False
    notes.append(f"{what} {part.name!r} left out: both ends are on link {part.first.link!r}")
    return True


def _require_closed(loop: Loop) -> None:
    """Refuse a loop whose ends are on one link and apart: nothing could close it."""
    if loop.first.link != loop.second.link:
        return
    R, p = loop.first.placement.inverse() @ loop.second.placement
    gaps = [*p]
    if loop.kind == "frame":
        gaps += [R[i][j] - IDENTITY[i][j] for i in range(3) for j in range(3)]
    gap = max((abs(x) for x in gaps if not isinstance(x, Expr)), default=0)
    if gap > CLOSED_TOLERANCE:
        raise InvalidMechanism(
            f"expected loop {loop.name!r} closed on link {loop.first.link!r}, got ends "
            f"{float(gap):.6g} apart: lock the joints where it closes, or remove it"
        )


def _frame(frame: Frame, carried: Carried) -> Frame:
    base, X = carried[frame.link]
    return frame._replace(link=base, placement=X @ frame.placement)


def _ends(part: Fastened, carried: Carried) -> Fastened:
    return part._replace(first=_frame(part.first, carried), second=_frame(part.second, carried))


def _actuator(actuator: Actuator, mechanism: Mechanism, carried: Carried) -> Actuator:
    """Return an actuator whose rotor is in the link that carries its host."""
    if actuator.host is None and actuator.axis is None:
        return actuator
    driven = mechanism.joint(actuator.joint)
    base, X = carried[actuator.host or driven.parent]
    axis = actuator.axis or rotate(driven.placement.R, driven.axis)
    return replace(actuator, host=actuator.host and base, axis=rotate(X.R, axis))
