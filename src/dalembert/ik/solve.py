"""Inverse kinematics: from targets to configurations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, overload

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.ik.clear import cleared
from dalembert.ik.diagnosis import diagnose
from dalembert.ik.functions import Functions, is_functions, solve_functions
from dalembert.ik.goal import Goal
from dalembert.ik.methods.base import Method
from dalembert.ik.methods.global_search import Global
from dalembert.ik.methods.pseudo_inverse import PseudoInverse
from dalembert.ik.null_space import improved
from dalembert.ik.objectives import Objective
from dalembert.ik.problem import problem_of
from dalembert.ik.single import history_of, solve_few, solve_one
from dalembert.ik.solution import REACHED, History, Solution
from dalembert.ik.space import SearchSpace, space_of
from dalembert.model.border import all_of_kind, finite_array, of_kind
from dalembert.model.model import check_model
from dalembert.tasks.base import Task
from dalembert.tasks.closure import ClosureTask
from dalembert.tasks.limits import Clearance, Limit, clearances_of
from dalembert.tasks.listed import tasks_of

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.ik.methods.base import SearchResult
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


DEFAULT = Global()


@overload
def solve_ik(  # pyright: ignore[reportOverlappingOverload]
    model: Functions,
    target: ArrayLike,
    q0: ArrayLike | BySymbol[float] | None = None,
    *,
    method: Method | None = None,
    tolerance: float = 1e-9,
) -> Solution: ...
@overload
def solve_ik(
    model: Model,
    target: ArrayLike | Task | Sequence[Task],
    q0: ArrayLike | None = None,
    *,
    frame: str | None = None,
    method: Method | None = None,
    limits: Iterable[Limit] | None = None,
    objectives: Sequence[Objective] = (),
    tolerance: float = 1e-9,
) -> Solution: ...
def solve_ik(
    model: Model | Functions,
    target: ArrayLike | Task | Sequence[Task],
    q0: ArrayLike | BySymbol[float] | None = None,
    *,
    frame: str | None = None,
    method: Method | None = None,
    limits: Iterable[Limit] | None = None,
    objectives: Sequence[Objective] = (),
    tolerance: float = 1e-9,
) -> Solution:
    """Return configurations that satisfy tasks, |x_d - f(q)| ≤ tolerance, within limits.

    Args:
        model: Of a mechanism; loops and couplings are kept closed. Or plain functions of
            coordinates, a list of expressions: then f(q) = target is solved without limits.
        target: A pose ``(..., 4, 4)`` of ``frame``, a task, or a list of tasks. Of functions their
            values ``(..., m)``.
        q0: Where to begin, ``(..., nq)``; the middle of the limits unless given. Of functions also
            ``{q1: 0.25, q2: 0.75}``; in an array the coordinates are in the order of their names.
        frame: Of a target that is a pose; may be left out where the mechanism has one end.
        method: `Global` unless given; of functions `DampedLeastSquares`.
        limits: Those of the joints unless given; ``()`` for none. With a `Clearance` among them,
            other starts and the null space are searched where links are too near.
        objectives: What to improve with the freedoms that the tasks leave.
        tolerance: In metres and radians.

    Raises:
        EvaluationError: shapes do not fit, or a number is not finite.
        UnknownName: the mechanism has no such frame.

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.ur5e())
    >>> target = model.forward_kinematics([0.1, -1.0, 1.2, 0.3, 0.5, 0.2], frame="flange")
    >>> solve_ik(model, target, [0.0, -0.9, 1.0, 0.0, 0.4, 0.0]).status
    'converged'

    >>> q1, q2 = da.coordinates("q1 q2")
    >>> tip = [da.cos(q1) + da.cos(q1 + q2), da.sin(q1) + da.sin(q1 + q2)]
    >>> solve_ik(tip, [0.2, 1.3], {q1: 0.5, q2: 1.5}).q.round(4).tolist()
    [0.565, 1.7062]
    """
    if not finite_array(tolerance, "tolerance", ()) > 0:
        raise EvaluationError(f"expected a positive tolerance, got {tolerance}")
    if is_functions(model):
        if frame is not None or limits is not None or objectives:
            raise EvaluationError(
                "expected q0=, method= and tolerance= beside functions, got frame=, limits= or "
                "objectives=: leave them out, or compile a mechanism"
            )
        return solve_functions(model, target, q0, method, tolerance)
    check_model(model, "da.solve_ik")
    return _solve(
        model,  # type: ignore[arg-type]
        target,
        q0,  # type: ignore[arg-type]
        frame=frame,
        method=method,
        limits=limits,
        objectives=objectives,
        tolerance=tolerance,
    )


def _solve(
    model: Model,
    target: ArrayLike | Task | Sequence[Task],
    q0: ArrayLike | None,
    *,
    frame: str | None,
    method: Method | None,
    limits: Iterable[Limit] | None,
    objectives: Sequence[Objective],
    tolerance: float,
) -> Solution:
    method = DEFAULT if method is None else of_kind(method, Method, "method=", "a method of da.ik")
    if limits is not None:
        limits = all_of_kind(limits, Limit, "limits=", "limits of da.ik")
    objectives = all_of_kind(objectives, Objective, "objectives=", "objectives of da.ik")
    if frame is not None:
        of_kind(frame, str, "frame=", "the name of a frame")
    if limits is not None and (clearances := clearances_of(limits)):
        tasks = tasks_of(model, target, frame)
        others = tuple(limit for limit in limits if not isinstance(limit, Clearance))
        solve = partial(
            solve_ik,
            model,
            method=method,
            limits=others,
            objectives=objectives,
            tolerance=tolerance,
        )
        space = space_of(model.on_host(), others)
        return cleared(solve, solve(tasks, q0), space, tasks, clearances)
    if not objectives and type(method) is Global:
        for solve in (solve_one, solve_few):
            found_at_once = solve(model, target, q0, frame, limits, method, tolerance)
            if found_at_once is not None:
                return found_at_once
    tasks = tasks_of(model, target, frame)
    problem = problem_of(model, tasks)
    space = space_of(problem.model, limits)
    arrays, batch = problem.targets(tasks)
    start, batch, arrays = _broadcast(_start(space, q0), batch, arrays)
    goal = Goal(problem, space, arrays, tolerance)
    found = method.search(goal, start)
    q = found.q
    error, square = problem.residual(q, *arrays)
    converged = square <= tolerance**2
    converged &= ((q >= space.lower) & (q <= space.upper)).all(axis=-1)
    if not converged.all() and ClosureTask.of(model) is not None:
        q[~converged] = _closed(goal, q[~converged])
    if objectives and converged.any():
        q[converged] = improved(goal.of(converged), objectives, q[converged])
    if objectives or not converged.all():
        error, square = problem.residual(q, *arrays)
    status = np.full(len(q), REACHED, dtype=object)
    for k, sentence in diagnose(goal, tasks, found, converged).items():
        status[k] = sentence
    return Solution(
        q=_shaped(q, batch),
        ok=_shaped(converged, batch),
        status=_shaped(status, batch),
        residual=_shaped(np.sqrt(square), batch),
        error=_shaped(error, batch),
        iterations=_shaped(found.iterations, batch),
        restarts=_shaped(found.restarts, batch),
        recall=None if batch else _recall(goal, found),
    )


def _start(space: SearchSpace, q0: ArrayLike | None) -> Array:
    if q0 is None:
        return space.middle
    configuration = space.model.configuration
    return configuration.normalized(configuration.positions_of(q0, "q0"))


def _broadcast(
    q: Array, batch: tuple[int, ...], arrays: list[Array]
) -> tuple[Array, tuple[int, ...], list[Array]]:
    """Return starts and targets with one row for each sample."""
    try:
        full = np.broadcast_shapes(q.shape[:-1], batch)
    except ValueError:
        raise EvaluationError(
            f"expected q0 and targets with batch axes that broadcast, got {q.shape[:-1]} and "
            f"{batch}"
        ) from None
    rows = []
    for array in arrays:
        shape = array.shape[1:]
        rows.append(np.broadcast_to(array.reshape((*batch, *shape)), (*full, *shape)))
    rows = [np.ascontiguousarray(r.reshape(-1, *r.shape[len(full) :])) for r in rows]
    return np.broadcast_to(q, (*full, q.shape[-1])).reshape(-1, q.shape[-1]).copy(), full, rows


def _closed(goal: Goal, q: Array) -> Array:
    """Return configurations nearby that close the loops, without the tasks."""
    closure = goal._replace(problem=problem_of(goal.problem.given, []), targets=[])
    return PseudoInverse().search(closure, q).q


def _recall(goal: Goal, found: SearchResult) -> Callable[[], History] | None:
    path = found.path
    return None if path is None else lambda: history_of(goal, path())


def _shaped(x: Array, batch: tuple[int, ...]) -> Array:
    """Return rows with the batch axes of the call; of a single target the row, or its scalar."""
    return x.reshape((*batch, *x.shape[1:]))[()]
