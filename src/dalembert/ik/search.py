"""A whole search with restarts, compiled: for one target, and for many side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.expr import Expr, parameters
from dalembert.ik.methods.damped_step import clamped, damped_step, damping, free_columns
from dalembert.ik.methods.search_step import (
    START,
    Progress,
    chosen,
    count_outside,
    decide,
    row_of,
    unwound,
)
from dalembert.ik.problem import Problem, check_precision, symbol_list
from dalembert.ik.space import SearchSpace
from dalembert.model.border import to_numpy
from dalembert.tasks.base import squared
from dalembert.tasks.limits import Bounds

if TYPE_CHECKING:
    from dalembert.types import Array

STARTS = 8
"""Starts that a compiled search has at hand, beside the one that it begins with."""
STEPS = 600
"""Steps of one call of the search for one target: enough for all its starts."""


class Trace(NamedTuple):
    """Where searches stand after some steps, one row for each sample.

    ``q`` ``(N, nq)`` and ``progress`` are where to go on, ``place`` ``(N, nq)`` is where the error
    ``e`` was evaluated last; ``left`` is positive where the search goes on; ``steps`` were taken;
    ``path`` ``(N, steps, nq)`` holds each q, if it was recorded.
    """

    q: Array
    progress: Array
    place: Array
    e: Array
    left: Array
    steps: Array
    path: Array | None


class Search:
    """Damped steps inside bounds, with restarts, of a problem.

    ``wide`` tells which numbers of q are angles with a full turn of room. They have no bounds on
    the way: full turns bring them back.
    """

    def __init__(self, problem: Problem, wide: tuple[bool, ...]) -> None:
        self.problem, self.wide = problem, wide
        n = problem.model.nq
        self._lower, self._upper = (symbol_list(f"{name}{{}}", n) for name in ("lower", "upper"))

    def prepared(self, q: Array, bounds: Bounds) -> tuple[Array, Array]:
        """Return starts inside the bounds, and the middle of the turn that angles shall be in."""
        return self._prepared(q, *bounds)

    def run(
        self,
        q: Array,
        progress: Array,
        targets: Sequence[Array],
        tolerance: float,
        bounds: Bounds,
        centre: Array,
        starts: Array,
        effort: Array,
        *,
        steps: int,
        is_recorded: bool = False,
    ) -> Trace:
        """Return samples after some more steps; each ends by itself.

        ``starts`` ``(N, STARTS, nq)`` and ``effort`` ``(N, 2)``, the rounds of a start and how
        many starts there are, belong to each sample.

        Raises:
            EvaluationError: the kernels compute in single precision, and cannot be that exact.
        """
        loop = self._loop
        check_precision(loop.dtype)
        run = loop(
            q,
            *targets,
            progress,
            *bounds,
            centre,
            starts,
            effort,
            tolerance**2,
            steps=steps,
            record=int(is_recorded),
        )
        moved, after, place, e, left = (to_numpy(x) for x in run.outputs)
        path = to_numpy(run.records[0]) if is_recorded else None
        return Trace(moved, after, place, e, left, to_numpy(run.steps).astype(int), path)

    # ---- for one target, as functions of plain arrays that return None for all others

    @cached_property
    def prepare_one(self) -> Callable[..., Any]:
        """From q₀, targets and bounds to the start, the centre and the defect of the targets."""
        problem = self.problem
        q, defect = list(problem.model.symbols.q), problem.defect
        if defect is None:
            return _decline
        outputs = {"q": self.begun(q), "centre": self.centre(q), "defect": defect}
        prepare = problem.model.compile(
            outputs, {**problem.inputs, **self.bounds}, name="ik_prepare"
        )
        # the first call compiles
        middle = problem.model.configuration.neutral
        prepare(middle, *(np.zeros(port.shape) for port in prepare.inputs[1:]))
        return prepare.with_fast_calls(_decline)

    @cached_property
    def run_one(self) -> Callable[..., Any]:
        """From arrays as `run` takes them to those of a `Trace`, without the path."""
        loop = self.problem.model.loop(*self.step, stop="left", name="ik_search")
        return loop.with_fast_calls(STEPS, _decline)

    # ---- compiled

    @cached_property
    def _prepared(self) -> Any:
        q = list(self.problem.model.symbols.q)
        outputs = {"q": self.begun(q), "centre": self.centre(q)}
        inputs = {"q": q, **self.bounds}
        return self.problem.model.compile(outputs, inputs, name="ik_start")

    @cached_property
    def _loop(self) -> Any:
        return self.problem.given.loop(*self.step, stop="left", name="ik_search")

    @cached_property
    def step(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
        """One step: outputs and inputs by name, and which of them are carried."""
        problem, n = self.problem, self.problem.model.nq
        q, (e, J) = list(problem.model.symbols.q), problem.weighted
        progress = Progress(*symbol_list("progress{}", len(START)))
        centre, flat = symbol_list("centre{}", n), symbol_list("start{}", STARTS * n)
        starts = [flat[k * n : (k + 1) * n] for k in range(STARTS)]
        rounds, restarts, tolerance = parameters("rounds restarts tolerance")
        cost = squared(e)
        loose = [k for k in range(n) if not self._is_clamped[k]]
        bounds = ([x[k] for k in loose] for x in (q, self._lower, self._upper))
        decision = decide(
            progress,
            problem.square,
            cost,
            tolerance,
            rounds=rounds,
            restarts=restarts,
            outside=count_outside(*bounds),
        )
        # q + δ with (JᵀJ + λ) δ = Jᵀe, or the next start
        step = damped_step(self._free_columns(J, e, q), e, damping(J, cost, 0))
        row = row_of(progress.number, starts)
        pairs = zip(row, problem.moved(q, step), strict=True)
        moved = self._inside([chosen(decision.again, a, b) for a, b in pairs], centre)
        inputs: dict[str, Any] = {**problem.inputs, "progress": list(progress)}
        inputs |= {**self.bounds, "centre": centre, "starts": starts}
        inputs |= {"effort": [rounds, restarts], "tolerance": tolerance}
        outputs = {"moved": moved, "after": list(decision.progress), "place": q}
        outputs |= {"e": problem.error, "left": decision.left}
        return outputs, inputs, {"moved": "q", "after": "progress"}

    # ---- expressions

    @property
    def bounds(self) -> dict[str, list[Expr]]:
        """The symbols of the bounds, by the names of the inputs."""
        return {"lower": self._lower, "upper": self._upper}

    def begun(self, q: list[Expr]) -> list[Expr]:
        """Return a start inside its bounds, with quaternions of length one."""
        model = self.problem.model
        if not model.configuration.is_flat:
            q = list(model.expressions("normalized", q))
        return [clamped(*x) for x in zip(q, self._lower, self._upper, strict=True)]

    def centre(self, q: Sequence[Expr]) -> list[Expr]:
        """Return the middle of the full turn, within the bounds, that is closest to q."""
        half = np.pi
        return [
            clamped(x, low + half, high - half) if wide else x
            for x, low, high, wide in zip(q, self._lower, self._upper, self.wide, strict=True)
        ]

    @cached_property
    def _is_clamped(self) -> list[bool]:
        places = self.problem.places
        return [k in places and not wide for k, wide in enumerate(self.wide)]

    def _free_columns(
        self, J: Sequence[Sequence[Expr]], e: Sequence[Expr], q: Sequence[Expr]
    ) -> list[list[Expr]]:
        """Return J without the columns of joints that stand at a bound and would leave it."""
        bound = [k if k is not None and self._is_clamped[k] else None for k in self.problem.places]
        at, low, high = (
            [None if k is None else x[k] for k in bound] for x in (q, self._lower, self._upper)
        )
        return free_columns(J, e, at, low, high)

    def _inside(self, q: Sequence[Expr], centre: Sequence[Expr]) -> list[Expr]:
        """Return q with joints inside their bounds and angles within a turn about the centre."""
        result = list(q)
        for k, wide in enumerate(self.wide):
            if wide:
                result[k] = unwound(q[k], centre[k])
            elif self._is_clamped[k]:
                result[k] = clamped(q[k], self._lower[k], self._upper[k])
        return result


def search_of(problem: Problem, space: SearchSpace) -> Search:
    """Return the compiled search of a problem; the same structure is compiled once."""
    wide = tuple(map(bool, space.wide))
    key = ("inverse kinematics search", problem.structure, wide)
    return problem.given.once(key, lambda: Search(problem, wide))


def _decline(*arrays: object) -> None:
    """Leave a call to the general way."""
