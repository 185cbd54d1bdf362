"""How large gaps, velocities and forces of rows are in a motion: what counts as zero beside them.

No length, speed or force is small by itself: everything is measured by what the same row has had
so far, and by the rounding of its own terms. So a motion in other units is the same motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation.laws.base import Row, RowValues

ROUNDING = 64 * float(np.finfo(float).eps)
"""What is below this part of the terms that it is the sum of is rounding."""

TOUCH = 1e-12
"""A gap below this part of the largest one so far is closed."""

SLOW = 1e-12
"""A sliding velocity below this part of the largest one so far is zero."""

RESTING = 1e-6
"""A rebound below this part of the fastest motion of the gap so far is none."""

DEPENDENT = 1e-12
"""Directions in which a force moves this part of what it would alone carry no force."""

CLOCK = 2
"""Last places of the time within which an impact is located."""


class Limits(NamedTuple):
    """Of each row, ``(k,)``: the gap that is closed, the speed that is zero, and the slowest
    rebound.
    """

    touch: np.ndarray
    slow: np.ndarray
    resting: np.ndarray


class RowSizes:
    """The largest gaps and velocities of rows so far, and of the terms that they are sums of."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.gap, self.speed, self.gap_terms, self.speed_terms = np.zeros((4, len(rows)))
        given = [math.nan if row.resting_speed is None else row.resting_speed for row in rows]
        self._given = np.array(given)

    def note(self, r: RowValues) -> None:
        """Take the rows at a state into account."""
        self.gap = np.maximum(self.gap, np.abs(r.gap))
        self.speed = np.maximum(self.speed, np.abs(r.u))
        self.gap_terms = np.maximum(self.gap_terms, r.gap_terms)
        # impulses of other rows leave rounding of all velocities
        terms = r.u_terms + np.sqrt(r.alone) * r.energy_speed
        self.speed_terms = np.maximum(self.speed_terms, terms)

    def limits(self, t: float, r: RowValues) -> Limits:
        """Return what counts as zero at a state and time that were noted."""
        # what larger terms have left does not vanish with them
        rounding = ROUNDING * self.speed_terms
        touch = TOUCH * self.gap + ROUNDING * self.gap_terms + CLOCK * math.ulp(t) * np.abs(r.u)
        resting = np.where(np.isnan(self._given), RESTING * self.speed + rounding, self._given)
        return Limits(touch, SLOW * self.speed + rounding, resting)

    def noise(self, part: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the rounding of gaps and of velocities, with ``part`` of the largest so far."""
        eps = float(np.finfo(float).eps)
        gap, speed = (8 * eps * terms for terms in (self.gap_terms, self.speed_terms))
        return part * self.gap + gap, part * self.speed + speed


def scaled_solution(W: np.ndarray, b: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the least z with W z = b, every row measured by its own size: units do not matter.

    Args:
        W: Symmetric and positive semidefinite, ``(n, n)``.
        b: Right sides, ``(n,)`` or ``(n, m)``.
        sizes: What the diagonal of W is beside, ``(n,)``; directions in which W is `DEPENDENT` of
            these carry nothing.
    """
    if len(b) == 1:
        return b / W[0, 0] if W[0, 0] > DEPENDENT * sizes[0] else np.zeros_like(b)
    root = np.sqrt(sizes)
    D = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    values, V = np.linalg.eigh(D[:, None] * W * D)
    is_kept = values > DEPENDENT
    U = D[:, None] * V[:, is_kept]
    return (U / values[is_kept]) @ (U.T @ b)
