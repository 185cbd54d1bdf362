"""Where a mode of contacts and dry friction ends, and what follows there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import count_nodes
from dalembert.model import Outlook, Reason, SignChange
from dalembert.simulation.events.base import (
    CROWD,
    Crowd,
    Effect,
    ModeChange,
    Occurrence,
    Sighting,
    View,
    Watcher,
)
from dalembert.simulation.events.motion import Motion
from dalembert.simulation.events.quantity import Expression
from dalembert.simulation.events.search import NOISE, first_fall, landing, may_fall, nodes
from dalembert.simulation.laws.base import Row, RowValues, SwitchingLaw
from dalembert.simulation.laws.contact import with_number
from dalembert.simulation.laws.forces.discs import DISC_STOPS
from dalembert.simulation.laws.impacts.impact import impact, restitutions
from dalembert.simulation.laws.impacts.rebound import Rebounds
from dalembert.simulation.laws.joint_modes import JointModes
from dalembert.simulation.laws.modes import Modes
from dalembert.simulation.laws.next_modes import HELD, OPEN, PRESSED, SLIDES
from dalembert.simulation.laws.sizes import Limits

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Integrator, Several, Step
    from dalembert.simulation.problem.problem import Problem

NUDGE = 1e-4
"""Part of a step over which the slope of a margin is taken as a difference."""

LARGE = 300
"""Gaps of more operations are looked at in eight places of a step instead of being bounded."""

DEEP = 1e-9
"""A start is moved out of a surface if it is in it by less than this part of the terms of the gap,
or than the motion covers in this part of the run; else it is refused."""


def start_laws(
    problem: Problem, method: Integrator, times: np.ndarray, laws: Sequence[SwitchingLaw]
) -> ModeChanges:
    """Let laws act in a problem, and return what watches their modes.

    Raises:
        EvaluationError: the method or the run cannot have them.
    """
    if not method.allows_switching:
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
    problem.modes = kind(problem, rows)
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
        # largest forces of held rows so far; what is far below is rounding
        self.forces = np.zeros(len(modes.names))
        # whether the state begins with an impact; else the row whose mode has ended
        self.is_hit, self.trigger = False, -1
        self.crowd, self.nudge = Crowd(t), 0.0
        self.gaps = _bounded_gaps(problem.model, modes)
        # in flight nothing but gaps can end a mode
        self.sees_far = bool(modes.is_contact.all()) and len(self.gaps) == len(modes.names)
        is_flat = problem.constraints is None and problem.model.configuration.is_flat
        self.rebounds = Rebounds(modes) if self.sees_far and is_flat else None

    @property
    def warnings(self) -> Sequence[str]:
        return self.notes

    def begin(self, t: float, x: np.ndarray) -> np.ndarray:
        """Find the modes of a state; return it with the held rows at rest.

        Raises:
            EvaluationError: a gap is negative.
        """
        q, v = self._split(x)
        r = self.modes.rows.read(t, q, v)
        self.modes.sizes.note(r)
        near, h = DEEP * r.gap_terms, DEEP * self.duration
        rate = r.A @ self.problem.free_acceleration(t, q, v) + r.bias
        near += np.abs(r.u) * h + np.abs(rate) * h**2 / 2
        values = zip(self.modes.names, r.gap, near, self.modes.is_contact, strict=True)
        for name, gap, allowed, is_rigid in values:
            if is_rigid and gap < -allowed:
                raise EvaluationError(
                    f"expected a state without penetration, got a gap of {gap:.3g} at {name} at "
                    f"t = {t:.9g}"
                )
        limits = self.modes.sizes.limits(t, r)
        self.is_hit = bool((self._closed(r, limits) & (r.u < -limits.slow)).any())
        return self.modes.settle(t, q, v)

    def look(self, t: float, x: np.ndarray, step: Step) -> Occurrence | None:
        if self.is_hit:
            # the step begins with an impact
            return Occurrence(t, "impact")
        motion, times = Motion(t, step.t, step.polynomial(t, x), x.size), nodes(t, step.t)
        self.nudge = max(NUDGE * abs(step.t - t), 8 * math.ulp(step.t))
        states = np.concatenate([x[None], motion.at(times[1:-1]), step.x[None]])
        if self.modes.discs:
            self.modes.look_along(self.modes.rows.moving(t, *self._split(x))[1])
        values = self.modes.margins(times, *self._split(states))
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
            return None
        when, self.trigger = first
        return Occurrence(when, self.modes.names[self.trigger])

    def _turns(self, k: int, when: float, motion: Motion) -> bool:
        """Tell whether friction on a plane only turns there by a right angle, and slides on."""
        modes = self.modes
        pair = next((list(pair) for pair in modes.discs if k in pair), None)
        if pair is None or modes.held[k]:
            return False
        speed = modes.rows.moving(when, *self._split(motion.at(when)))[1][pair]
        return bool(np.hypot(*speed) > DISC_STOPS * np.hypot(*modes.sizes.speed[pair]))

    def look_far(self, steps: Several, most: int, size: int) -> View:
        t0 = float(steps.t[0])
        if self.is_hit:
            return View([Sighting(0, steps.x[0], Occurrence(t0, "impact"))], 1)
        first: SignChange | None = None
        for k, gap in self.gaps.items():
            found = gap.falls(steps.t[: most + 1], steps.series[:most])
            most = found.end + (found.reason is Reason.STOPPED)
            if found.reason is Reason.STOPPED and (first is None or found.changes[-1].t < first.t):
                first, self.trigger = found.changes[-1], k
        if first is None:
            return View((), most)
        occurrence = Occurrence(first.t, self.modes.names[self.trigger])
        return View([Sighting(first.step, first.x, occurrence)], most)

    def go_to(self, step: int) -> None:
        """Nothing is remembered of steps: modes end at events only."""

    def _note(self, margins: np.ndarray) -> None:
        """Take the largest margins of a step into account."""
        modes, sizes, held = self.modes, self.modes.sizes, self.modes.held
        has_gap = modes.is_contact | modes.is_soft
        self.forces = np.where(held, np.maximum(self.forces, margins), self.forces)
        sizes.gap = np.where(~held & has_gap, np.maximum(sizes.gap, margins), sizes.gap)
        sizes.speed = np.where(~held & ~has_gap, np.maximum(sizes.speed, margins), sizes.speed)

    def _floors(self) -> np.ndarray:
        """Return for each margin what is rounding."""
        modes = self.modes
        gap, speed = modes.sizes.noise(NOISE)
        moving = np.where(modes.is_contact | modes.is_soft, gap, speed)
        return np.where(modes.held, NOISE * self.forces, moving)

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
        u = float(self.modes.rows.read(t, *self._split(x)).u[k])
        return t if abs(value) <= floor or u >= 0 else t - value / u

    def effect(self, t: float, x: np.ndarray, occurrence: Occurrence) -> Effect:
        """Return the state after impulses, in new modes."""
        q, v = self._split(x)
        before, k = self.modes.current, self.trigger
        # the row whose motion has just ended, and modes that are known
        stopped = None if self.is_hit or before[k] == HELD else k
        fixed: dict[int, int] = {}
        is_crowded, hit, work = self._is_crowded(t), [], 0.0
        change = ModeChange(None if self.is_hit else k)
        if self.rebounds is not None and not (self.is_hit or is_crowded) and self.modes.are_free:
            rebound = self.rebounds.at(t, q, v, k)
            if rebound is not None:
                return rebound
        if not self.is_hit and self.modes.is_soft[k]:
            stopped, fixed[k] = None, OPEN if before[k] == PRESSED else PRESSED
        elif self.is_hit or self._is_open_contact(k):
            q, v, work, hit, impulses, rebounds = self._impact(t, q, v, is_plastic=is_crowded)
            change = change._replace(hit=hit, impulses=impulses, rebounds=rebounds)
        elif before[k] == HELD and not is_crowded:
            fixed |= self._given_way(t, q, v, k)
        after = self.modes.settle(t, q, v, fixed, stopped)
        self.is_hit = False
        return Effect(self._description(before, hit), after, work, change)

    def _impact(
        self, t: float, q: np.ndarray, v: np.ndarray, *, is_plastic: bool
    ) -> tuple[np.ndarray, np.ndarray, float, list[str], np.ndarray, np.ndarray]:
        """Return the state after the impulses of all closed contacts, their work, and who was hit.

        Then the impulses and restitutions of all rows. The work is that of surfaces which move
        towards the contact, and of drives.
        """
        modes = self.modes
        r = modes.rows.read(t, q, v)
        modes.sizes.note(r)
        limits = modes.sizes.limits(t, r)
        closed = self._closed(r, limits)
        closed[self.trigger] |= not self.is_hit
        # steps of low order land beside the surface
        q = modes.with_closed(q, r, closed)
        r = modes.rows.read(t, q, v)
        e = restitutions(modes.rows.rows, r, limits.resting, is_plastic=is_plastic)
        change, impulses = impact(r, closed, e, sliders=modes.followers)
        struck = closed & (r.u < -limits.slow)
        hit = [name for name, is_struck in zip(modes.names, struck, strict=True) if is_struck]
        through = struck & (r.u + r.A @ change < 0.5 * r.u)
        if through.any():
            name = modes.names[int(np.argmax(through))]
            raise EvaluationError(
                f"expected an impact at {name!r} to end the motion towards it, got a velocity that "
                "constraints and prescribed motions fix: they push it through; change them, or "
                f"take {name!r} away"
            )
        return q, v + change, r.power_in(impulses), hit, impulses, e

    def _margins(self, t: float, x: np.ndarray) -> np.ndarray:
        return self.modes.margins(np.array([t]), *self._split(x[None]))[0]

    def _given_way(self, t: float, q: np.ndarray, v: np.ndarray, k: int) -> dict[int, int]:
        """Return the modes of a row that is held no more: friction slides against its force."""
        if self.modes.is_contact[k]:
            return {k: OPEN}
        pair = next((pair for pair in self.modes.discs if k in pair), None)
        if pair is not None:
            return dict.fromkeys(pair, SLIDES)
        r, qdd = self.modes.rows.read(t, q, v), self.problem.free_acceleration(t, q, v)
        z = self.modes.forces.at(r, qdd, self.modes.current, self.modes.multipliers(t, q, v))
        return {k: -1 if z[k] > 0 else 1}

    def _split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.problem.model.nq
        return x[..., :n], x[..., n:]

    def _closed(self, r: RowValues, limits: Limits) -> np.ndarray:
        return self.modes.is_contact & (r.gap <= limits.touch)

    def _is_open_contact(self, k: int) -> bool:
        return bool(self.modes.is_contact[k]) and self.modes.current[k] == OPEN

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

    def _description(self, before: np.ndarray, hit: Sequence[str]) -> str:
        """Return what has changed, in words."""
        modes = self.modes
        changes = [f"impact at {' and '.join(hit)}"] if hit else []
        kinds = zip(modes.is_contact, modes.is_soft, strict=True)
        seconds = {second for _, second in modes.discs}
        for i, (row, (is_contact, is_soft), old, new) in enumerate(
            zip(modes.rows.rows, kinds, before, modes.current, strict=True)
        ):
            if old == new or i in seconds:
                continue
            name = row.disc or row.name
            if is_soft:
                verb = "presses" if new == PRESSED else "opens"
            elif is_contact:
                verb = "rests" if new == HELD else "opens"
            else:
                verb = "sticks" if new == HELD else "slides" if old == HELD else "turns"
            changes.append(f"{name} {verb}")
        return ", ".join(changes) or f"{modes.names[self.trigger]} touches"


def _last(found: Outlook) -> float | None:
    """Return the time at which a search stopped, None if it did not."""
    return found.changes[-1].t if found.reason is Reason.STOPPED else None


def _bounded_gaps(model: Model, modes: Modes) -> dict[int, Expression]:
    """Return the gaps of rigid contacts that are small enough to be bounded."""
    return {
        k: Expression(model, row.gap)
        for k, row in enumerate(modes.rows.rows)
        if row.gap is not None and row.is_contact and count_nodes([row.gap]) <= LARGE
    }
