"""What contacts and dry frictions do from a state on: impulses, then modes.

Nobody asks which event led there. What is closed, hit, at rest or sliding is read from the state,
and the solver is asked again a little after it, where ties are broken by the motion itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.contact.contacts import Contacts
from dalembert.simulation.contact.impact import Blow, blow
from dalembert.simulation.contact.mode_forces import ROUNDS, SAME, forces_in_mode
from dalembert.simulation.contact.reading import RowValues
from dalembert.simulation.contact.rows import (
    BOUND,
    FREE,
    GIVEN,
    OPEN,
    PRESSED,
    SLIDES,
    STICK,
    Mode,
)
from dalembert.simulation.contact.scales import Limits, Scales
from dalembert.simulation.contact.solver import Solution, solve

if TYPE_CHECKING:
    from dalembert.simulation.contact.rows import Problem as Rates
    from dalembert.simulation.problem.problem import Problem

EVEN = 1e-10
"""An acceleration that is this part of what it is the sum of is zero."""

SLOW_APPROACH = 0.1
"""Approach of an impact without collision, beside the velocity that is zero."""

MOST_SHOCKS = 4
"""Impacts without collision at one instant."""


class Decision(NamedTuple):
    """The state from which the motion goes on, in which mode, and the blows that led there.

    ``needs_blow`` tells that there is no motion without one.
    """

    q: np.ndarray
    v: np.ndarray
    mode: Mode
    blows: tuple[Blow, ...]
    needs_blow: bool = False


class _Sight(NamedTuple):
    """What is known of each element at a state, before forces are.

    Attributes:
        rows: The elements that take part.
        known: What is known of frictions: `FREE`, `SLIDES` or `GIVEN`.
        start: A guess of modes.
    """

    chosen: np.ndarray
    known: np.ndarray
    start: Mode


class Decider:
    """Decides at events."""

    def __init__(self, problem: Problem, contacts: Contacts, scales: Scales) -> None:
        self.problem, self.contacts, self.scales = problem, contacts, scales
        self.needs_multipliers = bool(contacts.constraints)

    def decide(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        mode: Mode,
        trigger: int | None = None,
        *,
        is_plastic: bool = False,
        is_struck: bool = True,
        longer: float = 1.0,
    ) -> Decision:
        """Return what follows from a state on.

        Args:
            t, q, v: The state.
            mode: That until now: what was closed stays so until it is decided otherwise.
            trigger: A contact whose gap has just been found to be zero, or which begins or ends
                to give way.
            is_plastic: Whether there is to be no rebound.
            longer: Part of the usual time after which ties are broken.
            is_struck: Whether there are impulses; else what is hit is left open.

        Raises:
            EvaluationError: there is no motion.
        """
        blows: list[Blow] = []
        c, shocks = self.contacts, 0
        closed = c.is_contact & ((mode.status == STICK) | mode.touches)
        if trigger is not None and c.is_contact[trigger]:
            closed[trigger] = True
        pressed = None
        for count in range(2 * len(c.names) + MOST_SHOCKS):
            r, limits, gap = self._read(t, q, v)
            limits = limits._replace(probe=longer * limits.probe)
            closed |= c.is_contact & (gap <= limits.touch)
            if (gap[closed] != 0).any():
                # steps of low order land beside the surface
                q = self.with_closed(q, r, closed)
                r, limits, gap = self._read(t, q, v)
                limits = limits._replace(probe=longer * limits.probe)
            speed = c.speeds(r.u)
            if is_struck and (closed & (speed < -limits.still)).any():
                is_last = is_plastic or count > len(c.names)
                found = blow(c, r, closed, limits, is_plastic=is_last)
                blows.append(found)
                v = v + found.change
                continue
            resting = closed & (np.abs(speed) <= np.maximum(limits.still, limits.rest))
            if pressed is None:
                pressed = self._soft(r, limits, mode, trigger)
            decided = self._modes(t, q, v, r, limits, resting, pressed, mode)
            if decided is not None:
                # what begins to slide begins at rest
                begins = (decided.status == BOUND) & (c.speeds(r.u) <= limits.still)
                q, v = self.at_rest(t, q, v, decided)
                v = self._begun(t, q, v, decided, begins & c.is_friction, limits.still)
                return Decision(q, v, decided, tuple(blows))
            if not is_struck:
                return Decision(q, v, Mode.of(np.full(len(c.names), OPEN)), (), needs_blow=True)
            shocks += 1
            if shocks > MOST_SHOCKS:
                break
            # Painlevé: no forces fit; an impact without collision is the limit of slow ones
            approach = np.where(resting, SLOW_APPROACH * limits.still, 0.0)
            found = blow(c, r, resting, limits, is_plastic=True, approach=approach)
            blows.append(found)
            v = v + found.change
        raise EvaluationError(
            f"expected forces of contacts with friction at t = {t:.9g}, got none that fit: "
            "Painlevé's paradox; lower the coefficient of friction, or give the contact a "
            "compliance="
        )

    def _read(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[RowValues, Limits, np.ndarray]:
        r = self.contacts.read(t, q, v)
        self.scales.note(r, self.problem.free_acceleration(t, q, v))
        return r, self.scales.limits(t, r), r.gap[self.contacts.elements.first]

    def _modes(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        r: RowValues,
        limits: Limits,
        resting: np.ndarray,
        pressed: np.ndarray,
        mode: Mode,
    ) -> Mode | None:
        """Return the mode from a state on; None if no forces fit."""
        sight = self._sight(t, q, v, r, limits, resting, pressed, mode)
        here = self._solve(t, q, v, r, sight)
        if here is None:
            return None
        known = sight.known.copy()
        # what yields slides with its kinetic force from then on
        weaker = r.kinetic[self.contacts.elements.first] < r.static[self.contacts.elements.first]
        for _ in range(len(known)):
            yields = weaker & (here.status == BOUND) & (known == FREE) & self.contacts.is_friction
            if not yields.any():
                break
            known[yields] = SLIDES
            sight = sight._replace(known=known, start=here)
            here = self._solve(t, q, v, r, sight) or here
        return self._a_little_later(t, q, v, limits, sight, here)

    def _a_little_later(
        self, t: float, q: np.ndarray, v: np.ndarray, limits: Limits, sight: _Sight, here: Mode
    ) -> Mode:
        """Return the mode that forces ask for after the time of the probe: no tie is left there."""
        c, problem = self.contacts, self.problem
        _, v0 = self.at_rest(t, q, v, here)
        r = c.read(t, q, v0)
        qdd, lam = self.free(t, q, v0)
        z = forces_in_mode(c, r, qdd, lam, here, here.direction).z
        rate = qdd + r.P @ (r.A.T @ (z - r.own))
        h = limits.probe
        q1 = problem.model.configuration.integrate(q, v0 + h / 2 * rate, h)
        v1 = v0 + h * rate
        try:
            later = self._solve(t + h, q1, v1, c.read(t + h, q1, v1), sight._replace(start=here))
        except EvaluationError:
            later = None
        return here if later is None else later

    def _sight(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        r: RowValues,
        limits: Limits,
        resting: np.ndarray,
        pressed: np.ndarray,
        mode: Mode,
    ) -> _Sight:
        c, k = self.contacts, len(self.contacts.names)
        speed, first = c.speeds(r.u), c.elements.first
        slides = c.is_friction & (speed > limits.still)
        # of frictions those that something presses
        acts = c.is_friction & ((c.source < 0) | (resting | pressed)[c.source])
        status = np.where(resting | acts, STICK, OPEN)
        status = np.where(pressed, PRESSED, status)
        keeps = (resting | acts) & (mode.status != OPEN)
        status = np.where(keeps, mode.status, status)
        known, direction = np.full(k, FREE), mode.direction.copy()
        for i in np.flatnonzero(acts & slides):
            known[i], status[i] = GIVEN, BOUND
            direction[i] = c.slip(r.u, int(i)) / speed[i]
        # at a dead point of a linkage constraints alone say how it moves
        immobile = c.is_friction & r.immobile[first] & acts & ~slides
        is_inert = (resting | acts) & r.immobile[first] & ~slides
        if immobile.any():
            qdd, _ = self.free(t, q, v)
            rate, size = c.accelerations(r, qdd)
            forced = immobile & (np.abs(rate[first]) > EVEN * size[first])
            for i in np.flatnonzero(forced):
                known[i], status[i] = GIVEN, BOUND
                direction[i] = [np.sign(rate[first[i]]), 0.0]
            is_inert &= ~forced
        status[is_inert] = STICK
        start = Mode.of(status, direction)
        return _Sight(np.flatnonzero((resting | acts) & ~is_inert), known, start)

    def _soft(self, r: RowValues, limits: Limits, mode: Mode, trigger: int | None) -> np.ndarray:
        """Return which soft contacts are pressed; at the border they stay, or begin."""
        c, first = self.contacts, self.contacts.elements.first
        gap, grip, u = r.gap[first], r.grip[first], r.u[first]
        acts = np.minimum(-gap, grip) > 0
        at_border = np.abs(gap) <= limits.touch
        acts |= at_border & (grip > 0) & ((mode.status == PRESSED) | (u < 0))
        if trigger is not None and c.is_soft[trigger]:
            acts[trigger] = mode.status[trigger] != PRESSED
        return c.is_soft & acts

    def _solve(
        self, t: float, q: np.ndarray, v: np.ndarray, r: RowValues, sight: _Sight
    ) -> Mode | None:
        """Return the mode in which forces fit at a state; None if there are none."""
        c = self.contacts
        status, direction = sight.start.status.copy(), sight.start.direction.copy()
        moves, touches = np.full(len(status), False), np.full(len(status), False)
        chosen = sight.chosen
        for i in np.flatnonzero(sight.known == GIVEN):
            slip = c.slip(r.u, int(i))
            size = float(np.hypot(*slip))
            if size > 0 and slip @ direction[i] > 0:
                direction[i] = slip / size
        if len(chosen):
            qdd, lam = self.free(t, q, v)
            found = self._found(r, qdd, lam, sight, direction)
            if found is None:
                return None
            status[chosen], direction[chosen] = found.mode.status, found.mode.direction
            moves[chosen], touches[chosen] = found.mode.moves, found.mode.touches
        moves |= (status == BOUND) & (sight.known == GIVEN)
        return Mode(status, direction, moves, touches)

    def _found(
        self,
        r: RowValues,
        qdd: np.ndarray,
        lam: np.ndarray | None,
        sight: _Sight,
        direction: np.ndarray,
    ) -> Solution | None:
        c, chosen = self.contacts, sight.chosen
        loads = c.loads(r, qdd, lam, sight.start.status)
        p = c.problem_of(r, *c.accelerations(r, loads.qdd))
        _, rows = c.elements.among(chosen)
        status = self._stable(p, sight, direction)
        start = Mode.of(status[chosen], direction[chosen])
        z = np.zeros(len(p.b))
        for _ in range(ROUNDS):
            pressed = c.pressed(p, r, loads, z)
            found = solve(pressed.among(chosen), start, sight.known[chosen])
            if not found.is_solved:
                return None
            change = np.abs(found.z - z[rows]).max()
            z[rows], start = found.z, found.mode
            if pressed is p or change <= SAME * np.abs(z).max():
                return found
        return None

    def _stable(self, p: Rates, sight: _Sight, direction: np.ndarray) -> np.ndarray:
        """Return statuses of a guess: open where friction presses by more than it is given."""
        e, status = self.contacts.elements, sight.start.status.copy()
        for i in np.flatnonzero((sight.known == GIVEN) & (e.normal >= 0)):
            contact = e.normal[i]
            row, rows = e.first[contact], e.first[i] + np.arange(e.size[i])
            pressed = p.mu[i] * float(p.W[row, rows] @ direction[i, : e.size[i]])
            if p.W[row, row] < pressed:
                status[[contact, i]] = OPEN
        return status

    def free(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return q̈ without contacts and dry friction, and λ if friction follows it."""
        lam = self.problem.free_multipliers(t, q, v) if self.needs_multipliers else None
        return self.problem.free_acceleration(t, q, v), lam

    def at_rest(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        mode: Mode,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the state with the held rows at rest, and their gaps closed."""
        held = mode.status == STICK
        if not held.any():
            return q, v
        c = self.contacts
        r = c.read(t, q, v)
        if (r.gap[c.elements.first][held & c.is_contact] != 0).any():
            q = self.with_closed(q, r, held & c.is_contact)
            r = c.read(t, q, v)
        rows = held[c.elements.owner]
        if (r.u[rows] != 0).any():
            v = v + r.change(rows, -r.u[rows])
        return q, v

    def _begun(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        mode: Mode,
        begins: np.ndarray,
        still: np.ndarray,
    ) -> np.ndarray:
        """Return q̇ with frictions that begin to slide, ``(k,)``, at rest, as the held rows allow.

        It changes nothing by more than what counts as rest: where rows nearly depend on each other
        a speed that is rounding would ask for a large one elsewhere.
        """
        c = self.contacts
        if not begins.any():
            return v
        r, which = c.read(t, q, v), begins[c.elements.owner]
        if not (r.u[which] != 0).any():
            return v
        held = (mode.status == STICK)[c.elements.owner]
        change = r._replace(P=r.without(held)).change(which, -r.u[which])
        return v + change if (np.abs(r.A @ change) <= still[c.elements.owner]).all() else v

    def with_closed(self, q: np.ndarray, r: RowValues, closed: np.ndarray) -> np.ndarray:
        """Return the configuration with some gaps closed."""
        rows = closed[self.contacts.elements.owner]
        change = r.change(rows, -r.gap[rows])
        return self.problem.model.configuration.integrate(q, change)
