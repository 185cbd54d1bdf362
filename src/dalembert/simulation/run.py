"""The loop of a simulation: step, look for events, repair the state, record it.

1. `Run.go` passes through the times at which a step must end: stored times and corners of forces.
2. `Run._advance` takes one step towards the next of them (`methods`), `Run._advance_far` many at
   once, as far as the first event that changes the motion (`ahead`), where no state needs repair.
3. Where an event took place in one step, it is taken again up to it (`landing`). If the event
   leaves the motion as it is, that is done aside, and the step stays; else the motion goes on from
   there.
4. `Run._repair` moves the state onto the constraints and scales its quaternions to length one.
5. The state is recorded, with the energy that came in and went out (`problem.account`).
6. Gaps, forces and impacts are checked against the laws (`invariants`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError
from dalembert.simulation.ahead import Ahead, look_ahead, look_at_step
from dalembert.simulation.chattering import check_chatter
from dalembert.simulation.constraints.singular_passages import SingularPassages, extrapolated
from dalembert.simulation.events.base import Turn
from dalembert.simulation.invariants import Invariants
from dalembert.simulation.landing import Landing, Passed
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.taylor.taylor import BeyondSeries
from dalembert.simulation.pace import Pace
from dalembert.simulation.problem.account import Account
from dalembert.simulation.stiffness import (
    KEEP_GAIN,
    Handover,
    Trial,
    dissipates,
    implicit_trial,
)
from dalembert.simulation.trajectory.recorder import Recorder

if TYPE_CHECKING:
    from dalembert.simulation.events.base import Effect, Event, Found, Occurrence, Watcher
    from dalembert.simulation.laws.mode_changes import ModeChanges
    from dalembert.simulation.methods.base import Integrator, Several, Step, Stepper
    from dalembert.simulation.problem.problem import Problem
    from dalembert.simulation.problem.start import Times

UNIT = 1e-15
"""Quaternions whose length is this near to one are left as they are."""

INTERRUPTED = "it was interrupted"
"""Why a motion stopped that a user stopped."""

MOST_WAIT = 32
"""Steps that are taken one by one before several are tried again."""


class Run:
    """One integration under way.

    Args:
        problem, method, span: What to integrate, how, and the times to reach.
        x: The state (q, q̇) at the start.
        events: What to look for.
        changes: Watches the modes of contacts and dry friction, if there are any.
        is_free: Whether another method may go on where this one does not get far.
        flight: A method of its own for the motion while no contact acts, if there is one.
    """

    def __init__(
        self,
        problem: Problem,
        method: Integrator,
        span: Times,
        x: np.ndarray,
        events: Sequence[Event],
        changes: ModeChanges | None,
        is_free: bool = False,
        flight: Integrator | None = None,
    ) -> None:
        self.problem, self.span, self.changes = problem, span, changes
        self.method, self.flight = method, flight
        t, end = float(span.all[0]), float(span.all[-1])
        if changes is not None:
            x = changes.begin(t, x)
        # that of the method, and that of flights
        self.steppers: dict[bool, Stepper] = {}
        state = problem.begin(t, x)
        # a start without accelerations is refused, whatever the method asks for first
        problem.rate(t, state)
        self.stepper = self._stepper(t, state)
        self.invariants = None if changes is None else Invariants(problem, t, x, end)
        self.watchers: list[Watcher] = [event.start(problem, t, x) for event in events]
        if changes is not None:
            self.watchers.append(changes)
        self.account, self.recorder = Account(problem), Recorder()
        self.passages = self._passages(t, x)
        self.is_free, self.notes = is_free, list[str]()
        # steps to be taken one by one, now and the last time
        self.waiting, self.wait = 0, 1
        # several steps at once are looked at by all that watch, and no quaternion is scaled
        self.looks_far = not problem.model.configuration.quaternions and all(
            watcher.sees_far for watcher in self.watchers
        )
        # a fixed step is as short as it was asked for
        self.pace = Pace(t, end) if self.stepper.is_adaptive else None
        # the implicit method while its gain is not known, and what it replaced
        self.handover: Handover | None = None
        self.explicit = method, flight
        # where to stand if the next step fails
        self.last = (t, state)
        # the largest entries of the state so far
        self.largest = np.abs(state)
        self._record()

    def _passages(self, t: float, x: np.ndarray) -> SingularPassages | None:
        constraints, n = self.problem.constraints, self.problem.model.nq
        if constraints is None or not self.problem.stabilisation.projects:
            return None
        _, _, values = constraints.project(t, x[:n], x[n:])
        return SingularPassages(constraints, t, values)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the trajectory."""
        of_events = tuple(text for each in self.watchers for text in each.warnings)
        of_constraints = self.passages.warnings if self.passages else ()
        of_steps = tuple(text for each in self.steppers.values() for text in each.notes)
        return (*of_constraints, *of_events, *self.notes, *of_steps)

    def go(self, reached: Callable[[float], None]) -> tuple[bool, str]:
        """Run to the end or as far as it goes; return whether all is well, and a sentence on it."""
        try:
            for target, is_stored in self._targets():
                while self.stepper.t != target:
                    ahead = self._steps_ahead(target)
                    terminal = self._advance(target) if ahead is None else self._advance_far(*ahead)
                    self._check()
                    reached(self.stepper.t)
                    if self.handover is not None:
                        self._measure(self.handover)
                    if self.pace is not None and self.pace.is_slow:
                        self._hurry(self.pace, target)
                    if terminal is not None:
                        is_ok = not terminal.has_failed
                        return is_ok, f"stopped by {terminal.name} at t = {self.last[0]:.9g}"
                if is_stored and not self.span.is_stepwise:
                    self._record()
                self._resume(target)
        except (DalembertError, ArithmeticError, np.linalg.LinAlgError) as error:
            reason = str(error)
        except KeyboardInterrupt:
            reason = INTERRUPTED
        else:
            return True, f"finished at t = {self.stepper.t:.9g}"
        if self.last[0] != self.recorder.last_time:
            self._record()
        hint = self.passages.hint if self.passages is not None else ""
        return False, f"stopped at t = {self.last[0]:.9g}: {reason}{hint}"

    def _resume(self, t: float) -> None:
        """Let what may change at a stop do so; the motion goes on with a corner."""
        x = self.problem.resumed(t, self.last[1])
        if x is not None:
            self._go_on_from(t, x)
            if self.span.is_stepwise and t != self.span.all[-1]:
                self._record()

    def _hurry(self, pace: Pace, target: float) -> None:
        """Go on with an implicit method if damping is what keeps the steps short.

        Raises:
            EvaluationError: it is something else, and the end is out of reach.
        """
        t, x = self.last
        probe = self.stepper.aside()
        probe.reset(t, x)
        check_chatter(self.problem.rate, probe, target, pace.length, abs(pace.end - t))
        pace.check()
        if self.is_free and self.handover is None and dissipates(self.problem):
            trial = implicit_trial(self.problem, self.stepper, t, x, target, pace.end, self.largest)
            if trial is not None:
                self._hand_over(trial)

    def _hand_over(self, trial: Trial) -> None:
        """Go on with the implicit method, and see whether it gains what its trial promises."""
        t, x = self.last
        self.explicit = self.method, self.flight
        self.method, self.flight, self.is_free = trial.method, None, False
        end = float(self.span.all[-1])
        self.steppers[False] = self.stepper = trial.method.start(self.problem, t, x, end)
        self.stepper.remember(self.largest)
        self.handover = Handover(trial, t, self.stepper)
        self.notes.append(f"at t = {t:.9g} it went on with {trial.method}: {trial}")

    def _measure(self, handover: Handover) -> None:
        """Keep the implicit method if it gets on better, else go back."""
        t, x = self.last
        gain = handover.measured_gain(t, self.stepper)
        if gain is None:
            return
        self.handover = None
        if gain >= KEEP_GAIN:
            self.notes[-1] += f"; measured later, {gain:.2g} times less work for each second"
            return
        (self.method, self.flight), self.is_free = self.explicit, True
        self.stepper = self._restarted(t, x)
        self.notes[-1] += f"; it went back at t = {t:.9g}, as the gain there was {gain:.2g}"

    def _go_on_with(self, method: Integrator, reason: str) -> None:
        """Change the method."""
        t, x = self.last
        self.method, self.flight = method, None
        self.stepper = self._restarted(t, x)
        self.notes.append(f"at t = {t:.9g} it went on with {method}: {reason}")

    def _restarted(self, t: float, x: np.ndarray) -> Stepper:
        """Return a new stepper of the method, put at a state."""
        self.steppers.pop(False, None)
        return self._stepper(t, x)

    def _stepper(self, t: float, x: np.ndarray) -> Stepper:
        """Return the stepper of the method for the modes of contacts, put at a state."""
        modes, method = self.problem.modes, self.method
        is_flight = self.flight is not None and modes is not None and modes.are_free
        if is_flight and self.flight is not None:
            method = self.flight
        self.stored_parts, self.sees_rank = method.stored_parts, method.allows_switching
        if is_flight in self.steppers:
            self.steppers[is_flight].reset(t, x)
        else:
            end = float(self.span.all[-1])
            self.steppers[is_flight] = method.start(self.problem, t, x, end)
        return self.steppers[is_flight]

    def _step(self, target: float) -> Step:
        try:
            return self.stepper.step(target)
        except BeyondSeries as error:
            if not self.is_free:
                raise
            self._go_on_with(DOP853(), str(error))
            return self.stepper.step(target)

    def _targets(self) -> Iterator[tuple[float, bool]]:
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

    def _advance(self, target: float) -> Occurrence | None:
        """Take a step, or the part of it up to an event; return the event if it is terminal."""
        t0, x0 = self.last
        self.largest = np.maximum(self.largest, np.abs(x0))
        step = self._step(target)
        self.problem.look_at(step)
        _, seen, cut = look_at_step(self.watchers, t0, x0, step, self.problem.size)
        if self.pace is not None:
            self.pace.count_steps(cut.occurrence.t if cut else step.t, is_cut=cut is not None)
        passed = [self._passed(each, t0, x0, step) for each in seen]
        if cut is not None:
            self._store_all(passed)
            landing = Landing(self.stepper, self.account, t0, x0)
            step = landing.at(cut, step, target, self.problem.size)
            self._repair(step)
            self._take_place(cut)
            return cut.occurrence if cut.occurrence.is_terminal else None
        self.account.add_step(t0, step)
        self._repair(step)
        if self.problem.by_known_rank and self.is_free and not self.sees_rank:
            self._go_on_with(DOP853(), "the constraints are nearly singular there")
        self._pass_singularity(t0, x0, target)
        if self.span.is_stepwise:
            passed += self._inside(t0, step)
        self._store_all(sorted(passed, key=lambda row: abs(row.t - t0)))
        if self.span.is_stepwise:
            self._record()
        return None

    def _steps_ahead(self, target: float) -> tuple[Several, Ahead] | None:
        """Return several steps, those that need no repair, and what takes place in them; None if
        there are none.
        """
        # where states need repair, there is nothing to gain for a while
        if self.waiting or not self.looks_far:
            self.waiting = max(self.waiting - 1, 0)
            return None
        steps = self.stepper.several(target)
        if steps is None:
            return None
        ahead = look_ahead(self.watchers, steps, self.problem.size)
        sound = self._num_sound(steps, ahead.num_steps)
        if sound < ahead.num_steps:
            self.wait = 1 if sound else min(2 * self.wait, MOST_WAIT)
            self.waiting = self.wait
            ahead = ahead.as_far_as(sound)
        steps.keep(ahead.num_steps)
        return (steps, ahead) if ahead.num_steps or ahead.cut is not None else None

    def _advance_far(self, steps: Several, ahead: Ahead) -> Occurrence | None:
        """Take several steps, and the part of the next up to an event; return it if terminal."""
        count, cut = ahead.num_steps, ahead.cut
        for watcher in self.watchers:
            watcher.go_to(count - 1 if cut is None else count)
        if count:
            self.last = (float(steps.t[count]), steps.x[count])
            self.largest = np.maximum(self.largest, np.abs(steps.x[: count + 1]).max(axis=0))
        if count and self.pace is not None:
            self.pace.count_steps(self.last[0], count)
        self._store_passed(steps, ahead)
        if cut is None:
            return None
        step = steps.step(count)._replace(t=cut.occurrence.t, x=cut.x)
        if self.pace is not None:
            self.pace.count_steps(step.t, is_cut=True)
        self._repair(step)
        self._take_place(cut)
        if not cut.occurrence.is_terminal:
            return None
        self._go_on_from(*self.last)
        return cut.occurrence

    def _store_passed(self, steps: Several, ahead: Ahead) -> None:
        """Store the states of several steps, and of the events in them."""
        m, rows, times = self.problem.size, list[np.ndarray](), list[np.ndarray]()
        if ahead.passed:
            for watcher, occurrence, _, x in ahead.passed:
                effect = watcher.effect(occurrence.t, x[:m], occurrence)
                self._note(occurrence.t, x, watcher, effect)
            when = [each.occurrence.t for each in ahead.passed]
            self.recorder.events += [
                (each.occurrence.t, each.occurrence.name) for each in ahead.passed
            ]
            times.append(np.array(when))
            rows.append(
                np.array([self._repaired(each.occurrence.t, each.x) for each in ahead.passed])
            )
        if self.span.is_stepwise and ahead.num_steps:
            t, x = steps.t[1 : ahead.num_steps + 1], steps.x[1 : ahead.num_steps + 1]
            inner, states = steps.inside(ahead.num_steps, self.stored_parts)
            t = np.concatenate([inner, t[:, None]], axis=1).ravel()
            times.append(t)
            rows.append(np.concatenate([states, x[:, None]], axis=1).reshape(t.size, -1))
        if not rows:
            return
        t, x = np.concatenate(times), np.concatenate(rows)
        if len(rows) > 1:
            order = np.argsort(np.abs(t - steps.t[0]), kind="stable")
            t, x = t[order], x[order]
        self._store(t, x, self.account)

    def _num_sound(self, steps: Several, most: int) -> int:
        """Return how many of the first steps end on the constraints and not near singular
        configurations.
        """
        if self.passages is None or not most:
            return most
        n, m = self.problem.nq, self.problem.size
        t, x = steps.t[1 : most + 1], steps.x[1 : most + 1]
        values, is_closed = self.passages.constraints.look_at(t, x[:, :n], x[:, n:m])
        for count, is_sound in enumerate(is_closed & ~self.passages.are_near(values)):
            if not is_sound:
                return count
            self.passages.follow(float(t[count]), steps.step(count).dense, values[count])
        return most

    def _passed(self, found: Found, t0: float, x0: np.ndarray, step: Step) -> Passed:
        """Take note of an event that leaves the motion as it is; return the state there."""
        account = copy.copy(self.account)
        landing = Landing(self.stepper.aside(), account, t0, x0)
        t, x = landing.beside(found, step, self.problem.size)
        x = self._repaired(t, x)
        effect = found.watcher.effect(t, x[: self.problem.size], found.occurrence)
        self._note(t, x, found.watcher, effect)
        return Passed(t, x, account, effect.name)

    def _take_place(self, found: Found) -> None:
        """Record the state at an event, and go on from the one after it."""
        t, x = self.last
        watcher, occurrence = found.watcher, found.occurrence
        self._record()
        before, modes = x[: self.problem.size], self.modes
        effect = watcher.effect(t, before, occurrence)
        if effect.after is not None and self.changes is not None and self.changes is not watcher:
            self.changes.begin(t, effect.after)
        extras = self.problem.through(
            Turn(t, x, watcher, effect, modes, self.modes, occurrence.is_terminal)
        )
        if effect.after is not None:
            self.recorder.add_jump(t, before, effect.after, effect.work)
            self._go_on_from(t, np.concatenate([effect.after, extras]))
            self._record()
            if self.invariants is not None and self.changes is watcher:
                self.invariants.check_impact(self.recorder.jumps[-1])
        if effect.name:
            self.recorder.events.append((t, effect.name))

    def _note(self, t: float, x: np.ndarray, watcher: Watcher, effect: Effect) -> None:
        """Take note of an event that leaves the motion as it is."""
        self.problem.through(Turn(t, x, watcher, effect, self.modes, self.modes))

    def _check(self) -> None:
        """Check what was stored since the last time, and where the motion is now."""
        if self.invariants is not None and self.changes is not None:
            self.invariants.check_new(self.recorder)
            if self.last[0] != self.recorder.last_time:
                t, x = self.last
                self.invariants.check(np.array([t]), x[None], self.changes.modes.mode)

    @property
    def modes(self) -> np.ndarray | None:
        """Those of contacts and dry frictions now."""
        return None if self.changes is None else self.changes.modes.current.copy()

    def _repair(self, step: Step) -> None:
        """Go on from the end of a step with unit quaternions and on the constraints."""
        x = self._repaired(step.t, step.x, step)
        if np.array_equal(x, step.x):
            self.last = (step.t, step.x)
        else:
            self._go_on_from(step.t, x)

    def _repaired(self, t: float, x: np.ndarray, step: Step | None = None) -> np.ndarray:
        """Return a state with unit quaternions and on the constraints; the same if it is already.

        The end of a ``step`` tells how near the motion is to a singular configuration.
        """
        problem, n, m = self.problem, self.problem.nq, self.problem.size
        configuration = problem.model.configuration
        q, v = x[:n], x[n:m]
        if self.passages is not None:
            q, v, values = self.passages.constraints.project(t, q, v)
            if step is not None:
                self.passages.follow(t, step.dense, values)
                problem.by_known_rank = self.passages.needs_known_rank
        if self.changes is not None:
            q, v = self.changes.modes.held_at_rest(t, q, v)
        lengths = (np.linalg.norm(q[k : k + 4]) for k in configuration.quaternions)
        if not all(abs(length - 1) <= UNIT for length in lengths):
            q = configuration.normalized(q)
        return np.concatenate([q, v, x[m:]])

    def _pass_singularity(self, t0: float, x0: np.ndarray, target: float) -> None:
        """Go on behind a singular configuration if the last step leads there."""
        t, x = self.last
        if self.passages is None:
            return
        duration = self.passages.passing_time(abs(target - t))
        if duration is not None:
            x = extrapolated(self.problem, (t0, x0), (t, x), duration)
            self._go_on_from(t + duration, x)

    def _go_on_from(self, t: float, x: np.ndarray) -> None:
        self.stepper = self._stepper(t, x)
        self.last = (t, x)

    def _inside(self, t0: float, step: Step) -> list[Passed]:
        """Return states inside a long step."""
        configuration, n = self.problem.model.configuration, self.problem.nq
        t = t0 + (step.t - t0) * np.arange(1, self.stored_parts) / self.stored_parts
        rows = []
        for when in t.tolist():
            x = step.dense(when)
            if configuration.quaternions:
                x[:n] = configuration.normalized(x[:n])
            rows.append(Passed(when, x, self.account))
        return rows

    def _store_all(self, rows: Iterable[Passed]) -> None:
        """Store states that the motion passed, and the events there."""
        for row in rows:
            self._store(np.array([row.t]), row.x[None], row.account)
            if row.event is not None:
                self.recorder.events.append((row.t, row.event))

    def _record(self) -> None:
        t, x = self.last
        self._store(np.array([t]), x[None], self.account)

    def _store(self, t: np.ndarray, x: np.ndarray, account: Account) -> None:
        m, k = self.problem.size, self.problem.size + self.problem.num_stored
        self.recorder.add(t, x[:, :m], x[:, m:k], *account.totals(x))
        if self.changes is not None:
            self.recorder.modes.append(self.changes.modes.mode)
