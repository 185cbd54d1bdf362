"""The mode of each contact and dry friction, and the motion while no mode changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.laws.base import Row, Rows, RowValues
from dalembert.simulation.laws.followers import Follower, followers, normal_forces
from dalembert.simulation.laws.next_modes import (
    HELD,
    OPEN,
    PRESSED,
    SLOW,
    next_modes,
    states_of,
)
from dalembert.simulation.laws.rough import choices_at_rest, rough_modes

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
        current: The modes, ``(k,)``: `HELD`, `OPEN`, `PRESSED`, or the sign of a sliding velocity.
    """

    def __init__(self, problem: Problem, rows: Sequence[Row]) -> None:
        self.problem = problem
        self.rows = Rows(problem.model, rows, is_constrained=problem.constraints is not None)
        self.names = tuple(row.name for row in rows)
        self.is_contact = np.array([row.is_contact for row in rows])
        self.is_soft = np.array([row.is_soft for row in rows])
        self.current = np.full(len(rows), OPEN)
        names = () if problem.constraints is None else problem.constraints.names
        self.followers = followers(rows, names)
        self._needs_multipliers = any(f.constraints for f in self.followers)

    @property
    def held(self) -> np.ndarray:
        """Which rows have u = 0 by a force."""
        return self.current == HELD

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
        if not self.held.any():
            return self._free_margins(*self.rows.moving(t, q, v))
        return np.array([self._margins(*state) for state in zip(t.tolist(), q, v, strict=True)])

    def _margins(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        r = self.rows.read(t, q, v)
        lam, qdd = self.multipliers(t, q, v), self.problem.free_acceleration(t, q, v)
        z = self.forces(r, qdd, self.current, lam, is_checked=False)
        bound = np.where(self.is_contact, z, self.bounds(r, z, lam) - np.abs(z))
        return np.where(self.held, bound, self._free_margins(r.gap, r.u, r.grip))

    def _free_margins(self, gap: np.ndarray, u: np.ndarray, grip: np.ndarray) -> np.ndarray:
        """Return the margins of rows that are not held, of one state or many."""
        free = np.where(self.is_contact, gap, self.current * u)
        pressing = np.minimum(-gap, grip)
        pressed = np.where(self.current == PRESSED, pressing, -pressing)
        free = np.where(self.is_soft, pressed, free)
        for f in self.followers:
            # the friction of an open contact has no mode that could end
            if f.contact is not None and self.current[f.contact] == OPEN:
                free[..., f.row] = 1.0
        return free

    def _add_to(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        rate: np.ndarray,
        learned: np.ndarray | None = None,
    ) -> None:
        """Add the forces to q̈ in ẋ, and their powers to the two entries behind it, if any."""
        if (self.is_contact | self.is_soft).all() and (self.current == OPEN).all():
            return
        n, m = len(q), len(q) + len(v)
        r = self.rows.read(t, q, v)
        # friction of the model itself gives way to ours
        f = self.forces(r, rate[n:m], self.current, self.multipliers(t, q, v, learned)) - r.own
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

    def forces(
        self,
        r: RowValues,
        qdd: np.ndarray,
        modes: np.ndarray,
        lam: np.ndarray | None = None,
        *,
        is_checked: bool = True,
    ) -> np.ndarray:
        """Return the force z of every row.

        Args:
            r: The rows at a state.
            qdd: The acceleration without them.
            modes: Those of the rows.
            lam: The multipliers of the model without them, where friction follows these.
            is_checked: Whether to refuse forces that are not the only ones.

        Raises:
            Paradox: friction that follows a normal force has no force, or several.
        """
        held = modes == HELD
        z = np.where(self.is_contact | held, 0.0, -modes * r.kinetic)
        z = np.where(self.is_soft, np.where(modes == PRESSED, r.push, 0.0), z)
        sliding = [f for f in self.followers if modes[f.row] != HELD]
        cones = [z[f.row] for f in sliding]
        for f in sliding:
            z[f.row] = 0.0
        if held.any():
            # u̇ = A q̈ + bias = 0
            rate = r.A[held] @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias[held]
            z[held] = -r.impulses(held, rate)
        if sliding:
            Z = self._responses(r, held, sliding, cones)
            sides = [self._normal(f, r, z, lam) for f in sliding]
            slopes = [self._normal_slopes(f, r, Z) for f in sliding]
            signed = [f.contact is not None for f in sliding]
            names = [self.names[f.row] for f in sliding]
            z = z + Z @ normal_forces(sides, slopes, signed, names, is_checked=is_checked)
        return z

    def bounds(self, r: RowValues, z: np.ndarray, lam: np.ndarray | None) -> np.ndarray:
        """Return the largest force of every friction that sticks, while the forces are z."""
        bound = r.static.copy()
        for f in self.followers:
            normal = self._normal(f, r, z, lam)
            size = normal[0] if f.contact is not None else np.linalg.norm(normal)
            bound[f.row] *= max(float(size), 0.0)
        return bound

    def _responses(
        self, r: RowValues, held: np.ndarray, sliding: Sequence[Follower], cones: Sequence[float]
    ) -> np.ndarray:
        """Return how z changes with the normal force of each sliding friction, as columns."""
        Z = np.zeros((len(self.names), len(sliding)))
        for j, (f, force) in enumerate(zip(sliding, cones, strict=True)):
            Z[f.row, j] = force
            if held.any():
                Z[held, j] = -r.impulses(held, r.A[held] @ (r.P @ (r.A[f.row] * force)))
        return Z

    def _normal(
        self, f: Follower, r: RowValues, z: np.ndarray, lam: np.ndarray | None
    ) -> np.ndarray:
        """Return the normal force of a friction under the forces z, as a vector."""
        if f.contact is not None:
            return z[[f.contact]]
        assert lam is not None
        return (lam + r.share @ (r.A.T @ (z - r.own)))[list(f.constraints)]

    def _normal_slopes(self, f: Follower, r: RowValues, Z: np.ndarray) -> np.ndarray:
        if f.contact is not None:
            return Z[[f.contact]]
        return (r.share @ (r.A.T @ Z))[list(f.constraints)]

    def held_at_rest(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the state with the held rows at rest, and their gaps closed."""
        held = self.held
        if not held.any():
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
        accelerations, multipliers, forces = [], [], []
        for i in range(len(t)):
            r = self.rows.read(float(t[i]), q[i], v[i])
            z = self.forces(r, qdd[i], modes[i], lam[i], is_checked=False)
            accelerations.append(qdd[i] + r.P @ (r.A.T @ (z - r.own)))
            multipliers.append(r.share @ (r.A.T @ (z - r.own)))
            forces.append(z)
        return np.array(accelerations), np.array(multipliers), np.array(forces)

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
            self.current = self._next(t, q, v, dict(fixed or {}), stopped)
            q, rest = self.held_at_rest(t, q, v)
            is_same = np.abs(rest - v).max() <= SLOW
            v, fixed, stopped = rest, None, None
            if is_same:
                break
        return np.concatenate([q, v])

    def _next(
        self, t: float, q: np.ndarray, v: np.ndarray, fixed: dict[int, int], stopped: int | None
    ) -> np.ndarray:
        """Return the modes from a state on."""
        rows, r = self.rows.rows, self.rows.read(t, q, v)
        qdd = self.problem.free_acceleration(t, q, v)
        if not self.followers:
            return next_modes(rows, r, qdd, self.current, fixed=fixed, stopped=stopped)
        resting, moving = states_of(rows, r, self.current, stopped)
        lam = self.multipliers(t, q, v)

        def forces(modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            z = self.forces(r, qdd, modes, lam, is_checked=False)
            return z, self.bounds(r, z, lam)

        choices = choices_at_rest(rows, resting, moving, fixed)
        return rough_modes(rows, r, qdd, choices, forces, stopped)
