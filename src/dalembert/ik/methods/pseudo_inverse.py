"""The Jacobian pseudo-inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.ik.methods.base import Iteration


@dataclass(frozen=True)
class PseudoInverse(Iteration):
    """δ = J⁺ e: Jᵀ(JJᵀ)⁻¹ e with more velocities than rows, least squares with fewer.

    Args:
        cutoff: Singular values below this part of the largest count as zero.
    """

    cutoff: float = 1e-10

    def direction(self, e: np.ndarray, J: np.ndarray, memory: np.ndarray) -> np.ndarray:
        return (np.linalg.pinv(J, rcond=self.cutoff) @ e[..., None])[..., 0]
