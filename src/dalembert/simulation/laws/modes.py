"""The mode of each contact and dry friction, and the motion while no mode changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.contact.contacts import Contacts
from dalembert.simulation.contact.decision import Decider
from dalembert.simulation.contact.mode_forces import ModeForces, forces_in_mode
from dalembert.simulation.contact.reading import Raw, RowValues
from dalembert.simulation.contact.rows import BOUND, OPEN, PRESSED, STICK, Mode
from dalembert.simulation.contact.scales import ROUNDING, STILL, Scales

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.problem.problem import Problem

BEGINS = 1e-13
"""Part of the largest velocity of a friction on a plane below which it has no direction yet."""

STOPS = 1e-12
"""Part of the largest velocity of a friction on a plane at which it stops, beside rounding."""


class Modes:
    """All contacts and dry frictions of a simulation, and the mode in which each one is.

    Between events the modes stand still, and the motion is smooth: held rows have u̇ = 0, which
    gives their force; sliding ones have -kinetic u/|u|, pressed ones that of their compliance.

    Attributes:
        contacts: Contacts and dry frictions: k elements of r rows.
        names: What the trajectory calls the rows, ``(r,)``.
        scales: How large gaps, velocities and forces are.
        decider: Says what follows where a mode ends.
        mode: That of each element.
        current: For each row 0 if it is held, the sign of a sliding one, else its status, ``(r,)``.
        are_free: Whether all are contacts, and none of them acts.
    """

    def __init__(self, problem: Problem, rows: Sequence[Row], duration: float = 0.0) -> None:
        self.problem, self.contacts = problem, Contacts(problem, rows)
        self.names = self.contacts.row_names
        self.scales = Scales(self.contacts, duration)
        self.decider = Decider(problem, self.contacts, self.scales)
        k = len(self.contacts.names)
        # where u along the direction of sliding is less, frictions stop
        self._stops_at = np.zeros(k)
        # whether they have just begun to slide, as slowly as what counts as rest
        self._is_fresh = np.full(k, False)
        self.on_plane = np.flatnonzero(self.contacts.elements.size == 2)
        # directions of sliding where a step begins
        self.along = np.tile([1.0, 0.0], (k, 1))
        self.mode = Mode.of(np.full(k, OPEN))

    @property
    def mode(self) -> Mode:
        """The mode of each element."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode, c = mode, self.contacts
        self.current = c.row_modes(mode)
        self.are_free = is_free(c, mode)
        # whether margins follow from gaps and velocities alone
        self.is_loose = not (
            (mode.status == STICK) | mode.touches | ((mode.status == BOUND) & ~mode.moves)
        ).any()
        self.along = mode.direction.copy()
        # which margins are gaps, and which are velocities
        gaps = c.is_soft | (c.is_contact & (mode.status == OPEN) & ~mode.touches)
        self.kinds = gaps, c.is_friction & (mode.status == BOUND) & mode.moves

    @property
    def has_series(self) -> bool:
        """Whether the motion in the current mode may have a power series."""
        return self.are_free

    @property
    def symbols(self) -> Mapping[str, Sequence[Expr]]:
        """What stands for the current mode in `series_rates`, by the name of its input."""
        return {}

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        """The numbers of `symbols` in the current mode."""
        return ()

    def series_rates(self) -> list[Expr] | None:
        """Return ẋ and the two powers behind it as expressions; None if those of the model hold."""
        return None

    def rate(self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray) -> np.ndarray:
        """Return ẋ in the current modes, with the powers behind it."""
        rate = self.problem.free_rate(t, q, v, learned)
        # a trial of a step that is far too long
        with np.errstate(over="ignore", invalid="ignore"):
            self._add_to(t, q, v, rate, learned)
        return rate

    def margins(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return at many states, ``(N, k)``, what is positive while a mode is right.

        It is the gap of an open contact, the force of a closed one, less the candidate force of one
        that only touches; the speed of a sliding friction, static N - |T| of one that sticks, how
        far the candidate force is beyond the bound of one that others hold; of a soft contact what
        begins or ends its force.
        """
        if self.is_loose:
            return self._loose_margins(*self.contacts.reading.moving(t, q, v))
        return np.array([self._margins(*state) for state in zip(t.tolist(), q, v, strict=True)])

    def _margins(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        c, e, mode = self.contacts, self.contacts.elements, self.mode
        r = c.read(t, q, v)
        found = self.forces(t, q, v, r, mode)
        z, first = found.z, e.first
        margins = self._loose_margins(r.gap, r.u, r.grip)
        sticks = mode.status == STICK
        margins = np.where(c.is_contact & sticks, z[first], margins)
        margins = np.where(mode.touches, -found.candidate[first], margins)
        static, kinetic = (
            mu[first] * np.maximum(found.normal, 0.0) for mu in (r.static, r.kinetic)
        )
        margins = np.where(c.is_friction & sticks, static - c.lengths(z), margins)
        held = (mode.status == BOUND) & ~mode.moves
        for i in np.flatnonzero(held):
            rows = slice(first[i], first[i] + e.size[i])
            wanted = -float(found.candidate[rows] @ self.along[i, : e.size[i]])
            margins[i] = wanted - kinetic[i]
        return margins

    def _loose_margins(self, gap: np.ndarray, u: np.ndarray, grip: np.ndarray) -> np.ndarray:
        """Return the margins that gaps and velocities tell of, of one state or many."""
        c, e, mode = self.contacts, self.contacts.elements, self.mode
        gap, grip, first = gap[..., e.first], grip[..., e.first], e.first
        pressing = np.minimum(-gap, grip)
        found = np.where(mode.status == PRESSED, pressing, -pressing)
        found = np.where(c.is_contact, gap, found)
        slides = u[..., first] * np.sign(mode.direction[:, 0])
        for i in self.on_plane:
            slides[..., i] = u[..., first[i] : first[i] + 2] @ self.along[i]
        found = np.where(c.is_friction, slides - self._stops_at, found)
        # the friction of an open contact has no mode that could end
        idle = c.is_friction & (mode.status == OPEN)
        return np.where(idle, np.where(self.scales.speed > 0, self.scales.speed, 1.0), found)

    @property
    def has_turning_margins(self) -> bool:
        """Whether margins depend on how frictions slide where a step begins."""
        return bool(len(self.on_plane)) or bool(self._is_fresh.any())

    def look_along(self, u: np.ndarray) -> None:
        """Take the directions in which frictions slide where a step begins, for its margins."""
        slow, direction = self._slow, self.mode.direction
        if self._is_fresh.any():
            still = STILL * self.scales.speeds + slow
            for i in np.flatnonzero(self._is_fresh):
                if self.contacts.slip(u, int(i)) @ direction[i] > 2 * still[i]:
                    self._is_fresh[i], self._stops_at[i] = False, 0.0
        for i in self.on_plane:
            if self._is_fresh[i]:
                continue
            slip = self.contacts.slip(u, int(i))
            size = float(np.hypot(*slip))
            self._stops_at[i] = slow[i]
            if size > BEGINS * self.scales.speed[i]:
                self.along[i] = slip / size

    @property
    def _slow(self) -> np.ndarray:
        """The velocity at which each friction stops, above that which has no direction."""
        return STOPS * self.scales.speed + 2 * ROUNDING * self.scales.speed_terms

    def forces(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        r: RowValues,
        mode: Mode,
        learned: np.ndarray | None = None,
        qdd: np.ndarray | None = None,
        lam: np.ndarray | None = None,
    ) -> ModeForces:
        """Return the forces of all rows in a mode; q̈ and λ without them if these are known."""
        if qdd is None:
            qdd = self.problem.free_acceleration(t, q, v)
        if lam is None and self.decider.needs_multipliers:
            lam = self.problem.free_multipliers(t, q, v, learned)
        return forces_in_mode(self.contacts, r, qdd, lam, mode, self._directions(r, mode))

    def forces_at(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray, mode: Mode
    ) -> tuple[Raw, np.ndarray, np.ndarray | None]:
        """Return the rows at many states, their forces, and λ with them if frictions follow it."""
        states = zip(t.tolist(), q, v, learned, strict=True)
        rows, z, lam = zip(*(self._forces_at(*state, mode) for state in states), strict=True)
        raw = Raw(*(np.array([getattr(r, name) for r in rows]) for name in Raw._fields))
        return raw, np.array(z), None if lam[0] is None else np.array(lam)

    def _forces_at(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray, mode: Mode
    ) -> tuple[RowValues, np.ndarray, np.ndarray | None]:
        r, n, m = self.contacts.read(t, q, v), self.problem.nq, self.problem.size
        qdd, lam = self.problem.free_rate(t, q, v, learned)[n:m], None
        if self.decider.needs_multipliers:
            lam = self.problem.free_multipliers(t, q, v, learned)
        z = self.forces(t, q, v, r, mode, qdd=qdd, lam=lam).z
        return r, z, None if lam is None else lam + r.share @ (r.A.T @ (z - r.own))

    def _directions(self, r: RowValues, mode: Mode) -> np.ndarray:
        """Return in which directions frictions slide."""
        if not len(self.on_plane):
            return mode.direction
        found = mode.direction.copy()
        for i in self.on_plane:
            if not mode.moves[i]:
                continue
            rows = self.contacts.elements.first[i] + np.arange(2)
            slip = self.contacts.slip(r.u, int(i))
            size, terms = float(np.hypot(*slip)), float(np.hypot(*r.u_terms[rows]))
            is_clear = size > BEGINS * self.scales.speed[i] + ROUNDING * terms
            found[i] = slip / size if is_clear else mode.direction[i]
        return found

    def _add_to(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        rate: np.ndarray,
        learned: np.ndarray | None = None,
    ) -> None:
        """Add the forces to q̈ in ẋ, and their powers to the two entries behind it, if any."""
        if self.are_free:
            return
        n, m = len(q), len(q) + len(v)
        r = self.contacts.read(t, q, v)
        # friction of the model itself gives way to ours
        f = self.forces(t, q, v, r, self.mode, learned, rate[n:m]).z - r.own
        rate[n:m] += r.P @ (r.A.T @ f)
        if len(rate) > m:
            rate[m] += r.power_in(f)
            rate[m + 1] -= f @ r.u

    def power(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the power that comes in and the one that is dissipated, in watts."""
        qdd = self.problem.free_acceleration(t, q, v)
        rate = np.concatenate([np.zeros(len(q)), qdd, np.zeros(2)])
        self._add_to(t, q, v, rate)
        return rate[-2:]

    def held_at_rest(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the state with the held rows at rest, and their gaps closed."""
        return self.decider.at_rest(t, q, v, self.mode)

    def details(
        self,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        qdd: np.ndarray,
        lam: np.ndarray,
        modes: Sequence[Mode],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q̈, changes of the model's multipliers, and z at many states with their modes."""
        qdd, change = qdd.copy(), np.zeros_like(lam)
        forces = np.zeros((len(t), len(self.names)))
        for i, mode in enumerate(modes):
            if is_free(self.contacts, mode):
                continue
            when = float(t[i])
            r = self.contacts.read(when, q[i], v[i])
            forces[i] = self.forces(when, q[i], v[i], r, mode, qdd=qdd[i], lam=lam[i]).z
            push = r.A.T @ (forces[i] - r.own)
            qdd[i] += r.P @ push
            change[i] = r.share @ push
        return qdd, change, forces

    def take(self, t: float, q: np.ndarray, v: np.ndarray, mode: Mode) -> None:
        """Go on in a mode from a state."""
        c, u = self.contacts, self.contacts.reading.moving(t, q, v)[1]
        slow = self._slow
        still = STILL * self.scales.speeds + slow
        self._is_fresh = c.is_friction & (mode.status == BOUND) & (c.speeds(u) <= 2 * still)
        self.mode, self._stops_at = mode, np.zeros(len(slow))
        for i in np.flatnonzero(self._is_fresh):
            back = max(0.0, -float(c.slip(u, int(i)) @ mode.direction[i]))
            self._stops_at[i] = -back - slow[i]


def is_free(contacts: Contacts, mode: Mode) -> bool:
    """Tell whether all are contacts, and none of them acts."""
    return not contacts.is_friction.any() and bool((mode.status == OPEN).all())
