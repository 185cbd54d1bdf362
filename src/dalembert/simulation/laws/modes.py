"""The mode of each contact and dry friction, and the motion while no mode changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.laws.base import Row, Rows, RowValues
from dalembert.simulation.laws.forces.discs import BEGINS, DISC_SLOW, DISC_STOPS, discs
from dalembert.simulation.laws.forces.followers import followers
from dalembert.simulation.laws.forces.row_forces import RowForces
from dalembert.simulation.laws.next_modes import (
    HELD,
    OPEN,
    PRESSED,
    SLIDES,
    next_modes,
    states_of,
)
from dalembert.simulation.laws.rough import choices_at_rest, rough_modes
from dalembert.simulation.laws.sizes import Limits, RowSizes

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem


class Modes:
    """All contacts and dry frictions of a simulation, and the mode in which each one is.

    Between events the modes stand still, and the motion is smooth: held rows have u̇ = 0, which
    gives their force; sliding ones have -sign · kinetic, pressed ones that of their compliance.

    Attributes:
        rows: Contacts and dry frictions, ``(k,)``, compiled.
        names: What the trajectory calls them.
        is_contact: Which rows are rigid contacts, ``(k,)``.
        is_soft: Which rows are contacts that give way, ``(k,)``.
        sizes: How large gaps and velocities have been so far.
        forces: Gives the forces of rows in some modes.
        held: Which rows have u = 0 by a force, ``(k,)``, and ``any_held`` whether any has.
        are_free: Whether all rows are contacts, and none of them acts.
    """

    def __init__(self, problem: Problem, rows: Sequence[Row]) -> None:
        self.problem = problem
        self.rows = Rows(problem.model, rows, is_constrained=problem.constraints is not None)
        self.names = tuple(row.name for row in rows)
        self.is_contact = np.array([row.is_contact for row in rows])
        self.is_soft = np.array([row.is_soft for row in rows])
        self.current = np.full(len(rows), OPEN)
        self.sizes = RowSizes(rows)
        names = () if problem.constraints is None else problem.constraints.names
        self.followers = followers(rows, names)
        self.discs = discs(rows)
        # of discs: where u along the direction of sliding is less, they come to rest
        self._stops_at = np.zeros(len(rows))
        # whether they have just begun to slide, slower than those that stop
        self._is_fresh = np.full(len(rows), False)
        self.forces = RowForces(self.rows.rows, self.followers, self.discs, self.sizes)
        self._needs_multipliers = any(f.constraints for f in self.followers)

    @property
    def current(self) -> np.ndarray:
        """The modes, ``(k,)``: `HELD`, `OPEN`, `PRESSED`, or the sign of a sliding velocity."""
        return self._current

    @current.setter
    def current(self, modes: np.ndarray) -> None:
        self._current, self.held = modes, modes == HELD
        self.any_held = bool(self.held.any())
        has_gap = self.is_contact | self.is_soft
        self.are_free = bool(has_gap.all() and (modes == OPEN).all())

    def rate(self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray) -> np.ndarray:
        """Return ẋ in the current modes, with the powers behind it."""
        rate = self.problem.free_rate(t, q, v, learned)
        self._add_to(t, q, v, rate, learned)
        return rate

    def margins(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return at many states, ``(N, rows)``, what is positive while a mode is right.

        It is the gap of an open contact, the force of a closed one, the speed of a sliding
        friction, static - |z| of one that sticks; of a soft contact what begins or ends its force.
        """
        if not self.any_held:
            return self._free_margins(*self.rows.moving(t, q, v))
        return np.array([self._margins(*state) for state in zip(t.tolist(), q, v, strict=True)])

    def _margins(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        r = self.rows.read(t, q, v)
        lam, qdd = self.multipliers(t, q, v), self.problem.free_acceleration(t, q, v)
        z = self.forces.at(r, qdd, self.current, lam, is_checked=False)
        bound = np.where(self.is_contact, z, self.forces.bounds(r, z, lam) - self.forces.lengths(z))
        return np.where(self.held, bound, self._free_margins(r.gap, r.u, r.grip))

    def _free_margins(self, gap: np.ndarray, u: np.ndarray, grip: np.ndarray) -> np.ndarray:
        """Return the margins of rows that are not held, of one state or many."""
        free = np.where(self.is_contact, gap, self.current * u)
        pressing = np.minimum(-gap, grip)
        pressed = np.where(self.current == PRESSED, pressing, -pressing)
        free = np.where(self.is_soft, pressed, free)
        for first, second in self.discs:
            pair = [first, second]
            free[..., first] = u[..., pair] @ self.forces.along[pair] - self._stops_at[first]
            free[..., second] = self.sizes.speed[first] or 1.0
        for f in self.followers:
            # the friction of an open contact has no mode that could end
            if f.contact is not None and self.current[f.contact] == OPEN:
                for row in f.rows:
                    free[..., row] = self.sizes.speed[row] or 1.0
        return free

    def look_along(self, u: np.ndarray) -> None:
        """Take the directions in which discs slide where a step begins, for its margins."""
        for pair in self.discs:
            rows = list(pair)
            size, largest = np.hypot(*u[rows]), np.hypot(*self.sizes.speed[rows])
            slow = DISC_SLOW * largest
            self._is_fresh[rows] &= size <= 2 * slow
            self._stops_at[rows[0]] = -slow if self._is_fresh[rows[0]] else slow
            if size > BEGINS * largest:
                self.forces.along[rows] = u[rows] / size

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
        r = self.rows.read(t, q, v)
        # friction of the model itself gives way to ours
        f = self.forces.at(r, rate[n:m], self.current, self.multipliers(t, q, v, learned)) - r.own
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

    def multipliers(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray | None = None
    ) -> np.ndarray | None:
        """Return λ of the model without contacts and dry friction, where friction follows it."""
        if not self._needs_multipliers:
            return None
        return self.problem.free_multipliers(t, q, v, learned)

    def held_at_rest(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the state with the held rows at rest, and their gaps closed."""
        held = self.held
        if not self.any_held:
            return q, v
        q = self.with_closed(q, self.rows.read(t, q, v), held & self.is_contact)
        r = self.rows.read(t, q, v)
        if (r.u[held] != 0).any():
            v = v + r.change(held, -r.u[held])
        return q, v

    def with_closed(self, q: np.ndarray, r: RowValues, closed: np.ndarray) -> np.ndarray:
        """Return the configuration with some gaps closed."""
        if not (r.gap[closed] != 0).any():
            return q
        return self.problem.model.configuration.integrate(q, r.change(closed, -r.gap[closed]))

    def details(
        self,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        qdd: np.ndarray,
        lam: np.ndarray,
        modes: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q̈, changes of the model's multipliers, and z at many states with their modes."""
        qdd, change = qdd.copy(), np.zeros_like(lam)
        forces = np.zeros((len(t), len(self.names)))
        acts = np.where(self.is_contact | self.is_soft, modes != OPEN, True).any(axis=1)
        # a disc that has just begun to slide finds its direction again
        along, self.forces.along = self.forces.along, np.zeros(len(self.names))
        for i in np.flatnonzero(acts):
            r = self.rows.read(float(t[i]), q[i], v[i])
            forces[i] = self.forces.at(r, qdd[i], modes[i], lam[i], is_checked=False)
            push = r.A.T @ (forces[i] - r.own)
            qdd[i] += r.P @ push
            change[i] = r.share @ push
        self.forces.along = along
        return qdd, change, forces

    def settle(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        fixed: Mapping[int, int] | None = None,
        stopped: int | None = None,
    ) -> np.ndarray:
        """Choose the modes from a state on; return the state (q, q̇) with the held rows at rest.

        Contacts that come to rest from a small velocity push: what slides may change its direction
        by that, and is asked again. ``fixed`` and ``stopped`` are those of `next_modes`.
        """
        for _ in range(len(self.names) + 1):
            r = self.rows.read(t, q, v)
            self.sizes.note(r)
            limits = self.sizes.limits(t, r)
            self.current = self._next(t, q, v, r, limits, dict(fixed or {}), stopped)
            q, rest = self.held_at_rest(t, q, v)
            is_same = rest is v or (np.abs(r.A @ (rest - v)) <= limits.slow).all()
            v, fixed, stopped = rest, None, None
            if is_same:
                break
        return np.concatenate([q, v])

    def _next(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        r: RowValues,
        limits: Limits,
        fixed: dict[int, int],
        stopped: int | None,
    ) -> np.ndarray:
        """Return the modes from a state on."""
        rows, qdd = self.rows.rows, self.problem.free_acceleration(t, q, v)
        if not (self.followers or self.discs):
            return next_modes(rows, r, qdd, self.current, limits, fixed=fixed, stopped=stopped)
        resting, moving = states_of(rows, r, self.current, limits, stopped)
        self._discs_at_rest(r, limits, resting, moving, stopped)
        lam = self.multipliers(t, q, v)

        def forces(modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            z = self.forces.at(r, qdd, modes, lam, is_checked=False, begins=True)
            return z, self.forces.bounds(r, z, lam) - self.forces.lengths(z)

        choices = choices_at_rest(rows, resting, moving, fixed, self.discs)
        found = rough_modes(rows, r, qdd, choices, forces, stopped, self.discs)
        self.forces.along = self.forces.slips(r, qdd, found, lam, begins=True)
        self._is_fresh = resting & (found != HELD)
        return found

    def _discs_at_rest(
        self,
        r: RowValues,
        limits: Limits,
        resting: np.ndarray,
        moving: np.ndarray,
        stopped: int | None,
    ) -> None:
        """Find out which discs are at rest: by the length of u, and of both rows together.

        Where one stops, others that are as slow stop with it.
        """
        stops = any(stopped in pair for pair in self.discs)
        for pair in self.discs:
            rows = list(pair)
            slow = DISC_STOPS * np.hypot(*self.sizes.speed[rows]) + np.hypot(*limits.slow[rows])
            # a stop, or the rounding of a step while it is held
            is_lax = stops or self.current[rows[0]] == HELD
            allowed = slow if is_lax else limits.slow[rows].max()
            resting[rows] = np.hypot(*r.u[rows]) <= allowed
            moving[rows] = SLIDES
