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
            self.L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            self.L = self._with_lent_inertia(M)
        B = np.linalg.solve(self.L, A.T)
        lengths = np.linalg.norm(B, axis=0)
        self.scales = np.where(lengths > 0, lengths, 1.0)
        self.Q, self.R = np.linalg.qr(B / self.scales)
        pivots = np.abs(np.diag(self.R))
        if len(pivots) < len(A) or not (pivots > SINGULAR).all():
            raise EvaluationError(
                "expected independent constraints for sensitivities, got some that depend on the "
                "others: the motion passes a singular configuration, where it has no derivative"
            )

    def solve(self, f: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return y and λ for one right-hand side, or for columns of them."""
        scales, lent = (x.reshape(-1, *(1,) * (b.ndim - 1)) for x in (self.scales, self.lent))
        w = np.linalg.solve(self.L, f - self.A.T @ (lent * b))
        # the part of w along the rows is what they ask for
        along = self.Q.T @ w
        wanted = np.linalg.solve(self.R.T, -b / scales) if len(b) else along
        w = w + self.Q @ (wanted - along)
        lam = np.linalg.solve(self.R, wanted - along) / scales if len(b) else np.zeros_like(b)
        return np.linalg.solve(self.L.T, w), lam + lent * b

    def least(self, right: np.ndarray) -> np.ndarray:
        """Return the smallest y with A y = right, measured by yᵀ M y."""
        zero = np.zeros((len(self.L), *right.shape[1:]))
        return self.solve(zero, -right)[0]

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
