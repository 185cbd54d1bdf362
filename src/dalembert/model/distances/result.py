"""Distances of shapes, with nearest points and Jacobians."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.display import Printed
from dalembert.model.distances.pairs import ShapePair

MAX_LINES = 20
"""Pairs that a print lists, the closest first."""


@dataclass(frozen=True, eq=False)
class Distances(Printed):
    """Signed distances of pairs of shapes; leading axes are those of q.

    Attributes:
        pairs: Which shapes, one for each of the P entries.
        distance: ``(..., P)`` in m, negative where shapes overlap.
        first, second: The nearest points in the world, ``(..., P, 3)`` in m.
        normal: Unit vectors from the first shape to the second, ``(..., P, 3)``.
        jacobian: ∂d/∂q along velocities, ``(..., P, nv)``: ḋ = J q̇.
    """

    pairs: tuple[ShapePair, ...]
    distance: np.ndarray
    first: np.ndarray
    second: np.ndarray
    normal: np.ndarray
    jacobian: np.ndarray

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """The two links of each pair."""
        return tuple((pair.first, pair.second) for pair in self.pairs)

    @property
    def least(self) -> np.ndarray:
        """The smallest distance of each configuration, ``(...)`` in m."""
        return self.distance.min(axis=-1)

    def __str__(self) -> str:
        if self.distance.ndim > 1:
            shape = "×".join(map(str, self.distance.shape[:-1]))
            low = float(self.distance.min()) if self.distance.size else float("nan")
            return (
                f"distances of {len(self.pairs)} pairs at {shape} configurations, least {low:.6g} m"
            )
        lines = [f"distances of {len(self.pairs)} pairs of shapes"]
        for k in np.argsort(self.distance, kind="stable")[:MAX_LINES]:
            pair = self.pairs[k]
            bound = "" if pair.is_exact else "  (at least: capsules about them)"
            lines.append(f"  {pair.first}, {pair.second}: {self.distance[k]:.6g} m{bound}")
        return "\n".join(lines)
