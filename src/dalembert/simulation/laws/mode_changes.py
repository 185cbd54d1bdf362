"""Where a mode of contacts and dry friction ends, and what follows there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import count_nodes
from dalembert.simulation.events.base import CROWD, Crowd, Effect, ModeChange, Occurrence, Watcher
from dalembert.simulation.events.motion import Motion
from dalembert.simulation.events.quantity import Expression
from dalembert.simulation.events.search import NOISE, first_fall, landing, may_fall, nodes
from dalembert.simulation.laws.base import Row, RowValues, SwitchingLaw
from dalembert.simulation.laws.contact import impact, rebounds, with_number
from dalembert.simulation.laws.joint_modes import JointModes
from dalembert.simulation.laws.modes import Modes
from dalembert.simulation.laws.next_modes import HELD, OPEN, PRESSED, SLOW, TOUCH

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Integrator, Step
    from dalembert.simulation.problem.problem import Problem

NUDGE = 1e-4
"""Part of a step over which the slope of a margin is taken as a difference."""

LARGE = 300
"""Gaps of more operations are looked at in eight places of a step instead of being bounded."""

DEEP = 1e-9
"""A state with a gap below minus this, in m or rad, is refused; one above it is moved out."""


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
    return ModeChanges(problem, problem.modes, float(times[0]))


def rows_of(model: Model, laws: Sequence[SwitchingLaw], has_dry_friction: bool) -> list[Row]:
    """Return the rows of all laws; without the friction of the model if its equations have none."""
    rows = [row for law in laws for row in law.rows(model)]
    return rows if has_dry_friction else [row._replace(own=0) for row in rows]


class ModeChanges(Watcher):
    """Follows a margin of every mode, which is positive while the mode is right.

    See `Modes.margins`. Where one falls through zero, impulses act if it is a gap, and
    then the forces decide on the modes of all rows at rest.
    """

    def __init__(self, problem: Problem, modes: Modes, t: float) -> None:
        self.problem, self.modes = problem, modes
        self.notes: list[str] = []
        # largest margins seen, of rows in motion and of held ones; what is far below is rounding
        self.scale = np.zeros((2, len(modes.names)))
        self.scale[0] = 1.0
        # whether the state begins with an impact; else the row whose mode has ended
        self.is_hit, self.trigger = False, -1
        self.crowd, self.nudge = Crowd(t), 0.0
        self.gaps = _curved_gaps(problem.model, modes)

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
        for name, gap, is_rigid in zip(self.modes.names, r.gap, self.modes.is_contact, strict=True):
            if is_rigid and gap < -DEEP:
                raise EvaluationError(
                    f"expected a state without penetration, got a gap of {gap:.3g} at {name} at "
                    f"t = {t:.9g}"
                )
        self.is_hit = bool((self._closed(r) & (r.u < -SLOW)).any())
        return self.modes.settle(t, q, v)

    def look(self, t: float, x: np.ndarray, step: Step) -> Occurrence | None:
        if self.is_hit:
            # the step begins with an impact
            return Occurrence(t, "impact")
        motion, times = Motion(t, step.t, step.polynomial(t, x), x.size), nodes(t, step.t)
        self.nudge = max(NUDGE * abs(step.t - t), 8 * math.ulp(step.t))
        states = np.concatenate([x[None], motion.at(times[1:-1]), step.x[None]])
        values = self.modes.margins(times, *self._split(states))
        held = self.modes.held.astype(int)
        every = range(len(held))
        largest = np.abs(values).max(axis=0)
        self.scale[held, every] = np.maximum(self.scale[held, every], largest)
        series = np.ascontiguousarray(motion.whole)[None] if self.gaps else None
        first: tuple[float, int] | None = None
        floors = NOISE * self.scale[held, every]
        falls = may_fall(values, floors)
        for k in every:
            floor = floors[k]
            if series is not None and k in self.gaps and self._is_open_contact(k):
                # a curved surface: no part of the step is overlooked
                when = self.gaps[k].first_fall(np.array([t, step.t]), series)
            elif not falls[k]:
                when = None
            else:
                when = first_fall(
                    lambda s, k=k: float(self._margins(s, motion.at(s))[k]),
                    times,
                    values[:, k],
                    floor,
                )
            if when is not None and (first is None or when < first[0]):
                first = when, int(k)
        if first is None:
            return None
        when, self.trigger = first
        return Occurrence(when, self.modes.names[self.trigger])

    def landing(self, t: float, x: np.ndarray) -> float:
        k = self.trigger
        if self.is_hit or t == self.crowd.last_event:
            return t
        floor = NOISE * self.scale[int(self.modes.held[k]), k]
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
        before, k = self.modes.current.copy(), self.trigger
        # the row whose motion has just ended, and modes that are known
        stopped = None if self.is_hit or before[k] == HELD else k
        fixed: dict[int, int] = {}
        is_crowded, hit, work = self._is_crowded(t), [], 0.0
        change = ModeChange(None if self.is_hit else k)
        if not self.is_hit and self.modes.is_soft[k]:
            stopped, fixed[k] = None, OPEN if before[k] == PRESSED else PRESSED
        elif self.is_hit or self._is_open_contact(k):
            q, v, work, hit, impulses, rebounds = self._impact(t, q, v, is_plastic=is_crowded)
            change = change._replace(hit=hit, impulses=impulses, rebounds=rebounds)
        elif before[k] == HELD and not is_crowded:
            fixed[k] = OPEN if self.modes.is_contact[k] else self._breakaway(t, q, v, k)
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
        closed = self._closed(r)
        closed[self.trigger] |= not self.is_hit
        # steps of low order land beside the surface
        q = modes.with_closed(q, r, closed)
        r = modes.rows.read(t, q, v)
        e = rebounds(modes.rows.rows, r, is_plastic=is_plastic)
        change, impulses = impact(r, closed, e, sliders=modes.followers)
        hit = [n for n, c, u in zip(modes.names, closed, r.u, strict=True) if c and u < -SLOW]
        return q, v + change, r.power_in(impulses), hit, impulses, e

    def _margins(self, t: float, x: np.ndarray) -> np.ndarray:
        return self.modes.margins(np.array([t]), *self._split(x[None]))[0]

    def _breakaway(self, t: float, q: np.ndarray, v: np.ndarray, k: int) -> int:
        """Return the direction in which a friction begins to slide: against its force."""
        r, qdd = self.modes.rows.read(t, q, v), self.problem.free_acceleration(t, q, v)
        z = self.modes.forces(r, qdd, self.modes.current, self.modes.multipliers(t, q, v))
        return -1 if z[k] > 0 else 1

    def _split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.problem.model.nq
        return x[..., :n], x[..., n:]

    def _closed(self, r: RowValues) -> np.ndarray:
        return self.modes.is_contact & (r.gap <= TOUCH)

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
        for name, (is_contact, is_soft), old, new in zip(
            modes.names, kinds, before, modes.current, strict=True
        ):
            if old == new:
                continue
            if is_soft:
                verb = "presses" if new == PRESSED else "opens"
            elif is_contact:
                verb = "rests" if new == HELD else "opens"
            else:
                verb = "sticks" if new == HELD else "slides" if old == HELD else "turns"
            changes.append(f"{name} {verb}")
        return ", ".join(changes) or f"{modes.names[self.trigger]} touches"


def _curved_gaps(model: Model, modes: Modes) -> dict[int, Expression]:
    """Return the gaps that bend with the configuration and are small enough to be bounded."""
    return {
        k: Expression(model, row.gap)
        for k, row in enumerate(modes.rows.rows)
        if row.gap is not None
        and any(x in model.symbols.q for x in row.velocity.symbols)
        and count_nodes([row.gap]) <= LARGE
    }
