"""The points of a mechanism or system in space, and which of them are joined by lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.mechanism import Frame, JointKind, Mechanism
from dalembert.model import Model

if TYPE_CHECKING:
    from dalembert.types import Array

MAX_LABELS = 12
TURNING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.SPHERICAL)
"""Joints whose child keeps its origin."""
RIGID = 1e-6
"""Relative change of a distance up to which it counts as that of a rod."""


class Skeleton(NamedTuple):
    """Points ``(N, P, 3)`` in metres at N configurations, and what is drawn of them.

    ``lines`` are pairs of points; ``joints`` and ``masses`` are points with a mark, ``fixed`` those
    that belong to the ground; ``labels`` are names by point; ``tip`` is the point whose path is of
    interest; ``origin`` says in words where the points come from.
    """

    points: Array
    lines: tuple[tuple[int, int], ...]
    joints: tuple[int, ...]
    masses: tuple[int, ...]
    fixed: tuple[int, ...]
    labels: dict[int, str]
    tip: int
    origin: str


def of_mechanism(mechanism: Mechanism, model: Model, q: Array, tip: str) -> Skeleton:
    """Return the origins of links, frames, closures and the centres of mass of the last links."""
    links = {link.name: i for i, link in enumerate(model.mechanism.links)}
    poses = np.asarray(model.forward_kinematics(np.atleast_2d(q)))
    points = [poses[:, i, :3, 3] for i in range(len(links))]
    fixed = _ground(mechanism, links)
    # the ground between its pivots is no rod, nor is what lies between it and a free body
    lines = [
        (links[joint.parent], links[joint.child])
        for joint in mechanism.joints
        if joint.kind is not JointKind.FLOATING
        and not (joint.parent == mechanism.root and links[joint.child] in fixed)
    ]
    frames = [*model.mechanism.frames]
    frames += [end for loop in model.mechanism.loops for end in (loop.first, loop.second)]
    for frame in frames:
        lines.append((links[frame.link], len(points)))
        points.append(_placed(poses[:, links[frame.link]], frame))
    end = links.get(tip, len(links) + _place(model.mechanism.frames, tip))
    parents = {joint.parent for joint in mechanism.joints} | {frame.link for frame in frames}
    masses = []
    for link in model.mechanism.links[1:]:
        # a link that carries nothing is drawn to its centre of mass
        if link.name not in parents and not link.is_massless:
            com = np.array([float(x) for x in link.inertia.com()])
            lines.append((links[link.name], len(points)))
            masses.append(len(points))
            points.append(_moved(poses[:, links[link.name]], com))
    joints = [links[joint.child] for joint in mechanism.joints if joint.nv]
    return Skeleton(
        np.stack(points, axis=1),
        tuple(line for line in dict.fromkeys(lines) if line[0] != line[1]),
        tuple(joints),
        tuple(masses),
        fixed,
        _joint_labels(mechanism, links),
        end,
        "its kinematics",
    )


def _ground(mechanism: Mechanism, links: Mapping[str, int]) -> tuple[int, ...]:
    """Return the points of the ground: its pivots where it has several, else its origin.

    A mechanism that is free in space has none.
    """
    held = [joint for joint in mechanism.joints if joint.parent == mechanism.root]
    if held and all(joint.kind is JointKind.FLOATING for joint in held):
        return ()
    pivots = tuple(links[joint.child] for joint in held if joint.kind in TURNING)
    return pivots if len(pivots) > 1 else (0,)


def _joint_labels(mechanism: Mechanism, links: Mapping[str, int]) -> dict[int, str]:
    """Return q1, q2, … at the joints with one coordinate; none where there are too many."""
    labels, place = {}, 0
    for joint in mechanism.joints:
        if joint.nv == 1:
            labels[links[joint.child]] = f"q{place + 1}"
        place += joint.nv
    return labels if len(labels) <= MAX_LABELS else {}


def _place(frames: Sequence[Frame], name: str) -> int:
    return next((i for i, frame in enumerate(frames) if frame.name == name), 0)


def _placed(X: Array, frame: Frame) -> Array:
    return _moved(X, np.array([float(x) for x in frame.placement.p]))


def _moved(X: Array, p: Array) -> Array:
    return X[:, :3, :3] @ p + X[:, :3, 3]


def of_points(points: Array, names: Sequence[str], origin: str) -> Skeleton:
    """Return points ``(N, P, 3)`` in metres joined in their order.

    The first one is joined to the origin where a rod could do it: at a distance that stays.
    """
    count = len(names)
    lines = [(i, i + 1) for i in range(count - 1)]
    reach = np.linalg.norm(points[:, 0], axis=-1)
    is_held = reach.min() > 1e-9 and np.ptp(reach) < RIGID * reach.max() and len(points) > 1
    if is_held:
        points = np.concatenate([points, np.zeros((len(points), 1, 3))], axis=1)
        lines.append((count, 0))
    labels = dict(enumerate(names)) if 1 < count <= MAX_LABELS else {}
    fixed = (count,) if is_held else ()
    masses = tuple(range(count))
    return Skeleton(points, tuple(lines), (), masses, fixed, labels, count - 1, origin)
