"""Motion in time: from a state, under forces, on the constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import DalembertError, EvaluationError
from dalembert.simulation.constraints.singular_passages import Passages
from dalembert.simulation.constraints.stabilisation import Projection, stabilisation
from dalembert.simulation.events.base import Event, Occurrence, Watcher
from dalembert.simulation.laws.base import Law
from dalembert.simulation.laws.modes import Modes, with_laws
from dalembert.simulation.methods.base import Method, Step
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.taylor.rates import why_no_series
from dalembert.simulation.methods.taylor.taylor import Taylor
from dalembert.simulation.problem.energy import energies
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.problem import SimulationProblem
from dalembert.simulation.problem.start import Times, initial_state, times
from dalembert.simulation.trajectory.recorder import Recorder
from dalembert.simulation.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from dalembert.model import Model

# above this many velocities the code of a series takes longer to compile than it saves
MANY = 16

UNIT = 1e-15
"""Quaternions whose length is this near to one are left as they are."""

MAX_LANDINGS = 4
"""So often a step is taken again to end at an event: interpolation is less exact than steps."""

# five nodes of Gauss on [0, 1] with their weights: exact for powers of degree 9 in time
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
NODES, WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


def simulate(
    model: Model,
    q0: Any,
    qd0: Any,
    t: Any,
    forces: Any = None,
    *,
    method: Method | None = None,
    constraints: Any = "project",
    initial: str = "check",
    events: Sequence[Event | Law] = (),
    progress: bool = False,
) -> Trajectory:
    """Return the motion of a model.

    Args:
        model: What `da.compile` gave, without free parameters.
        q0: Configuration at the start.
        qd0: Velocity at the start; None for rest.
        t: The end time of a motion that starts at 0: every step is stored. Or an array of times,
            the first one the start: only these are stored, and steps end exactly there. Both may
            run backwards.
        forces: What drives the inputs: None; one number each; expressions of ``model.q``,
            ``model.qd`` and ``da.time``, which join the compiled code; a pair (times, values) with
            straight lines between; a function of (t, q, qd); a controller.
        method: The integrator; `default_method` chooses one, to rounding, if it is not given.
        constraints: "project" moves every state onto the constraints; "baumgarte" or
            ``Baumgarte(rate)`` lets errors decay; "drift" leaves them.
        initial: "check" refuses a start off the constraints; "project" takes the nearest state.
        events: What to look for on the way (`Crossing`), and laws whose modes change at events:
            `Contact`, `JointLimits`, `DryFriction`, `JointFriction`.
        progress: Whether to show a bar.

    A simulation that cannot go on keeps what it has: `Trajectory.status` says why it ended.

    Raises:
        EvaluationError: sizes do not fit, or the start violates the constraints or has no
            acceleration.

    >>> import dalembert as da
    >>> (x,), (m, k) = da.coordinates("x"), da.parameters("m k")
    >>> spring = da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x])
    >>> model = da.compile(spring, parameters={m: 1, k: 4})
    >>> motion = simulate(model, [1.0], [0.0], 3.141592653589793)
    >>> motion.status
    'finished at t = 3.14159265'
    >>> bool(abs(motion.q[-1, 0] - 1) < 1e-13)
    True
    """
    _check_model(model)
    span = times(t)
    # both methods that are chosen here carry the audit
    problem = SimulationProblem(
        model,
        forcing(forces, model),
        stabilisation(constraints),
        is_audited=method is None or method.is_plain,
    )
    method = default_method(problem, events) if method is None else method
    if problem.forcing.state.size and not method.is_plain:
        raise EvaluationError(
            f"expected a method that carries the state of a controller, got {method}: take DOP853"
        )
    start = float(span.all[0])
    x = initial_state(model, problem.constraints, start, q0, qd0, initial)
    if problem.constraints is not None:
        problem.constraints.learn(start, x[: model.nq])
        problem.is_careful = problem.constraints.is_redundant
    laws = [event for event in events if isinstance(event, Law)]
    modes = with_laws(problem, method, span.all, laws) if laws else None
    watched = [event for event in events if isinstance(event, Event)]
    run = _Run(problem, method, span, x, watched, modes)
    if progress:
        from dalembert.simulation.trajectory.progress import progress_bar

        with progress_bar(start, float(span.all[-1])) as reached:
            status, is_complete = run.go(reached)
    else:
        status, is_complete = run.go(lambda t: None)
    return run.recorder.trajectory(problem, method, run.warnings, status, is_complete)


def default_method(problem: SimulationProblem, events: Sequence[Event | Law] = ()) -> Method:
    """Return `Taylor` for a free motion that has a power series, else `DOP853`.

    The series is several times as fast and as close; constraints, switching laws, forces from
    Python and controllers that learn need the other.
    """
    plain = problem.constraints is None and not problem.forcing.state.size
    laws = any(isinstance(event, Law) for event in events)
    if plain and not laws and problem.model.nv <= MANY and why_no_series(problem) is None:
        return Taylor()
    return DOP853()


def _check_model(model: Model) -> None:
    if model.parameters:
        names = ", ".join(map(str, model.parameters))
        raise EvaluationError(
            f"expected a model without free parameters to simulate, got {names}: bind values with "
            "da.compile(..., parameters=...)"
        )


class _Run:
    """One integration under way."""

    def __init__(
        self,
        problem: SimulationProblem,
        method: Method,
        span: Times,
        x: np.ndarray,
        events: Sequence[Event],
        modes: Modes | None,
    ) -> None:
        self.problem, self.span, self.modes = problem, span, modes
        t, end = float(span.all[0]), float(span.all[-1])
        self.size = x.size
        if modes is not None:
            x = modes.begin(t, x)
        self.quaternions = problem.model.configuration.quaternions
        self.parts = method.parts
        state = np.concatenate([x, problem.riders()])
        # a start without accelerations is refused, whatever the method asks for first
        problem.rate(t, state)
        self.stepper = method.start(problem, t, state, end)
        self.watchers: list[Watcher] = [event.start(problem, t, x) for event in events]
        if modes is not None:
            self.watchers.append(modes)
        # integrals that do not ride along in x: of methods that are not plain, and of impacts
        self.work = self.lost = 0.0
        self.recorder = Recorder()
        # where to stand if the next step fails
        self.last = (t, state)
        self._record(t, state)
        self.passages = self._passages(t, x)

    def _passages(self, t: float, x: np.ndarray) -> Passages | None:
        constraints, n = self.problem.constraints, self.problem.model.nq
        if constraints is None or not isinstance(self.problem.stabilisation, Projection):
            return None
        _, _, values = constraints.project(t, x[:n], x[n:])
        return Passages(constraints, t, values)

    @property
    def warnings(self) -> tuple[str, ...]:
        of_events = tuple(text for each in self.watchers for text in each.warnings)
        return (*self.passages.warnings, *of_events) if self.passages else of_events

    def targets(self) -> Iterator[tuple[float, bool]]:
        """Yield the times to land on, each with whether it is one to store."""
        stored = self.span.all[1:]
        start, end = self.span.all[0], self.span.all[-1]
        low, high = min(start, end), max(start, end)
        breaks = self.problem.forcing.breaks
        breaks = breaks[(breaks > low) & (breaks < high)]
        every = np.union1d(stored, breaks)
        if end < start:
            every = every[::-1]
        wanted = set(stored.tolist())
        for t in every.tolist():
            yield t, t in wanted

    def go(self, reached: Callable[[float], None]) -> tuple[str, bool]:
        """Run to the end or as far as it goes; return a sentence on it, and whether all is well."""
        try:
            for target, is_stored in self.targets():
                while self.stepper.t != target:
                    stop = self._advance(target)
                    reached(self.stepper.t)
                    if stop is not None:
                        return f"stopped by {stop.name} at t = {stop.t:.9g}", True
                if is_stored and not self.span.is_stepwise:
                    self._record(self.stepper.t, self.stepper.x)
        except (DalembertError, ArithmeticError, np.linalg.LinAlgError) as error:
            reason = str(error)
        except KeyboardInterrupt:
            reason = "it was interrupted"
        else:
            return f"finished at t = {self.stepper.t:.9g}", True
        t, x = self.last
        if t != self.recorder.t[-1]:
            self._record(t, x)
        hint = self.passages.hint if self.passages is not None else ""
        return f"stopped at t = {t:.9g}: {reason}{hint}", False

    # ---- one step

    def _advance(self, target: float) -> Occurrence | None:
        """Take a step, put its end where it belongs, and return a terminal event."""
        t0, x0 = self.last
        step = self.stepper.step(target)
        found = self._first_event(t0, x0, step)
        if found is not None:
            step = self._landed(found, t0, x0, target)
        else:
            self._integrate_powers(t0, step)
        x = self._settled(step)
        self.last = (step.t, x)
        if found is None:
            x = self._past_singularity(t0, x0, target)
            if self.span.is_stepwise:
                self._record_between(t0, step)
                self._record(self.stepper.t, x)
            return None
        watcher, occurrence = found
        self._record(step.t, x)
        after = watcher.changed(step.t, x[: self.size], occurrence)
        if after is not None:
            if self.modes is not None and self.modes is not watcher:
                self.modes.begin(step.t, after)
            self._jump(step.t, x, after, watcher.work(occurrence))
        self.recorder.events.append((step.t, watcher.description(occurrence)))
        return occurrence if occurrence.is_terminal else None

    def _record_between(self, t0: float, step: Step) -> None:
        """Store states inside a long step."""
        for k in range(1, self.parts):
            t = t0 + (step.t - t0) * k / self.parts
            x = step.dense(t)
            if self.quaternions:
                n = self.problem.model.nq
                x[:n] = self.problem.model.configuration.normalized(x[:n])
            self._record(t, x)

    def _first_event(
        self, t0: float, x0: np.ndarray, step: Step
    ) -> tuple[Watcher, Occurrence] | None:
        if not self.watchers:
            return None
        n = self.size
        state = Step(step.t, step.x[:n], lambda t: step.dense(t)[:n])
        found = [(w, w.look(t0, x0[:n], state)) for w in self.watchers]
        seen = [(w, o) for w, o in found if o is not None]
        return min(seen, key=lambda pair: abs(pair[1].t - t0)) if seen else None

    def _landed(
        self, found: tuple[Watcher, Occurrence], t0: float, x0: np.ndarray, target: float
    ) -> Step:
        """Go back and land on an event: first where the states in between see it, then nearer."""
        (watcher, occurrence), account = found, (self.work, self.lost)
        t = occurrence.t
        step = self._again_until(t, t0, x0)
        for _ in range(MAX_LANDINGS):
            better = watcher.landing(t, step.x[: self.size])
            # neither back to where it came from nor beyond the target
            if better == t or not 0 < (better - t0) / (target - t0) <= 1:
                break
            self.work, self.lost = account
            t = better
            step = self._again_until(t, t0, x0)
        return step

    def _again_until(self, t: float, t0: float, x0: np.ndarray) -> Step:
        """Go back and land on a time: the state there is as good as any step."""
        stepper = self.stepper
        stepper.reset(t0, x0)
        step = Step(t0, x0, lambda _: x0)
        while stepper.t != t:
            before = stepper.t
            step = stepper.step(t)
            self._integrate_powers(before, step)
        return step

    def _settled(self, step: Step) -> np.ndarray:
        """Return the state with unit quaternions and on the constraints; the stepper follows."""
        problem, n = self.problem, self.problem.model.nq
        q, v = before = step.x[:n], step.x[n : self.size]
        if problem.constraints is not None and isinstance(problem.stabilisation, Projection):
            q, v, values = problem.constraints.project(step.t, q, v)
            if self.passages is not None:
                self.passages.follow(step.t, step.dense, values)
                problem.is_careful = problem.constraints.is_redundant or self.passages.is_near
        if self.modes is not None:
            q, v = self.modes.kept(step.t, q, v)
        if not all(abs(np.linalg.norm(q[k : k + 4]) - 1) <= UNIT for k in self.quaternions):
            q = problem.model.configuration.normalized(q)
        if q is before[0] and v is before[1]:
            return step.x
        x = np.concatenate([q, v, step.x[self.size :]])
        self.stepper.reset(step.t, x)
        return x

    def _past_singularity(self, t0: float, x0: np.ndarray, target: float) -> np.ndarray:
        """Leap over a singular configuration if the last step leads there; return the state.

        q and q̇ go on along q̇, q̈ and the change of q̈ in the last step, for so short a time that
        what is left out is rounding.
        """
        t, x = self.last
        leap = self.passages.leap(abs(target - t)) if self.passages is not None else None
        if leap is None:
            return x
        problem, n, m = self.problem, self.problem.model.nq, self.size
        f0, f = problem.rate(t0, x0), problem.rate(t, x)
        jerk = (f[n:m] - f0[n:m]) / (t - t0)
        v = x[n:m] + leap * (f[n:m] + leap / 2 * jerk)
        mean = x[n:m] + leap / 2 * (f[n:m] + leap / 3 * jerk)
        q = problem.model.configuration.integrate(x[:n], mean, leap)
        assert problem.constraints is not None
        q, v, _ = problem.constraints.project(t + leap, q, v)
        state = np.concatenate([q, v, x[m:] + leap * f[m:]])
        self.stepper.reset(t + leap, state)
        self.last = (t + leap, state)
        return state

    def _jump(self, t: float, x: np.ndarray, after: np.ndarray, work: float) -> None:
        """Go on from another state; what energy it lacks was dissipated."""
        n = self.problem.model.nq
        states = np.stack([x[: self.size], after])
        total, _, _ = energies(self.problem.model, np.array([t, t]), states[:, :n], states[:, n:])
        self.work += work
        self.lost += float(total[0] - total[1]) + work
        state = np.concatenate([after, x[self.size :]])
        self.stepper.reset(t, state)
        self.last = (t, state)
        self._record(t, state)

    # ---- the account

    def _integrate_powers(self, t0: float, step: Step) -> None:
        problem = self.problem
        if problem.is_audited or not problem.has_power:
            return
        n, h = problem.model.nq, step.t - t0
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            t = t0 + node * h
            x = step.dense(t)
            come, lost = problem.power(t, x[:n], x[n : self.size])
            self.work += weight * h * float(come)
            self.lost += weight * h * float(lost)

    def _record(self, t: float, x: np.ndarray) -> None:
        k = self.size + self.problem.forcing.state.size
        work, lost = x[k:] if self.problem.is_audited else (0.0, 0.0)
        work, lost = self.work + float(work), self.lost + float(lost)
        self.recorder.add(t, x[: self.size], x[self.size : k], work, lost)
        if self.modes is not None:
            self.recorder.modes.append(self.modes.modes)
