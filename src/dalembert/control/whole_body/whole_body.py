"""The control of the whole body by one quadratic program each tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.controllers.base import Controller
from dalembert.control.controllers.checks import check_untimed
from dalembert.control.references.base import Motion
from dalembert.control.whole_body.contact import SurfaceContact
from dalembert.control.whole_body.terms import Setting, Terms, terms_of
from dalembert.control.whole_body.tick import BodyTick
from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.model.border import all_of_kind, check_doubles, finite_array, finite_vector, of_kind
from dalembert.model.source.ticks import tick_source
from dalembert.quadratic import Daqp, Program, Solver, Squares, solve_by_levels
from dalembert.tasks import JointLimits, Limit, Task
from dalembert.tasks.limits import clearances_of
from dalembert.tasks.listed import check_frames, check_tasks
from dalembert.tasks.speeds import SpeedLimits
from dalembert.tasks.stack import Stack

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.source.ticks import CSource
    from dalembert.types import Array, ArrayLike

Aim = Callable[[float], Motion]
"""A function of t: the target of a task, the velocity of its rows, and their acceleration."""


@dataclass(frozen=True, eq=False)
class WholeBody(Controller):
    """Accelerations, contact forces and torques of any robot by a quadratic program a tick.

    Each tick minimises Σ |W (J q̈ + J̇ q̇ - a)|² over all tasks, with a = ẍ_d + D (ẋ_d - ẋ) + K e,
    under the equations of motion, limits of joints and efforts, friction cones and distances. Feet
    in contact do not move, loops and mimic joints stay closed. Tasks of priority 1 take what
    freedom those of priority 0 leave, and so on.

    Stability: where the limits leave the tasks of one priority free and their Jacobians have full
    rank, errors obey ë + D ė + K e = 0. Where they do not, nothing is claimed: `BodyTick.active`
    names what held the tick back.

    Args:
        model: Any mechanism: with a free base, loops, mimic joints, few motors.
        tasks: What is wanted, with weights and priorities; see `da.ik` for the kinds.
        dt: Seconds of a tick: joints keep their limits from tick to tick.
        contacts: What holds the robot up.
        stiffness: K in 1/s², a number, or one for each task.
        damping: D in 1/s. Default: 2 √K. Of a `MomentumTask` the rate at which it settles.
        references: A function of t for each task, or None to hold its target, for calls as a
            controller; it returns target, velocity and acceleration, as `screw_path` and
            `minimum_jerk` do.
        limits: Position limits, and a `Clearance` of links. Default: those of the joints.
        velocity: Largest |q̇|, a number or one for each velocity. Default: those of the joints.
        acceleration: Largest |q̈|. Default: none.
        braking: The |q̈| that joints keep room for before their bounds.
        effort: Largest |u| of each actuator. Default: those of the actuators.
        approach: Rate in 1/s at which distances may shrink towards their margin.
        settling: Rate in 1/s at which the slip of contacts and the errors of loops vanish.
        acceleration_cost: Weight of |q̈|² beside the squares of the tasks, above 0.
        force_cost: Weight of |f|² in N², above 0: it shares the load among contact points.
        solver: What solves the program. Default: `da.ik.Daqp`.

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.panda())
    >>> q = [0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3]
    >>> aim = model.forward_kinematics(q, "flange")
    >>> law = WholeBody(  # doctest: +SKIP
    ...     model, [da.ik.PoseTask("flange", aim), da.ik.PostureTask(q, 0.1)], dt=0.001
    ... )
    >>> law.tick(q, [0.0] * 7).torque.shape  # doctest: +SKIP
    (7,)

    Raises:
        EvaluationError: an argument is out of its range.
        UnknownName: the mechanism has no frame or joint of a task or contact.
        MissingDependency: the solver is not installed.

    Reference: A. Escande, N. Mansard and P.-B. Wieber, "Hierarchical quadratic programming",
    International Journal of Robotics Research 33(7), 2014; A. Del Prete et al., "Implementing
    torque control with high-ratio gear boxes and without joint-torque sensors", International
    Journal of Humanoid Robotics 13(1), 2016.
    """

    model: Model
    tasks: Sequence[Task]
    dt: float = field(kw_only=True)
    contacts: Sequence[SurfaceContact] = field(default=(), kw_only=True)
    stiffness: ArrayLike = field(default=100.0, kw_only=True)
    damping: ArrayLike | None = field(default=None, kw_only=True)
    references: Sequence[Aim | None] = field(default=(), kw_only=True)
    limits: Sequence[Limit] = field(default=(JointLimits(),), kw_only=True)
    velocity: ArrayLike | None = field(default=None, kw_only=True)
    acceleration: ArrayLike | None = field(default=None, kw_only=True)
    braking: ArrayLike = field(default=20.0, kw_only=True)
    effort: ArrayLike | None = field(default=None, kw_only=True)
    approach: float = field(default=10.0, kw_only=True)
    settling: float = field(default=20.0, kw_only=True)
    acceleration_cost: float = field(default=1e-6, kw_only=True)
    force_cost: float = field(default=1e-6, kw_only=True)
    solver: Solver = field(default_factory=Daqp, kw_only=True)

    def __post_init__(self) -> None:
        check_doubles(self.model, "WholeBody")
        check_untimed(self.model, "WholeBody")
        tasks = all_of_kind(self.tasks, Task, "tasks=", "tasks of da.ik")
        if not tasks:
            raise EvaluationError("expected at least one task, got none: name what is wanted")
        contacts = all_of_kind(self.contacts, SurfaceContact, "contacts=", "a SurfaceContact")
        all_of_kind(self.limits, Limit, "limits=", "limits of da.ik")
        of_kind(self.solver, Solver, "solver=", "a solver of da.ik")
        check_tasks(self.model, tasks)
        check_frames(self.model, [contact.frame for contact in contacts])
        if self.references and len(self.references) != len(tasks):
            raise EvaluationError(
                f"expected {len(tasks)} references, one for each task, got {len(self.references)}: "
                "None holds the target of a task"
            )
        for name in ("dt", "approach", "settling", "acceleration_cost", "force_cost"):
            value = finite_array(getattr(self, name), name, ())
            if not value > 0:
                raise EvaluationError(f"expected {name} above 0, got {float(value):g}")
        self._store(tasks=tasks, contacts=contacts)
        _ = self._setting

    def tick(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        targets: Sequence[ArrayLike] | None = None,
        rates: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        *,
        closed: Sequence[str] | None = None,
    ) -> BodyTick:
        """Compute what the robot shall do now.

        Args:
            q: Configuration, ``(nq,)``.
            qd: Velocity, ``(nv,)``.
            targets: One for each task, of its shape. Default: those of the tasks.
            rates: ẋ_d of the rows of all tasks, below each other. Default: zero.
            accelerations: ẍ_d of the same rows. Default: zero.
            closed: Frames of the contacts that touch now; the others give no force and move
                freely. Default: all.

        Raises:
            EvaluationError: the conditions exclude each other; the message names which.
            UnknownName: ``closed`` names no contact.
        """
        model, terms = self.model, self._terms
        here, speed = finite_vector(q, "q", model.nq), finite_vector(qd, "qd", model.nv)
        given = self._targets if targets is None else self._stack.shaped(targets)
        zero = self._zero
        feed = [
            zero if x is None else finite_vector(x, name, len(zero))
            for x, name in ((rates, "rates"), (accelerations, "accelerations"))
        ]
        try:
            H, f, A, lower, upper, e, coasting, *levels = terms.kernel(here, speed, *given, *feed)
        except EvaluationError:
            # a target that is not finite is named as its task is
            self._stack.checked(targets)
            raise
        program = Program(H, f, A, lower, upper, terms.names)
        if closed is not None:
            self._open(program, closed)
        what = self._what
        if levels:
            costs = [Squares(*pair) for pair in zip(levels[::2], levels[1::2], strict=True)]
            x, program = solve_by_levels(self.solver, program, costs, what)
        else:
            x = self.solver.solution(program, what)
        return self._tick(x, e, coasting, program)

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return τ, ``(..., inputs)`` for states ``(..., nq)`` and ``(..., nv)``."""
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        batch = np.broadcast_shapes(np.shape(t), q.shape[:-1], qd.shape[:-1])
        if not batch:
            return self.at(float(np.asarray(t)), q, qd).torque
        times = np.broadcast_to(np.asarray(t, float), batch).ravel()
        states = (
            np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, qd)
        )
        found = [self.at(*sample).torque for sample in zip(times, *states, strict=True)]
        return np.array(found).reshape(*batch, -1)

    def at(self, t: float, q: ArrayLike, qd: ArrayLike) -> BodyTick:
        """Compute a tick with the references at a time."""
        if not any(self.references):
            return self.tick(q, qd)
        targets, rates, accelerations = [], [], []
        pairs = zip(self.tasks, self._stack.checked(), self.references, strict=True)
        for task, target, reference in pairs:
            still = np.zeros(len(task.units))
            x, v, a = (target, still, still) if reference is None else reference(t)
            targets.append(x)
            rates.append(_rows(v, f"the velocity of {task.name} at t = {t:g}", len(still)))
            accelerations.append(
                _rows(a, f"the acceleration of {task.name} at t = {t:g}", len(still))
            )
        return self.tick(q, qd, targets, np.concatenate(rates), np.concatenate(accelerations))

    def source(self, *, prefix: str | None = None, dtype: str = "float64") -> CSource:
        """Return a tick as C with fixed sizes and a solver of its own, for microcontrollers.

        ``prefix_tick(q, qd, targets…, rates, accelerations, work)`` leaves the unknowns in
        ``work->x`` and u of each actuator in ``work->effort``.

        Args:
            prefix: Of the names in C. Default: the name of the robot.
            dtype: "float64" or "float32".

        Raises:
            EvaluationError: tasks have several priorities.
        """
        terms, model = self._terms, self.model.on_host()
        return tick_source(
            model, terms.kernel, terms.names, prefix=prefix, dtype=dtype, efforts=terms.efforts
        )

    def _tick(self, x: Array, error: Array, coasting: Array, program: Program) -> BodyTick:
        n, end = self.model.nv, self._end
        u = program.A[self._terms.efforts] @ x + coasting
        return BodyTick(
            torque=self._matrix @ u,
            effort=u,
            acceleration=x[:n],
            forces=(self._axes @ x[n:end].reshape(-1, 3, 1))[..., 0],
            multipliers=x[end:],
            error=error,
            unknowns=x,
            program=program,
        )

    def _open(self, program: Program, closed: Sequence[str]) -> None:
        """Take the contacts that do not touch out of a program."""
        known = [contact.frame for contact in self.contacts]
        for name in closed:
            if name not in known:
                raise UnknownName(f"expected a contact, got {name!r} ({nearest(name, known)})")
        for frame, (forces, stays) in zip(known, self._terms.held, strict=True):
            if frame not in closed:
                program.lower[forces] = program.upper[forces] = 0.0
                program.lower[stays], program.upper[stays] = -np.inf, np.inf

    # ---- what does not change

    @cached_property
    def _what(self) -> str:
        return f"move {self.model.name} within its limits"

    @cached_property
    def _stack(self) -> Stack:
        return Stack(self.model.on_host(), self.tasks)

    @cached_property
    def _setting(self) -> Setting:
        model, count = self.model.on_host(), len(self.tasks)
        speeds = SpeedLimits.of(
            model, float(self.dt), self.limits, self.velocity, self.acceleration, self.braking
        )
        K = _gains(self.stiffness, "stiffness", count)
        D = 2 * np.sqrt(K) if self.damping is None else _gains(self.damping, "damping", count)
        own = model.actuation.effort
        effort = own if self.effort is None else _gains(self.effort, "effort", len(own), np.inf)
        return Setting(
            model=model,
            stack=self._stack,
            contacts=tuple(self.contacts),
            speeds=speeds,
            stiffness=K,
            damping=D,
            effort=effort,
            settling=float(self.settling),
            clearances=clearances_of(self.limits),
            approach=float(self.approach),
            acceleration_cost=float(self.acceleration_cost),
            force_cost=float(self.force_cost),
        )

    @cached_property
    def _terms(self) -> Terms:
        return terms_of(self._setting)

    @cached_property
    def _targets(self) -> list[Array]:
        return self._stack.checked()

    @cached_property
    def _zero(self) -> Array:
        return np.zeros(sum(len(task.units) for task in self.tasks))

    @cached_property
    def _matrix(self) -> Array:
        return self.model.actuation.matrix

    @cached_property
    def _end(self) -> int:
        """Where the forces end among the unknowns."""
        return self.model.nv + 3 * self._setting.num_points

    @cached_property
    def _axes(self) -> Array:
        """The axes of each contact point as columns, ``(points, 3, 3)``."""
        axes = [contact.axes for contact in self.contacts for _ in contact.places]
        return np.array(axes).reshape(-1, 3, 3)


def _gains(value: ArrayLike, name: str, count: int, most: float | None = None) -> Array:
    """Return numbers of at least 0, one for each of several; infinite ones only with ``most``."""
    given = np.asarray(value, float) if most else finite_array(value, name)
    if given.shape not in ((), (count,)) or not (given >= 0).all():
        raise EvaluationError(f"expected {name} of at least 0, one or {count}, got {value!r:.60}")
    return np.broadcast_to(given, count).astype(float)


def _rows(value: ArrayLike, name: str, count: int) -> Array:
    return finite_array(np.atleast_1d(np.asarray(value, float)), name, (count,))
