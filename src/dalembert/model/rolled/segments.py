"""A tree as serial runs of links with joints of one kind, and each run as one link with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dalembert.expr import Expr, as_expr, parameters
from dalembert.mechanism import JointKind
from dalembert.mechanism.parts.joint import Limits
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.recursions.dynamics.composite import mass_diagonal
from dalembert.recursions.motions import HINGES
from dalembert.recursions.node import Node
from dalembert.recursions.resistance.spring_inertia import has_spring_inertia
from dalembert.recursions.tree import Tree

LONG = 100
"""With fewer velocities straight-line code is compiled soon enough, and quicker to run."""

SHORTEST = 16
"""Runs of fewer links in the mean cost more calls than a loop saves."""


class Segment(NamedTuple):
    """Links that follow each other, ``nodes`` of the tree from the root outward.

    ``parent`` is the number of the link before them, 0 for the root. ``link`` stands for each of
    them: numbers that all share are constants in it, others are the symbols ``symbols``, whose
    values are the rows of ``constants``, one for each link. Its places in q and v begin at 0;
    ``positions`` and ``velocities`` are those in the tree, one row for each link.
    """

    nodes: tuple[int, ...]
    parent: int
    link: Node
    symbols: tuple[Expr, ...]
    constants: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray


def is_long(tree: Tree) -> bool:
    """Tell whether a tree without fixed joints is long, and of links that `RolledTree` knows.

    Its numbers must be known, no joint may follow another one or spin, and no spring have inertia;
    every joint must move some inertia by itself.
    """
    if tree.nv < LONG or len(tree.nodes) < SHORTEST * len(runs_of(tree)):
        return False
    if any(x.symbols for x in tree.scalars) or has_spring_inertia(tree):
        return False
    if any(node.joint.mimic or node.joint.spins for node in tree.nodes):
        return False
    neutral = [float(x) for node in tree.nodes for x in node.joint.neutral]
    return all(x > 0 for x in mass_diagonal(tree.map(float), neutral))


def runs_of(tree: Tree) -> list[list[int]]:
    """Return the nodes of each serial run of joints of one kind, parents before children."""
    runs: list[list[int]] = []
    # the run that ends with a node
    last: dict[int, list[int]] = {}
    for i, node in enumerate(tree.nodes):
        above = node.parent - 1
        run = last.get(above)
        if run is None or _kind(tree.nodes[above]) != _kind(node):
            run = []
            runs.append(run)
        else:
            del last[above]
        run.append(i)
        last[i] = run
    return runs


def segments_of(tree: Tree) -> list[Segment]:
    """Return the serial runs of a tree without fixed joints, parents before children."""
    return [_segment(tree, run) for run in runs_of(tree)]


def _segment(tree: Tree, run: Sequence[int]) -> Segment:
    nodes = [tree.nodes[i] for i in run]
    bare = [_bare(node) for node in nodes]
    rows = [_numbers(node) for node in bare]
    columns = list(zip(*rows, strict=True))
    varied = [k for k, column in enumerate(columns) if any(x != column[0] for x in column)]
    names = parameters(" ".join(f"link_{k}" for k in varied)) if varied else ()
    symbol = dict(zip(varied, names, strict=True))
    values = iter([symbol.get(k, as_expr(column[0])) for k, column in enumerate(columns)])
    axis = (next(values), next(values), next(values))
    link = bare[0].map(lambda x: next(values))
    # the root of a tree stands still: a link of a run has a parent that moves
    link = replace(link, parent=1, joint=replace(link.joint, axis=axis))
    return Segment(
        tuple(run),
        nodes[0].parent,
        link,
        tuple(names),
        np.array([[float(columns[k][i]) for k in varied] for i in range(len(run))]),
        np.array([node.positions for node in nodes]),
        np.array([node.velocities for node in nodes]),
    )


def _bare(node: Node) -> Node:
    """Return a node with nothing but what moves it, at the first places of q and v."""
    joint = replace(node.joint, resistance=Resistance(), limits=Limits(), kind=_kind(node))
    return replace(
        node,
        joint=joint,
        positions=tuple(range(joint.nq)),
        velocities=tuple(range(joint.nv)),
    )


def _kind(node: Node) -> JointKind:
    kind = node.joint.kind
    return JointKind.REVOLUTE if kind in HINGES else kind


def _numbers(node: Node) -> list[Fraction]:
    """Return the axis of the joint, then all numbers in the order in which ``map`` meets them."""
    found = [_number(x) for x in node.joint.axis]

    def collect(x: Any) -> Any:
        found.append(_number(x))
        return x

    node.map(collect)
    return found


def _number(x: Any) -> Fraction:
    if not isinstance(x, Expr):
        return Fraction(x)
    return Fraction(x.value) if x.op == "const" else Fraction(float(x.evaluate({})))
