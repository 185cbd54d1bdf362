"""Why a target was not reached, found by searching again for a part of what it asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.goal import Goal
from dalembert.ik.methods.base import SearchResult, Stop
from dalembert.ik.methods.global_search import Global
from dalembert.ik.problem import problem_of
from dalembert.ik.space import SearchSpace
from dalembert.tasks.base import Task
from dalembert.tasks.pose import PositionTask

if TYPE_CHECKING:
    from dalembert.types import Array

# fewer starts than a search for a solution: this one only explains
SEARCH = Global(restarts=30)
# a coordinate below it is zero
ROUNDING = 1e-12


def diagnose(
    goal: Goal, tasks: Sequence[Task], found: SearchResult, converged: Array
) -> dict[int, str]:
    """Return a sentence for each sample that did not converge, by its number.

    The searches, each for those that the one before has not explained: the same method's end, a
    solution from other starts, one outside the limits, one for the point without the orientation.
    """
    left = np.flatnonzero(~converged)
    reasons: dict[int, str] = {}
    if not left.size:
        return reasons
    space, q, aim = goal.space, found.q[left], goal.of(left)
    norm = aim.norm(q)

    def settle(mask: Array, sentence: Callable[[int], str]) -> None:
        """Explain some of those that are left."""
        nonlocal left, q, aim, norm
        for k in np.flatnonzero(mask):
            reasons[int(left[k])] = sentence(int(k))
        rest = ~mask
        left, q, aim, norm = left[rest], q[rest], aim.of(rest), norm[rest]

    # a Jacobian without inverse stopped it
    names = space.model.configuration.q_names
    settle(found.stops[left] == Stop.SINGULAR, lambda k: _singular(norm[k]))
    # a single start ended where another one arrives
    again = SEARCH.search(aim, q)
    stops, at_bound = found.stops[left], _at_bound(space, q)
    settle(
        again.stops == Stop.REACHED,
        lambda k: _unlucky(stops[k], norm[k], [names[int(i)] for i in np.flatnonzero(at_bound[k])]),
    )
    # only the limits are in the way
    endless = SearchSpace(space.model, *(np.full(space.model.nq, s * np.inf) for s in (-1, 1)))
    beyond = SEARCH.search(aim._replace(space=endless), q)
    wrapped = space.wrapped(beyond.q, q)
    outside = (wrapped < space.lower) | (wrapped > space.upper)
    settle(beyond.stops == Stop.REACHED, lambda k: _bound(names, space, wrapped[k], outside[k]))
    # the point alone
    if left.size:
        settle(np.ones(len(left), bool), _out_of_reach(aim, tasks, q, norm))
    return reasons


def _out_of_reach(goal: Goal, tasks: Sequence[Task], q: Array, norm: Array) -> Callable[[int], str]:
    """Return the sentence about each target that no configuration was found for."""
    points = tasks[0].points(goal.targets[0]) if len(tasks) == 1 else None
    if points is None:
        what = "the tasks together" if len(tasks) > 1 else "the target"
        return lambda k: (
            f"out of reach: {what} cannot be satisfied, the nearest configuration found leaves "
            f"|e| = {norm[k]:.3g}"
        )
    frame = tasks[0].name
    problem = problem_of(goal.problem.given, [PositionTask(frame, points)])
    found = SEARCH.search(goal._replace(problem=problem, targets=[points]), q)
    p = goal.space.model.forward_kinematics(found.q, frame=frame)[..., :3, 3]
    distance = np.linalg.norm(p - points, axis=-1)

    def sentence(k: int) -> str:
        if found.stops[k] == Stop.REACHED:
            return (
                f"out of reach: {frame} can be at the target's point, but not with its "
                f"orientation; the nearest pose found leaves |e| = {norm[k]:.3g}"
            )
        place = ", ".join(f"{x:.4g}" if abs(x) > ROUNDING else "0" for x in p[k])
        return (
            f"out of reach: the nearest point found for {frame} is ({place}), "
            f"{distance[k]:.4g} m from the target"
        )

    return sentence


def _singular(norm: float) -> str:
    return (
        f"singular: the Jacobian has no inverse where the search ended, |e| = {norm:.3g}; "
        "start elsewhere, or use a damped method"
    )


def _unlucky(stop: Stop, norm: float, bound: Sequence[str]) -> str:
    if bound:
        return (
            f"limit-bound: {', '.join(bound)} at a limit from this start, |e| = {norm:.3g}; "
            "another start reaches the target"
        )
    if stop == Stop.ITERATIONS:
        return (
            f"iteration limit: |e| = {norm:.3g} when it was reached; allow more iterations or "
            "starts, a solution exists"
        )
    return f"stalled: a local minimum with |e| = {norm:.3g}; another start reaches the target"


def _bound(names: Sequence[str], space: SearchSpace, q: Array, outside: Array) -> str:
    joints = ", ".join(
        f"{names[int(i)]} = {q[i]:.4g} outside [{space.lower[i]:.4g}, {space.upper[i]:.4g}]"
        for i in np.flatnonzero(outside)
    )
    return f"limit-bound: without limits it can be reached, with {joints}"


def _at_bound(space: SearchSpace, q: Array) -> Array:
    return (q <= space.lower) | (q >= space.upper)
