"""How large changes of a motion are, and how large their rounding: what errors are measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation.variations.variation import Variation

ROUNDING = 100 * float(np.finfo(float).eps)
"""Errors of accelerations beside the terms that they are the sum of."""


class Sizes:
    """The sizes of x and of the columns of S at a time.

    Velocities of one column are comparable once multiplied by w = √Mⱼⱼ; the largest gives all of
    them their size, so that no unit matters. Where the parts of an acceleration cancel, only
    rounding is left of it, whose size is that of the parts: the largest of ∂q̈/∂x δx, and of p ∂q̈/∂p
    over p.
    """

    def __init__(self, variation: Variation, t: float, x: np.ndarray, S: np.ndarray) -> None:
        n, p = variation.nv, np.abs(variation.values)
        at = variation.at(t, x)
        w = np.sqrt(np.abs(at.metric))
        self.weights = w = np.where(w > 0, w, 1.0)
        self.position, self.velocity = _largest(w, S[:n]), _largest(w, S[n:])
        self.acceleration = _largest(w, at.of_columns(S)[n:])
        self.speed = _largest(w, x[-n:, None])
        # the parts of accelerations
        by_q, by_v = (float(_largest(w, A / w).max()) for A in (at.A[n:, :n], at.A[n:, n:]))
        moved, turned = _largest(w, at.rate[-n:, None]), _largest(w, at.B[n:] * p)
        self.force = moved + turned.max(initial=0.0)
        self.parts = by_q * self.position + by_v * self.velocity
        self.parts[2 * n :] += np.divide(self.force, p, out=np.zeros_like(p), where=p > 0)

    @property
    def is_unknown(self) -> np.ndarray:
        """Tell for each column whether it is zero and does not move yet."""
        return self.position + self.velocity + self.acceleration == 0

    def allowed(self, h: float, part: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return errors of q, q̇ (one for each velocity) and S in a step h: a part of the sizes."""
        change = part * self.acceleration + ROUNDING * self.parts
        velocity = part * self.velocity + h * change
        position = part * (self.position + h * self.velocity) + h * h * change
        v = part * self.speed + h * (part + ROUNDING) * self.force
        w = self.weights[:, None]
        return (h * v / w)[:, 0], (v / w)[:, 0], np.concatenate([position / w, velocity / w])


def _largest(weights: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the largest entry of each column, weighted."""
    return (weights[:, None] * np.abs(columns)).max(axis=0)
