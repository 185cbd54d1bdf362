"""Where a mode of contacts and dry friction ends, and what follows there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import count_nodes
from dalembert.model import Outlook, Reason, SignChange
from dalembert.simulation.contact.decision import Decision
from dalembert.simulation.contact.rows import BOUND, OPEN, PRESSED, STICK, Mode
from dalembert.simulation.contact.scales import STILL
from dalembert.simulation.events.base import (
    CROWD,
    Crowd,
    Effect,
    Found,
    ModeChange,
    Occurrence,
    Watcher,
)
from dalembert.simulation.events.motion import Motion
from dalembert.simulation.events.quantity import Expression
from dalembert.simulation.events.search import (
    NOISE,
    NUM_PARTS,
    first_fall,
    landing,
    may_fall,
    nodes,
)
from dalembert.simulation.laws.base import Row, SwitchingLaw
from dalembert.simulation.laws.contact import with_number
from dalembert.simulation.laws.joint_modes import JointModes
from dalembert.simulation.laws.modes import Modes
from dalembert.simulation.laws.rebound import Rebounds

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Integrator, Several, Step
    from dalembert.simulation.problem.problem import Problem

NUDGE = 1e-4
"""Part of a step over which the slope of a margin is taken as a difference."""

LARGE = 300
"""Gaps of more operations are looked at in eight places of a step instead of being bounded."""

LATER = (1e1, 1e2, 1e3)
"""So many times later modes are decided where nothing is seen of an event."""

TIED = 1e-8
"""Part of the forces by which a margin must fall below zero where a mode has outlived its end."""

DEEP = 1e-9
"""A start is moved out of a surface if it is in it by less than this part of the terms of the gap,
or than the motion covers in this part of the run; else it is refused."""


def start_laws(
    problem: Problem, method: Integrator | None, times: np.ndarray, laws: Sequence[SwitchingLaw]
) -> ModeChanges:
    """Let laws act in a problem, and return what watches their modes.

    Raises:
        EvaluationError: the method or the run cannot have them.
    """
    if method is not None and not method.allows_switching:
        raise EvaluationError(
            f"expected a method that sees contacts and dry friction, got {method}: take DOP853, "
            "Radau, RK4 or SemiImplicitEuler"
        )
    if times[-1] < times[0]:
        raise EvaluationError(
            "expected times that increase with contacts and dry friction, got others: impacts "
            "and friction have no way back"
        )
    values = problem.model.given.by_symbol
    rows = [
        with_number(row, values) for row in rows_of(problem.model, laws, problem.has_dry_friction)
    ]
    kind = JointModes if JointModes.covers(problem, rows) else Modes
    problem.modes = kind(problem, rows, float(times[-1] - times[0]))
    return ModeChanges(problem, problem.modes, float(times[0]), float(times[-1]))


def rows_of(model: Model, laws: Sequence[SwitchingLaw], has_dry_friction: bool) -> list[Row]:
    """Return the rows of all laws; without the friction of the model if its equations have none."""
    rows = [row for law in laws for row in law.rows(model)]
    return rows if has_dry_friction else [row._replace(own=0) for row in rows]


class ModeChanges(Watcher):
    """Follows a margin of every mode, which is positive while the mode is right.

    See `Modes.margins`. Where one falls through zero, impulses act if it is a gap, and
    then the forces decide on the modes of all rows at rest.
    """

    def __init__(self, problem: Problem, modes: Modes, t: float, end: float) -> None:
        self.problem, self.modes, self.duration = problem, modes, end - t
        self.notes: list[str] = []
        # whether the state begins with an impact; else the element whose mode has ended
        self.is_hit, self.trigger = False, -1
        self.crowd, self.nudge = Crowd(t), 0.0
        # elements whose margin was zero, and which kept their modes: more must be missing
        self.is_tied = np.full(len(modes.contacts.names), False)
        self.gaps = _bounded_gaps(problem.model, modes)
        # in flight nothing but gaps can end a mode
        is_contact = modes.contacts.is_contact
        self.has_flights = bool(is_contact.all()) and len(self.gaps) == len(is_contact)
        self.sees_far = self.has_flights or modes.series_rates() is not None
        is_flat = problem.constraints is None and problem.model.configuration.is_flat
        self.rebounds = Rebounds(modes) if self.has_flights and is_flat else None

    @property
    def warnings(self) -> Sequence[str]:
        return self.notes

    def begin(self, t: float, x: np.ndarray) -> np.ndarray:
        """Find the modes of a state; return it with the held rows at rest.

        Raises:
            EvaluationError: a gap is negative.
        """
        q, v = self._split(x)
        c, scales = self.modes.contacts, self.modes.scales
        r, qdd = c.read(t, q, v), self.problem.free_acceleration(t, q, v)
        scales.note(r, qdd)
        near, h = DEEP * r.gap_terms, DEEP * self.duration
        near += np.abs(r.u) * h + np.abs(r.A @ qdd + r.bias) * h**2 / 2
        first = c.elements.first
        for name, gap, allowed in zip(c.names, r.gap[first], near[first], strict=True):
            if gap < -allowed and c.is_contact[c.names.index(name)]:
                raise EvaluationError(
                    f"expected a state without penetration, got a gap of {gap:.3g} at {name} at "
                    f"t = {t:.9g}"
                )
        limits = scales.limits(t, r)
        closed = c.is_contact & (r.gap[first] <= limits.touch)
        self.is_hit = bool((closed & (r.u[first] < -limits.still)).any())
        found = self.modes.decider.decide(t, q, v, self._none(), is_struck=False)
        self.is_hit |= found.needs_blow
        self._take(t, found)
        return np.concatenate([found.q, found.v])

    def look(self, t: float, x: np.ndarray, step: Step) -> Sequence[Occurrence]:
        if self.is_hit:
            # the step begins with an impact
            return [Occurrence(t, "impact")]
        motion, times = Motion(t, step.t, step.polynomial(t, x), x.size), nodes(t, step.t)
        self.nudge = max(NUDGE * abs(step.t - t), 8 * math.ulp(step.t))
        states = np.concatenate([x[None], motion.at(times[1:-1]), step.x[None]])
        if self.modes.has_turning_margins:
            self.modes.look_along(self.modes.contacts.reading.moving(t, *self._split(x))[1])
        values = self.modes.margins(times, *self._split(states)) + self._reserve()
        self._note(np.abs(values).max(axis=0))
        series = np.ascontiguousarray(motion.whole)[None] if self.gaps else None
        first: tuple[float, int] | None = None
        floors = self._floors()
        falls = may_fall(values, floors)
        for k in range(len(floors)):
            floor = floors[k]
            if np.abs(values[:, k]).max() <= floor:
                # it stays at zero, but for rounding
                continue
            if series is not None and k in self.gaps and self._is_open_contact(k):
                # no part of the step is overlooked
                when = _last(self.gaps[k].falls(np.array([t, step.t]), series))
            elif not falls[k]:
                when = None
            else:
                when = first_fall(
                    lambda s, k=k: float(self._margins(s, motion.at(s))[k]),
                    times,
                    values[:, k],
                    floor,
                )
            if when is not None and self._turns(k, when, motion):
                continue
            if when is not None and (first is None or when < first[0]):
                first = when, int(k)
        if first is None:
            return []
        when, self.trigger = first
        return [Occurrence(when, self.modes.contacts.names[self.trigger])]

    def _turns(self, k: int, when: float, motion: Motion) -> bool:
        """Tell whether friction on a plane only turns there by a right angle, and slides on."""
        modes, c = self.modes, self.modes.contacts
        if k not in modes.on_plane or modes.mode.status[k] != BOUND:
            return False
        slip = c.slip(c.reading.moving(when, *self._split(motion.at(when)))[1], k)
        return bool(np.hypot(*slip) > STILL * modes.scales.speeds[k])

    def look_far(self, steps: Several, most: int, size: int) -> tuple[Sequence[Found], int]:
        t0 = float(steps.t[0])
        if self.is_hit:
            return [Found(self, Occurrence(t0, "impact"), 0, steps.x[0])], 1
        if not self.has_flights:
            return self._look_at_steps(steps, most, size)
        first: SignChange | None = None
        for k, gap in self.gaps.items():
            found = gap.falls(steps.t[: most + 1], steps.series[:most])
            most = found.end + (found.reason is Reason.STOPPED)
            if found.reason is Reason.STOPPED and (first is None or found.changes[-1].t < first.t):
                first, self.trigger = found.changes[-1], k
        if first is None:
            return (), most
        occurrence = Occurrence(first.t, self.modes.contacts.names[self.trigger])
        return [Found(self, occurrence, first.step, first.x)], most

    def _look_at_steps(self, steps: Several, most: int, size: int) -> tuple[Sequence[Found], int]:
        """Look at steps one by one, at those alone in which a margin comes near zero."""
        inner, inside = steps.inside(most, NUM_PARTS)
        ends = steps.t[: most + 1, None]
        t = np.concatenate([ends[:-1], inner, ends[1:]], axis=1)
        x = np.concatenate([steps.x[:most, None], inside, steps.x[1 : most + 1, None]], axis=1)
        values = self.modes.margins(t.ravel(), *self._split(x[..., :size].reshape(t.size, size)))
        values = values.reshape(*t.shape, -1)
        looks = may_fall(np.moveaxis(values + self._reserve(), 1, 0), self._floors()).any(axis=1)
        for i in np.flatnonzero(looks).tolist():
            self._note(np.abs(values[:i]).max(axis=(0, 1), initial=0.0))
            step = steps.step(i)
            whole = step.dense
            step = step._replace(x=step.x[:size], dense=lambda s, f=whole: f(s)[:size])
            found = self.look(float(steps.t[i]), steps.x[i, :size], step)
            if found:
                return [Found(self, found[0], i, whole(found[0].t))], i + 1
        self._note(np.abs(values).max(axis=(0, 1)))
        return (), most

    def go_to(self, step: int) -> None:
        """Nothing is remembered of steps: modes end at events only."""

    def _note(self, margins: np.ndarray) -> None:
        """Take the largest margins of a step into account."""
        scales, (gaps, speeds) = self.modes.scales, self.modes.kinds
        scales.gap = np.where(gaps, np.maximum(scales.gap, margins), scales.gap)
        scales.speed = np.where(speeds, np.maximum(scales.speed, margins), scales.speed)

    def _floors(self) -> np.ndarray:
        """Return for each margin what is rounding."""
        gap, speed, force = self.modes.scales.noise(NOISE)
        gaps, speeds = self.modes.kinds
        return np.where(gaps, gap, np.where(speeds, speed, force))

    def landing(self, t: float, x: np.ndarray) -> float:
        k = self.trigger
        if self.is_hit or t == self.crowd.last_event:
            return t
        floor = float(self._floors()[k])
        if not self._is_open_contact(k):
            return landing(
                lambda s, y: float(self._margins(s, y)[k]),
                self.problem.rate,
                t,
                x,
                floor,
                self.nudge,
            )
        # the rate of a gap is known: a step of Newton's method
        value = float(self._margins(t, x)[k])
        c = self.modes.contacts
        u = float(c.reading.moving(t, *self._split(x))[1][c.elements.first[k]])
        return t if abs(value) <= floor or u >= 0 else t - value / u

    def effect(self, t: float, x: np.ndarray, occurrence: Occurrence) -> Effect:
        """Return the state after impulses, in new modes."""
        q, v = self._split(x)
        before, k, c = self.modes.mode, self.trigger, self.modes.contacts
        is_crowded = self._is_crowded(t)
        if self.rebounds is not None and not (self.is_hit or is_crowded) and self.modes.are_free:
            rebound = self.rebounds.at(t, q, v, k)
            if rebound is not None:
                return rebound
        trigger = None if self.is_hit else k
        found = self.modes.decider.decide(t, q, v, before, trigger, is_plastic=is_crowded)
        for longer in LATER if trigger is not None else ():
            if found.blows or not found.mode.is_same(before):
                break
            # what ends a mode is not yet seen so little later
            found = self.modes.decider.decide(t, q, v, before, trigger, longer=longer)
        self.is_hit, was_tied = False, self.is_tied.copy()
        self._take(t, found)
        change = ModeChange(None if trigger is None else int(c.elements.first[k]))
        hit = np.full(len(c.names), False)
        if found.blows:
            hit = np.any([blow.hit for blow in found.blows], axis=0)
            rebounds = np.max([blow.rebounds for blow in found.blows], axis=0)
            change = change._replace(
                hit=[name for name, is_struck in zip(c.names, hit, strict=True) if is_struck],
                impulses=np.sum([blow.impulses for blow in found.blows], axis=0),
                rebounds=rebounds[c.elements.owner],
            )
        work = sum(blow.work for blow in found.blows)
        name = self._description(before, change.hit)
        if not name and trigger is not None:
            # others that were tied before it still are
            self.is_tied = was_tied
            self.is_tied[k] = True
        return Effect(name, np.concatenate([found.q, found.v]), work, change)

    def _take(self, t: float, found: Decision) -> None:
        self.modes.take(t, found.q, found.v, found.mode)
        self.is_tied[:] = False

    def _none(self) -> Mode:
        """Return the mode in which nothing acts."""
        return Mode.of(np.full(len(self.modes.contacts.names), OPEN))

    def _margins(self, t: float, x: np.ndarray) -> np.ndarray:
        return self.modes.margins(np.array([t]), *self._split(x[None]))[0] + self._reserve()

    def _reserve(self) -> np.ndarray | float:
        """Return by how much margins may be negative: where a mode has outlived its end."""
        if not self.is_tied.any():
            return 0.0
        scales, (gaps, speeds) = self.modes.scales, self.modes.kinds
        least = np.where(speeds, 2 * STILL * scales.speeds, TIED * scales.forces)
        return np.where(self.is_tied & ~gaps, least, 0.0)

    def _split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.problem.model.nq
        return x[..., :n], x[..., n:]

    def _is_open_contact(self, k: int) -> bool:
        mode = self.modes.mode
        is_open = mode.status[k] == OPEN and not mode.touches[k]
        return bool(self.modes.contacts.is_contact[k] and is_open)

    def _is_crowded(self, t: float) -> bool:
        """Count an event; tell whether they pile up: then contacts do not rebound.

        Raises:
            EvaluationError: that did not help.
        """
        count = self.crowd.add(t)
        if count == CROWD:
            self.notes.append(
                f"at t = {t:.9g}: {CROWD} events of contacts and friction without a pause; "
                "impacts there are without rebound"
            )
        if count > 3 * CROWD:
            raise EvaluationError(
                f"expected contacts and friction to settle at t = {t:.9g}, got "
                f"{3 * CROWD} events without a pause"
            )
        return count >= CROWD

    def _description(self, before: Mode, hit: Sequence[str]) -> str:
        """Return what has changed, in words; none if nothing has."""
        c, after = self.modes.contacts, self.modes.mode
        changes = [f"impact at {' and '.join(hit)}"] if hit else []
        for i, name in enumerate(c.names):
            old, new = before.status[i], after.status[i]
            verb = ""
            if c.is_soft[i] and old != new:
                verb = "presses" if new == PRESSED else "opens"
            elif c.is_contact[i] and old != new:
                verb = "rests" if new == STICK else "opens"
            elif c.is_friction[i] and old != new:
                verb = "sticks" if new == STICK else "slides" if old == STICK else ""
            elif c.is_friction[i] and new == BOUND and self._is_reversed(i, before, after):
                verb = "turns"
            if verb:
                changes.append(f"{name} {verb}")
        return ", ".join(changes)

    @staticmethod
    def _is_reversed(i: int, before: Mode, after: Mode) -> bool:
        return bool(before.direction[i] @ after.direction[i] < 0)


def _last(found: Outlook) -> float | None:
    """Return the time at which a search stopped, None if it did not."""
    return found.changes[-1].t if found.reason is Reason.STOPPED else None


def _bounded_gaps(model: Model, modes: Modes) -> dict[int, Expression]:
    """Return the gaps of rigid contacts that are small enough to be bounded."""
    c = modes.contacts
    heads = [c.rows[i] for i in c.elements.first]
    return {
        k: Expression(model, row.gap)
        for k, row in enumerate(heads)
        if row.gap is not None and row.is_contact and count_nodes([row.gap]) <= LARGE
    }
