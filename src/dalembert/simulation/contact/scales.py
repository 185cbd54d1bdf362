"""What counts as zero of gaps, velocities and forces: beside the sizes that a motion has.

Sizes belong to the motion as a whole: of rows that are more mobile they are larger, by the root of
that. So a contact that has yet to move has them, and a motion in other units is the same motion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation.contact.contacts import Contacts
    from dalembert.simulation.contact.reading import RowValues

TOUCH = 1e-12
"""A gap below this part of the largest one so far is closed."""

STILL = 1e-9
"""A sliding velocity below this part of the size of velocities is zero."""

RESTING = 1e-6
"""A rebound below this part of the fastest motion of the gap so far is none."""

PROBE = 1e-7
"""Part of the time of the motion after which modes are decided again, where nothing is tied."""

BEGUN = 1e-12
"""A time that is this part of the duration has no velocity yet that would tell of it."""

ROUNDING = 64 * float(np.finfo(float).eps)
"""What is below this part of the terms that it is the sum of is rounding."""

CLOCK = 2
"""Last places of the time within which an event is located."""


class Limits(NamedTuple):
    """Of each element, ``(k,)``: the gap that is closed, the speed that is zero, and the slowest
    rebound; and the seconds after which modes are decided again.
    """

    touch: np.ndarray
    still: np.ndarray
    rest: np.ndarray
    probe: float


class Scales:
    """The largest sizes so far.

    Attributes:
        gap, speed: Of each element, ``(k,)``.
        gap_terms, speed_terms: Sizes of the terms that these are sums of, ``(k,)``.
        length, velocity, acceleration: Of the motion: those of a row are larger by the root of its
            mobility A M⁻¹ Aᵀ.
    """

    def __init__(self, contacts: Contacts, duration: float) -> None:
        self.contacts, self.duration = contacts, duration
        count = len(contacts.names)
        self.gap, self.speed, self.gap_terms, self.speed_terms = np.zeros((4, count))
        self.length = self.velocity = self.acceleration = 0.0
        # the root of the mobility of each element, where it was last seen
        self.root = np.zeros(count)

    def note(self, r: RowValues, qdd: np.ndarray) -> None:
        """Take the rows at a state into account, and q̈ without their forces."""
        c = self.contacts
        self.root = np.sqrt(c.largest(r.alone))
        self.gap = np.maximum(self.gap, c.largest(np.abs(r.gap)))
        self.speed = np.maximum(self.speed, np.abs(c.speeds(r.u)))
        self.gap_terms = np.maximum(self.gap_terms, c.largest(r.gap_terms))
        # impulses of other rows leave rounding of all velocities
        terms = c.largest(r.u_terms) + self.root * r.energy_speed
        self.speed_terms = np.maximum(self.speed_terms, terms)
        rates = c.largest(np.abs(r.A) @ np.abs(qdd) + np.abs(r.bias))
        self.length = max(self.length, self._shared(np.maximum(self.gap, self.gap_terms)))
        self.velocity = max(self.velocity, r.energy_speed)
        self.acceleration = max(self.acceleration, self._shared(rates))

    @property
    def time(self) -> float:
        """The time in which the motion changes, in seconds; at most its whole duration."""
        a = self.acceleration
        if not a > 0:
            return self.duration
        longest = max(math.sqrt(self.length / a), self.velocity / a)
        # what has only rounding for a velocity has yet to begin
        return min(longest, self.duration) if longest > BEGUN * self.duration else self.duration

    @property
    def speeds(self) -> np.ndarray:
        """The size of velocities of each element, ``(k,)``."""
        return self.root * max(self.velocity, self.acceleration * self.time)

    def limits(self, t: float, r: RowValues) -> Limits:
        """Return what counts as zero at a state and time that were noted."""
        given = self.contacts.resting_speed
        # what larger terms have left does not vanish with them
        rounding = ROUNDING * self.speed_terms
        u = np.abs(self.contacts.speeds(r.u))
        touch = TOUCH * self.gap + ROUNDING * self.gap_terms + CLOCK * math.ulp(t) * u
        rest = np.where(np.isnan(given), RESTING * self.speed + rounding, given)
        probe = max(PROBE * self.time, 4 * math.ulp(t))
        return Limits(touch, STILL * self.speeds + rounding, rest, probe)

    def noise(self, part: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the rounding of gaps, velocities and forces of each element: a part of them."""
        eps = float(np.finfo(float).eps)
        gap = part * self.gap + 8 * eps * self.gap_terms
        speed = part * self.speed + 8 * eps * self.speed_terms
        return gap, speed, part * self.forces

    @property
    def forces(self) -> np.ndarray:
        """The size of the forces of each element, ``(k,)``."""
        size = np.full_like(self.root, self.acceleration)
        return np.divide(size, self.root, out=np.zeros_like(size), where=self.root > 0)

    def _shared(self, sizes: np.ndarray) -> float:
        found = np.divide(sizes, self.root, out=np.zeros_like(sizes), where=self.root > 0)
        return float(found.max(initial=0.0))
