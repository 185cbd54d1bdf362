"""What one link does in each pass along a chain: steps of the recursions, on flat lists of numbers.

Each function takes the link, what the link before it carried on, and its own rows of numbers; it
returns what it carries on, and what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.recursions.dynamics.articulated import (
    Pivot,
    accelerate,
    carry,
    eliminate,
    joint_forces,
    pivot_of,
)
from dalembert.recursions.dynamics.articulated_inertia import ArticulatedInertia
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.motions import Acceleration, link_acceleration, link_rate, link_twist
from dalembert.recursions.node import Node
from dalembert.spatial.inertia.pseudo_inertia import PseudoInertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import plus, transform_twist_back, transform_wrench
from dalembert.spatial.vectors import ZERO, Mat, Vec, dot, ratio, rotate, unrotate

Numbers = Sequence[Any]
Carried = tuple[list[Any], list[Any]]

MOTION = 18
"""Numbers of a motion: ω, a, ω̇ and K of `Acceleration`."""
INERTIA = 27
"""Numbers of an articulated inertia and its bias wrench."""
FALL = 12
"""Numbers of `energies`: twist, gravity and its product with the origin, then T and V so far."""
POSE = 12
BODY = 10


def motions(link: Node, carried: Numbers, q: Numbers, v: Numbers) -> Carried:
    """Outward: accelerations at zero q̈ are carried on, the wrenches that they take are shown."""
    w, a, wd, K = _vec(carried, 0), _vec(carried, 3), _vec(carried, 6), _mat(carried, 9)
    pose = link.pose(q)
    rate = link_rate(link, pose, w, v)
    above = Acceleration(a, wd, K, ZERO, ZERO)
    motion = link_acceleration(link, pose, above, rate, [0] * len(v))
    force, moment = PseudoInertia.of(link.inertia).wrench(motion.K, motion.a)
    return [*rate.w, *motion.a, *motion.wd, *_flat(motion.K)], [*force, *moment]


def inertias(link: Node, carried: Numbers, q: Numbers, v: Numbers, *rows: Numbers) -> Carried:
    """Inward: the articulated inertia and bias of a link at its parent; shows its pivots.

    Rows: the wrench at zero q̈, the forces of the joint, and where branches end what they add. For
    each velocity U, 1/D and y are shown.
    """
    wrench, tau, *added = rows
    A, p = _inertia(carried)
    A, p = A.plus(ArticulatedInertia.of(link.inertia)), plus(p, _twist(wrench))
    if added:
        more, bias = _inertia(added[0])
        A, p = A.plus(more), plus(p, bias)
    pose = link.pose(q)
    A, pivots = eliminate(link, A)
    p, y = carry(link, pivots, p, joint_forces(link, v, tau))
    shown = [[*k.U[0], *k.U[1], k.inverse, own] for k, own in zip(pivots, y, strict=True)]
    A, p = A.moved(pose), transform_wrench(pose, p)
    return [*A.I, *_flat(A.H), *A.M, *p[0], *p[1]], [x for each in shown for x in each]


def accelerations(link: Node, carried: Numbers, q: Numbers, pivots: Numbers) -> Carried:
    """Outward: the acceleration that q̈ adds is carried on; shows q̈."""
    a = transform_twist_back(link.pose(q), _twist(carried))
    known, y = _pivots(link, pivots)
    a, qdd = accelerate(known, y, a)
    return [*a[0], *a[1]], qdd


def energies(link: Node, carried: Numbers, q: Numbers, v: Numbers) -> Carried:
    """Outward: T and V of the links so far."""
    twist, g, level = _twist(carried), _vec(carried, 6), carried[9]
    R, p = pose = link.pose(q)
    u, w = link_twist(link, pose, twist, v)
    # gᵀ p of the origin, and g in the axes of the link
    level, g = level + dot(g, p), unrotate(R, g)
    force, moment = link.inertia.momentum(u, w)
    square = dot(u, force) + dot(w, moment)
    if has_armature(link):
        square = square + armature(link) * sum((x * x for x in v), 0)
    T = carried[10] + ratio(square, 2)
    V = carried[11] - (link.inertia.m * level + dot(g, link.inertia.h))
    return [*u, *w, *g, level, T, V], []


def diagonal(link: Node, carried: Numbers, q: Numbers, *added: Numbers) -> Carried:
    """Inward: the inertia of a link with all behind it, at its parent; shows its entries of M."""
    body = _body(carried).plus(PseudoInertia.of(link.inertia))
    for more in added:
        body = body.plus(_body(more))
    shown = []
    for su, sw in link.columns:
        force, moment = body.momentum(su, sw)
        entry = dot(su, force) + dot(sw, moment)
        shown.append(entry + armature(link) if has_armature(link) else entry)
    body = body.moved(link.pose(q))
    return [body.m, *body.h, *body.S], shown


def places(link: Node, carried: Numbers, q: Numbers) -> Carried:
    """Outward: the pose of the link in the world; shows the columns of its joint there."""
    X = Pose(_mat(carried, 0), _vec(carried, 9)) @ link.pose(q)
    shown = [[*rotate(X.R, su), *rotate(X.R, sw)] for su, sw in link.columns]
    return [*_flat(X.R), *X.p], [x for each in shown for x in each]


def _pivots(link: Node, numbers: Numbers) -> tuple[list[Pivot], list[Any]]:
    """Return the pivots that `inertias` showed."""
    rows = [numbers[8 * k : 8 * k + 8] for k in range(len(link.columns))]
    found = [pivot_of(link, k, _twist(row), row[6]) for k, row in enumerate(rows)]
    return found, [row[7] for row in rows]


def _inertia(x: Numbers) -> tuple[ArticulatedInertia, tuple[Vec, Vec]]:
    I, M = tuple(x[:6]), tuple(x[15:21])
    return ArticulatedInertia(I, _mat(x, 6), M), _twist(x[21:])  # type: ignore[arg-type]


def _body(x: Numbers) -> PseudoInertia:
    return PseudoInertia(x[0], _vec(x, 1), tuple(x[4:10]))  # type: ignore[arg-type]


def _vec(x: Numbers, at: int) -> Vec:
    return x[at], x[at + 1], x[at + 2]


def _mat(x: Numbers, at: int) -> Mat:
    return _vec(x, at), _vec(x, at + 3), _vec(x, at + 6)


def _twist(x: Numbers) -> tuple[Vec, Vec]:
    return _vec(x, 0), _vec(x, 3)


def _flat(m: Mat) -> list[Any]:
    return [x for row in m for x in row]
