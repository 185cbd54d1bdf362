"""The public function of a simulation: from a state, under forces, on the constraints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from dalembert.errors import EvaluationError
from dalembert.model.border import all_of_kind, check_doubles, of_kind
from dalembert.model.dry_friction import has_dry_friction
from dalembert.model.model import check_model
from dalembert.simulation.constraints.locked import check_start
from dalembert.simulation.constraints.stabilisation import (
    Projection,
    Stabilisation,
    checked_stabilisation,
)
from dalembert.simulation.events.base import Event
from dalembert.simulation.laws.base import SwitchingLaw
from dalembert.simulation.laws.friction import JointFriction
from dalembert.simulation.laws.mode_changes import start_laws
from dalembert.simulation.limits import OnLimits, checked_limits, missing_stops, passed_limits
from dalembert.simulation.methods.base import Integrator
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.taylor.rates import has_fast_series
from dalembert.simulation.methods.taylor.taylor import Taylor
from dalembert.simulation.one_thread import one_blas_thread
from dalembert.simulation.problem.external import with_external
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.problem import Problem
from dalembert.simulation.problem.start import Times, initial_state, times
from dalembert.simulation.run import Run
from dalembert.simulation.trajectory.progress import progress_bar

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.external import Wrenches
    from dalembert.simulation.problem.forcing import Forces
    from dalembert.simulation.trajectory.trajectory import Trajectory
    from dalembert.types import ArrayLike

REMEDY = "limits='hold' adds stops"
"""What a motion can do about joints beyond their limits."""


def simulate(
    model: Model,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    t: ArrayLike | None = None,
    forces: Forces = None,
    *,
    method: Integrator | None = None,
    constraints: Stabilisation = Projection(),  # noqa: B008, a frozen value
    initial: Literal["check", "project"] = "check",
    events: Sequence[Event | SwitchingLaw] = (),
    limits: OnLimits = "warn",
    external: Wrenches = None,
    reference: str = "world",
    progress: bool = False,
) -> Trajectory:
    """Return the motion of a model.

    Args:
        model: What `da.compile` gave, without free parameters.
        q0: Configuration at the start, ``(nq,)``.
        qd0: Velocity at the start, ``(nv,)``. Default: rest.
        t: The end time in seconds of a motion that starts at 0: every step is stored. Or an array
            of times, the first one the start: only these are stored, and steps end exactly there.
            Both may run backwards.
        forces: What drives the inputs: None; one number each; expressions of `Model.symbols`
            and ``da.time``, which join the compiled code; a pair (times, values) with straight
            lines between; a function of (t, q, qd); a controller; a `Sampled` law; forces with
            states of their own (`FirstOrder`), or of the past (`Delayed`).
        method: The integrator; `default_method` chooses one, to rounding, if it is not given, and
            `Radau` takes over where the motion turns out to be stiff, with a note.
        constraints: ``Projection()`` moves every state onto the constraints; ``Baumgarte(rate)``
            lets errors decay; ``Unstabilised()`` leaves them.
        initial: "check" refuses a start off the constraints; "project" takes the nearest state.
        events: What to look for on the way (`Crossing`), and forces that switch at events:
            `Contact`, `JointStops`, `DryFriction`, `JointFriction`. A mechanism whose joints have
            dry friction gets `JointFriction` by itself, unless it was compiled with smoothing=.
        limits: "warn" reports in `Trajectory.warnings` which joints are beyond their limits, and
            since when; "hold" adds `JointStops` to all joints with limits that have none; "ignore"
            does neither.
        external: Wrenches (force, moment) on frames of a mechanism, by their names: six numbers,
            six expressions as for forces, or a function of (t, q, qd). Their work counts as work
            of the forces.
        reference: Axes and point of the wrenches, as those of a Jacobian: "world" axes at the
            frame's origin, "body" axes there, or "spatial", world axes at the world's origin.
        progress: Whether to show a bar.

    A simulation that cannot go on keeps what it has: `Trajectory.ok` tells, and
    `Trajectory.status` says why it ended.

    Raises:
        EvaluationError: sizes do not fit, or the start violates the constraints or has no
            acceleration.

    >>> import dalembert as da
    >>> (x,), (m, k) = da.coordinates("x"), da.parameters("m k")
    >>> spring = da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x])
    >>> model = da.compile(spring, parameters={m: 1, k: 4})
    >>> motion = da.simulate(model, [1.0], [0.0], 3.141592653589793)
    >>> motion.ok, motion.status
    (True, 'finished at t = 3.14159265')
    >>> bool(abs(motion.q[-1, 0] - 1) < 1e-13)
    True
    """
    _check_parameters(model)
    if t is None:
        raise EvaluationError(
            "expected an end time or times for t=, got none: write da.simulate(model, q0, None, "
            "1.0) to start at rest, or name it, t=1.0"
        )
    events = all_of_kind(events, (Event, SwitchingLaw), "events=", "crossings or contacts")
    checked_limits(limits)
    if method is not None:
        of_kind(method, Integrator, "method=", "an integrator such as da.simulation.RK4(0.01)")
    # steps are taken on the host, wherever the batches of the model run
    model = model.on_host()
    span = times(t)
    start, end = float(span.all[0]), float(span.all[-1])
    drive = with_external(forcing(forces, model, (start, end)), model, external, reference)
    laws = [event for event in events if isinstance(event, SwitchingLaw)]
    if limits == "hold":
        laws += missing_stops(model.configuration, laws)
    if _needs_sticking(model, method, span, laws):
        laws.append(JointFriction())
    problem = Problem(
        model,
        drive,
        checked_stabilisation(constraints),
        # both methods that are chosen here carry the audit
        is_audited=method is None or method.integrates_extras,
        has_dry_friction=not (
            any(isinstance(law, JointFriction) for law in laws) and has_dry_friction(model)
        ),
    )
    watched = [event for event in events if isinstance(event, Event)]
    is_free = method is None
    if method is not None and problem.forcing.state.size and not method.integrates_extras:
        raise EvaluationError(
            f"expected a method that carries the state of a controller, got {method}: take DOP853"
        )
    x = initial_state(model, problem.constraints, start, abs(end - start), q0, qd0, initial)
    problem.find_rank(start, x[: model.nq])
    lock = check_start(problem, start, x)
    changes = start_laws(problem, method, span.all, laws) if laws else None
    has_flights = method is None and changes is not None and changes.has_flights
    flight = Taylor() if has_flights and has_fast_series(problem) else None
    if method is None:
        method = default_method(problem)
    bar = progress_bar(start, end) if progress else nullcontext(lambda t: None)
    with one_blas_thread(), bar as reached:
        run = Run(problem, method, span, x, watched, changes, is_free=is_free, flight=flight)
        run.notes += [] if lock is None else [lock]
        ok, status = run.go(reached)
        used = str(method) if flight is None else f"{flight} in flight, {method} in contact"
        found = run.recorder.trajectory(problem, used, run.warnings, ok, status)
    text = passed_limits(model.configuration, found.t, found.q, laws) if limits == "warn" else ""
    return replace(found, warnings=(*found.warnings, f"{text}: {REMEDY}")) if text else found


def _needs_sticking(
    model: Model,
    method: Integrator | None,
    span: Times,
    laws: Sequence[SwitchingLaw],
) -> bool:
    """Tell whether the dry friction of a mechanism is to stick: where the run can have it."""
    return (
        not any(isinstance(law, JointFriction) for law in laws)
        and (method is None or method.allows_switching)
        and span.all[-1] > span.all[0]
        and has_dry_friction(model)
    )


def default_method(problem: Problem) -> Integrator:
    """Return `Taylor` for a motion that has a power series, else `DOP853`.

    The series is several times as fast and as close; redundant constraints, contacts, forces from
    Python and adaptive controllers need the other. Dry friction of joints alone has one.
    """
    modes = problem.modes
    has_one = modes is None or modes.series_rates() is not None
    return Taylor() if has_one and has_fast_series(problem) else DOP853()


def _check_parameters(model: Model) -> None:
    check_model(model, "da.simulate")
    check_doubles(model, "da.simulate")
    if model.symbols.parameters:
        names = ", ".join(map(str, model.symbols.parameters))
        raise EvaluationError(
            f"expected a model without free parameters to simulate, got {names}: bind values with "
            "da.compile(..., parameters=...)"
        )
