"""The Jacobian transpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.ik.methods.base import Iteration


@dataclass(frozen=True)
class Transpose(Iteration):
    """δ = Jᵀ e: descent of ½ eᵀe; slow, but at home in singularities.

    It converges for α < 2/σ_max².
    """

    iterations: int = 1000

    def direction(self, e: np.ndarray, J: np.ndarray, memory: np.ndarray) -> np.ndarray:
        return np.einsum("nij,ni->nj", J, e)
