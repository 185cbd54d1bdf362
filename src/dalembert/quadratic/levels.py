"""Costs by priority: each level takes what freedom those before it leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.quadratic.program import DEPENDENT, Program, Squares
from dalembert.quadratic.solver import Solver

if TYPE_CHECKING:
    from dalembert.types import Array


def solve_by_levels(
    solver: Solver, program: Program, levels: Sequence[Squares], what: str
) -> tuple[Array, Program]:
    """Return x that minimises |A₀ x - b₀|² first, then of what is left |A₁ x - b₁|², and so on.

    Each level solves one program, to which the rows that the levels before have decided are added
    as equations. The cost of ``program`` itself regularises every level.

    Args:
        solver: What solves each program.
        program: The conditions, and a small cost with H ≻ 0.
        levels: The costs, the first before all others.
        what: What cannot be done without a solution, for the error.

    Returns:
        x, and the last program that was solved.

    Raises:
        EvaluationError: the conditions exclude each other; the message names which.

    Reference: A. Escande, N. Mansard and P.-B. Wieber, "Hierarchical quadratic programming",
    International Journal of Robotics Research 33(7), 2014.
    """
    x = np.zeros(program.n)
    last = program
    decided = program.A[program.lower[program.n :] == program.upper[program.n :]]
    for number, level in enumerate(levels):
        last = program._replace(
            H=program.H + level.A.T @ level.A, f=program.f - level.A.T @ level.b
        )
        x = solver.solution(last, what)
        if number + 1 == len(levels):
            break
        rows = _new_directions(level.A, decided)
        decided = np.concatenate([decided, rows])
        fixed, names = rows @ x, (f"what priority {number} decided",) * len(rows)
        program = program._replace(
            A=np.concatenate([program.A, rows]),
            lower=np.concatenate([program.lower, fixed]),
            upper=np.concatenate([program.upper, fixed]),
            names=(*program.names, *names),
        )
    return x, last


def _new_directions(A: Array, decided: Array) -> Array:
    """Return orthonormal rows that span those of A as far as rows decided before do not."""
    if len(decided):
        _, s, basis = np.linalg.svd(decided, full_matrices=False)
        basis = basis[s > DEPENDENT * s.max(initial=0.0)]
        left = A - (A @ basis.T) @ basis
        # once more: what rounding left of the basis
        left -= (left @ basis.T) @ basis
    else:
        left = A
    _, s, rows = np.linalg.svd(left, full_matrices=False)
    size = np.linalg.norm(A, axis=1).max(initial=0.0)
    return rows[s > DEPENDENT * size]
