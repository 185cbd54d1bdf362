"""Configurations that constraints lock: singular, and without any other one near.

A taut rope is one: its length leaves no motion, though to first order its middle is free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.constraints import Constraints, speed
from dalembert.simulation.constraints.correction import correction, scales_of

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

SINGULAR = 1e-6
"""A singular value below this part of the largest is none."""

STEP = 1e-5
"""By how much a coordinate changes, in radians or metres, to see how A does."""

DEFINITE = 1e-7
"""The least curvature beside the largest force."""

AT_REST = 1e-9
"""Accelerations below this part of those without constraints are none."""


def check_start(problem: Problem, t: float, x: np.ndarray) -> str | None:
    """Return a sentence on a start that is locked and rests there; None if it can move.

    Raises:
        EvaluationError: it is locked, and its velocity or the forces would move it.
    """
    constraints, n, m = problem.constraints, problem.nq, problem.size
    # what moves with time may unlock itself
    if constraints is None or not constraints.num_positions or problem.model.description.is_timed:
        return None
    q, v = x[:n], x[n:m]
    rank = locked_rank(constraints, t, q)
    if rank is None:
        return None
    at = constraints.read(t, q, v)
    free = problem.driving_acceleration(t, np.concatenate([x, problem.extra_state()]))
    k = constraints.num_positions
    rest = correction(at.A[:k], at.M, -at.A[:k] @ free, rank, constraints.groups[:k]).change + free
    where = (
        f"the constraints are singular there, of rank {rank} where there are {k}, and no other "
        "configuration is near"
    )
    if speed(at.M, v) > 0 or speed(at.M, rest) > AT_REST * speed(at.M, free):
        raise EvaluationError(
            f"expected a start that can move, got one that is locked at t = {t:.9g}: {where}, so "
            "that no finite force of theirs balances the load: leave some slack, or put springs in "
            "the place of rigid links"
        )
    return f"locked at the start, t = {t:.9g}: {where}; the forces are in balance"


def locked_rank(constraints: Constraints, t: float, q: np.ndarray) -> int | None:
    """Return the rank of A at a configuration that is locked, else None.

    There is a row w with wᵀA = 0, and the second derivative of wᵀa has one sign for all velocities
    with A q̇ = 0: then a(q) = 0 has no other solution near. R. Connelly and W. Whiteley,
    Second-order rigidity and prestress stability for tensegrity frameworks, SIAM J. Discrete
    Math. 9 (1996).
    """
    k, n = constraints.num_positions, constraints.model.nv
    at = constraints.read(t, q, np.zeros(n))
    A = at.A[:k]
    L = at.M.root(A)
    scales = scales_of(np.linalg.norm(L.B, axis=1), constraints.groups[:k])
    U, values, Vt = np.linalg.svd(L.B / scales[:, None])
    rank = int((values > SINGULAR * values[0]).sum())
    is_usual = constraints.is_redundant and rank == constraints.rank
    if rank in (k, n) or is_usual:
        return None
    free = Vt[rank:]
    changes = [_change(constraints, t, q, L.outward(row)) for row in free]
    for w in (U / scales[:, None]).T[rank:]:
        # the force wᵀ Ȧ along each of these velocities, and its part along the others
        forces = np.array([L.inward(w @ change) for change in changes])
        curvatures = np.linalg.eigvalsh((forces @ free.T + free @ forces.T) / 2)
        size = np.linalg.norm(forces, axis=1).max()
        if np.abs(curvatures).min() > DEFINITE * size and np.ptp(np.sign(curvatures)) == 0:
            return rank
    return None


def _change(constraints: Constraints, t: float, q: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Return the derivative of A along a velocity."""
    k, still = constraints.num_positions, np.zeros(len(way))
    h = STEP / max(float(np.abs(way).max()), 1e-300)
    there, back = (
        constraints.read(t, constraints.moved(t, q, s * way), still).A[:k] for s in (h, -h)
    )
    return (there - back) / (2 * h)
