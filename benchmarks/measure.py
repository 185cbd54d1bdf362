"""Measure all robots: agreement first, then time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.engines import open_engines
from benchmarks.ours import DalembertFloats
from benchmarks.peers.base import TASKS, Case, Engine
from benchmarks.reference import SINGLE_TOLERANCE, TOLERANCE, Reference
from benchmarks.robots import random_states, robots
from benchmarks.timing import Plan, best_of


@dataclass(frozen=True)
class TaskTimes:
    """One task on one robot: nanoseconds and relative errors by engine, and the kernel's cost."""

    times: dict[str, float]
    errors: dict[str, float]
    cost: dict[str, int] | None


@dataclass(frozen=True)
class RobotTimes:
    """All tasks on one robot; ``missing`` says why an engine is not there."""

    name: str
    nq: int
    nv: int
    tasks: dict[str, TaskTimes]
    missing: dict[str, str] = field(default_factory=dict)


class Disagreement(Exception):
    """An engine computes something else: its time would mean nothing."""


def open_case(name: str) -> Case:
    """Return a robot with its states."""
    mechanism = robots()[name]()
    return Case(name, mechanism, random_states(mechanism))


def measure_robot(
    case: Case, plan: Plan, *, peers_only: bool, announce: Callable[[str], None]
) -> RobotTimes:
    """Return the times of every engine on every task it has.

    Raises:
        Disagreement: an engine differs from the recursions.
    """
    engines, missing = open_engines(case, peers_only=peers_only, announce=announce)
    references = [Reference(case, state) for state in (0, len(case.states.q) - 1)]
    tasks = {}
    for task, title in TASKS.items():
        able = [engine for engine in engines if task in engine.tasks]
        announce(f"{case.name}: {title}, agreement")
        errors = {e.name: max(r.error(e, task) for r in references) for e in able}
        _require_agreement(case, title, errors)
        announce(f"{case.name}: {title}")
        jobs = {e.name: lambda passes, e=e, task=task: e.run(task, passes) for e in able}
        tasks[task] = TaskTimes(best_of(jobs, plan), errors, _cost(able, task))
    mechanism = case.mechanism
    return RobotTimes(case.name, mechanism.nq, mechanism.nv, tasks, missing)


def _require_agreement(case: Case, title: str, errors: dict[str, float]) -> None:
    for name, error in errors.items():
        tolerance = SINGLE_TOLERANCE if name == DalembertFloats.name else TOLERANCE
        # written so that NaN is refused too
        if not error <= tolerance:
            raise Disagreement(
                f"expected {name} to agree with the recursions to {tolerance:.0e} on the {title} "
                f"of {case.name}, got a relative error of {error:.1e}"
            )


def _cost(engines: Sequence[Engine], task: str) -> dict[str, int] | None:
    """Return the operations of dalembert's kernel, where it is among the engines."""
    for engine in engines:
        kernels: dict[str, Any] = getattr(engine, "kernels", {})
        if task in kernels:
            return dict(kernels[task].cost._asdict())
    return None
