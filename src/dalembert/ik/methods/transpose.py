"""The Jacobian transpose method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.methods.base import Iteration

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True)
class Transpose(Iteration):
    """δ = Jᵀ e: descent of ½ eᵀe; slow, also near singularities.

    It converges for α < 2/σ_max².
    """

    iterations: int = 1000

    def direction(self, e: Array, J: Array, memory: Array) -> Array:
        return np.einsum("nij,ni->nj", J, e)
