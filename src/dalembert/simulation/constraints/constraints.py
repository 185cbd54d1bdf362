"""Constraints of a model as numbers: the errors of a state, and the nearest state without any."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model

DEPENDENT = 1e-9
"""Directions of A with a singular value below this part of the largest carry nothing."""

INDEPENDENT = 1e-7
"""The same where the rank is found, at configurations that are closed to rounding."""

AWAY = 1e-2
"""How far away the rank is found a second time, in the norm of q̇ over a second."""

CLOSED = 1e-13
"""Errors below this are rounding."""

MAX_ITERATIONS = 25


class ConstraintValues(NamedTuple):
    """Errors of position and velocity, A = ∂(velocity error)/∂q̇ and the mass matrix."""

    position: np.ndarray
    velocity: np.ndarray
    A: np.ndarray
    M: np.ndarray


class Correction(NamedTuple):
    """A change of velocity, its multipliers, and the singular values of A weighted by M."""

    change: np.ndarray
    multipliers: np.ndarray
    values: np.ndarray


class Constraints:
    """Loops, couplings and constraints of one model.

    Rows of A: those of positions first (``num_positions``), then those of velocities only
    (Pfaffian); ``names`` has one for each.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names = model.description.constraint_names
        self.num_positions = model.description.num_position_constraints
        # the rank that A has almost everywhere, of all rows and of those of positions (`find_rank`)
        self.rank, self.position_rank = len(self.names), self.num_positions
        self.is_redundant = False
        inputs = state_symbols(model)
        q, v = inputs.values()
        self._read = compiled(
            model,
            "constraints",
            lambda: {
                # a kernel has no empty outputs
                "position": model.expressions("constraint_error", q) or [0],
                "velocity": model.expressions("constraint_velocity", q, v),
                "A": model.expressions("constraint_jacobian", q),
                "M": model.expressions("mass_matrix", q),
            },
            inputs,
        )
        self._rate = compiled(
            model,
            "configuration_rate",
            lambda: {"rate": model.expressions("configuration_rate", q, v)},
            inputs,
        )

    def read(self, t: float | np.ndarray, q: np.ndarray, v: np.ndarray) -> ConstraintValues:
        """Return errors and matrices at a state, or at many."""
        position, velocity, A, M = self._read(t, q, v)
        return ConstraintValues(position[..., : self.num_positions], velocity, A, M)

    def moved(self, t: float, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return q after a small change along velocities."""
        return self.model.configuration.normalized(q + self._rate(t, q, change))

    def close(self, t: float, q: np.ndarray) -> np.ndarray:
        """Return the configuration near q where the position errors vanish, by Newton's method.

        Raises:
            EvaluationError: there is none near.
        """
        k, still, best = self.num_positions, np.zeros(self.model.nv), np.inf
        if not k:
            return q
        for _ in range(MAX_ITERATIONS):
            at = self.read(t, q, still)
            size = float(np.abs(at.position).max())
            # rounding: done, or no longer better
            if size <= CLOSED or (size <= 10 * CLOSED and size >= best):
                return q
            best = min(best, size)
            step = correction(at.A[:k], at.M, -at.position, self.position_rank)
            q = self.moved(t, q, step.change)
        at = self.read(t, q, still)
        worst = int(np.abs(at.position).argmax())
        raise EvaluationError(
            f"expected a configuration with closed constraints near the state, got an error of "
            f"{abs(at.position[worst]):.3g} in {self.names[worst]} after {MAX_ITERATIONS} "
            f"iterations at t = {t:.9g}"
        )

    def project(
        self, t: float, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the nearest state on the constraints, and the singular values of A there.

        The change of velocity is the smallest in the kinetic energy: an impulse along Aᵀ. What is
        on the constraints to rounding comes back as the same array.
        """
        q = self.close(t, q)
        at = self.read(t, q, v)
        step = correction(at.A, at.M, -at.velocity, self.rank)
        if np.abs(at.velocity).max() > CLOSED:
            v = v + step.change
        return q, v, step.values

    def find_rank(self, t: float, q: np.ndarray) -> None:
        """Find the rank of A almost everywhere: here, and at a configuration a little away.

        Constraints are redundant if rows other than zeros depend on each other. Off the constraints
        such rows may be independent, so that the rank must be known: a step looks there.
        """
        k, still = self.num_positions, np.zeros(self.model.nv)
        here = self.read(t, q, still)
        free = here.A if k == len(here.A) else here.A[:k]
        # a direction that all position rows allow, the same every time
        away = np.cos(np.arange(1.0, self.model.nv + 1))
        away = away - np.linalg.pinv(free, rcond=DEPENDENT) @ (free @ away)
        try:
            there = self.read(t, self.close(t, self.moved(t, q, AWAY * away)), still)
        except EvaluationError:
            there = here
        both = (here, there)
        self.rank = max(_rank(r.A, r.M) for r in both)
        self.position_rank = max(_rank(r.A[:k], r.M) for r in both) if k else 0
        self.is_redundant = self.rank < int(np.any(here.A != 0, axis=1).sum())


def _rank(A: np.ndarray, M: np.ndarray) -> int:
    values = correction(A, M, np.zeros(len(A)), len(A)).values
    return int((values > INDEPENDENT * values[0]).sum()) if values.size else 0


def correction(A: np.ndarray, M: np.ndarray, right: np.ndarray, rank: int) -> Correction:
    """Return the smallest δ with A δ = right, measured by δᵀ M δ, and λ with M δ = Aᵀ λ.

    With M = L Lᵀ it is δ = L⁻ᵀ (A L⁻ᵀ)⁺ right; dependent rows share what they have to do, and no
    more than ``rank`` directions count. Where M is singular, plain lengths measure.
    """
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        L = np.eye(len(M))
    B = np.linalg.solve(L, A.T).T
    U, values, Vt = np.linalg.svd(B, full_matrices=False)
    rank = min(rank, int((values > DEPENDENT * values[0]).sum())) if values.size else 0
    part = (U[:, :rank].T @ right) / values[:rank]
    change = np.linalg.solve(L.T, Vt[:rank].T @ part)
    return Correction(change, U[:, :rank] @ (part / values[:rank]), values)
