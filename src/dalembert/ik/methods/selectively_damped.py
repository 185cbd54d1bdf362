"""Selectively damped least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.methods.base import Iteration

if TYPE_CHECKING:
    from dalembert.types import Array

VANISHING = 1e-12


@dataclass(frozen=True)
class SelectivelyDamped(Iteration):
    """Each singular direction is damped by itself, by how far it moves joints and end.

    S. R. Buss and J.-S. Kim, "Selectively damped least squares for inverse kinematics", Journal of
    Graphics Tools 10 (2005): with J = Σ σ_i u_i v_iᵀ and α_i = u_iᵀ e, the step along v_i is
    α_i/σ_i, cut to γ_i = γ_max min(1, N_i/M_i), where M_i is what the joints' own motions add up to
    and N_i = |u_i| what becomes of it; the sum is cut to γ_max once more.

    Args:
        largest: γ_max, the largest change of a joint in one step.
    """

    largest: float = np.pi / 4

    def direction(self, e: Array, J: Array, memory: Array) -> Array:
        U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
        alpha = np.einsum("nij,ni->nj", U, e)
        regular = sigma > VANISHING
        inverse = np.where(regular, 1 / np.where(regular, sigma, 1.0), 0.0)
        # M_i = 1/σ_i Σ_j |v_ji| |J_j|, and N_i = 1
        lengths = np.linalg.norm(J, axis=-2)
        M = inverse * np.einsum("nij,nj->ni", np.abs(Vt), lengths)
        gamma = self.largest * np.minimum(1.0, 1 / np.maximum(M, VANISHING))
        steps = (alpha * inverse)[..., None] * Vt
        delta = _cut(steps, gamma[..., None]).sum(axis=-2)
        return _cut(delta, np.asarray(self.largest))


def _cut(x: Array, largest: Array) -> Array:
    """Return vectors shortened until no entry is larger."""
    size = np.abs(x).max(axis=-1, keepdims=True)
    return x * np.minimum(1.0, largest / np.maximum(size, VANISHING))
