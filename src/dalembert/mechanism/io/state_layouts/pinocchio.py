"""States of Pinocchio.

Depth first, children by name; a continuous joint is (cos, sin); quaternions are (x, y, z, w); the
twist of a free joint is in the body, as ours is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dalembert.mechanism.io.state_layouts.convert import (
    Layout,
    Slot,
    convert,
    convert_back,
    covering,
    depth_first,
    find,
    sizes,
    stacked,
)
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class PinocchioJoint(Protocol):
    """Where a joint of Pinocchio is in its q and v."""

    idx_q: int
    nq: int
    idx_v: int
    nv: int


class PinocchioModel(Protocol):
    """What is asked of a `pinocchio.Model`."""

    nq: int
    nv: int
    names: Sequence[str]
    joints: Sequence[PinocchioJoint]


def to_pinocchio(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: PinocchioModel | None = None
) -> tuple[Array, Array]:
    """Return Pinocchio's q and v.

    Args:
        mechanism: whose state it is.
        q: configurations, (..., nq).
        v: velocities, (..., nv).
        model: a model whose joints are matched by name; without it the order is that of
            Pinocchio's URDF reader for the same tree.

    >>> from dalembert.mechanism import Builder
    >>> arm = Builder("arm").link("a", mass=1).continuous("j", "a").build()
    >>> to_pinocchio(arm, [0.0], [2.0])
    (array([1., 0.]), array([2.]))
    """
    return convert(mechanism, q, v, _layout(mechanism, model), _to)


def from_pinocchio(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: PinocchioModel | None = None
) -> tuple[Array, Array]:
    """Return our q and v from Pinocchio's; a continuous joint comes back within ±π."""
    return convert_back(mechanism, q, v, _layout(mechanism, model), _from)


def _layout(mechanism: Mechanism, model: PinocchioModel | None) -> Layout:
    joints = tuple(depth_first(mechanism, lambda joint: joint.child))
    if model is None:
        return stacked(joints, lambda j: 2 if j.kind is JointKind.CONTINUOUS else sizes(j)[0])
    names = {name: i for i, name in enumerate(model.names) if i}
    layout = Layout()
    for joint in joints:
        theirs = model.joints[find(names, joint.name)]
        layout[joint.name] = Slot(theirs.idx_q, theirs.nq, theirs.idx_v, theirs.nv)
    return covering(layout, mechanism, model.nq, model.nv)


def _to(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.is_scalar:
        return (np.concatenate([np.cos(q), np.sin(q)], axis=-1) if nq == 2 else q), v
    # w last
    return np.concatenate([q[..., :-4], q[..., -3:], q[..., -4:-3]], axis=-1), v


def _from(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.is_scalar:
        return (np.arctan2(q[..., 1:], q[..., :1]) if nq == 2 else q), v
    # w first
    return np.concatenate([q[..., :-4], q[..., -1:], q[..., -4:-1]], axis=-1), v
