"""Links behind fixed joints joined to the links that carry them: only bodies that move are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from dalembert.mechanism import Bushing, Frame, JointKind, JointSpring, Loop, PointSpring
from dalembert.recursions.node import Node
from dalembert.recursions.tree import Tree
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, dot

Fastened = TypeVar("Fastened", Loop, PointSpring | Bushing)


@dataclass
class Body:
    """A link that moves by itself, in the frame behind its joint; the first body is the root.

    ``node`` is None for the root alone. ``carries`` are the original links on it, with their poses
    X_BL.
    """

    node: Node | None = None
    inertia: Inertia = NO_INERTIA
    children: list[Body] = field(default_factory=list)
    carries: dict[str, Pose] = field(default_factory=dict)

    @property
    def moving(self) -> Node:
        """The node of a body that is not the root."""
        assert self.node is not None
        return self.node


def lumped(tree: Tree) -> Tree:
    """Return a tree without fixed joints, each frame right behind its joint, with equal motions.

    Places in q and v stay. Frames, loops and springs are where they were; the name of a link whose
    frame moved is a frame where the link was.

    >>> import dalembert as da
    >>> arm = Tree.of(da.textbook.robots.panda())
    >>> len(arm.nodes), len(lumped(arm).nodes)
    (7, 7)
    """
    return tree_of_bodies(tree, bodies_of(tree))


def bodies_of(tree: Tree) -> list[Body]:
    """Join links behind fixed joints to their parents, and put each frame behind its joint."""
    bodies, number = [Body(carries={tree.root: Pose()})], {tree.root: 0}
    names = [tree.root, *(node.name for node in tree.nodes)]
    for node in tree.nodes:
        joint, parent = node.joint, names[node.parent]
        at = number[parent]
        body = bodies[at]
        X_BJ = body.carries[parent] @ joint.placement
        if joint.kind is JointKind.FIXED:
            # one body with its parent
            X_BC = X_BJ @ joint.after
            body.inertia = body.inertia + node.inertia.moved(X_BC)
        else:
            # the couple of a rotor has no place
            X_BJ = Pose(X_BJ.R, ZERO) if joint.spins else X_BJ
            X_BC = joint.after
            moved = replace(joint, placement=X_BJ, after=Pose())
            child = Body(replace(node, parent=at, joint=moved), node.inertia.moved(joint.after))
            body.children.append(child)
            at = len(bodies)
            bodies.append(child)
        number[node.name] = at
        bodies[at].carries[node.name] = X_BC
    return bodies


def tree_of_bodies(tree: Tree, bodies: Sequence[Body]) -> Tree:
    """Return the tree of these bodies, with every frame where it was."""
    names = [tree.root, *(body.moving.name for body in bodies[1:])]
    places = {
        link: (name, X)
        for name, body in zip(names, bodies, strict=True)
        for link, X in body.carries.items()
    }

    def carried(frame: Frame) -> Frame:
        link, X_BL = places[frame.link]
        return Frame(frame.name, link, X_BL @ frame.placement)

    def fastened(part: Fastened) -> Fastened:
        return part._replace(first=carried(part.first), second=carried(part.second))

    moved = [Frame(name, name) for name, place in places.items() if place != (name, Pose())]
    return replace(
        tree,
        nodes=tuple(replace(body.moving, inertia=body.inertia) for body in bodies[1:]),
        frames=tuple(carried(frame) for frame in (*tree.frames, *moved)),
        loops=tuple(fastened(loop) for loop in tree.loops),
        springs=tuple(s if isinstance(s, JointSpring) else fastened(s) for s in tree.springs),
        # V of what rests on the root: -gᵀ h
        potential_constant=tree.potential_constant - dot(tree.gravity, bodies[0].inertia.h),
    )
