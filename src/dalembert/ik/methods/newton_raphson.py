"""The Newton–Raphson method, by the inverse of the Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.ik.methods.base import Iteration

if TYPE_CHECKING:
    from dalembert.types import Array

# σ_min/σ_max below which a square matrix has no inverse in double precision
SINGULAR = 1e-14


@dataclass(frozen=True)
class NewtonRaphson(Iteration):
    """δ = J⁻¹ e, for as many rows as velocities.

    Quadratic near a solution with α = 1; stops with the reason "singular" where J has no inverse.
    """

    def direction(self, e: Array, J: Array, memory: Array) -> Array:
        rows, columns = J.shape[-2:]
        if rows != columns:
            raise EvaluationError(
                f"expected as many task rows as velocities for NewtonRaphson, got {rows} rows and "
                f"{columns} velocities: use PseudoInverse or DampedLeastSquares"
            )
        sigma = np.linalg.svd(J, compute_uv=False)
        regular = sigma[:, -1] > SINGULAR * sigma[:, 0]
        delta = np.full((len(e), columns), np.nan)
        delta[regular] = np.linalg.solve(J[regular], e[regular][..., None])[..., 0]
        return delta
