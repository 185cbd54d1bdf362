"""Contacts and dry frictions as data: what the solver of forces and impulses sees of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

OPEN, STICK, BOUND, PRESSED = 2, 0, 1, 3
"""The status of an element. A contact is open, or sticks: its gap stays closed. A friction is open
where nothing presses, sticks, or is at its bound. A compliant contact is open or pressed."""

FREE, SLIDES, GIVEN = 0, 1, 2
"""What is known of a friction beforehand: nothing; that it slides; also in which direction."""


@dataclass(frozen=True, eq=False)
class Elements:
    """k contacts and frictions, of r scalar rows in all.

    The force z of a row acts along its velocity u = J q̇ + drift.

    Attributes:
        first: The first row of each, ``(k,)``.
        size: How many rows each has, ``(k,)``: two for friction on a plane in space, else one.
        is_contact: Whether it is a rigid contact, 0 ≤ z ⊥ w ≥ 0, ``(k,)``; others are frictions.
        normal: The contact that presses a friction, ``(k,)``; -1 for other frictions.
    """

    first: np.ndarray
    size: np.ndarray
    is_contact: np.ndarray
    normal: np.ndarray

    @cached_property
    def owner(self) -> np.ndarray:
        """The element of each row, ``(r,)``."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def rows(self) -> list[np.ndarray]:
        """The rows of each element."""
        pairs = zip(self.first.tolist(), self.size.tolist(), strict=True)
        return [np.arange(first, first + size) for first, size in pairs]

    @cached_property
    def _parts(self) -> dict[bytes, tuple[Elements, np.ndarray]]:
        return {}

    def among(self, chosen: np.ndarray) -> tuple[Elements, np.ndarray]:
        """Return some of the elements, given by their numbers in order, and their rows.

        The same again for the same ones: a mode asks for them at every state.
        """
        if len(chosen) == len(self.first):
            return self, np.arange(len(self.owner))
        key = chosen.tobytes()
        if key not in self._parts:
            self._parts[key] = self._part(chosen)
        return self._parts[key]

    def _part(self, chosen: np.ndarray) -> tuple[Elements, np.ndarray]:
        rows = np.flatnonzero(np.isin(self.owner, chosen))
        place = np.full(len(self.first) + 1, -1)
        place[chosen] = np.arange(len(chosen))
        size = self.size[chosen]
        first = np.concatenate([[0], np.cumsum(size)[:-1]]) if len(chosen) else size
        part = Elements(first, size, self.is_contact[chosen], place[self.normal[chosen]])
        return part, rows


class Problem(NamedTuple):
    """Find z with w = W z + b: of contacts 0 ≤ z ⊥ w ≥ 0, of frictions Coulomb's law.

    |T| ≤ mu_static N where w = 0, else T = -mu N w/|w|. N = offset + presses z is the force of a
    contact, of constraints, or 1 where mu is a bound in newtons. The same at three levels:

    =============  ==========  ====================================================
    accelerations  z forces    w = u̇
    impulses       z impulses  w = u⁺ + e u⁻ along normals, u⁺ along frictions
    a step h       z impulses  w = u⁺ + gap/h along normals, u⁺ along frictions
    =============  ==========  ====================================================

    Attributes:
        W: J P Jᵀ, ``(r, r)``.
        b: w without forces, ``(r,)``.
        terms: The size of the terms that b is the sum of, ``(r,)``.
        mobility: The diagonal of J M⁻¹ Jᵀ, ``(r,)``, which constraints may make less in W.
        spring: R of each row, ``(r,)``: how redundant rows share a load (`held_forces`).
        mu, mu_static: Coefficients, or bounds in newtons, ``(k,)``.
        offset: N without forces, ``(k,)``.
        presses: How N changes with z, ``(k, r)``.
    """

    elements: Elements
    W: np.ndarray
    b: np.ndarray
    terms: np.ndarray
    mobility: np.ndarray
    spring: np.ndarray
    mu: np.ndarray
    mu_static: np.ndarray
    offset: np.ndarray
    presses: np.ndarray

    def among(self, chosen: np.ndarray) -> Problem:
        """Return the problem of some elements, the others without force."""
        if len(chosen) == len(self.mu):
            return self
        part, rows = self.elements.among(chosen)
        return Problem(
            part,
            self.W[rows[:, None], rows],
            self.b[rows],
            self.terms[rows],
            self.mobility[rows],
            self.spring[rows],
            self.mu[chosen],
            self.mu_static[chosen],
            self.offset[chosen],
            self.presses[chosen[:, None], rows],
        )


class Mode(NamedTuple):
    """What each element does; motion in one mode is smooth.

    Attributes:
        status: `OPEN`, `STICK`, `BOUND` or `PRESSED`, ``(k,)``.
        direction: The unit vector of sliding where it is at its bound, ``(k, 2)``.
        moves: Whether a friction at its bound has a velocity of its own, ``(k,)``; others at their
            bound are held by the rest.
        touches: Whether an open contact lies on its surface without load, ``(k,)``.
    """

    status: np.ndarray
    direction: np.ndarray
    moves: np.ndarray
    touches: np.ndarray

    @classmethod
    def of(cls, status: np.ndarray, direction: np.ndarray | None = None) -> Mode:
        """Return the mode of some statuses, in which nothing moves and nothing touches."""
        k = len(status)
        if direction is None:
            direction = np.tile([1.0, 0.0], (k, 1))
        return cls(status, direction, np.full(k, False), np.full(k, False))

    def is_same(self, other: Mode) -> bool:
        """Tell whether all elements do the same; frictions may slide in other directions."""
        slides = self.status == BOUND
        turns = slides & ((self.direction * other.direction).sum(axis=1) < 0)
        parts = zip(self, other, strict=True)
        is_equal = all((a == b).all() for a, b in parts if a.ndim == 1)
        return is_equal and not turns.any()

    def among(self, chosen: np.ndarray) -> Mode:
        """Return the mode of some elements."""
        return Mode(*(part[chosen] for part in self))
