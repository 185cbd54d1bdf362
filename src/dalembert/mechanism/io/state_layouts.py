"""States in the layouts of MuJoCo and Pinocchio.

Ours, in the order of `Mechanism.joints`: one number for a scalar joint, a quaternion (w, x, y, z)
with the angular velocity in the body for a spherical one, position and quaternion with the twist
(linear, angular) in the body for a floating one. A mimic joint has no place; in both other engines
it has, and it gets the position that its relation demands.

MuJoCo: depth first; continuous: the angle; quaternion (w, x, y, z); the linear velocity of a free
joint is in world axes, the angular one in the body. Pinocchio: depth first, children by name;
continuous: (cos, sin); quaternion (x, y, z, w); the twist of a free joint is in the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName, nearest
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.spatial.vectors import IDENTITY

Array = NDArray[np.float64]


class Slot(NamedTuple):
    """Where a joint is in q and in v, and how many numbers of q it takes."""

    q: int
    nq: int
    v: int
    nv: int


Layout = dict[str, Slot]


def to_mujoco(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: Any = None
) -> tuple[Array, Array]:
    """Return qpos and qvel.

    Args:
        mechanism: whose state it is.
        q: configurations, (..., nq).
        v: velocities, (..., nv).
        model: an `mujoco.MjModel` whose joints are matched by name; without it the order is that
            of MuJoCo for the same tree.
    """
    theirs = _mujoco_layout(mechanism, model)
    return _convert(mechanism, q, v, theirs, _joint_to_mujoco)


def from_mujoco(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: Any = None
) -> tuple[Array, Array]:
    """Return our q and v from MuJoCo's qpos and qvel; see `to_mujoco`."""
    theirs = _mujoco_layout(mechanism, model)
    return _convert_back(mechanism, q, v, theirs, _joint_from_mujoco)


def to_pinocchio(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: Any = None
) -> tuple[Array, Array]:
    """Return Pinocchio's q and v; ``model`` is a `pinocchio.Model`; see `to_mujoco`.

    >>> from dalembert.mechanism import Builder
    >>> arm = Builder("arm").link("a", mass=1).continuous("j", "a").build()
    >>> to_pinocchio(arm, [0.0], [2.0])
    (array([1., 0.]), array([2.]))
    """
    theirs = _pinocchio_layout(mechanism, model)
    return _convert(mechanism, q, v, theirs, _joint_to_pinocchio)


def from_pinocchio(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: Any = None
) -> tuple[Array, Array]:
    """Return our q and v from Pinocchio's; a continuous joint comes back within ±π."""
    theirs = _pinocchio_layout(mechanism, model)
    return _convert_back(mechanism, q, v, theirs, _joint_from_pinocchio)


# one joint: its numbers in one layout to its numbers in the other


def _joint_to_mujoco(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.kind is not JointKind.FLOATING:
        return q, v
    p, quaternion = q[..., :3], q[..., 3:]
    # X_WC = placement · X(q)
    R = np.array(joint.placement.R, dtype=float)
    base = quaternion_from_matrix(R)
    p = np.array(joint.placement.p, dtype=float) + p @ R.T
    quaternion = _product(base, quaternion)
    u = _rotate(quaternion, v[..., :3])
    return _joined(p, quaternion), _joined(u, v[..., 3:])


def _joint_from_mujoco(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.kind is not JointKind.FLOATING:
        return q, v
    p, quaternion = q[..., :3], q[..., 3:]
    u = _rotate(_conjugate(quaternion), v[..., :3])
    R = np.array(joint.placement.R, dtype=float)
    p = (p - np.array(joint.placement.p, dtype=float)) @ R
    quaternion = _product(_conjugate(quaternion_from_matrix(R)), quaternion)
    return _joined(p, quaternion), _joined(u, v[..., 3:])


def _joint_to_pinocchio(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.is_scalar and nq == 2:
        return _joined(np.cos(q), np.sin(q)), v
    if joint.is_scalar:
        return q, v
    # scalar last
    return _joined(q[..., :-4], np.roll(q[..., -4:], -1, axis=-1)), v


def _joint_from_pinocchio(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.is_scalar and nq == 2:
        return np.arctan2(q[..., 1:], q[..., :1]), v
    if joint.is_scalar:
        return q, v
    return _joined(q[..., :-4], np.roll(q[..., -4:], 1, axis=-1)), v


# all joints

JointMap = Callable[[Joint, Array, Array, int], tuple[Array, Array]]


def _convert(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, theirs: Layout, joint_map: JointMap
) -> tuple[Array, Array]:
    ours = _our_layout(mechanism)
    q, v = _checked(mechanism, q, v, ours, "q", "v")
    new_q, new_v = _empty(q, v, theirs)
    for joint in mechanism.joints:
        if joint.kind is JointKind.FIXED:
            continue
        to, (master, k, c) = theirs[joint.name], _followed(mechanism, joint)
        at = ours[master.name]
        part_q, part_v = _part(q, at.q, at.nq), _part(v, at.v, at.nv)
        if joint.mimic:
            part_q, part_v = k * part_q + c, k * part_v
        part_q, part_v = joint_map(joint, part_q, part_v, to.nq)
        new_q[..., to.q : to.q + to.nq] = part_q
        new_v[..., to.v : to.v + to.nv] = part_v
    return new_q, new_v


def _convert_back(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, theirs: Layout, joint_map: JointMap
) -> tuple[Array, Array]:
    ours = _our_layout(mechanism)
    q, v = _checked(mechanism, q, v, theirs, "the other engine's q", "the other engine's v")
    new_q, new_v = _empty(q, v, ours)
    for name, to in ours.items():
        at, joint = theirs[name], mechanism.joint(name)
        part = joint_map(joint, _part(q, at.q, at.nq), _part(v, at.v, at.nv), at.nq)
        new_q[..., to.q : to.q + to.nq], new_v[..., to.v : to.v + to.nv] = part
    return new_q, new_v


def _our_layout(mechanism: Mechanism) -> Layout:
    layout, q, v = {}, 0, 0
    for joint in mechanism.moving_joints:
        layout[joint.name] = Slot(q, joint.nq, v, joint.nv)
        q, v = q + joint.nq, v + joint.nv
    return layout


def _mujoco_layout(mechanism: Mechanism, model: Any) -> Layout:
    joints = list(_depth_first(mechanism, lambda joint: 0))
    for joint in joints:
        require_mujoco_frames(mechanism, joint)
    if model is None:
        return _stacked(joints, lambda joint: _sizes(joint)[0])
    names = {model.joint(i).name or f"joint{i}": i for i in range(model.njnt)}
    layout = {}
    for joint in joints:
        i = _find(names, joint.name)
        nq, nv = _sizes(joint)
        layout[joint.name] = Slot(int(model.jnt_qposadr[i]), nq, int(model.jnt_dofadr[i]), nv)
    return _covering(layout, mechanism, model.nq, model.nv)


def _pinocchio_layout(mechanism: Mechanism, model: Any) -> Layout:
    joints = list(_depth_first(mechanism, lambda joint: joint.child))
    if model is None:
        return _stacked(joints, lambda j: 2 if j.kind is JointKind.CONTINUOUS else _sizes(j)[0])
    names = {name: i for i, name in enumerate(model.names) if i}
    layout = {}
    for joint in joints:
        theirs = model.joints[_find(names, joint.name)]
        layout[joint.name] = Slot(theirs.idx_q, theirs.nq, theirs.idx_v, theirs.nv)
    return _covering(layout, mechanism, model.nq, model.nv)


def _stacked(joints: list[Joint], nq: Callable[[Joint], int]) -> Layout:
    layout, q, v = {}, 0, 0
    for joint in joints:
        layout[joint.name] = slot = Slot(q, nq(joint), v, _sizes(joint)[1])
        q, v = q + slot.nq, v + slot.nv
    return layout


def _depth_first(mechanism: Mechanism, key: Callable[[Joint], Any]) -> Iterator[Joint]:
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


def _sizes(joint: Joint) -> tuple[int, int]:
    """Return the sizes of a joint, a mimic one too."""
    return (1, 1) if joint.is_scalar else (joint.nq, joint.nv)


def _followed(mechanism: Mechanism, joint: Joint) -> tuple[Joint, float, float]:
    """Return the joint at the end of a mimic chain, with q = k q(joint) + c."""
    k, c = 1.0, 0.0
    while joint.mimic:
        k, c = k * float(joint.mimic.multiplier), c + k * float(joint.mimic.offset)
        joint = mechanism.joint(joint.mimic.joint)
    return joint, k, c


# checks


def require_mujoco_frames(mechanism: Mechanism, joint: Joint) -> None:
    """Refuse what no joint of MuJoCo can be."""
    if joint.kind is JointKind.FLOATING and (
        joint.parent != mechanism.root or not joint.after.is_identity
    ):
        raise InvalidMechanism(
            f"expected floating joint {joint.name!r} to hang on {mechanism.root!r} and to end in "
            "the frame of its link, as MuJoCo's free joints do"
        )
    if joint.kind is JointKind.SPHERICAL and joint.after.R != IDENTITY:
        raise InvalidMechanism(
            f"expected spherical joint {joint.name!r} to end with the axes of its link, as "
            "MuJoCo's ball joints do"
        )


def _find(names: dict[str, int], name: str) -> int:
    if name not in names:
        raise UnknownName(
            f"expected a model with joint {name!r}, got none ({nearest(name, names)})"
        )
    return names[name]


def _covering(layout: Layout, mechanism: Mechanism, nq: int, nv: int) -> Layout:
    total = (sum(s.nq for s in layout.values()), sum(s.nv for s in layout.values()))
    if total != (nq, nv):
        raise InvalidMechanism(
            f"expected a model with the joints of {mechanism.name} ({total[0]} positions, "
            f"{total[1]} velocities), got {nq} and {nv}"
        )
    return layout


def _checked(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, layout: Layout, *names: str
) -> tuple[Array, Array]:
    sizes = (sum(s.nq for s in layout.values()), sum(s.nv for s in layout.values()))
    arrays = []
    for value, size, name in zip((q, v), sizes, names, strict=True):
        array = np.asarray(value, dtype=float)
        if array.ndim == 0 or array.shape[-1] != size:
            raise InvalidMechanism(
                f"expected {name} of {mechanism.name} with shape (..., {size}), got {array.shape}"
            )
        if not np.isfinite(array).all():
            raise EvaluationError(f"expected finite numbers in {name}, got NaN or infinity")
        arrays.append(array)
    return arrays[0], arrays[1]


# arrays


def _empty(q: Array, v: Array, layout: Layout) -> tuple[Array, Array]:
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    nq = sum(slot.nq for slot in layout.values())
    nv = sum(slot.nv for slot in layout.values())
    return np.empty((*batch, nq)), np.empty((*batch, nv))


def _part(x: Array, start: int, size: int) -> Array:
    return x[..., start : start + size]


def _joined(a: Array, b: Array) -> Array:
    batch = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in (a, b)], axis=-1)


def _conjugate(a: Array) -> Array:
    return a * np.array([1.0, -1.0, -1.0, -1.0])


def _product(a: Array, b: Array) -> Array:
    """Return the quaternion a b."""
    w = a[..., :1] * b[..., :1] - (a[..., 1:] * b[..., 1:]).sum(-1, keepdims=True)
    x = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return _joined(w, x)


def _rotate(a: Array, u: Array) -> Array:
    """Return R(a) u for quaternions of any length: u + 2 x × (x × u + w u) / aᵀa."""
    size = (a * a).sum(-1, keepdims=True)
    if not size.all():
        raise EvaluationError("expected quaternions with a direction, got (0, 0, 0, 0)")
    w, x = a[..., :1], a[..., 1:]
    return u + 2 * np.cross(x, np.cross(x, u) + w * u) / size


def quaternion_from_matrix(R: Array) -> Array:
    """Return the unit quaternion of a rotation matrix, by its largest component (Shepperd)."""
    xx, yy, zz = np.diag(R)
    # 4 a aᵀ, from which the longest row is taken
    K = np.array(
        [
            [1 + xx + yy + zz, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + xx - yy - zz, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - xx + yy - zz, R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - xx - yy + zz],
        ]
    )
    row = K[np.argmax(np.diag(K))]
    return row / np.linalg.norm(row)
