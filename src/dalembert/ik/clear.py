"""Solutions in which links keep their distances: other starts, then the null space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.ik.objectives import Objective
from dalembert.ik.solution import Solution
from dalembert.ik.space import SearchSpace

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.tasks.base import Task
    from dalembert.tasks.limits import Clearance
    from dalembert.types import Array

STARTS = 48
"""Other starts that are tried at once: as many as solve one after the other as quickly."""

TRIED = 4
"""Solutions that come close, from which the null space is searched."""

BUFFER = 0.01
"""Distance in m beyond the margin that the search asks for."""

ROUNDING = 1e-9
"""Distance in m by which a margin may be missed."""

Solve = Callable[..., Solution]
"""`solve_ik` without clearances: of tasks, and starts."""


class Nearest(NamedTuple):
    """The two links that are nearest beside their margin, both in m."""

    links: str
    distance: float
    margin: float


@dataclass(frozen=True, eq=False)
class _Crowding(Objective):
    """Σ (margin + buffer - d)² over pairs that are too near."""

    clearances: Sequence[Clearance]

    def value(self, space: SearchSpace, q: Array) -> Array:
        short = [self._short(space.model, q, x)[0] for x in self.clearances]
        return sum(((x**2).sum(axis=-1) for x in short), np.zeros(q.shape[:-1]))

    def gradient(self, space: SearchSpace, q: Array) -> Array:
        total = np.zeros((*q.shape[:-1], space.model.nv))
        for clearance in self.clearances:
            short, J = self._short(space.model, q, clearance)
            total -= 2 * np.einsum("...p,...pv->...v", short, J)
        return total

    @staticmethod
    def _short(model: Model, q: Array, clearance: Clearance) -> tuple[Array, Array]:
        found = clearance.distances(model, q)
        return np.maximum(clearance.margin + BUFFER - found.distance, 0.0), found.jacobian


def cleared(
    solve: Solve,
    found: Solution,
    space: SearchSpace,
    tasks: Sequence[Task],
    clearances: Sequence[Clearance],
) -> Solution:
    """Return solutions with others in the place of those in which links are too near.

    Args:
        solve: Finds solutions without clearances, of tasks and starts.
        found: What was found without them.
        space: Where to look.
        tasks: What is to be reached.
        clearances: What links keep.
    """
    shape = np.shape(found.ok)
    q = np.array(found.q).reshape(-1, found.q.shape[-1])
    ok, residual = (np.array(x).reshape(-1) for x in (found.ok, found.residual))
    error = np.array(found.error).reshape(len(q), -1)
    status = np.array(found.status, dtype=object).reshape(-1)
    wanted = [task for task in tasks if 0 not in task.shape]
    rows = [_rows(task, shape) for task in wanted]
    room, said = _room(space.model, q, clearances)
    for k in np.flatnonzero(ok & (room < -ROUNDING)):
        own = [
            replace(task, target=target[k])  # type: ignore[type-var]
            for task, target in zip(wanted, rows, strict=True)
        ]
        other, reason = _other(solve, own, space, q[k], clearances)
        if other is not None:
            q[k], error[k], residual[k] = other.q, other.error, other.residual
        else:
            ok[k], status[k] = False, _blocked(reason or said[k])
    return replace(
        found,
        q=q.reshape(found.q.shape),
        ok=ok.reshape(shape)[()],
        status=status.reshape(shape)[()],
        residual=residual.reshape(shape)[()],
        error=error.reshape(np.shape(found.error)),
    )


def _rows(task: Task, batch: tuple[int, ...]) -> Array:
    """Return the targets of a task, a row for each sample."""
    array = task.targets()
    return np.broadcast_to(array, (*batch, *task.shape)).reshape(-1, *task.shape)


def _other(
    solve: Solve,
    tasks: Sequence[Task],
    space: SearchSpace,
    near: Array,
    clearances: Sequence[Clearance],
) -> tuple[Solution | None, Nearest | None]:
    """Return the nearest solution with room for all links, or what is in the way of the best."""
    found = solve([_repeated(task, STARTS) for task in tasks], space.starts(STARTS, 0))
    q = found.q[found.ok]
    if not len(q):
        return None, None
    room, said = _room(space.model, q, clearances)
    clear = np.flatnonzero(room >= -ROUNDING)
    if clear.size:
        away = space.model.configuration.distance(near, q[clear])
        return solve(tasks, q[clear[int(np.argmin(away))]]), None
    best = np.argsort(-room)[:TRIED]
    objective = [_Crowding(clearances)]
    for start in q[best]:
        moved = solve(tasks, start, objectives=objective)
        if moved.ok and _room(space.model, moved.q[None], clearances)[0][0] >= -ROUNDING:
            return moved, None
    return None, said[best[0]]


def _repeated(task: Task, count: int) -> Task:
    target = np.asarray(task.target, float)
    return replace(task, target=np.broadcast_to(target, (count, *target.shape)))  # type: ignore[type-var]


def _room(model: Model, q: Array, clearances: Sequence[Clearance]) -> tuple[Array, list[Nearest]]:
    """Return by how much the nearest pair exceeds its margin, ``(N,)``, and which it is."""
    room = np.full(len(q), np.inf)
    said = [Nearest("", 0.0, 0.0)] * len(q)
    for clearance in clearances:
        found = clearance.distances(model, q)
        pair = found.distance.argmin(axis=-1)
        least = found.distance[np.arange(len(q)), pair]
        for k in np.flatnonzero(least - clearance.margin < room):
            room[k] = least[k] - clearance.margin
            links = " and ".join(found.links[pair[k]])
            said[k] = Nearest(links, float(least[k]), clearance.margin)
    return room, said


def _blocked(nearest: Nearest) -> str:
    """Return the sentence about links that are too near."""
    if nearest.distance < 0:
        return f"blocked: {nearest.links} overlap by {_length(-nearest.distance)}"
    asked = f"{_length(nearest.margin)} are asked for"
    return f"blocked: {nearest.links} are {_length(nearest.distance)} apart, {asked}"


def _length(x: float) -> str:
    """Return a length in the unit in which people say it."""
    return f"{x:.3g} m" if x >= 1 else f"{1000 * x:.3g} mm"
