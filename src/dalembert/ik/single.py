"""One pose at a time, without Python in the search: what a control loop calls."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import UnknownName
from dalembert.expr import Expr, sqrt
from dalembert.ik.goal import Goal
from dalembert.ik.methods.damped_step import squared
from dalembert.ik.methods.global_search import Batch, Global
from dalembert.ik.methods.search_step import START
from dalembert.ik.problem import problem_of
from dalembert.ik.search import STARTS, STEPS, search_of
from dalembert.ik.solution import REACHED, History, Solution
from dalembert.ik.space import space_of
from dalembert.ik.tasks.pose import ROUNDING, PoseTask
from dalembert.spatial.rotation.check import rotation_defects

if TYPE_CHECKING:
    from dalembert.ik.tasks.base import Target
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

YES = np.bool_(True)


def reach_pose(
    model: Model, target: object, q0: object, frame: str | None, tolerance: float
) -> Solution | None:
    """Return the solution for a plain pose, or None where the general way must look at it.

    That is where ``target`` or ``q0`` are no arrays of doubles of the right shape, not finite or no
    exact pose, and where the first few starts do not arrive.
    """
    if type(target) is not np.ndarray or target.shape != (4, 4):
        return None
    solver = model.once(("inverse kinematics of a pose", frame), partial(PoseSolver, model, frame))
    return solver(target, q0, tolerance)


class PoseSolver:
    """The search for poses of one frame within the limits of the joints."""

    def __init__(self, model: Model, frame: str | None) -> None:
        name = only_end(model) if frame is None else frame
        self.problem = problem_of(model, [PoseTask(name, np.eye(4))])
        self.space = space_of(self.problem.model, None)
        method = Global()
        starts = self.space.starts(method.restarts, method.seed)[:STARTS]
        self.starts = np.ascontiguousarray(self.space.clipped(starts))
        self.effort = np.array([method.rounds, STARTS], float)
        self.begin = np.array(START)
        search = search_of(self.problem, self.space)
        q, pose = list(self.problem.model.symbols.q), self.problem.inputs["target_0"]
        outputs = {"q": search.begun(q), "centre": search.centre(q), "defect": _defect(pose)}
        inputs = {"q": q, "target": pose, **search.bounds}
        prepare = self.problem.model.compile(outputs, inputs, name="ik_pose")
        # the first call compiles
        prepare(self.space.middle, np.eye(4), *self.space.finite)
        self.prepare = prepare.with_fast_calls(_decline)
        self.run = search.for_one(STEPS, _decline)

    def __call__(self, target: Array, q0: object, tolerance: float) -> Solution | None:
        """Return the solution, or None where none was found at once."""
        start = self.space.middle if q0 is None else _plain(q0)
        ready = self.prepare(start, target, *self.space.finite)
        if ready is None:
            return None
        q, centre, defect = ready
        if not defect.item() <= ROUNDING:
            return None
        bounds, square = self.space.finite, np.array(tolerance * tolerance)
        found = self.run(q, target, self.begin, *bounds, centre, self.starts, self.effort, square)
        if found is None:
            return None
        _, progress, place, error, _, steps = found
        number, _, _, _, near, residual, _ = progress.tolist()
        if not near:
            return None
        return Solution(
            q=place,
            ok=YES,
            status=REACHED,
            residual=np.float64(residual),
            error=error,
            iterations=np.int64(steps.item() - 1),
            restarts=np.int64(number),
            recall=partial(self.recall, target.copy(), q, int(number), tolerance),
        )

    def recall(self, target: Array, q: Array, number: int, tolerance: float) -> History:
        """Return the iterates since the last start."""
        goal = Goal(self.problem, self.space, [target[None]], tolerance)
        return history_of(goal, Batch(Global(), goal, q[None]).path(number))


def history_of(goal: Goal, path: Array) -> History:
    """Return the iterates of one target with their errors."""
    return History(goal.space.model.configuration.q_names, path, goal.norm(path))


def only_end(model: Model) -> str:
    """Return the only frame, or the only last link, that a pose can be meant for."""
    mechanism = model.mechanism
    frames = [x.name for x in mechanism.frames]
    if len(frames) == 1:
        return frames[0]
    parents = {joint.parent for joint in mechanism.joints}
    ends = [x.name for x in mechanism.links if x.name not in parents]
    if not frames and len(ends) == 1:
        return ends[0]
    raise UnknownName(
        f"expected frame= to say what shall reach the pose, got none: {', '.join(frames or ends)}"
    )


def _defect(pose: Target) -> Expr:
    """Return how far numbers are from a pose: zero for a rotation and the last row (0, 0, 0, 1)."""
    R = tuple(tuple(row[:3]) for row in pose[:3])
    last = [x - one for x, one in zip(pose[3], (0, 0, 0, 1), strict=True)]
    return sqrt(squared([*rotation_defects(R), *last]))


def _plain(q: object) -> object:
    """Return lists of numbers as an array."""
    if type(q) is np.ndarray:
        return q
    array = np.asarray(q)
    return array.astype(float) if array.dtype.kind in "iuf" else q


def _decline(*arrays: ArrayLike) -> None:
    """Leave a call to the general way."""
