"""One target at a time, without Python in the search: what a control loop calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.ik.goal import Goal
from dalembert.ik.methods.global_search import Batch, Global
from dalembert.ik.methods.search_step import START
from dalembert.ik.problem import problem_of, structure_of
from dalembert.ik.search import STARTS, search_of
from dalembert.ik.solution import REACHED, History, Solution
from dalembert.ik.space import space_of
from dalembert.tasks.base import Task
from dalembert.tasks.limits import JointLimits
from dalembert.tasks.listed import are_tasks, tasks_of
from dalembert.tasks.pose import ROUNDING

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.tasks.limits import Limit
    from dalembert.types import Array, ArrayLike

# the scalars of a solution for one target, which types call arrays
YES: Any = np.bool_(True)
NUMBER: Any = np.float64
COUNT: Any = np.int64
DOUBLE = np.dtype(float)
# solvers of a model that are kept; what they run is compiled once for all of the same tasks
MOST = 64
# calls of the compiled search, with `STARTS` starts each, before the general one takes over
BLOCKS = 6
# poses of a batch up to which calls one by one are quicker than a loop over lanes
FEW = 48
# axes of the array that a pose is
POSE = (2,)


def solve_one(
    model: Model,
    target: ArrayLike | Task | Sequence[Task],
    q0: ArrayLike | None,
    frame: str | None,
    limits: tuple[Limit, ...] | None,
    method: Global,
    tolerance: float,
) -> Solution | None:
    """Return the solution for a single target, or None where the general way must look for it.

    That is a batch, a target that needs a check or a correction, and one that the first few starts
    do not reach.
    """
    if limits is not None and any(type(limit) is not JointLimits for limit in limits):
        # other limits may change from call to call
        return None
    targets: Sequence[Any]
    if isinstance(target, Task) or are_tasks(target):
        tasks = (target,) if isinstance(target, Task) else tuple(target)
        key, ranks = structure_of(tasks), tuple(len(task.shape) for task in tasks)
        targets = [task.target for task in tasks]
    else:
        key, ranks, targets = frame, POSE, (target,)
    if not all(map(_has_rank, targets, ranks)) or not (q0 is None or _has_rank(q0, 1)):
        return None
    solvers = model.once("inverse kinematics of one target", dict)
    solver = solvers.get((key, limits, method))
    if solver is None:
        solver = SingleSolver(model, tasks_of(model, target, frame), limits, method)
        if len(solvers) >= MOST:
            solvers.pop(next(iter(solvers)), None)
        solvers[key, limits, method] = solver
    found = solver(targets, q0, tolerance)
    if found is not None:
        return found
    # once more with lists, integers and other orders of memory as arrays of doubles
    plain, start = [_plain(x) for x in targets], _plain(q0)
    is_plain = start is q0 and all(map(is_, plain, targets))
    return None if is_plain else solver(plain, start, tolerance)


def solve_few(
    model: Model,
    target: ArrayLike | Task | Sequence[Task],
    q0: ArrayLike | None,
    frame: str | None,
    limits: tuple[Limit, ...] | None,
    method: Global,
    tolerance: float,
) -> Solution | None:
    """Return the solution for a short batch of poses, one after the other.

    Up to `FEW` of them that is quicker than all side by side. None where the general way must look
    for one of them, as `solve_one` says.
    """
    if not isinstance(target, np.ndarray) or target.ndim != 3 or not 0 < len(target) <= FEW:
        return None
    starts: Sequence[ArrayLike | None] = [q0] * len(target)
    if q0 is not None and not _has_rank(q0, 1):
        if not isinstance(q0, np.ndarray) or q0.ndim != 2 or len(q0) != len(target):
            return None
        starts = list(q0)
    found: list[Solution] = []
    for pose, start in zip(target, starts, strict=True):
        once = solve_one(model, pose, start, frame, limits, method, tolerance)
        if once is None:
            return None
        found.append(once)
    names = ("q", "ok", "status", "residual", "error", "iterations", "restarts")
    columns = {name: [getattr(x, name) for x in found] for name in names}
    arrays = {name: np.array(column) for name, column in columns.items() if name != "status"}
    return Solution(**arrays, status=np.array(columns["status"], dtype=object), recall=None)


class Block(NamedTuple):
    """Starts that one call tries: where it begins, the number of that start, those that follow.

    ``effort`` is the rounds of a start, and how many follow.
    """

    begin: Array | None
    number: int
    starts: Array
    effort: Array


class SingleSolver:
    """The search for one target of tasks: two calls of compiled code."""

    def __init__(
        self, model: Model, tasks: Sequence[Task], limits: Sequence[Limit] | None, method: Global
    ) -> None:
        self.problem, self.method = problem_of(model, tasks), method
        self.space = space_of(self.problem.model, limits)
        self.blocks = list(self._blocks())
        self.begin = np.array(START)
        search = search_of(self.problem, self.space)
        self.prepare, self.run = search.prepare_one, search.run_one

    def _blocks(self) -> Iterator[Block]:
        """Yield the starts in the order in which `Global` tries them."""
        method = self.method
        starts = self.space.clipped(self.space.starts(max(method.restarts, 1), method.seed))
        for first in range(0, min(BLOCKS * STARTS, max(method.restarts, 1)), STARTS):
            # the first block begins at q₀, the others at a start of their own
            number = first + 1 if first else 0
            rows = np.minimum(number + np.arange(STARTS), len(starts) - 1)
            count = min(STARTS - (first > 0), method.restarts - number)
            begin = starts[first].copy() if first else None
            yield Block(begin, number, starts[rows], np.array([method.rounds, count], float))

    def __call__(
        self, targets: Sequence[object], q0: ArrayLike | None, tolerance: float
    ) -> Solution | None:
        """Return the solution, or None where the general way must look at it.

        That is where an argument is no array of the right shape, not finite or no exact target,
        and where the first few starts do not arrive.
        """
        bounds = self.space.finite
        ready = self.prepare(self.space.middle if q0 is None else q0, *targets, *bounds)
        if ready is None:
            return None
        q, centre, defect = ready
        if not defect.item() <= ROUNDING:
            return None
        square, taken = np.array(tolerance * tolerance), 0
        for start, first, rows, effort in self.blocks:
            found = self.run(
                q if start is None else start,
                *targets,
                self.begin,
                *bounds,
                centre,
                rows,
                effort,
                square,
            )
            if found is None:
                return None
            _, progress, place, error, left, steps = found
            number, _, _, _, near, residual, _ = progress.tolist()
            taken += int(steps.item())
            if near:
                number = first + int(number)
                return Solution(
                    q=place,
                    ok=YES,
                    status=REACHED,
                    residual=NUMBER(residual),
                    error=error,
                    iterations=COUNT(taken - 1),
                    restarts=COUNT(number),
                    recall=partial(self.recall, list(map(np.array, targets)), q, number, tolerance),
                )
            if left > 0:
                break
        return None

    def recall(self, targets: Sequence[Array], q: Array, number: int, tolerance: float) -> History:
        """Return the iterates since the last start."""
        goal = Goal(self.problem, self.space, [x[None] for x in targets], tolerance)
        return history_of(goal, Batch(self.method, goal, q[None]).path(number))


def history_of(goal: Goal, path: Array) -> History:
    """Return the iterates of one target with their errors."""
    return History(goal.space.model.configuration.q_names, path, goal.norm(path))


def _plain(x: object) -> Any:
    """Return numbers in lists or arrays as the compiled code takes them, and others as they are."""
    if isinstance(x, list | tuple):
        try:
            x = np.asarray(x)
        except ValueError:
            # rows of different lengths
            return x
    if type(x) is np.ndarray and (x.dtype != DOUBLE or not x.flags.c_contiguous):
        return np.array(x, float, order="C") if x.dtype.kind in "iuf" else x
    return x


def _has_rank(x: object, rank: int) -> bool:
    """Tell whether an array or nested lists have so many axes."""
    axes = 0
    while isinstance(x, list | tuple) and x:
        axes, x = axes + 1, x[0]
    return axes + (x.ndim if isinstance(x, np.ndarray) else 0) == rank
