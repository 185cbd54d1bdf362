"""Timings s(t) whose acceleration is linear in s between breaks: s̈ = u + σ (s - s₀)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Motion, Reference

if TYPE_CHECKING:
    from dalembert.types import Array

SMALL = 1e-2
"""Arguments below which power series take the place of hyperbolic and circular functions."""


@dataclass(frozen=True, eq=False)
class LinearAcceleration(Reference):
    """s(t) from place to place, with s̈ = acceleration + slope (s - place) in each interval.

    So ṡ² is a parabola of s: exact where limits of s̈ vary along a path. All arrays have one entry
    for each interval, ``places`` and ``speeds`` one more.
    """

    places: Array
    speeds: Array
    acceleration: Array
    slope: Array

    @property
    def breaks(self) -> Array:
        """The times at the places.

        With r = Δs/(ṡ₀ + ṡ₁) the time is 2 r atanh(√σ r)/(√σ r), and with atan where σ < 0.
        """
        r = np.diff(self.places) / (self.speeds[:-1] + self.speeds[1:])
        return np.r_[0.0, np.cumsum(2 * r * _arc(self.slope * r * r))]

    @property
    def duration(self) -> float:  # type: ignore[override]
        """How long it takes."""
        return float(self.breaks[-1])

    def at(self, t: Array) -> Motion:
        breaks = self.breaks
        i = np.clip(np.searchsorted(breaks, t, side="right") - 1, 0, len(self.slope) - 1)
        v, u, slope, h = self.speeds[i], self.acceleration[i], self.slope[i], t - breaks[i]
        sinh, cosh = _waves(slope * h * h)
        # s - s₀ = ṡ₀ sinh(w h)/w + u (cosh(w h) - 1)/w², w² = σ
        S, C = h * sinh, h * h * cosh
        way = v * S + u * C
        return Motion(self.places[i] + way, v * (1 + slope * C) + u * S, u + slope * way)


def _arc(z: Array) -> Array:
    """Return atanh(√z)/√z, and atan(√-z)/√-z of negative z."""
    w = np.sqrt(np.abs(z))
    safe = np.where(w > SMALL, w, 1.0)
    found = np.where(z > 0, np.arctanh(np.minimum(safe, 1 - 1e-16)), np.arctan(safe)) / safe
    series = 1 + z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z / 9)))
    return np.where(w > SMALL, found, series)


def _waves(z: Array) -> tuple[Array, Array]:
    """Return sinh(w)/w and (cosh(w) - 1)/w² with w = √z, circular functions of negative z."""
    w = np.sqrt(np.abs(z))
    safe = np.where(w > SMALL, w, 1.0)
    half = np.where(z > 0, np.sinh(safe / 2), np.sin(safe / 2))
    first = np.where(z > 0, np.sinh(safe), np.sin(safe)) / safe
    second = 2 * half * half / (safe * safe)
    sinh = 1 + z / 6 * (1 + z / 20 * (1 + z / 42))
    cosh = (1 + z / 12 * (1 + z / 30 * (1 + z / 56))) / 2
    return np.where(w > SMALL, first, sinh), np.where(w > SMALL, second, cosh)
