"""The points of a mechanism or system in space, and which of them are joined by lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import Expr, as_expr, substitute, time
from dalembert.kernel import compile_function
from dalembert.mechanics import System
from dalembert.mechanism import Frame, Mechanism
from dalembert.model import Model

if TYPE_CHECKING:
    from dalembert.types import Array, Scalar

MAX_LABELS = 12


class Skeleton(NamedTuple):
    """Points ``(N, P, 3)`` in metres at N configurations, and what is drawn of them.

    ``lines`` are pairs of points; ``joints`` and ``masses`` are points with a mark, ``fixed`` those
    that belong to the ground; ``labels`` are names by point; ``tip`` is the point whose path is of
    interest.
    """

    points: Array
    lines: tuple[tuple[int, int], ...]
    joints: tuple[int, ...]
    masses: tuple[int, ...]
    fixed: tuple[int, ...]
    labels: dict[int, str]
    tip: int


def of_mechanism(mechanism: Mechanism, model: Model, q: Array, tip: str) -> Skeleton:
    """Return the origins of links, frames, closures and the centres of mass of the last links."""
    links = {link.name: i for i, link in enumerate(model.mechanism.links)}
    poses = np.asarray(model.forward_kinematics(np.atleast_2d(q)))
    points = [poses[:, i, :3, 3] for i in range(len(links))]
    lines = [(links[joint.parent], links[joint.child]) for joint in mechanism.joints]
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
        (0,),
        _joint_labels(mechanism, links),
        end,
    )


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


def of_system(system: System, values: Mapping[Expr, Scalar], q: Array, t: Array) -> Skeleton | None:
    """Return the centres of mass of the bodies, or None for a system that has none."""
    bodies = system.bodies
    if not bodies:
        return None
    numbers = {x: as_expr(value) for x, value in values.items()}
    positions = substitute([as_expr(x) for body in bodies for x in body.r], numbers)
    place = compile_function(
        {"r": list(positions)}, {"q": list(system.coordinates), "t": [time]}, name="positions"
    )
    rows = np.asarray(place(q, t[:, None]))
    size = bodies[0].r.shape[0]
    points = np.zeros((len(q), len(bodies), 3))
    points[:, :, :size] = rows.reshape(len(q), len(bodies), size)
    every = tuple(range(len(bodies)))
    labels = {i: f"m{i + 1}" for i in every} if len(bodies) > 1 else {}
    return Skeleton(points, (), (), every, (), labels, every[-1])
