"""A mechanism as the loops of the rolled source see it: bodies that move, links that ride on them.

Links behind fixed joints are lumped into the body that carries them. The frame of a body is that
of its joint after the motion, with the axis of a scalar joint along z, so that every joint is one
of three: one number about and along z, a quaternion, or a position with a quaternion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dalembert.mechanism import JointKind
from dalembert.recursions.dynamics.newton_euler import armature
from dalembert.recursions.tree import Node, Tree
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Mat, Vec, cross, scale, transpose

ROOT = -1


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


class Rider(NamedTuple):
    """A link, fixed at ``placement`` in the frame of a body."""

    body: int
    placement: Pose


class Bodies(NamedTuple):
    """Bodies, parents first; links by name, the root among them; for each velocity its parent."""

    bodies: list[Body]
    riders: dict[str, Rider]
    dof_parents: list[int]


def moving_bodies(tree: Tree) -> Bodies:
    """Return the bodies of a tree over floats."""
    bodies: list[Body] = []
    riders = {tree.mechanism.root: Rider(ROOT, Pose())}
    names = [tree.mechanism.root, *(node.name for node in tree.nodes)]
    for node in tree.nodes:
        carrier = riders[names[node.parent]]
        X = carrier.placement @ node.joint.placement
        if node.velocities:
            T = _frame_of(node)
            rider = Rider(len(bodies), Pose(transpose(T), (0.0, 0.0, 0.0)) @ node.joint.after)
            inertia = node.inertia.moved(rider.placement)
            bodies.append(_body(node, carrier.body, X @ Pose(T, (0.0, 0.0, 0.0)), inertia))
        else:
            rider = Rider(carrier.body, X @ node.joint.after)
            if rider.body != ROOT:
                heavier = bodies[rider.body].inertia + node.inertia.moved(rider.placement)
                bodies[rider.body] = bodies[rider.body]._replace(inertia=heavier)
        riders[node.name] = rider
    return Bodies(bodies, riders, _dof_parents(bodies, tree.nv))


def _body(node: Node, parent: int, placement: Pose, inertia: Inertia) -> Body:
    joint, k, c = node.joint, float(node.multiplier), float(node.offset)
    scalar = joint.is_scalar
    # a rotor that spins keeps its place, whatever q is
    moves = bool(node.positions)
    return Body(
        parent,
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
