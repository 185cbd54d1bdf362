"""Convert states between layouts, joint by joint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName, nearest
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

    JointMap: TypeAlias = Callable[[Joint, Array, Array, int], tuple[Array, Array]]
    """From (joint, its numbers of q and of v, its size in q of the other engine) to the others."""


class Slot(NamedTuple):
    """Where a joint is in q and in v, and how many numbers it takes there."""

    q: int
    nq: int
    v: int
    nv: int


class Layout(dict[str, Slot]):
    """The slots of joints by their names."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Lengths of q and v."""
        return sum(slot.nq for slot in self.values()), sum(slot.nv for slot in self.values())


def convert(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, theirs: Layout, joint_map: JointMap
) -> tuple[Array, Array]:
    """Return a state of ours in another layout."""
    ours = stacked(mechanism.moving_joints, lambda joint: joint.nq)
    q, v = _checked(mechanism, q, v, ours, "q", "v")
    new_q, new_v = _empty(q, v, theirs)
    for joint in mechanism.joints:
        if joint.kind is JointKind.FIXED:
            continue
        to, (master, k, c) = theirs[joint.name], mechanism.master_of(joint)
        part_q, part_v = _part(q, v, ours[master.name])
        if joint.mimic:
            part_q, part_v = float(k) * part_q + float(c), float(k) * part_v
        part_q, part_v = joint_map(joint, part_q, part_v, to.nq)
        new_q[..., to.q : to.q + to.nq] = part_q
        new_v[..., to.v : to.v + to.nv] = part_v
    return new_q, new_v


def convert_back(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, theirs: Layout, joint_map: JointMap
) -> tuple[Array, Array]:
    """Return a state of another layout in ours."""
    ours = stacked(mechanism.moving_joints, lambda joint: joint.nq)
    q, v = _checked(mechanism, q, v, theirs, "the other engine's q", "the other engine's v")
    new_q, new_v = _empty(q, v, ours)
    for name, to in ours.items():
        at = theirs[name]
        part = joint_map(mechanism.joint(name), *_part(q, v, at), at.nq)
        new_q[..., to.q : to.q + to.nq], new_v[..., to.v : to.v + to.nv] = part
    return new_q, new_v


def stacked(joints: tuple[Joint, ...], nq: Callable[[Joint], int]) -> Layout:
    """Return the layout of joints one after another, each with ``nq(joint)`` numbers in q."""
    layout, q, v = Layout(), 0, 0
    for joint in joints:
        layout[joint.name] = slot = Slot(q, nq(joint), v, sizes(joint)[1])
        q, v = q + slot.nq, v + slot.nv
    return layout


def sizes(joint: Joint) -> tuple[int, int]:
    """Return how many numbers of q and v a joint takes, a mimic one too."""
    return (1, 1) if joint.is_scalar else (joint.nq, joint.nv)


def depth_first(mechanism: Mechanism, key: Callable[[Joint], str]) -> Iterator[Joint]:
    """Yield the joints that move, children in the order of ``key`` and then of the mechanism."""
    children: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    pending = sorted(children.get(mechanism.root, []), key=key)[::-1]
    while pending:
        joint = pending.pop()
        if joint.kind is not JointKind.FIXED:
            yield joint
        pending += sorted(children.get(joint.child, []), key=key)[::-1]


def find(names: dict[str, int], name: str) -> int:
    """Return the number of a joint in another engine's model."""
    if name not in names:
        raise UnknownName(
            f"expected a model with joint {name!r}, got none ({nearest(name, names)})"
        )
    return names[name]


def covering(layout: Layout, mechanism: Mechanism, nq: int, nv: int) -> Layout:
    """Return the layout; refuse a model with more joints than the mechanism has."""
    if layout.sizes != (nq, nv):
        raise InvalidMechanism(
            f"expected a model with the joints of {mechanism.name} ({layout.sizes[0]} positions, "
            f"{layout.sizes[1]} velocities), got {nq} and {nv}"
        )
    return layout


def _checked(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, layout: Layout, *names: str
) -> tuple[Array, Array]:
    arrays = []
    for value, size, name in zip((q, v), layout.sizes, names, strict=True):
        array = np.asarray(value, dtype=float)
        if array.ndim == 0 or array.shape[-1] != size:
            raise InvalidMechanism(
                f"expected {name} of {mechanism.name} with shape (..., {size}), got {array.shape}"
            )
        if not np.isfinite(array).all():
            raise EvaluationError(f"expected finite numbers in {name}, got NaN or infinity")
        arrays.append(array)
    return arrays[0], arrays[1]


def _empty(q: Array, v: Array, layout: Layout) -> tuple[Array, Array]:
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    nq, nv = layout.sizes
    return np.empty((*batch, nq)), np.empty((*batch, nv))


def _part(q: Array, v: Array, at: Slot) -> tuple[Array, Array]:
    return q[..., at.q : at.q + at.nq], v[..., at.v : at.v + at.nv]
