"""Damped least squares with adaptive damping: the Levenberg–Marquardt method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.methods.base import Iteration

if TYPE_CHECKING:
    from dalembert.types import Array

SMALLEST, LARGEST = 1e-15, 1e8


@dataclass(frozen=True)
class DampedLeastSquares(Iteration):
    """δ = (JᵀJ + λ)⁻¹ Jᵀ e; λ falls after a step that helped, and rises after one taken back.

    D. W. Marquardt, SIAM Journal on Applied Mathematics 11 (1963).

    Args:
        damping: λ at the start, in the square of the rows' unit.
        fall: Factor after a good step.
        rise: Factor after a bad one.
    """

    damping: float = 1e-2
    fall: float = 0.1
    rise: float = 5.0

    def start_memory(self) -> float:
        return self.damping

    def direction(self, e: Array, J: Array, memory: Array) -> Array:
        # the stacked form keeps the digits that JᵀJ would square away
        U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
        part = np.einsum("nij,ni->nj", U, e) * sigma / (sigma**2 + memory[:, None])
        return np.einsum("nji,nj->ni", Vt, part)

    def accepts(self, old: Array, new: Array, memory: Array) -> Array:
        good = new < old
        memory *= np.where(good, self.fall, self.rise)
        np.clip(memory, SMALLEST, LARGEST, out=memory)
        return good
