"""The bodies of an MJCF file: links, with the massless ones between joints merged away."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.state_layouts.mujoco import require_mujoco_frames
from dalembert.mechanism.io.xml.xml import MAX_DEPTH
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.spatial.pose import Pose

WORLD = "world"
# mjMINVAL: a moving body needs more mass and inertia than this
SMALLEST = 1e-15


@dataclass
class Body:
    """A body: its placement in the parent at the reference position, and its joints.

    Each joint comes with X_CJ, its frame in the body at the reference position. The world has the
    name of the mechanism's root where that is "world", and none otherwise.
    """

    name: str | None
    placement: Pose = field(default_factory=Pose)
    joints: list[tuple[Joint, Pose]] = field(default_factory=list)
    children: list[Body] = field(default_factory=list)

    def names(self) -> Iterator[str]:
        """Yield the names of this body and of all below it."""
        if self.name is not None:
            yield self.name
        for child in self.children:
            yield from child.names()


def body_tree(mechanism: Mechanism, keep: Collection[str] = ()) -> Body:
    """Return the world with all bodies below it; links in ``keep`` are not merged.

    Raises:
        InvalidMechanism: MuJoCo has no such joint, or a body would move without inertia.
    """
    outgoing: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        _require_known(joint, mechanism)
        outgoing.setdefault(joint.parent, []).append(joint)
    _check_depth(mechanism, outgoing)

    def is_merged(joint: Joint) -> bool:
        following = outgoing.get(joint.child, [])
        return (
            joint.kind not in (JointKind.FIXED, JointKind.FLOATING)
            and len(following) == 1
            and following[0].kind not in (JointKind.FIXED, JointKind.FLOATING)
            and joint.child not in keep
            and mechanism.link(joint.child).is_massless
        )

    def body(joint: Joint) -> Body:
        chain = [joint]
        while is_merged(chain[-1]):
            chain += outgoing[chain[-1].child]
        name = chain[-1].child
        children = [body(j) for j in outgoing.get(name, [])]
        result = Body(name, *_chain_frames(chain), children=children)
        if result.joints and not _has_inertia(mechanism, result):
            raise InvalidMechanism(
                f"expected link {name!r} to have mass and inertia above {SMALLEST:g}, got less: "
                "MuJoCo needs them in every link that moves"
            )
        return result

    children = [body(joint) for joint in outgoing.get(mechanism.root, [])]
    if mechanism.root == WORLD:
        return Body(WORLD, children=children)
    if WORLD in (link.name for link in mechanism.links):
        raise InvalidMechanism(
            f"expected the root of {mechanism.name} to be the link 'world', got another link of "
            "that name, which MuJoCo keeps for itself: rename it"
        )
    # a root of another name is a body that does not move
    return Body(None, children=[Body(mechanism.root, children=children)])


def _check_depth(mechanism: Mechanism, outgoing: Mapping[str, Sequence[Joint]]) -> None:
    """Refuse chains of bodies that lie deeper inside each other than readers of XML allow."""
    level, depth = [mechanism.root], 0
    while level := [joint.child for link in level for joint in outgoing.get(link, ())]:
        depth += 1
    # within mujoco, worldbody and perhaps the root; a body has joints inside
    if depth + 4 > MAX_DEPTH:
        raise InvalidMechanism(
            f"expected chains of at most {MAX_DEPTH - 4} links to write MJCF, whose bodies lie "
            f"inside each other, got {depth} in {mechanism.name}: write .urdf, .sdf or .json"
        )


def _chain_frames(chain: list[Joint]) -> tuple[Pose, list[tuple[Joint, Pose]]]:
    """Return X_PC at the reference position, and each moving joint with its X_CJ there."""
    X_JC = Pose()
    joints: list[tuple[Joint, Pose]] = []
    for joint in reversed(chain):
        # X_JC = after · (placement · after of the joints behind)
        X_JC = joint.after @ X_JC
        if joint.kind is not JointKind.FIXED:
            joints.insert(0, (joint, X_JC.inverse()))
        X_JC = joint.placement @ X_JC
    return X_JC, joints


def _has_inertia(mechanism: Mechanism, body: Body) -> bool:
    """Tell whether a body, or one fixed to it, has mass and inertia."""
    assert body.name is not None
    inertia = mechanism.link(body.name).inertia.map(Fraction)
    if inertia.m > SMALLEST:
        moments = np.linalg.eigvalsh(np.array(inertia.about_com(), dtype=float))
        if moments[0] > SMALLEST:
            return True
    return any(_has_inertia(mechanism, child) for child in body.children if not child.joints)


def _require_known(joint: Joint, mechanism: Mechanism) -> None:
    if joint.kind is JointKind.HELICAL:
        raise InvalidMechanism(
            f"expected joints that MuJoCo has, got the helical joint {joint.name!r}: write it as a "
            "hinge and a slider with a coupling"
        )
    if not joint.is_scalar and joint.resistance.stiffness:
        raise InvalidMechanism(
            f"expected springs at scalar joints only, got one at {joint.kind.value} {joint.name!r}"
        )
    require_mujoco_frames(mechanism, joint)
