"""M y = f + Aᵀ λ with A y + b = 0, for many right-hand sides: accelerations and impulses."""

from __future__ import annotations

import numpy as np

from dalembert.errors import EvaluationError

SINGULAR = 1e-10
"""A row of A that depends on the others but for this part of it leaves λ open."""


class Balance:
    """Matrices M ``(n, n)`` and A ``(k, n)`` of independent rows, factorised.

    With M = L Lᵀ and w = Lᵀ y it is w = L⁻¹ f + Bᵀ λ and B w + b = 0, where B = A L⁻ᵀ. Its rows are
    divided by their lengths, so that units do not matter, and Bᵀ = Q R. Where M is singular, the
    rows of A lend it inertia: (M + Aᵀ C A) y = f + Aᵀ (λ - C b) has the same y.

    Raises:
        EvaluationError: rows of A depend on each other, or a velocity has no inertia.
    """

    def __init__(self, M: np.ndarray, A: np.ndarray) -> None:
        self.A = A
        self.lent = np.zeros(len(A))
        try:
            L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            L = self._with_lent_inertia(M)
        # inverses of triangles: as exact as to solve with them, and faster many times
        self.inverse = np.linalg.inv(L)
        B = self.inverse @ A.T
        lengths = np.sqrt((B * B).sum(axis=0))
        scales = np.where(lengths > 0, lengths, 1.0)
        self.Q, R = np.linalg.qr(B / scales)
        pivots = np.abs(np.diag(R))
        if len(pivots) < len(A) or not (pivots > SINGULAR).all():
            raise EvaluationError(
                "expected independent constraints for sensitivities, got some that depend on the "
                "others: the motion passes a singular configuration, where it has no derivative"
            )
        self.triangle = np.linalg.inv(R) / scales[:, None]

    def solve(self, f: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return y and λ for one right-hand side, or for columns of them."""
        lent = self.lent.reshape(-1, *(1,) * (b.ndim - 1)) * b
        w = self.inverse @ (f - self.A.T @ lent)
        # the part of w along the rows is what they ask for
        missing = -self.triangle.T @ b - self.Q.T @ w
        return self.inverse.T @ (w + self.Q @ missing), self.triangle @ missing + lent

    def least(self, right: np.ndarray) -> np.ndarray:
        """Return the smallest y with A y = right, measured by yᵀ M y."""
        return self.inverse.T @ (self.Q @ (self.triangle.T @ right))

    def _with_lent_inertia(self, M: np.ndarray) -> np.ndarray:
        lengths = np.abs(self.A).max(axis=1, initial=0.0)
        self.lent = (np.abs(M).max(initial=0.0) or 1.0) / np.where(lengths > 0, lengths, 1.0) ** 2
        try:
            return np.linalg.cholesky(M + self.A.T @ (self.lent[:, None] * self.A))
        except np.linalg.LinAlgError:
            raise EvaluationError(
                "expected inertia in all directions that the constraints allow, for "
                "sensitivities, got a singular mass matrix"
            ) from None
