"""How many degrees of freedom loops and couplings leave: the rank of A where they are closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr import Expr, time
from dalembert.recursions.constraints.loops import loop_error, loop_jacobian
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.manifold import integrate
from dalembert.recursions.tree import Tree

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.types import Array

STARTS = 24  # configurations that are tried to close the loops from
PLACES = 3  # closed configurations whose rank counts
STEPS = 60
CLOSED = 1e-10  # m or rad
LARGEST = 1e150  # m: above it squares overflow
LONGEST_STEP = 1.0  # m or rad, of all velocities together
DEPENDENT = 1e-6  # of the ends' own Jacobians: far above rounding, below what moves a robot


def degrees_of_freedom(mechanism: Mechanism) -> int | None:
    """Return nv less the rank of A at a generic closed configuration; None where none was found.

    Loops are closed by Newton's method from the neutral and from random configurations; parameters
    without a value, and the time, get random ones. Of the closed configurations that are met, that
    of the highest rank counts: in others the mechanism is singular.

    >>> import dalembert as da
    >>> degrees_of_freedom(da.textbook.robots.bennett_linkage())
    1
    """
    if not (mechanism.loops or mechanism.couplings):
        return mechanism.nv
    rng = np.random.default_rng(0)
    ranks: list[int] = []
    for tree, start in _starts(mechanism, rng):
        closed = _closed(tree, start)
        # from where it closes, some way along: the first may be singular
        for _ in range(PLACES):
            if closed is None:
                break
            ranks.append(_rank(tree, closed))
            near = integrate(tree, closed.tolist(), rng.normal(scale=0.1, size=tree.nv).tolist())
            closed = _closed(tree, np.array(near, dtype=float))
        if ranks:
            return mechanism.nv - max(ranks)
    return None


def _starts(mechanism: Mechanism, rng: np.random.Generator) -> Iterator[tuple[Tree, Array]]:
    """Yield the tree in numbers and configurations to start from, the neutral one first."""
    tree: Tree | None = None
    for number in range(STARTS):
        if tree is None or mechanism.parameters:
            values = {x: float(rng.uniform(0.5, 1.5)) for x in mechanism.parameters}
            try:
                tree = _in_numbers(Tree.of(mechanism.bind(values)), float(rng.uniform(0.5, 1.5)))
            # numbers that no double holds, after links were joined
            except (DalembertError, OverflowError):
                continue
        yield tree, _start(mechanism, rng, 0.0 if number == 0 else 1.0)


def _in_numbers(tree: Tree, t: float) -> Tree:
    """Return the tree at a time, in floats."""
    return tree.map(lambda x: float(x.evaluate({time: t}) if isinstance(x, Expr) else x))


def _start(mechanism: Mechanism, rng: np.random.Generator, size: float) -> Array:
    """Return a configuration, at random where the size is not 0."""
    q: list[float] = []
    for joint in mechanism.moving_joints:
        if joint.is_scalar:
            q.append(size * float(rng.uniform(-np.pi, np.pi) if joint.turn else rng.uniform(-1, 1)))
            continue
        turn = np.array([1.0, 0, 0, 0]) + size * rng.normal(size=4)
        q += [*(size * rng.normal(size=joint.nq - 4)), *(turn / np.linalg.norm(turn))]
    return np.array(q)


def _closed(tree: Tree, q: Array) -> Array | None:
    """Return the configuration that Newton's method reaches, if it closes the loops."""
    for _ in range(STEPS):
        error, A = np.array(loop_error(tree, q.tolist()), dtype=float), _matrix(tree, q)
        if np.abs(error).max(initial=0.0) <= CLOSED:
            return q
        # lengths whose squares no double holds
        if not max(np.abs(error).max(), np.abs(A).max(initial=0.0)) <= LARGEST:
            return None
        # A v = -error, the shortest v
        v = np.linalg.lstsq(A, -error, rcond=1e-9)[0]
        with np.errstate(over="ignore"):
            v *= min(1.0, LONGEST_STEP / max(float(np.linalg.norm(v)), 1e-300))
        q = np.array(integrate(tree, q.tolist(), v.tolist()), dtype=float)
        if not np.isfinite(q).all():
            return None
    return None


def _matrix(tree: Tree, q: Array) -> Array:
    return np.array(loop_jacobian(tree, q.tolist()), dtype=float).reshape(-1, tree.nv)


def _rank(tree: Tree, q: Array) -> int:
    """Return the rank of A against the Jacobians of the ends, whose differences its rows are.

    Two ends that do not move against each other leave rows of rounding alone.
    """
    s = np.linalg.svd(_matrix(tree, q), compute_uv=False)
    X_W = tree.world_poses(q.tolist())
    size = 1.0 if tree.couplings else 0.0
    for loop in tree.loops:
        for end in (loop.first, loop.second):
            place = X_W[tree.numbers[end.link]] @ end.placement
            columns = point_columns(tree, X_W, end.link, place.p)
            size = max(size, float(np.abs(np.array(columns, dtype=float)).max(initial=0.0)))
    return int((s > DEPENDENT * size).sum())
