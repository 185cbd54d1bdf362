"""Modes by changes: solve in a guess, change what does not fit, all at once, until all fits.

This is Newton's method of the piecewise linear problem. Where that does not leave fewer,
one contact changes at a time. In space the directions of sliding are part of each solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.simulation.contact.cones import contact_force
from dalembert.simulation.contact.held import Across, Held, held_forces
from dalembert.simulation.contact.rows import (
    BOUND,
    FREE,
    GIVEN,
    OPEN,
    STICK,
    Mode,
    Problem,
)

MOVES = 1e-13
"""w of a row that moves, beside the terms that it is the sum of."""

LEAST = 1e-9
"""A force that is none, beside the largest; each times the root of its row's mobility."""

TURNED = 1e-8
"""Change of a direction, in radians, after which its error is the square of that."""

ROUGH_BEND = 0.1
"""A change of |w| / |T| by more than this part asks for one more step."""

ASIDE = 0.5
"""Part of w along the direction in which a friction yields, below which it is tried to hold it
across that direction."""

ALIGNED = 1 - 1e-12
"""Cosine of the angle between w and the direction of sliding from which on they are the same."""

INSIDE = 1e-9
"""A friction that is below its bound by this part of it sticks."""

PATIENCE = 4
"""Rounds of changes all at once that may pass without fewer elements that do not fit."""

MAX_ROUNDS = 100
MAX_TURNS = 12


class Fit(NamedTuple):
    """Forces that fit their modes.

    Attributes:
        held: The forces.
        mode: The modes.
        rounds: How often statuses were looked at.
    """

    held: Held
    mode: Mode
    rounds: int


def by_changes(p: Problem, start: Mode, known: np.ndarray, noise: float = MOVES) -> Fit | None:
    """Return forces and modes that fit; None if changes do not find any.

    Args:
        p: Rows and their responses.
        start: A guess.
        known: What is known of each friction: `FREE`, `SLIDES` or `GIVEN`.
        noise: w of a row that moves, beside its terms.
    """
    search = _Search(p, start, known, noise)
    for rounds in range(1, MAX_ROUNDS + 1):
        held, is_settled = search.forces()
        if not np.isfinite(held.z).all():
            return None
        if search.changes(held):
            continue
        return Fit(held, search.mode, rounds) if is_settled and held.is_closed else None
    return None


def forces_in(p: Problem, mode: Mode, known: np.ndarray) -> Held:
    """Return the forces in given modes, in space with directions that are part of them."""
    held, _ = _Search(p, mode, known).forces()
    return held


class _Search:
    """A guess of modes, and what its forces say of it."""

    def __init__(self, p: Problem, start: Mode, known: np.ndarray, noise: float = MOVES) -> None:
        e, self.p, self.known, self.noise = p.elements, p, known, noise
        self.status, self.direction = start.status.copy(), start.direction.copy()
        self.rows = e.rows
        self.group = np.where(e.normal >= 0, e.normal, np.arange(len(e.normal)))
        # kinetic where it slides, else static
        self.grip = np.where(known == FREE, p.mu_static, p.mu)
        self.size = np.sqrt(np.maximum.reduceat(p.mobility, e.first))
        self.moving = np.full(len(e.first), False)
        self.turning = np.flatnonzero((e.size == 2) & ~e.is_contact & (known != GIVEN))
        # the fewest elements that did not fit, and how many rounds may pass without fewer
        self.fewest, self.patience = len(e.first) + 1, PATIENCE

    @property
    def mode(self) -> Mode:
        """The guess, with what its forces say of rows that move."""
        moves = (self.status == BOUND) & ((self.known == GIVEN) | self.moving)
        touches = self.p.elements.is_contact & (self.status == OPEN) & ~self.moving
        return Mode(self.status, self.direction, moves, touches)

    def forces(self) -> tuple[Held, bool]:
        """Return the forces of the guess, with directions of sliding; tell if these are found.

        T = -bound (d + φ across) with φ = w across / w along: steps of Newton's method.
        """
        across = Across.none(len(self.status))
        first, tried = self.direction.copy(), np.zeros(len(self.status), int)
        count = 0
        while True:
            count += 1
            held = held_forces(self.p, self.status, self.direction, self.grip, across)
            moves = np.abs(held.w) > self.noise * held.sizes
            self.moving = np.logical_or.reduceat(moves, self.p.elements.first)
            turns = [
                self._turn(int(i), held, across, first[i], tried)
                for i in self.turning
                if self.status[i] == BOUND
            ]
            is_settled = max(turns, default=0.0) <= TURNED
            if is_settled or count == MAX_TURNS:
                return held, is_settled

    def _turn(
        self, i: int, held: Held, across: Across, first: np.ndarray, tried: np.ndarray
    ) -> float:
        """Turn the direction of a friction at its bound; return by how much."""
        d, rows, before = self.direction[i], self.rows[i], across.bend[i]
        w, T, bound = held.w[rows], held.z[rows], self.grip[i] * self._normal(i, held)
        along = float(w @ d)
        if not bound > 0:
            across.bend[i] = -1.0
            return 0.0
        if self.moving[i] and (along <= 0 or (before < 0 and along < ASIDE * np.linalg.norm(w))):
            # it does not slide along its force: hold it across that, then let it go where it goes
            tried[i] += 1
            if tried[i] > 2:
                across.bend[i] = -1.0
                return 0.0
            self.direction[i] = first if tried[i] == 1 else _unit(w, d)
            across.bend[i] = 0.0 if tried[i] == 1 else float(np.linalg.norm(w)) / bound
            return 1.0
        if self.moving[i]:
            turned = _unit(w if before < 0 else -T, d)
            across.bend[i], across.stretch[i] = along / bound, 1.0
        else:
            turned = d if before < 0 else _unit(-T, d)
            across.bend[i] = 0.0
            across.stretch[i] = max(1.0, -float(held.candidate[rows] @ d) / bound)
        change, self.direction[i] = float(np.linalg.norm(turned - d)), turned
        is_rough = before < 0 or abs(across.bend[i] - before) > ROUGH_BEND * before
        return max(change, 1.0 if is_rough else 0.0)

    def changes(self, held: Held) -> bool:
        """Change what does not fit the forces; tell whether there was anything."""
        p = self.p
        forces = np.sqrt(np.add.reduceat(held.z**2, p.elements.first))
        largest = float((forces * self.size).max(initial=0.0)) or 1e-300
        least = LEAST * largest / np.where(self.size > 0, self.size, 1.0)
        new, directions = self.status.copy(), self.direction.copy()
        for i in np.flatnonzero(p.elements.is_contact).tolist():
            new[i] = self._contact(i, held, least[i])
        for i in np.flatnonzero(~p.elements.is_contact).tolist():
            new[i], directions[i] = self._friction(i, held, least[i], new)
        changed = new != self.status
        # one that slides on in another direction
        changed |= (new == BOUND) & (np.abs(directions - self.direction).max(axis=1) > TURNED)
        if not changed.any():
            return False
        count = int(changed.sum())
        if count < self.fewest:
            self.fewest, self.patience = count, PATIENCE
        elif self.patience:
            self.patience -= 1
        else:
            # a contact and the frictions that it presses change together, the last one first
            others = self.group != self.group[int(np.flatnonzero(changed)[-1])]
            new[others], directions[others] = self.status[others], self.direction[others]
        self.status, self.direction = new, directions
        return True

    def _normal(self, i: int, held: Held) -> float:
        """Return the force that presses a friction, 1 if its bound is its own."""
        return float(self.p.offset[i] + self.p.presses[i] @ held.z)

    def _contact(self, i: int, held: Held, least: float) -> int:
        row = self.rows[i][0]
        if self.status[i] == STICK:
            return OPEN if held.z[row] < -least else STICK
        # what moves is told by w, what the rest holds by the force that its spring would have
        pushes = held.w[row] < 0 if self.moving[i] else held.candidate[row] > least
        return STICK if pushes else OPEN

    def _friction(
        self, i: int, held: Held, least: float, new: np.ndarray
    ) -> tuple[int, np.ndarray]:
        """Return status and direction of a friction."""
        p, rows, d = self.p, self.rows[i], self.direction[i]
        contact = int(p.elements.normal[i])
        if contact >= 0 and new[contact] == OPEN:
            return OPEN, d
        if self.known[i] == GIVEN:
            return BOUND, d
        if self.status[i] == STICK:
            length = float(np.linalg.norm(held.z[rows]))
            yields = length > p.mu_static[i] * self._normal(i, held) + least
            # rows that contradict each other cannot all be held: this one goes where they leave it
            aim = held.w[rows] if self.moving[i] else -held.z[rows]
            return (BOUND, _unit(aim, d)) if yields else (STICK, d)
        if self.status[i] == BOUND:
            return self._at_bound(i, held, least)
        # its contact closes
        if self.moving[i] or self.moving[contact]:
            return self._alone(i, contact, held)
        candidate, N = held.candidate[rows], max(held.candidate[self.rows[contact][0]], 0.0)
        yields = self.known[i] != FREE or np.linalg.norm(candidate) > p.mu_static[i] * N
        return (BOUND, _unit(-candidate, d)) if yields else (STICK, d)

    def _at_bound(self, i: int, held: Held, least: float) -> tuple[int, np.ndarray]:
        d, rows = self.direction[i], self.rows[i]
        is_free, bound = self.known[i] == FREE, self.grip[i] * self._normal(i, held)
        side = d[: len(rows)]
        if self.moving[i]:
            w = held.w[rows]
            if not bound > 0 or float(w @ side) >= ALIGNED * float(np.linalg.norm(w)):
                return BOUND, d
            contact = int(self.p.elements.normal[i])
            if len(rows) > 1 and contact >= 0:
                return self._alone(i, contact, held)
            return (STICK, d) if is_free else (BOUND, _unit(held.w[rows], d))
        # the rest holds it; it grips again if its spring would carry less than the bound
        grips = is_free and -float(held.candidate[rows] @ side) < bound - least
        return (STICK if grips else BOUND), d

    def _alone(self, i: int, contact: int, held: Held) -> tuple[int, np.ndarray]:
        """Return what a friction does with its contact while all other forces stay."""
        p, d = self.p, self.direction[i]
        rows = np.concatenate([self.rows[contact], self.rows[i]])
        W = p.W[np.ix_(rows, rows)]
        rest = held.w[rows] - W @ held.z[rows]
        found = contact_force(W + np.diag(p.spring[rows]), rest, float(self.grip[i]), None)
        assert found is not None
        N, T = float(found[0]), found[1:]
        if self.known[i] == FREE and np.linalg.norm(T) < self.grip[i] * N * (1 - INSIDE):
            return STICK, d
        return BOUND, _unit(-T if N > 0 else rest[1:], d)


def _unit(vector: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    length = float(np.abs(vector).max())
    if not length > 0:
        return otherwise
    found = np.zeros(2)
    found[: len(vector)] = vector / length
    return found / float(np.hypot(found[0], found[1]))
