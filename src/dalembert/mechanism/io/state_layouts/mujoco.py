"""States of MuJoCo.

Depth first; a continuous joint is its angle; quaternions are (w, x, y, z); the position of a free
joint is that of its body in the world, its linear velocity in world axes, the angular one in the
body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dalembert.errors import EvaluationError, InvalidMechanism
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
from dalembert.spatial.arrays import assemble, to_quaternion, to_vec
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.rotation.quaternion import Quaternion
from dalembert.spatial.vectors import IDENTITY, add, rotate, sub, unrotate

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class Named(Protocol):
    """What a model of MuJoCo gives for a joint."""

    name: str


class MujocoModel(Protocol):
    """What is asked of an `mujoco.MjModel`."""

    nq: int
    nv: int
    njnt: int
    jnt_qposadr: Sequence[int]
    jnt_dofadr: Sequence[int]

    def joint(self, number: int, /) -> Named: ...


def to_mujoco(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: MujocoModel | None = None
) -> tuple[Array, Array]:
    """Return MuJoCo's qpos and qvel.

    Args:
        mechanism: whose state it is.
        q: configurations, (..., nq).
        v: velocities, (..., nv).
        model: a model whose joints are matched by name; without it the order is that of MuJoCo for
            the same tree.
    """
    return convert(mechanism, q, v, _layout(mechanism, model), _to)


def from_mujoco(
    mechanism: Mechanism, q: ArrayLike, v: ArrayLike, *, model: MujocoModel | None = None
) -> tuple[Array, Array]:
    """Return our q and v from MuJoCo's qpos and qvel; see `to_mujoco`."""
    return convert_back(mechanism, q, v, _layout(mechanism, model), _from)


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


def _layout(mechanism: Mechanism, model: MujocoModel | None) -> Layout:
    joints = tuple(depth_first(mechanism, lambda joint: ""))
    for joint in joints:
        require_mujoco_frames(mechanism, joint)
    if model is None:
        return stacked(joints, lambda joint: sizes(joint)[0])
    names = {model.joint(i).name or f"joint{i}": i for i in range(model.njnt)}
    layout = Layout()
    for joint in joints:
        i = find(names, joint.name)
        nq, nv = sizes(joint)
        layout[joint.name] = Slot(int(model.jnt_qposadr[i]), nq, int(model.jnt_dofadr[i]), nv)
    return covering(layout, mechanism, model.nq, model.nv)


def _to(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.kind is not JointKind.FLOATING:
        return q, v
    p, a, u = to_vec(q[..., :3]), to_quaternion(q[..., 3:]), to_vec(v[..., :3])
    # X_WC = placement · X(q)
    R, p0 = joint.placement.map(float)
    p, a = add(p0, rotate(R, p)), quaternion.product(quaternion.from_matrix(R), a)
    # to world axes
    u = quaternion.rotate(_unit(a), u)
    return assemble((*p, *a)), assemble((*u, *to_vec(v[..., 3:])))


def _from(joint: Joint, q: Array, v: Array, nq: int) -> tuple[Array, Array]:
    if joint.kind is not JointKind.FLOATING:
        return q, v
    p, a, u = to_vec(q[..., :3]), to_quaternion(q[..., 3:]), to_vec(v[..., :3])
    # to the axes of the body
    u = quaternion.rotate(quaternion.conjugate(_unit(a)), u)
    # X(q) = placement⁻¹ · X_WC
    R, p0 = joint.placement.map(float)
    base = quaternion.conjugate(quaternion.from_matrix(R))
    p, a = unrotate(R, sub(p, p0)), quaternion.product(base, a)
    return assemble((*p, *a)), assemble((*u, *to_vec(v[..., 3:])))


def _unit(a: Quaternion) -> Quaternion:
    if not np.any(a, axis=0).all():
        raise EvaluationError("expected quaternions with a direction, got (0, 0, 0, 0)")
    return quaternion.normalise(a)
