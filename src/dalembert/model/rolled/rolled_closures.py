"""Loops and couplings of a tree of long chains as numbers: errors, the rows of A, and their bias.

The functions of `recursions.constraints.loops`, for one state or many, from the places and motions
of all links.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import as_expr
from dalembert.recursions.constraints.closures import ConstraintRow, groups_of, loop_residual
from dalembert.recursions.constraints.constrained import factorise_semidefinite
from dalembert.recursions.constraints.loops import loop_bias, loop_error, loop_jacobian
from dalembert.spatial.pose import Pose

if TYPE_CHECKING:
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.mechanism import Frame
    from dalembert.model.model import Model
    from dalembert.model.rolled.rolled_tree import Motions, Places, RolledTree
    from dalembert.recursions.tree import Tree


class _End(NamedTuple):
    """A frame on a link: its node, -1 for the root; where it is there; the nodes that move it."""

    node: int
    R: np.ndarray
    p: np.ndarray
    path: np.ndarray


class RolledClosures:
    """What keeps a tree of long chains closed.

    Rows are those of ``tree.constraint_rows``: of loops first, then of couplings.
    """

    def __init__(self, model: Model, rolled: RolledTree) -> None:
        self.rolled, tree = rolled, rolled.tree
        self._loops = [(loop, self._end(loop.first), self._end(loop.second)) for loop in tree.loops]
        self._rows = [row.place for row in tree.constraint_rows]
        self._groups = groups_of(tree.constraint_rows)
        self._thresholds = model.description.thresholds
        self._parents = np.array([node.parent - 1 for node in tree.nodes])
        # the node of each velocity
        self._nodes = np.empty(tree.nv, int)
        for i, node in enumerate(tree.nodes):
            self._nodes[list(node.velocities)] = i
        self._couplings = _couplings(model, tree) if tree.couplings else None

    def sizes(self, q: np.ndarray) -> np.ndarray:
        """Return the size of the terms of each row, as far as rounding goes.

        That of an offset is the length of all links on its way, whose roundings add up like random
        steps; that of a turn or a coupling is that of so many terms of one.
        """
        p = self.rolled.places(q).p
        before = np.where(self._parents[:, None] < 0, 0.0, p[..., self._parents, :])
        lengths = np.linalg.norm(p - before, axis=-1)
        found: list[np.ndarray] = []
        for loop, *ends in self._loops:
            total = sum((lengths[..., end.path].sum(axis=-1) for end in ends), np.zeros(()))
            total = total + sum(float(np.linalg.norm(end.p)) for end in ends)
            steps = max(sum(int(end.path.sum()) for end in ends), 1) ** 0.5
            found += 3 * [steps * total]
            found += 3 * [np.array(steps)] if loop.kind == "frame" else []
        found += [4 * (1 + np.abs(q).max(axis=-1))] * len(self.rolled.tree.couplings)
        return self._counted(found, q, ())

    def jacobian(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the errors and the rows of A."""
        return self._jacobian(self.rolled.places(q), q, v)

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return d/dt (A q̇) at zero q̈."""
        return self._bias(self.rolled.places(q), self.rolled.motions(q, v), q, v)

    def constrained_dynamics(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q̈ and λ of one state under generalized forces.

        With w = L⁻¹ (τ - h) + Bᵀ λ and B w + b = 0 it is q̈ = L⁻ᵀ w; the rule for redundant rows is
        that of `recursions.constraints.constrained`.
        """
        places, motions = self.rolled.places(q), self.rolled.motions(q, v)
        (_, A), bias = self._jacobian(places, q, v), self._bias(places, motions, q, v)
        w, B, root = self.rolled.whitened(q, v, motions.wrenches, tau, A)
        S = factorise_semidefinite((B @ B.T).tolist(), self._groups, self._thresholds)
        lam = np.zeros(len(B))
        # what is left of the equations is solved for a second time
        for _ in range(2):
            change = np.array(S.solve((-(B @ w + bias)).tolist()))
            w, lam = w + change @ B, lam + change
        return self.rolled.outward(root, w), lam

    def _jacobian(
        self, places: Places, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        errors, rows = [], []
        for loop, *ends in self._loops:
            X = [self._pose(places, end) for end in ends]
            poses = [_scalars(R, p) for R, p in X]
            errors += [np.broadcast_to(x, q.shape[:-1]) for x in loop_residual(loop, *poses)]
            is_frame = loop.kind == "frame"
            first, second = (
                self._columns(places, end, p, is_frame) for end, (_, p) in zip(ends, X, strict=True)
            )
            rows += [a - b for a, b in zip(first, second, strict=True)]
        if self._couplings is not None:
            error, A, _ = self._couplings(q, v)
            errors += [error[..., i] for i in range(error.shape[-1])]
            rows += [A[..., i, :] for i in range(A.shape[-2])]
        return self._counted(errors, q, ()), self._counted(rows, q, (self.rolled.tree.nv,))

    def _bias(self, places: Places, motions: Motions, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        found = []
        for loop, first, second in self._loops:
            one, other = (self._acceleration(places, motions, end) for end in (first, second))
            parts = 6 if loop.kind == "frame" else 3
            found += [(one - other)[..., i] for i in range(parts)]
        if self._couplings is not None:
            bias = self._couplings(q, v)[2]
            found += [bias[..., i] for i in range(bias.shape[-1])]
        return self._counted(found, q, ())

    def _end(self, frame: Frame) -> _End:
        tree = self.rolled.tree
        number, path = tree.numbers[frame.link], np.zeros(len(tree.nodes), bool)
        path[list(tree.path(number))] = True
        R = np.array([_floats(row) for row in frame.placement.R])
        return _End(number - 1, R, np.array(_floats(frame.placement.p)), path)

    def _pose(self, places: Places, end: _End) -> tuple[np.ndarray, np.ndarray]:
        """Return rotation and origin of a frame in the world."""
        if end.node < 0:
            return end.R, end.p
        R = places.R[..., end.node, :, :]
        return R @ end.R, places.p[..., end.node, :] + R @ end.p

    def _columns(
        self, places: Places, end: _End, point: np.ndarray, is_frame: bool
    ) -> list[np.ndarray]:
        """Return the rows of J of a point that moves with a link: linear, and then angular."""
        moves = end.path[self._nodes]
        x, y, z = (point[..., None, i] - places.p[..., self._nodes, i] for i in range(3))
        columns = places.columns * moves[:, None]
        a, b, c = (columns[..., 3 + i] for i in range(3))
        # u + w × r
        turned = (b * z - c * y, c * x - a * z, a * y - b * x)
        rows = [columns[..., i] + turned[i] for i in range(3)]
        return [*rows, a, b, c] if is_frame else rows

    def _acceleration(self, places: Places, motions: Motions, end: _End) -> np.ndarray:
        """Return the acceleration of a frame at zero q̈, linear and angular, in world axes."""
        if end.node < 0:
            # the root accelerates against gravity, as all links do in `motions`
            return np.concatenate([-self.rolled.gravity, np.zeros(3)])
        R = places.R[..., end.node, :, :]
        a = motions.a[..., end.node, :] + motions.K[..., end.node, :, :] @ end.p
        both = np.stack([a, motions.wd[..., end.node, :]], axis=-2)
        turned = (both[..., None, :] * R[..., None, :, :]).sum(axis=-1)
        return turned.reshape(*turned.shape[:-2], 6)

    def _counted(self, rows: list[np.ndarray], q: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the rows that do not vanish for all q, ``(..., rows, *shape)``."""
        batch = q.shape[:-1]
        picked = [np.broadcast_to(rows[place], (*batch, *shape)) for place in self._rows]
        return np.stack(picked, axis=len(batch))


def _couplings(model: Model, tree: Tree) -> Kernel:
    """Return errors, rows of A and bias of the couplings alone, a few operations for each."""
    q, v = model.symbols.q, model.symbols.qd
    rows = tuple(ConstraintRow(i, x.name) for i, x in enumerate(tree.couplings))
    only = replace(tree, loops=(), constraint_rows=rows).map(as_expr)
    outputs = {
        "error": loop_error(only, q),
        "A": loop_jacobian(only, q),
        "bias": loop_bias(only, q, v),
    }
    return model.compile(outputs, {"q": q, "qd": v}, name="couplings")


def _scalars(R: np.ndarray, p: np.ndarray) -> Pose:
    """Return a pose whose scalars are arrays, one entry for each state."""
    rows = tuple(tuple(R[..., i, j] for j in range(3)) for i in range(3))
    return Pose(rows, (p[..., 0], p[..., 1], p[..., 2]))  # type: ignore[arg-type]


def _floats(numbers: object) -> list[float]:
    return [float(x) for x in numbers]  # type: ignore[attr-defined]
