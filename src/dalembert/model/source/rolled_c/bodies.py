"""A mechanism as the loops of the rolled source need it: bodies that move, links fixed to them.

The tree comes lumped: links behind fixed joints are part of the body that carries them. The frame
of a body is that of its joint after the motion, with the axis of a scalar joint along z, so that
every joint is one of three: one number about and along z, a quaternion, or a position with a
quaternion.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dalembert.mechanism import JointKind
from dalembert.recursions.dynamics.newton_euler import armature
from dalembert.recursions.tree import Node, Tree
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Mat, Vec, cross, scale, transpose

ROOT = -1
ZEROS: Vec = (0.0, 0.0, 0.0)


class Body(NamedTuple):
    """A body and the joint above it.

    A scalar joint turns by ``turn`` x about z and slides by ``slide`` x along it, with
    x = ``scale`` q + ``offset``; it moves ``rate`` times as fast as the velocity of its place.
    """

    parent: int
    nv: int
    q: int
    v: int
    placement: Pose
    turn: float
    slide: float
    scale: float
    offset: float
    rate: float
    inertia: Inertia
    armature: float


class CarriedLink(NamedTuple):
    """A link, fixed at ``placement`` in the frame of a body."""

    body: int
    placement: Pose


class Bodies(NamedTuple):
    """Bodies, parents first; links by name, the root among them; for each velocity its parent."""

    bodies: list[Body]
    links: dict[str, CarriedLink]
    dof_parents: list[int]


def moving_bodies(tree: Tree, links: Iterable[str]) -> Bodies:
    """Return the bodies of a lumped tree over floats, and where they carry these links."""
    # turn every frame until the axis of its joint is z: X_BZ, the root's stays
    turns = [Pose(), *(Pose(_frame_of(node), ZEROS) for node in tree.nodes)]
    back = [X.inverse() for X in turns]
    bodies = [
        _body(
            node,
            back[node.parent] @ node.joint.placement @ turns[i],
            node.inertia.moved(back[i]),
        )
        for i, node in enumerate(tree.nodes, 1)
    ]
    carried: dict[str, CarriedLink] = {}
    for name in links:
        frame = tree.frame(name)
        i = tree.numbers[frame.link]
        carried[name] = CarriedLink(i - 1, back[i] @ frame.placement)
    return Bodies(bodies, carried, _dof_parents(bodies, tree.nv))


def _body(node: Node, placement: Pose, inertia: Inertia) -> Body:
    joint, k, c = node.joint, float(node.multiplier), float(node.offset)
    scalar = joint.is_scalar
    # a rotor that spins keeps its place, whatever q is
    moves = bool(node.positions)
    return Body(
        node.parent - 1,
        len(node.velocities),
        node.positions[0] if moves else 0,
        node.velocities[0],
        placement,
        float(joint.turn) if scalar else 0.0,
        float(joint.slide) if scalar else 0.0,
        k if moves else 0.0,
        c - float(joint.reference) if moves else 0.0,
        k,
        inertia,
        float(armature(node)),
    )


def _frame_of(node: Node) -> Mat:
    """Return a rotation whose third column is the axis of a scalar joint."""
    if node.joint.kind in (JointKind.SPHERICAL, JointKind.FLOATING):
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    z: Vec = tuple(map(float, node.joint.axis))  # type: ignore[assignment]
    least = min(range(3), key=lambda i: abs(z[i]))
    away: Any = tuple(float(i == least) for i in range(3))
    y = cross(z, away)
    y = scale(1 / sum(k * k for k in y) ** 0.5, y)
    x = cross(y, z)
    return transpose((x, y, z))


def _dof_parents(bodies: list[Body], nv: int) -> list[int]:
    """Return for each velocity the one above it, so that M is zero off the paths to the root.

    Where joints share a velocity (mimic, rotors) M may be full: all velocities form one path.
    """
    own = [body.v + k for body in bodies for k in range(body.nv)]
    if len(own) != len(set(own)):
        return [i - 1 for i in range(nv)]
    parents = [ROOT] * nv
    for body in bodies:
        above = bodies[body.parent] if body.parent != ROOT else None
        parents[body.v] = above.v + above.nv - 1 if above else ROOT
        for k in range(1, body.nv):
            parents[body.v + k] = body.v + k - 1
    return parents
