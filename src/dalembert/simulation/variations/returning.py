"""Whether a motion comes back to where it began."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.model import Model

AT_REST = 1e-4
"""The way of a motion is at least this part of its q: what stands still moves by rounding."""


class Returning:
    """Watches how far a motion gets, to tell how near to its start it ends.

    Velocities and ways are multiplied by √Mⱼⱼ, and so comparable whatever their units.
    """

    def __init__(self, model: Model) -> None:
        self.configuration, self.nq = model.configuration, model.nq
        self.start = np.zeros(model.nq + model.nv)
        self.way, self.place, self.speed = 0.0, 0.0, 0.0
        self.weights = np.ones(model.nv)

    def begin(self, x: np.ndarray) -> None:
        """Take note of the start."""
        self.start = x

    def look(self, x: np.ndarray, weights: np.ndarray) -> None:
        """Take a state into account; the weights are √Mⱼⱼ there."""
        moved, v = self._change(x)
        self.weights = weights
        self.way = max(self.way, float((weights * moved).max()))
        self.speed = max(self.speed, float((weights * np.abs(v)).max()))
        self.place = max(self.place, float(weights.max() * np.abs(x[: self.nq]).max()))

    def gap(self, x: np.ndarray, duration: float) -> float:
        """Return how far a state is from the start, as a part of the way and of the speeds."""
        moved, _ = self._change(x)
        # whole turns of joints come back too
        turns = list(self.configuration.turns)
        moved[turns] = np.abs((moved[turns] + math.pi) % (2 * math.pi) - math.pi)
        change = np.abs(x[self.nq :] - self.start[self.nq :])
        way = self.way + AT_REST * self.place
        speed = self.speed + (way / duration if duration else 0.0)
        parts = (((self.weights * moved).max(), way), ((self.weights * change).max(), speed))
        return max(float(a / b) if a else 0.0 for a, b in parts)

    def _change(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.nq
        return np.abs(self.configuration.difference(self.start[:n], x[:n])), x[n:]
