"""Quadratic programs: the conditions of optimality, and what excludes each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from dalembert.errors import EvaluationError
from dalembert.quadratic import Daqp, Program, Squares, solve_by_levels
from tests.cases import num_cases

pytest.importorskip("daqp", reason="the solver daqp is not installed")

OPTIMAL = 1e-8
"""Of gradients of about one, and of violations: daqp's own tolerance is 1e-6 of the dual."""


def program(rng: np.random.Generator, n: int, m: int, equations: int = 0) -> Program:
    """Return a random program with a solution: conditions hold at a random point."""
    root = rng.normal(size=(n, n))
    inside, A = rng.normal(size=n), rng.normal(size=(m, n))
    room = rng.uniform(0, 1, (2, n + m))
    lower = np.concatenate([inside, A @ inside]) - room[0]
    upper = np.concatenate([inside, A @ inside]) + room[1]
    for k in range(equations):
        lower[n + k] = upper[n + k] = A[k] @ inside
    names = (*(f"x{k}" for k in range(n)), *(f"row {k}" for k in range(m)))
    return Program(root @ root.T + np.eye(n), 3 * rng.normal(size=n), A, lower, upper, names)


@pytest.mark.parametrize("equations", [0, 2])
def test_solutions_are_optimal(equations: int, rng: np.random.Generator, scale: float) -> None:
    solver = Daqp()
    for _ in range(num_cases(100, scale)):
        given = program(rng, 7, 5, equations)
        x = solver.solve(given)
        assert x is not None
        A = np.vstack([np.eye(7), given.A])
        lower, upper, values = given.lower, given.upper, A @ x
        assert given.violation(x) < OPTIMAL
        assert (values >= lower - OPTIMAL).all()
        assert (values <= upper + OPTIMAL).all()
        # -gradient = Σ λ a over active upper bounds, minus those over active lower ones, λ ≥ 0
        active = [A[k] for k in np.flatnonzero(upper - values < OPTIMAL)]
        active += [-A[k] for k in np.flatnonzero(values - lower < OPTIMAL)]
        gradient = given.H @ x + given.f
        basis = np.array(active).T if active else np.zeros((7, 1))
        assert nnls(basis, -gradient)[1] < OPTIMAL * max(1.0, np.abs(gradient).max())


def test_the_conditions_that_exclude_each_other_are_named(rng: np.random.Generator) -> None:
    given = program(rng, 4, 3)
    # row 1 is x0 + x1 ≥ 5, where both are at most 1
    A, lower, upper = given.A.copy(), np.full(7, -np.inf), np.full(7, np.inf)
    A[1] = [1, 1, 0, 0]
    lower[5], upper[5] = 5, 9
    lower[:4], upper[:4] = given.lower[:4], given.upper[:4]
    lower[:2], upper[:2] = -1, 1
    wrong = given._replace(A=A, lower=lower, upper=upper)
    solver = Daqp()
    assert solver.solve(wrong) is None
    assert solver.conflict(wrong) == ["row 1", "x0", "x1"]
    # and it still solves others
    assert solver.solve(given) is not None


def test_equations_that_follow_from_others_do_no_harm(rng: np.random.Generator) -> None:
    given = program(rng, 8, 6, 3)
    x = Daqp().solve(given)
    # the sum of two equations, the difference of two others, and one again
    weights = np.array([[1.0, 1, 0], [0, 3, -2], [0, 0, 1]])
    places = 8 + np.arange(3)
    more = given._replace(
        A=np.concatenate([given.A, weights @ given.A[:3]]),
        lower=np.concatenate([given.lower, weights @ given.lower[places]]),
        upper=np.concatenate([given.upper, weights @ given.lower[places]]),
        names=(*given.names, "sum", "difference", "again"),
    )
    found = Daqp().solution(more, "solve it")
    assert x is not None
    assert np.abs(found - x).max() < OPTIMAL
    lean = more.without_dependent_equations()
    assert len(lean.names) == len(given.names)
    # one that contradicts the others stays, and is named
    wrong = more._replace(lower=more.lower + np.eye(17)[-3], upper=more.upper + np.eye(17)[-3])
    with pytest.raises(EvaluationError, match=r"cannot solve it: .*sum.* exclude each other") as e:
        Daqp().solution(wrong, "solve it")
    assert "difference" not in str(e.value)


def test_warm_starts_give_the_solution_of_a_cold_one(rng: np.random.Generator) -> None:
    warm, given = Daqp(), program(rng, 9, 12, 2)
    for _ in range(200):
        push = 0.3 * rng.normal(size=9)
        moved = given._replace(f=given.f + push, lower=given.lower, upper=given.upper)
        first, second = warm.solve(moved), Daqp().solve(moved)
        assert first is not None
        assert second is not None
        assert np.abs(first - second).max() < OPTIMAL


def test_priorities_leave_what_was_decided_before(rng: np.random.Generator) -> None:
    n = 7
    bounds = program(rng, n, 4)
    base = bounds._replace(H=1e-8 * np.eye(n), f=np.zeros(n))
    # the second level asks for more than the first leaves, the third for the rest
    levels = [Squares(rng.normal(size=(k, n)), 3 * rng.normal(size=k)) for k in (2, 4, 7)]
    x, _ = solve_by_levels(Daqp(), base, levels, "solve it")
    assert bounds.violation(x) < OPTIMAL

    def cost(level: Squares, at: np.ndarray) -> float:
        return float(np.sum((level.A @ at - level.b) ** 2))

    # no other feasible point does better in the first level that differs: against heavy weights
    for heavy in (1e3, 1e4):
        weights = [heavy**2, heavy, 1.0]
        parts = list(zip(weights, levels, strict=True))
        H = base.H + sum(w * level.A.T @ level.A for w, level in parts)
        f = -sum(w * level.A.T @ level.b for w, level in parts)
        y = Daqp().solve(base._replace(H=H, f=f))
        assert y is not None
        assert cost(levels[0], x) <= cost(levels[0], y) + 1e-6
    assert np.abs(x - y).max() < 1e-2
