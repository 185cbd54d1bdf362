"""Joints and frames of a model by name: where their numbers stand in its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.mechanism import JointKind, Limits, Mechanism, Mimic

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True, eq=False)
class ModelJoint:
    """A joint of a model.

    ``q[..., joint.q]`` are its positions and ``v[..., joint.v]`` its velocities (and torques); of a
    fixed joint both are empty, of one that mimics another those of the joint that it follows, with
    q(joint) = ``multiplier`` · q + ``offset``. ``axis`` ``(3,)`` is in the joint's own frame.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    q: slice
    v: slice
    axis: Array
    limits: Limits
    mimic: Mimic | None
    multiplier: float
    offset: float

    @property
    def index(self) -> int:
        """The place of its first velocity in v."""
        return self.v.start


@dataclass(frozen=True, eq=False)
class ModelFrame:
    """A frame of a model: its link, the link's place in ``forward_kinematics(q)``, the pose X_LF.

    ``placement`` is ``(4, 4)``; of a link itself the identity.
    """

    name: str
    link: str
    index: int
    placement: Array


def joint_of(mechanism: Mechanism, name: str) -> ModelJoint:
    """Return a joint with its places in q and v.

    Raises:
        UnknownName: there is no such joint.
    """
    import numpy as np

    joint = mechanism.joint(name)
    master, k, c = mechanism.master_of(joint)
    before = mechanism.joints[: [j.name for j in mechanism.joints].index(master.name)]
    q, v = sum(j.nq for j in before), sum(j.nv for j in before)
    return ModelJoint(
        name,
        joint.kind,
        joint.parent,
        joint.child,
        slice(q, q + master.nq),
        slice(v, v + master.nv),
        np.array([float(x) for x in joint.axis]),
        joint.limits,
        joint.mimic,
        float(k),
        float(c),
    )


def frame_of(mechanism: Mechanism, name: str) -> ModelFrame:
    """Return a frame or link with its place.

    Raises:
        UnknownName: there is no such frame.
    """
    import numpy as np

    frame = mechanism.frame(name)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(frame.placement.R, float), np.array(frame.placement.p, float)
    index = [link.name for link in mechanism.links].index(frame.link)
    return ModelFrame(name, frame.link, index, X)


def keyframe_of(mechanism: Mechanism, name: str) -> Array:
    """Return q of a keyframe, ``(nq,)``, its quaternions of length 1 to rounding.

    Raises:
        UnknownName: there is no such keyframe.
    """
    import numpy as np

    keyframe, q = mechanism.keyframe(name), []
    for joint in mechanism.moving_joints:
        values = np.array(keyframe.configuration([joint]), dtype=float)
        if not joint.is_scalar:
            values[-4:] /= np.linalg.norm(values[-4:])
        q.append(values)
    return np.concatenate(q) if q else np.zeros(0)
