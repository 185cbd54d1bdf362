"""A linear map of changes at one time: onto constraints, and through an event."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Jump(NamedTuple):
    """δx⁺ = D δx + d δp at once; ``D`` is ``(2 nv, 2 nv)``, ``d`` is ``(2 nv, parameters)``."""

    D: np.ndarray
    d: np.ndarray

    def forward(self, S: np.ndarray) -> np.ndarray:
        """Return columns of changes after it; the last ones are those of the parameters."""
        after = self.D @ S
        after[:, len(self.D) :] += self.d
        return after

    def back(self, adjoint: np.ndarray) -> np.ndarray:
        """Return the derivatives (λ, μ) of a cost by changes before it and by parameters."""
        n = len(self.D)
        lam = adjoint[:n]
        return np.concatenate([self.D.T @ lam, adjoint[n:] + self.d.T @ lam])
