"""Velocities that move frames towards targets and keep limits, one quadratic program a tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.ik.differential.terms import Terms, terms_of
from dalembert.model import Model
from dalembert.model.border import all_of_kind, check_doubles, finite_vector, number_in, of_kind
from dalembert.model.formulas.moved import moved
from dalembert.model.source.ticks import tick_source
from dalembert.quadratic import Daqp, Program, Solver, Squares, solve_by_levels
from dalembert.tasks import JointLimits, Limit, Task
from dalembert.tasks.limits import clearances_of
from dalembert.tasks.listed import check_tasks
from dalembert.tasks.speeds import SpeedLimits
from dalembert.tasks.stack import Stack, symbol_list

if TYPE_CHECKING:
    from dalembert.model.source.ticks import CSource
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class Tick:
    """One step of differential inverse kinematics.

    Attributes:
        q: Where the step ends, ``(nq,)``.
        velocity: q̇ of the step, ``(nv,)``.
        error: The weighted error of the tasks before the step.
        program: What was solved for the velocity; of several priorities the last.
    """

    q: Array
    velocity: Array
    error: Array
    program: Program

    @property
    def active(self) -> tuple[str, ...]:
        """The limits that held the step back."""
        return self.program.active(self.velocity)


@dataclass(frozen=True, eq=False)
class DifferentialIK:
    """Follow targets within limits: min |W (J v - gain e/dt)|² + damping |v|² for each tick.

    Position, velocity and acceleration limits hold at every tick. Where accelerations are limited,
    a joint keeps the room that it needs to brake before its bound. Clearances hold to first order,
    ḋ ≥ -(d - margin)/dt. Loops stay closed. Tasks of
    priority 1 take what freedom those of priority 0 leave, and so on.

    Args:
        model: What moves; joints that follow others follow.
        tasks: What is to be followed, with weights and priorities; their targets are those of the
            first tick.
        dt: Seconds of a tick.
        gain: Part of the error that a tick removes, above 0 and at most 1.
        damping: Weight of |v|² beside squared errors, above 0: what keeps singularities calm.
        limits: Position limits, and a `Clearance` of links. Default: those of the joints.
        velocity: Largest |q̇|, a number or one for each joint. Default: those of the joints.
        acceleration: Largest |q̈| of joints. Default: none.
        solver: What solves the program where limits or loops count. Default: `Daqp`.

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.panda())
    >>> q = [0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3]
    >>> aim = model.forward_kinematics([0.15, 0.2, 0.3, -1.4, 0.2, 1.5, 0.3], "flange")
    >>> tasks = [da.ik.PoseTask("flange", aim)]
    >>> follow = DifferentialIK(model, tasks, dt=0.01)  # doctest: +SKIP
    >>> for _ in range(100):  # doctest: +SKIP
    ...     q = follow.tick(q).q

    Raises:
        EvaluationError: an argument is out of its range.
        UnknownName: the mechanism has no frame or joint of a task.
        MissingDependency: the solver is not installed.
    """

    model: Model
    tasks: Sequence[Task]
    dt: float = field(kw_only=True)
    gain: float = field(default=0.5, kw_only=True)
    damping: float = field(default=1e-6, kw_only=True)
    limits: Sequence[Limit] = field(default=(JointLimits(),), kw_only=True)
    velocity: ArrayLike | None = field(default=None, kw_only=True)
    acceleration: ArrayLike | None = field(default=None, kw_only=True)
    solver: Solver = field(default_factory=Daqp, kw_only=True)

    def __post_init__(self) -> None:
        of_kind(self.model, Model, "model", "what da.compile returns")
        check_doubles(self.model, "differential inverse kinematics")
        object.__setattr__(self, "tasks", all_of_kind(self.tasks, Task, "tasks=", "tasks of da.ik"))
        all_of_kind(self.limits, Limit, "limits=", "limits of da.ik")
        of_kind(self.solver, Solver, "solver=", "a solver of da.ik")
        for name, most in (("dt", np.inf), ("gain", 1.0), ("damping", np.inf)):
            number_in(getattr(self, name), name, above=0, most=most)
        if not self.tasks:
            raise EvaluationError("expected at least one task, got none: name what shall move")
        check_tasks(self.model, self.tasks)
        _ = self._speeds
        for clearance in clearances_of(self.limits):
            clearance.shapes(self.model)

    def tick(
        self,
        q: ArrayLike,
        velocity: ArrayLike | None = None,
        targets: Sequence[ArrayLike] | None = None,
    ) -> Tick:
        """Compute one step.

        Args:
            q: Where the robot is, ``(nq,)``.
            velocity: q̇ of the last tick, ``(nv,)``, where accelerations are limited. Default: rest.
            targets: One for each task, of its shape. Default: those of the tasks.

        Raises:
            EvaluationError: the limits exclude each other; the message names which.
        """
        terms, (nq, nv) = self._terms, self._sizes
        here = finite_vector(q, "q", nq)
        before = self._rest if velocity is None else finite_vector(velocity, "velocity", nv)
        given = self._targets if targets is None else self._stack.shaped(targets)
        try:
            H, f, A, lower, upper, e, *levels = terms.kernel(here, *given, before)
        except EvaluationError:
            # a target that is not finite is named as its task is
            self._stack.checked(targets)
            raise
        program = Program(H, f, A.reshape(-1, nv), lower, upper, terms.names)
        if levels:
            costs = [Squares(*pair) for pair in zip(levels[::2], levels[1::2], strict=True)]
            v, program = solve_by_levels(self.solver, program, costs, self._what)
        else:
            v = program.free_minimum()
            if v is None:
                v = self.solver.solution(program, self._what)
        if self._is_flat:
            return Tick(here + self.dt * v, v, e, program)
        return Tick(self._step(here, self.dt * v), v, e, program)

    def source(self, *, prefix: str | None = None, dtype: str = "float64") -> CSource:
        """Return a tick as C with fixed sizes and a solver of its own, for microcontrollers.

        ``prefix_tick(q, targets…, before, work)`` leaves the velocity in ``work->x``.

        Args:
            prefix: Of the names in C. Default: the name of the robot.
            dtype: "float64" or "float32".

        Raises:
            EvaluationError: tasks have several priorities.
        """
        terms = self._terms
        model = self.model.on_host()
        return tick_source(model, terms.kernel, terms.names, prefix=prefix, dtype=dtype)

    # ---- what does not change

    @cached_property
    def _what(self) -> str:
        return f"move {self.model.name} within its limits"

    @cached_property
    def _speeds(self) -> SpeedLimits:
        return SpeedLimits.of(
            self.model, float(self.dt), self.limits, self.velocity, self.acceleration
        )

    @cached_property
    def _terms(self) -> Terms:
        return terms_of(
            self.model.on_host(),
            self._stack,
            self._speeds,
            gain=float(self.gain),
            damping=float(self.damping),
            clearances=clearances_of(self.limits),
        )

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        return self.model.nq, self.model.nv

    @cached_property
    def _is_flat(self) -> bool:
        return self.model.configuration.is_flat

    @cached_property
    def _step(self) -> Callable[..., Array]:
        """q ⊕ step, compiled."""
        model = self.model.on_host()
        q, step = list(model.symbols.q), symbol_list("step{}", model.nv)
        return model.compile(moved(model, q, step), {"q": q, "step": step}, name="ik_step")

    @cached_property
    def _stack(self) -> Stack:
        return Stack(self.model.on_host(), self.tasks)

    @cached_property
    def _targets(self) -> list[Array]:
        return self._stack.checked()

    @cached_property
    def _rest(self) -> Array:
        return np.zeros(self.model.nv)
