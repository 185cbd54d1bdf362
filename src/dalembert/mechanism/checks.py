"""Check that links and joints form a tree, and that every name is one of the mechanism."""

from __future__ import annotations

import re
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from dalembert.errors import InvalidMechanism, nearest
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, Mimic
from dalembert.mechanism.parts.link import Frame
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.shape import GEOMETRIES, Mesh, Shape, is_colour
from dalembert.mechanism.parts.spring import JointSpring
from dalembert.spatial.pose import Pose

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

MAX_NAME = 2000
SURROGATE = re.compile("[\ud800-\udfff]")


def sorted_tree(mechanism: Mechanism) -> tuple[Joint, ...]:
    """Check that the joints form a tree from the root and return parents before children."""
    _check_kinds(mechanism)
    _check_shapes(mechanism)
    _check_names(mechanism)
    names = [link.name for link in mechanism.links]
    known = set(names)
    _require_distinct(names, "link", mechanism.name)
    _require_distinct([j.name for j in mechanism.joints], "joint", mechanism.name)
    for joint in mechanism.joints:
        for end in (joint.parent, joint.child):
            if end not in known:
                raise InvalidMechanism(
                    f"expected joint {joint.name!r} between links of {mechanism.name}, "
                    f"got {end!r} ({nearest(end, names)})"
                )
    _check_parents(mechanism)
    ordered = _parents_first(mechanism)
    placed = {names[0], *(joint.child for joint in ordered)}
    if len(ordered) < len(mechanism.joints):
        other = next(joint for joint in mechanism.joints if joint.child not in placed)
        raise InvalidMechanism(
            f"expected every link to hang on {names[0]!r}, got a separate part or a ring with "
            f"{other.child!r}: connect it, or close rings with a loop"
        )
    missing = [name for name in names if name not in placed]
    if missing:
        raise InvalidMechanism(
            f"expected every link to hang on {names[0]!r}, got {missing[0]!r} without a joint"
        )
    _check_mimics(mechanism)
    _check_references(mechanism)
    return ordered


def _parents_first(mechanism: Mechanism) -> tuple[Joint, ...]:
    """Return the joints that hang on the root, in file order as far as the tree allows."""
    joints = mechanism.joints
    below: dict[str, list[int]] = {}
    for i, joint in enumerate(joints):
        below.setdefault(joint.parent, []).append(i)
    # of the joints whose parents are placed, the first in the file comes next
    ready, ordered = list(below.get(mechanism.root, ())), []
    while ready:
        joint = joints[heappop(ready)]
        ordered.append(joint)
        for i in below.get(joint.child, ()):
            heappush(ready, i)
    return tuple(ordered)


def check_parts(mechanism: Mechanism) -> None:
    """Check actuators and springs, and that what spins is a rotor."""
    links, joints = mechanism._links, mechanism._joints
    for parts, what in (
        (mechanism.actuators, "actuator"),
        (mechanism.springs, "spring"),
        (mechanism.keyframes, "keyframe"),
    ):
        _require_distinct([part.name for part in parts], what, mechanism.name)
        for part in parts:
            part.check(joints, links, mechanism.name)
    for joint in mechanism.joints:
        joint.resistance.check(f"joint {joint.name!r}")
        # a rotor: inertia about one coordinate axis, the joint's, and nothing else
        m, h, I = links[joint.child].inertia
        about = dict(zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), I, strict=False))
        others = [k for a, k in about.items() if a != tuple(abs(x) for x in joint.axis)]
        if joint.spins and (len(others) != 2 or any(k != 0 for k in (m, *h, *others, *I[3:]))):
            raise InvalidMechanism(
                f"expected a link with inertia about the axis alone behind joint {joint.name!r}, "
                f"which spins, got {joint.child!r}: let the joint turn instead"
            )


def _check_kinds(mechanism: Mechanism) -> None:
    """Refuse parts of joints and frames that are something else."""
    kinds = {
        "kind": JointKind,
        "placement": Pose,
        "after": Pose,
        "limits": Limits,
        "mimic": Mimic | None,
        "resistance": Resistance,
        "spins": bool,
        "passive": bool,
    }
    ends = [end for loop in mechanism.loops for end in (loop.first, loop.second)]
    found = [(j, key, kind) for j in mechanism.joints for key, kind in kinds.items()]
    found += [(frame, "placement", Pose) for frame in (*mechanism.frames, *ends)]
    found += [(actuator, "gyroscopic", bool) for actuator in mechanism.actuators]
    for part, key, kind in found:
        if not isinstance(getattr(part, key), kind):
            raise InvalidMechanism(
                f"expected {key} of {part.name!r} to be {getattr(kind, '__name__', kind)}, got "
                f"{getattr(part, key)!r:.60}"
            )


def _check_shapes(mechanism: Mechanism) -> None:
    """Refuse shapes that are none, vectors of other lengths, and colours that are no colours."""
    for link in mechanism.links:
        for shape in link.shapes:
            if (
                not isinstance(shape, Shape)
                or not isinstance(shape.geometry, tuple(GEOMETRIES.values()))
                or not isinstance(shape.placement, Pose)
                or not isinstance(shape.name, str)
            ):
                raise InvalidMechanism(
                    f"expected a Shape with a geometry and a Pose on link {link.name!r}, got "
                    f"{shape!r:.60}"
                )
            for name, value in shape.geometry.numbers.items():
                if isinstance(value, tuple) and len(value) != 3:
                    raise InvalidMechanism(
                        f"expected three numbers for {name} of a shape of link {link.name!r}, got "
                        f"{len(value)}"
                    )
            if shape.colour is not None and not is_colour(shape.colour):
                raise InvalidMechanism(
                    f"expected red, green, blue and opacity from 0 to 1 for a shape of link "
                    f"{link.name!r}, got {shape.colour!r:.60}"
                )


def _check_names(mechanism: Mechanism) -> None:
    """Refuse names that are no text, or hold what no file can: half a surrogate pair."""
    m = mechanism
    ends = [end for loop in m.loops for end in (loop.first, loop.second)]
    ends += [x for spring in m.springs for x in spring[1:3] if isinstance(x, Frame)]
    parts = (*m.links, *m.joints, *m.frames, *m.loops, *ends, *m.couplings)
    names = [m.name, *(part.name for part in (*parts, *m.actuators, *m.springs, *m.keyframes))]
    shapes = [shape for link in m.links for shape in link.shapes]
    names += [shape.name for shape in shapes]
    names += [shape.geometry.file for shape in shapes if isinstance(shape.geometry, Mesh)]
    # and the names that others are called by
    names += [x for j in m.joints for x in (j.parent, j.child)]
    names += [j.mimic.joint for j in m.joints if j.mimic is not None]
    names += [frame.link for frame in (*m.frames, *ends)]
    names += [x for c in m.couplings for x in c.joints]
    names += [x for a in m.actuators for x in (*a.joints, a.host) if x is not None]
    names += [joint for x in m.keyframes for joint, _ in x.positions]
    names += [x for s in m.springs if isinstance(s, JointSpring) for x in s.joints]
    for name in names:
        if not isinstance(name, str) or len(name) > MAX_NAME or SURROGATE.search(name):
            raise InvalidMechanism(
                f"expected names that are text of at most {MAX_NAME} characters, got "
                f"{str(name)[:40]!r}: rename it"
            )


def _require_distinct(names: list[str], what: str, where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidMechanism(
                f"expected distinct {what} names in {where}, got {name!r} twice: rename one"
            )
        seen.add(name)


def _check_parents(mechanism: Mechanism) -> None:
    parent: dict[str, str] = {}
    for joint in mechanism.joints:
        if joint.child in parent:
            raise InvalidMechanism(
                f"expected one parent joint for link {joint.child!r}, got {parent[joint.child]!r} "
                f"and {joint.name!r}: close the ring with a loop instead"
            )
        if joint.child == mechanism.links[0].name:
            raise InvalidMechanism(
                f"expected the root {joint.child!r} to have no parent, got joint {joint.name!r}"
            )
        parent[joint.child] = joint.name


def _check_references(mechanism: Mechanism) -> None:
    """Check that frames, loops and couplings name links and joints that exist."""
    links = {link.name: link for link in mechanism.links}
    ends = [frame for loop in mechanism.loops for frame in (loop.first, loop.second)]
    for frame in (*mechanism.frames, *ends):
        if frame.link not in links:
            raise InvalidMechanism(
                f"expected frame {frame.name!r} on a link of {mechanism.name}, got {frame.link!r} "
                f"({nearest(frame.link, links)})"
            )
    free = {j.name: j for j in mechanism.joints if j.is_scalar and not j.mimic}
    for coupling in mechanism.couplings:
        for name in coupling.joints:
            if name not in free:
                raise InvalidMechanism(
                    f"expected coupling {coupling.name!r} between scalar joints of "
                    f"{mechanism.name} that move freely, got {name!r} ({nearest(name, free)})"
                )


def _check_mimics(mechanism: Mechanism) -> None:
    joints = {j.name: j for j in mechanism.joints}
    # joints whose chain is known to end at one that moves freely
    sound: set[str] = set()
    for joint in mechanism.joints:
        chain: dict[str, Joint] = {}
        at = joint
        while at.mimic and at.name not in sound:
            chain[at.name] = at
            master = joints.get(at.mimic.joint)
            if master is None or not master.is_scalar:
                raise InvalidMechanism(
                    f"expected joint {at.name!r} to mimic a scalar joint of {mechanism.name}, got "
                    f"{at.mimic.joint!r} ({nearest(at.mimic.joint, joints)})"
                )
            if master.name in chain:
                raise InvalidMechanism(
                    f"expected joint {joint.name!r} to mimic another joint, got a ring through "
                    f"{master.name!r}: let one of them move freely"
                )
            at = master
        sound.update(chain)
