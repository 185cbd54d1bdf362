"""The method of the Jacobian's pseudo-inverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.methods.base import Iteration

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True)
class PseudoInverse(Iteration):
    """δ = J⁺ e: Jᵀ(JJᵀ)⁻¹ e with more velocities than rows, least squares with fewer.

    Args:
        cutoff: Singular values below this part of the largest count as zero.
    """

    cutoff: float = 1e-10

    def direction(self, e: Array, J: Array, memory: Array) -> Array:
        return (np.linalg.pinv(J, rcond=self.cutoff) @ e[..., None])[..., 0]
