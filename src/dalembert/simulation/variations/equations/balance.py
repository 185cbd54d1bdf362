"""M y = f + Aᵀ λ with A y + b = 0, for many right-hand sides: accelerations and impulses."""

from __future__ import annotations

import numpy as np

from dalembert.errors import EvaluationError

SINGULAR = 1e-10
"""A row of A that depends on the others but for this part of it leaves λ open."""


class Balance:
    """Matrices M ``(..., n, n)`` and A ``(..., k, n)`` of independent rows, factorised.

    With M = L Lᵀ and w = Lᵀ y it is w = L⁻¹ f + Bᵀ λ and B w + b = 0, where B = A L⁻ᵀ. Its rows are
    divided by their lengths, so that units do not matter, and Bᵀ = Q R. Where M is singular, the
    rows of A lend it inertia: (M + Aᵀ C A) y = f + Aᵀ (λ - C b) has the same y.

    Raises:
        EvaluationError: rows of A depend on each other, or a velocity has no inertia.
    """

    def __init__(self, M: np.ndarray, A: np.ndarray) -> None:
        self.A = A
        # C, as a column
        self.lent = np.zeros((*A.shape[:-1], 1))
        try:
            L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            L = self._with_lent_inertia(M)
        # inverses of triangles: as exact as to solve with them, and faster many times
        self.inverse = np.linalg.inv(L)
        B = self.inverse @ A.mT
        lengths = np.sqrt((B * B).sum(axis=-2, keepdims=True))
        scales = np.where(lengths > 0, lengths, 1.0)
        self.Q, R = np.linalg.qr(B / scales)
        pivots = np.abs(np.diagonal(R, axis1=-2, axis2=-1))
        if pivots.shape[-1] < A.shape[-2] or not (pivots > SINGULAR).all():
            raise EvaluationError(
                "expected independent constraints for sensitivities, got some that depend on the "
                "others: the motion passes a singular configuration, where it has no derivative"
            )
        self.triangle = np.linalg.inv(R) / scales.mT

    def solve(self, f: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return y and λ for columns of right-hand sides, ``(..., n, c)`` and ``(..., k, c)``."""
        lent = self.lent * b
        w = self.inverse @ (f - self.A.mT @ lent)
        # the part of w along the rows is what they ask for
        missing = -self.triangle.mT @ b - self.Q.mT @ w
        return self.inverse.mT @ (w + self.Q @ missing), self.triangle @ missing + lent

    def least(self, right: np.ndarray) -> np.ndarray:
        """Return the smallest y with A y = right, measured by yᵀ M y, for columns."""
        return self.inverse.mT @ (self.Q @ (self.triangle.mT @ right))

    def _with_lent_inertia(self, M: np.ndarray) -> np.ndarray:
        lengths = np.abs(self.A).max(axis=-1, keepdims=True, initial=0.0)
        largest = np.abs(M).max(axis=(-2, -1), keepdims=True, initial=0.0)
        scales = np.where(lengths > 0, lengths, 1.0)
        self.lent = np.where(largest > 0, largest, 1.0) / scales**2
        try:
            return np.linalg.cholesky(M + self.A.mT @ (self.lent * self.A))
        except np.linalg.LinAlgError:
            raise EvaluationError(
                "expected inertia in all directions that the constraints allow, for "
                "sensitivities, got a singular mass matrix"
            ) from None
