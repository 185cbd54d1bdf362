"""A mechanism as the recursions see it: a value over any scalar, links in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dalembert.errors import UnknownName, nearest
from dalembert.expr import Expr, as_expr, coordinates
from dalembert.expr.data import packable
from dalembert.mechanism import Actuator, Coupling, Frame, JointKind, Loop, Mechanism, Spring
from dalembert.recursions.constraints.closures import (
    ConstraintRow,
    loop_residual,
    loop_rows,
    vanishes,
)
from dalembert.recursions.node import Column, Node, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, Scalar, Vec

IDLE = 1e-12
"""Ends of a loop on one body that are this close, in m and rad, are at one place; a residual that
is constant and no larger is zero."""

__all__ = ["Column", "Node", "Tree", "Values"]


@packable
@dataclass(frozen=True)
class Tree:
    """Links with the joints above them, parents first, and whatever else acts on them.

    Link 0 is the root and not listed: node i is link i + 1. ``constraint_rows`` are the equations
    of loops and couplings that count, see `recursions.constraints.closures`.
    ``potential_constant`` is the potential energy of what was moved to the root, which the links
    no longer show: zero unless the tree was reduced.

    >>> import dalembert as da
    >>> tree = Tree.of(da.textbook.robots.planar_arm_nr(2))
    >>> [node.name for node in tree.nodes], tree.nv
    (['link1', 'link2'], 2)
    """

    name: str
    root: str
    nodes: tuple[Node, ...]
    gravity: Vec
    frames: tuple[Frame, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    constraint_rows: tuple[ConstraintRow, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    springs: tuple[Spring, ...] = ()
    potential_constant: Scalar = 0

    @classmethod
    def of(cls, mechanism: Mechanism) -> Tree:
        """Return the tree of a mechanism; rotors become armature or links behind all others."""
        mechanism = mechanism.with_rotors()
        tree = cls(
            mechanism.name,
            mechanism.root,
            tuple(_nodes(mechanism)),
            mechanism.gravity,
            mechanism.frames,
            mechanism.loops,
            mechanism.couplings,
            (),
            mechanism.actuators,
            mechanism.springs,
        )
        return replace(tree, constraint_rows=_constraint_rows(tree))

    def map(self, f: Callable[[Any], Any]) -> Tree:
        """Return the tree with f applied to every number; other scalars, the same tree."""
        x, y, z = self.gravity
        return replace(
            self,
            nodes=tuple(node.map(f) for node in self.nodes),
            gravity=(f(x), f(y), f(z)),
            frames=tuple(frame.map(f) for frame in self.frames),
            loops=tuple(loop.map(f) for loop in self.loops),
            couplings=tuple(coupling.map(f) for coupling in self.couplings),
            actuators=tuple(actuator.map(f) for actuator in self.actuators),
            springs=tuple(spring.map(f) for spring in self.springs),
            potential_constant=f(self.potential_constant),
        )

    @cached_property
    def scalars(self) -> tuple[Expr, ...]:
        """Every number that is an expression, once."""
        found: dict[Expr, None] = {}

        def collect(x: Any) -> Any:
            if isinstance(x, Expr):
                found[x] = None
            return x

        self.map(collect)
        return tuple(found)

    # ---- sizes and names

    @cached_property
    def nq(self) -> int:
        """Length of the configuration q."""
        return sum(node.joint.nq for node in self.nodes)

    @cached_property
    def nv(self) -> int:
        """Length of the velocity v."""
        return sum(node.joint.nv for node in self.nodes)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each link by its name, 0 for the root."""
        return {self.root: 0, **{node.name: i for i, node in enumerate(self.nodes, 1)}}

    @cached_property
    def by_joint(self) -> dict[str, Node]:
        """The nodes by the names of their joints."""
        return {node.joint.name: node for node in self.nodes}

    def frame(self, name: str) -> Frame:
        """Return the frame of this name; every link is a frame too."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        if name in self.numbers:
            return Frame(name, name)
        known = [*(frame.name for frame in self.frames), *self.numbers]
        raise UnknownName(
            f"expected a frame of {self.name}, got {name!r} ({nearest(str(name), known)})"
        )

    def link_name(self, name: str) -> str:
        """Return the name of a link after a check that there is one."""
        if name not in self.numbers:
            raise UnknownName(
                f"expected a link of {self.name}, got {name!r} ({nearest(name, self.numbers)})"
            )
        return name

    def path(self, number: int) -> Iterator[int]:
        """Yield the indices of the nodes from a link up to the root."""
        while number:
            yield number - 1
            number = self.nodes[number - 1].parent

    # ---- configurations

    def poses(self, q: Values) -> list[Pose]:
        """Return X_PC of every node at the configuration q."""
        return [node.pose(q) for node in self.nodes]

    def world_poses(self, q: Values) -> list[Pose]:
        """Return X_WL of every link, the root first."""
        X_W = [Pose()]
        for node in self.nodes:
            X_W.append(X_W[node.parent] @ node.pose(q))
        return X_W

    def angles(self, q: Sequence[Expr]) -> list[Expr]:
        """Return every angle that a joint turns by: k q + c - reference."""
        return [
            as_expr(node.position(q) - node.joint.reference)
            for node in self.nodes
            if node.positions and node.joint.turn
        ]

    def residual(self, q: Values, poses: Sequence[Pose] | None = None) -> list[Scalar]:
        """Return all rows of loops and couplings, also those that vanish; zero where closed.

        ``poses`` of the links in the world are those of q unless given.
        """
        rows: list[Scalar] = []
        X_W = poses or (self.world_poses(q) if self.loops else [])
        for loop in self.loops:
            X_1, X_2 = (X_W[self.numbers[f.link]] @ f.placement for f in (loop.first, loop.second))
            rows += loop_residual(loop, X_1, X_2)
        for coupling in self.couplings:
            x, *others = (q[self.by_joint[name].positions[0]] for name in coupling.joints)
            # a drive has no others: x tells its arithmetic
            rows.append(x - coupling.law.at(others or [x]))
        return rows


def _nodes(mechanism: Mechanism) -> Iterator[Node]:
    """Yield the nodes of a mechanism, in its order."""
    numbers = {mechanism.root: 0}
    places = _places(mechanism)
    for joint in mechanism.joints:
        master, k, c = mechanism.master_of(joint)
        q, v = places[master.name]
        yield Node(
            joint.child,
            numbers[joint.parent],
            joint,
            mechanism.link(joint.child).inertia,
            () if joint.spins else q,
            v,
            k,
            c,
        )
        numbers[joint.child] = len(numbers)


def _places(mechanism: Mechanism) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return for each joint that moves by itself its places in q and v."""
    places: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    q = v = 0
    for joint in mechanism.joints:
        places[joint.name] = tuple(range(q, q + joint.nq)), tuple(range(v, v + joint.nv))
        q, v = q + joint.nq, v + joint.nv
    return places


def _constraint_rows(tree: Tree) -> tuple[ConstraintRow, ...]:
    """Return the rows of loops and couplings that do not vanish for all q."""
    if not tree.loops and not tree.couplings:
        return ()
    rows: list[ConstraintRow] = []
    idle: set[int] = set()
    for i, loop in enumerate(tree.loops):
        new = loop_rows(loop, i, len(rows))
        rows += new
        if _is_idle(tree, loop):
            idle.update(row.place for row in new)
    for coupling in tree.couplings:
        unit = "rad" if tree.by_joint[coupling.joint].joint.turn else "m"
        what = "coupling" if coupling.others else "drive"
        rows.append(ConstraintRow(len(rows), f"{what} {coupling.name}", unit))
    residual = tree.residual(coordinates(" ".join(f"q{i + 1}" for i in range(tree.nq))))
    found = zip(rows, residual, strict=True)
    return tuple(
        row for row, x in found if row.place not in idle and not _is_rounding(x) and not vanishes(x)
    )


def _is_rounding(x: Scalar) -> bool:
    """Tell whether a residual is one number for all q that decimals in a file left of zero."""
    e = as_expr(x)
    return not e.symbols and abs(float(e.evaluate({}))) <= IDLE


def _is_idle(tree: Tree, loop: Loop) -> bool:
    """Tell whether both ends of a loop are at one place of one body, up to rounding.

    Then its residual is rounding for all q. Ends that are apart stay: nothing closes them.
    """
    body, place = zip(*(_on_body(tree, end) for end in (loop.first, loop.second)), strict=True)
    gap = place[0].inverse() @ place[1]
    numbers = [*gap.p]
    if loop.kind == "frame":
        numbers += [gap.R[i][j] - IDENTITY[i][j] for i in range(3) for j in range(3)]
    if body[0] != body[1] or any(isinstance(x, Expr) for x in numbers):
        return False
    return all(abs(x) <= IDLE for x in numbers)


def _on_body(tree: Tree, end: Frame) -> tuple[int, Pose]:
    """Return the first link of the body that carries a frame, by number, and the frame there."""
    number, X = tree.numbers[end.link], end.placement
    while number and tree.nodes[number - 1].joint.kind is JointKind.FIXED:
        node = tree.nodes[number - 1]
        number, X = node.parent, node.joint.placement @ node.joint.after @ X
    return number, X
