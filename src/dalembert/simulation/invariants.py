"""What no motion may violate, whatever its modes: gaps, forces of contacts and frictions, impacts.

The checks know the laws and not the modes. They see states, and forces as a trajectory stores them,
so that a wrong decision at an event cannot go on unseen.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.laws.modes import is_free
from dalembert.simulation.problem.energy import energies

if TYPE_CHECKING:
    from dalembert.simulation.contact.reading import Raw, RowValues
    from dalembert.simulation.contact.rows import Mode
    from dalembert.simulation.problem.problem import Problem
    from dalembert.simulation.trajectory.recorder import Jump, Recorder

PENETRATION = 1e-9
"""A gap may be negative by this part of the size of the model."""

CONE = 1e-9
"""A force may be outside its cone by this part of the forces on the same bodies."""

BACKWARD = 1e-9
"""A velocity may be along its friction by this part of the fastest that the motion had."""

CHECKS_BETWEEN_LOOKS = 16
"""Sizes of forces and velocities are taken anew after so many states, and where modes change."""

CLOCK = 4
"""Last places of the time within which an event is located."""

GAIN = 1e-9
"""Kinetic energy may grow at an impact by this part of it."""

ADVICE = (
    "the forces since the last event are wrong, and so is the motion; give contacts a compliance="
)

ROUNDING = 64 * float(np.finfo(float).eps)
"""What is below this part of the terms that it is the sum of is rounding."""


class Violation(EvaluationError):
    """A law that a motion has violated."""

    def __init__(self, expected: str, t: float) -> None:
        super().__init__(f"expected {expected} at t = {t:.9g}: {ADVICE}")


class _Sizes(NamedTuple):
    """Sizes at N states: roots of mobilities ``(N, r)``, the largest of motion so far ``(N,)``."""

    root: np.ndarray
    acceleration: np.ndarray
    speed: np.ndarray

    @property
    def small(self) -> np.ndarray:
        """Forces that are none, ``(N, r)``."""
        return CONE * self.acceleration[:, None] * _inverse(self.root)


class Invariants:
    """Checks the states of a run.

    Sizes come from the model and its motion as a whole, so that a contact that has yet to move has
    them too. Each is shared by all rows, times the root of how mobile one is: the largest gap at
    the start, or what bodies cover in the time of the run if it is zero; the largest acceleration
    by forces so far; the fastest velocity that the energy so far allows.
    """

    def __init__(self, problem: Problem, t: float, x: np.ndarray, end: float) -> None:
        assert problem.modes is not None
        self.problem, self.modes, self.duration = problem, problem.modes, abs(end - t)
        self.rows, names = self.modes.contacts.rows, self.modes.names
        self._seen, self._speed, self._acceleration = 0, 0.0, 0.0
        self._count = 0
        self._mode: Mode | None = None
        self._root = np.zeros(len(self.rows))
        # rows of each friction, what presses it, and the coefficient without that
        contacts = {row.name: i for i, row in enumerate(self.rows) if row.gap is not None}
        is_second = [
            i > 0 and bool(row.disc) and self.rows[i - 1].disc == row.disc
            for i, row in enumerate(self.rows)
        ]
        self._rigid = np.flatnonzero([row.is_contact for row in self.rows])
        self._first = np.array(
            [i for i, row in enumerate(self.rows) if row.gap is None and not is_second[i]], int
        )
        self._second = np.array([i + 1 if self.rows[i].disc else i for i in self._first], int)
        self._is_plane = self._second > self._first
        self._names = [self.rows[i].disc or names[i] for i in self._first]
        self._contact = np.array(
            [
                contacts.get(self.rows[i].normal[0], -1) if self.rows[i].normal else -1
                for i in self._first
            ],
            int,
        )
        known = () if problem.constraints is None else problem.constraints.names
        self._constraints = {
            k: [known.index(name) for name in self.rows[i].normal]
            for k, i in enumerate(self._first)
            if self.rows[i].normal and self._contact[k] < 0
        }
        q, v = self._split(x)
        r = self.modes.contacts.read(t, q, v)
        self._length, self._allowed = 0.0, np.zeros(len(self.rows))
        self._length = self._extent(r)
        self._allowed = self._depth(t, q, v, r)

    def check_new(self, recorder: Recorder) -> None:
        """Check the states that were stored since this was last done.

        Raises:
            EvaluationError: one of them violates a law.
        """
        for k in range(self._seen, len(recorder.t)):
            x = np.concatenate([recorder.x[k], recorder.controller_state[k]], axis=1)
            self.check(recorder.t[k], x, recorder.modes[k])
        self._seen = len(recorder.t)

    def check(self, t: np.ndarray, x: np.ndarray, mode: Mode) -> None:
        """Check many states ``(N, n)`` that a motion has in a mode.

        Raises:
            EvaluationError: one of them violates a law.
        """
        if len(self._rigid):
            gap = self.modes.contacts.reading.moving(t, *self._split(x))[0]
            # most are open
            for i in np.flatnonzero((gap < -self._allowed)[:, self._rigid].any(axis=1)):
                self._check_gaps(float(t[i]), x[i])
        if not is_free(self.modes.contacts, mode):
            self._check_forces(t, x, mode)

    def check_impact(self, jump: Jump) -> None:
        """Check that an impact takes energy, but for the work of surfaces that move.

        Raises:
            EvaluationError: it adds some.
        """
        times, states = np.full(2, jump.t), np.array([jump.before, jump.after])
        _, kinetic, _ = energies(self.problem.model, times, *self._split(states))
        assert kinetic is not None
        gain = float(kinetic[1] - kinetic[0]) - jump.work
        if gain > GAIN * (float(kinetic.max()) + abs(jump.work)):
            raise Violation(f"an impact that takes energy, got {gain:.3g} J more", jump.t)

    def _check_gaps(self, t: float, x: np.ndarray) -> None:
        q, v = self._split(x)
        r = self.modes.contacts.read(t, q, v)
        beyond = -r.gap - np.maximum(self._allowed, self._depth(t, q, v, r))
        row = self._rigid[np.argmax(beyond[self._rigid])]
        if beyond[row] > 0:
            name = self.modes.names[row]
            raise Violation(f"bodies that stay apart at {name!r}, got a gap of {r.gap[row]:.3g}", t)

    def _check_forces(self, t: np.ndarray, x: np.ndarray, mode: Mode) -> None:
        """Check the forces that act at states: none pulls, acts from afar or exceeds its cone."""
        q, v = self._split(x)
        learned = x[:, self.problem.size :][:, : self.problem.forcing.state.size]
        r, z, lam = self.modes.forces_at(t, q, v, learned, mode)
        for i in np.flatnonzero(~np.isfinite(z).all(axis=1)):
            raise Violation(f"forces of contacts and friction, got {z[i]}", float(t[i]))
        sizes = self._sizes(t, q, v, np.abs(z), mode)
        self._check_contacts(t, q, v, r, z, sizes.small)
        self._check_frictions(t, r, z, lam, sizes)

    def _sizes(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray, mode: Mode
    ) -> _Sizes:
        """Take sizes at states into account, in their order; return those at each of them."""
        is_due = (self._count + np.arange(len(t))) % CHECKS_BETWEEN_LOOKS == 0
        is_due[0] |= mode is not self._mode
        self._count, self._mode = self._count + len(t), mode
        root, acceleration, speed = np.empty_like(z), np.zeros(len(t)), np.zeros(len(t))
        acceleration[0], speed[0] = self._acceleration, self._speed
        due = np.flatnonzero(is_due).tolist()
        root[: due[0] if due else len(t)] = self._root
        for i, following in pairwise([*due, len(t)]):
            r = self.modes.contacts.read(float(t[i]), q[i], v[i])
            self._root = root[i:following] = np.sqrt(r.alone)
            free = self.problem.free_acceleration(float(t[i]), q[i], v[i])
            terms = np.abs(r.A) @ np.abs(free) + np.abs(r.bias)
            acceleration[i] = max(acceleration[i], float((terms * _inverse(self._root)).max()))
            speed[i] = max(speed[i], r.energy_speed)
        acceleration = np.maximum.accumulate(np.maximum(acceleration, (z * root).max(axis=1)))
        speed = np.maximum.accumulate(speed)
        self._acceleration, self._speed = float(acceleration[-1]), float(speed[-1])
        return _Sizes(root, acceleration, speed)

    def _check_contacts(
        self,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        r: Raw,
        z: np.ndarray,
        small: np.ndarray,
    ) -> None:
        names, rigid = self.modes.names, self._rigid
        for i, k in np.argwhere(z[:, rigid] < -small[:, rigid]).tolist():
            name, force = names[rigid[k]], z[i, rigid[k]]
            raise Violation(f"{name!r} to push or to open, got a force of {force:.3g}", float(t[i]))
        is_loaded = (z > small)[:, rigid] & (r.gap > self._allowed)[:, rigid]
        for i in np.flatnonzero(is_loaded.any(axis=1)):
            when, gap = float(t[i]), r.gap[i]
            depth = self._depth(when, q[i], v[i], self.modes.contacts.read(when, q[i], v[i]))
            for k in rigid[is_loaded[i] & (gap > depth)[rigid]]:
                raise Violation(
                    f"no force where {names[k]!r} is open, got {z[i, k]:.3g} at a gap of "
                    f"{gap[k]:.3g}",
                    when,
                )

    def _check_frictions(
        self, t: np.ndarray, r: Raw, z: np.ndarray, lam: np.ndarray | None, sizes: _Sizes
    ) -> None:
        first, second, is_plane, small = self._first, self._second, self._is_plane, sizes.small
        normal = np.where(self._contact >= 0, np.maximum(z[:, self._contact], 0.0), 1.0)
        for k, places in self._constraints.items():
            assert lam is not None
            normal[:, k] = np.linalg.norm(lam[:, places], axis=1)
        bound = np.maximum(r.static, r.kinetic)[:, first] * normal
        size = np.where(is_plane, np.hypot(z[:, first], z[:, second]), np.abs(z[:, first]))
        beyond = size > bound + np.maximum(small[:, first], small[:, second])
        for i, k in np.argwhere(beyond).tolist():
            raise Violation(
                f"a friction {self._names[k]!r} of at most {bound[i, k]:.3g}, got {size[i, k]:.3g}",
                float(t[i]),
            )
        # a force along the velocity, but for what cannot be told from zero
        a, length = sizes.acceleration, self._length
        fall = a * self.duration
        fall = np.minimum(np.sqrt(a * length), fall) if length else fall
        speed = sizes.root * np.maximum(sizes.speed, fall)[:, None] + r.u_terms
        clock = CLOCK * np.spacing(np.abs(t)) * a
        slow = BACKWARD * speed + sizes.root * clock[:, None]
        zero = size * np.maximum(slow[:, first], slow[:, second])
        zero += small[:, first] * np.abs(r.u[:, first]) + small[:, second] * np.abs(r.u[:, second])
        power = z[:, first] * r.u[:, first]
        power += np.where(is_plane, z[:, second] * r.u[:, second], 0.0)
        for i, k in np.argwhere(power > zero).tolist():
            raise Violation(
                f"a friction {self._names[k]!r} against its velocity, got {power[i, k]:.3g} W",
                float(t[i]),
            )

    def _split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, m = self.problem.nq, self.problem.size
        return x[..., :n], x[..., n:m]

    def _extent(self, r: RowValues) -> float:
        """Return the size of the gaps, times the root of the inertia that moves with them."""
        has_gap = np.array([row.gap is not None for row in self.rows])
        size = np.maximum(np.abs(r.gap), r.gap_terms) * _inverse(np.sqrt(r.alone))
        return float(size[has_gap].max(initial=0.0))

    def _depth(self, t: float, q: np.ndarray, v: np.ndarray, r: RowValues) -> np.ndarray:
        """Return how far each gap may be negative."""
        allowed = PENETRATION * max(self._length, self._extent(r)) * np.sqrt(r.alone)
        if self._length == 0:
            rate = np.abs(r.A) @ np.abs(self.problem.free_acceleration(t, q, v)) + np.abs(r.bias)
            allowed = allowed + PENETRATION * rate * self.duration**2
        # the clock itself is not finer
        return allowed + ROUNDING * r.gap_terms + CLOCK * math.ulp(t) * np.abs(r.u)


def _inverse(root: np.ndarray) -> np.ndarray:
    """Return 1 / root, zero where that is."""
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
