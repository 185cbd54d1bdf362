"""The tasks that a target stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard, cast

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.tasks.base import RateTask, Task
from dalembert.tasks.pose import PoseTask

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike


def tasks_of(
    model: Model, target: ArrayLike | Task | Sequence[Task], frame: str | None
) -> list[Task]:
    """Return the tasks that a target stands for: itself, a list of them, a pose of a frame.

    Raises:
        EvaluationError: the list is empty, or has tasks of velocities or of a later priority.
        UnknownName: the mechanism has no such frame, or none was named and several may be meant.
    """
    if isinstance(target, Task):
        tasks: list[Task] = [target]
    elif are_tasks(target):
        tasks = list(target)
    else:
        pose = cast("ArrayLike", target)
        tasks = [PoseTask(_only_end(model) if frame is None else frame, pose)]
    if not tasks:
        raise EvaluationError("expected a pose or tasks to solve for, got an empty list")
    check_tasks(model, tasks)
    for task in tasks:
        if isinstance(task, RateTask):
            raise EvaluationError(
                f"expected tasks of positions, got one of {task.name}: {task.name} is a condition "
                "on velocities, for DifferentialIK and WholeBody"
            )
        if task.priority:
            raise EvaluationError(
                f"expected tasks that are solved together, got priority {task.priority} of "
                f"{task.name}: give weights, or use DifferentialIK or WholeBody"
            )
    return tasks


def check_tasks(model: Model, tasks: Sequence[Task]) -> None:
    """Raise `UnknownName` unless the mechanism has all frames of some tasks."""
    check_frames(model, [frame for task in tasks for frame in task.frames])


def check_frames(model: Model, frames: Sequence[str]) -> None:
    """Raise `UnknownName` unless the mechanism has some frames or links."""
    mechanism = model.mechanism
    known = [x.name for x in (*mechanism.frames, *mechanism.links)]
    for frame in frames:
        if frame not in known:
            raise UnknownName(
                f"expected a frame or link of {mechanism.name}, got {frame!r} "
                f"({nearest(frame, known)})"
            )


def are_tasks(target: object) -> TypeGuard[Sequence[Task]]:
    """Tell whether a target is a list of tasks."""
    return isinstance(target, list | tuple) and all(isinstance(x, Task) for x in target)


def _only_end(model: Model) -> str:
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
