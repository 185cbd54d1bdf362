"""The tasks that a target stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard, cast

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.ik.tasks.base import Task
from dalembert.ik.tasks.pose import PoseTask

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike


def tasks_of(
    model: Model, target: ArrayLike | Task | Sequence[Task], frame: str | None
) -> list[Task]:
    """Return the tasks that a target stands for: itself, a list of them, a pose of a frame.

    Raises:
        EvaluationError: the list is empty.
        UnknownName: the mechanism has no such frame, or none was named and several may be meant.
    """
    mechanism = model.mechanism
    if isinstance(target, Task):
        tasks: list[Task] = [target]
    elif are_tasks(target):
        tasks = list(target)
    else:
        pose = cast("ArrayLike", target)
        tasks = [PoseTask(_only_end(model) if frame is None else frame, pose)]
    if not tasks:
        raise EvaluationError("expected a pose or tasks to solve for, got an empty list")
    known = [x.name for x in (*mechanism.frames, *mechanism.links)]
    for task in tasks:
        if task.frame not in known:
            raise UnknownName(
                f"expected a frame or link of {mechanism.name}, got {task.frame!r} "
                f"({nearest(task.frame, known)})"
            )
    return tasks


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
