"""The constraints of one step of a variational integrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation.constraints.constraints import Constraints
    from dalembert.simulation.methods.variational.group_steps import Moves

# directions below this part of the largest one carry nothing: constraints of velocities may depend
# on each other, those of positions do at singular configurations
DEPENDENT = 1e-12


class StepConstraints:
    """Multipliers λ of positions, at the start of the step, and ν of velocities, in its middle."""

    def __init__(
        self, constraints: Constraints, moves: Moves, t: float, q: np.ndarray, h: float
    ) -> None:
        self.constraints, self.moves, self.t, self.q, self.h = constraints, moves, t, q, h
        A, k = constraints.read(t, q, np.zeros(constraints.model.nv)).A, constraints.num_positions
        # as many combinations of the rows as are independent where the loops are closed: at a trial
        # next to it redundant rows contradict each other
        U = np.linalg.svd(A[:k])[0] if k else np.zeros((0, 0))
        self.choice = U[:, : constraints.position_rank].T
        self.A_start, self.A_middle = self.choice @ A[:k], A[k:]
        self.lam, self.nu = np.zeros(len(self.A_start)), np.zeros(len(A) - k)

    @property
    def reaction(self) -> np.ndarray:
        """A(q)ᵀλ, an impulse at the start."""
        return self.A_start.T @ self.lam

    @property
    def middle_force(self) -> np.ndarray:
        """A(q_mid)ᵀν, a force in the middle."""
        return self.A_middle.T @ self.nu

    def solve(self, M: np.ndarray, rest: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """Return the change of ξ and improve the multipliers; dependent rows share their force.

        M δξ - A(q)ᵀ δλ - h/2 A(q_mid)ᵀ δν = rest
        A(q_next) δξ = -a(q_next) / h
        A(q_mid) δξ = -(A ξ)(q_mid)
        """
        h, n, m, k = self.h, len(M), len(self.lam), self.constraints.num_positions
        read, move = self.constraints.read, self.moves.move
        end = read(self.t + h, move(self.q, h * xi), xi)
        middle = read(self.t + h / 2, move(self.q, h / 2 * xi), xi)
        self.A_middle = middle.A[k:]
        rows = np.vstack([self.choice @ end.A[:k], self.A_middle])
        K = np.zeros((n + len(rows), n + len(rows)))
        K[:n, :n] = M
        K[:n, n : n + m] = -self.A_start.T
        K[:n, n + m :] = -h / 2 * self.A_middle.T
        K[n:, :n] = rows
        right = np.concatenate([rest, -self.choice @ end.position / h, -middle.velocity[k:]])
        change = np.linalg.lstsq(K, right, rcond=DEPENDENT)[0]
        self.lam = self.lam + change[n : n + m]
        self.nu = self.nu + change[n + m :]
        return change[:n]
