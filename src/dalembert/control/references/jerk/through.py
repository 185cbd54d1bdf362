"""Velocities at which points are passed, so that a motion through all of them is quick.

All joints pass a point at one time, without acceleration. Which velocity is best there, is searched
point by point: of every joint some velocities are tried, with the times that its ways before and
behind the point take. The slowest joints set both times; the others need a velocity that fits
both, for a joint that moves may have to let a point pass and to return. Sweeps over all points,
with finer and finer steps, end the search. It begins with a stop at every point, and only what is
quicker is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.jerk.kernels import SAME, kernel, padded

if TYPE_CHECKING:
    from dalembert.types import Array

TRIALS = 8
"""Velocities to each side of the present one that are tried."""

FINER = 0.6
"""Part of the steps of a sweep that the next one takes."""

SWEEPS = 10
"""Sweeps over all points: steps then are 1 % of those of the first."""

WIDER = 1.04
"""Factor of both times where some joint has no velocity that fits them."""

PATIENCE = 12
"""How often they are widened."""


class Way:
    """The ways between points, with the velocities at which these are passed.

    Args:
        points: The start, the points and the end, ``(k + 2, n)``.
        begin: Velocity and acceleration at the start, ``(2, n)``.
        end: Those at the end.
        limits: V, A and J of each joint, ``(3, n)``.
    """

    def __init__(self, points: Array, begin: Array, end: Array, limits: Array) -> None:
        self.points, self.limits = points, limits
        self.velocity, self.acceleration = np.zeros(points.shape), np.zeros(points.shape)
        self.velocity[0], self.acceleration[0] = begin
        self.velocity[-1], self.acceleration[-1] = end
        last = len(points) - 1
        self.times = np.array([self._common(k, *self.velocity[k : k + 2]) for k in range(last)])

    def arrivals(self, k: int, start: Array, stop: Array, after: float = 0.0) -> Array:
        """Return the time of each joint from point k to the next, for velocities ``(..., n)``."""
        shape = np.broadcast_shapes(start.shape, stop.shape)
        first, last = (
            (self.points[i], v, self.acceleration[i]) for i, v in ((k, start), (k + 1, stop))
        )
        parts = [np.broadcast_to(x, shape) for x in (*first, *last, *self.limits)]
        asked = np.stack(parts, axis=-1).reshape(-1, 9)
        rows = padded(asked)
        return kernel("arrival")(np.full(len(rows), after), rows)[: len(asked)].reshape(shape)

    def _common(self, k: int, start: Array, stop: Array) -> float:
        """Return the first time at which all joints can be at the next point."""
        T, found = -1.0, 0.0
        while found > T * (1 + SAME):
            T, found = found, float(self.arrivals(k, start, stop, found).max())
        return T

    def improve(self, k: int, step: float) -> None:
        """Look for a better velocity at a point, at most ``step`` of the limits away."""
        V = self.limits[0]
        grid = step * np.linspace(-1, 1, 2 * TRIALS + 1)[:, None] * V
        tried = np.clip(self.velocity[k] + grid, -V, V)
        before = self.arrivals(k - 1, self.velocity[k - 1], tried)
        behind = self.arrivals(k, tried, self.velocity[k + 1])
        least = _least_times(before, behind)
        present = float(self.times[k - 1 : k + 1].sum())
        for _ in range(PATIENCE):
            if sum(least) >= present * (1 - SAME):
                return
            found = self._fitting(k, tried, *least)
            if found is not None:
                self.velocity[k], self.times[k - 1 : k + 1] = found, least
                return
            least = (WIDER * least[0], WIDER * least[1])

    def _fitting(self, k: int, tried: Array, into: float, out: float) -> Array | None:
        """Return the velocity of each joint at point k that fits two times, or None."""
        p, V = self.points, self.limits[0]
        even = _between((p[k] - p[k - 1]) / into, (p[k + 1] - p[k]) / out)
        tried = np.concatenate([tried, np.clip(even, -V, V)[None]])
        fits = self.arrivals(k - 1, self.velocity[k - 1], tried, into) <= into * (1 + SAME)
        fits &= self.arrivals(k, tried, self.velocity[k + 1], out) <= out * (1 + SAME)
        if not fits.any(axis=0).all():
            return None
        # the one that is most even
        away = np.where(fits, np.abs(tried - even), np.inf)
        return tried[away.argmin(axis=0), np.arange(len(even))]


def passing_velocities(points: Array, begin: Array, end: Array, limits: Array) -> Array:
    """Return the velocity of each joint at each point but the first and the last; see `Way`."""
    way = Way(points, begin, end, limits)
    for number in range(SWEEPS):
        for k in range(1, len(points) - 1):
            way.improve(k, FINER**number)
    return way.velocity[1:-1]


def _least_times(before: Array, behind: Array) -> tuple[float, float]:
    """Return the times before and behind a point with the least sum that all joints can have.

    Args:
        before: The time of each joint up to the point with each velocity that is tried, ``(m, n)``.
        behind: From the point on.
    """
    # if all joints may take up to a time before the point, the best that each can do behind it
    allowed = np.unique(before)
    allowed = allowed[allowed >= before.min(axis=0).max()]
    fits = before[None] <= allowed[:, None, None]
    left = np.where(fits, behind[None], np.inf).min(axis=1).max(axis=1)
    best = int(np.argmin(allowed + left))
    return float(allowed[best]), float(left[best])


def _between(before: Array, behind: Array) -> Array:
    """Return the velocity between two: zero where they differ in sign, else their harmonic mean."""
    product, total = before * behind, before + behind
    agree = product > 0
    return np.where(agree, 2 * product / np.where(agree, total, 1.0), 0.0)
