"""The solver in C against daqp and the conditions of optimality."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.quadratic import Daqp, Program
from tests.cases import num_cases
from tests.unit.quadratic.embedded import Embedded
from tests.unit.quadratic.test_solvers import program

pytest.importorskip("daqp", reason="the solver daqp is not installed")

SAME = 1e-7
"""Of unknowns of size one, by two solvers that allow violations of 1e-9."""


def singles(given: Program) -> Program:
    """Return a program of numbers that single precision holds."""
    H, f, A, lower, upper = (np.asarray(x, np.float32).astype(float) for x in given[:5])
    return Program(H, f, A, lower, upper, given.names)


@pytest.mark.parametrize(("n", "m", "equations"), [(1, 0, 0), (3, 2, 1), (7, 12, 0), (20, 30, 8)])
def test_solutions_are_those_of_daqp(
    n: int, m: int, equations: int, rng: np.random.Generator, scale: float
) -> None:
    small, reference = Embedded(), Daqp()
    for _ in range(num_cases(100, scale)):
        given = program(rng, n, m, equations)
        # half of the bounds are none
        for side, far in ((given.lower, -1e30), (given.upper, 1e30)):
            free = rng.random(n + m) < 0.5
            free[n : n + equations] = False
            side[free] = far
        x, y = small.solve(given), reference.solve(given)
        assert x is not None
        assert y is not None
        assert given.violation(x) < SAME
        assert np.abs(x - y).max() < SAME * (1 + np.abs(y).max())


def test_impossible_programs_have_no_solution(rng: np.random.Generator, scale: float) -> None:
    small, reference = Embedded(), Daqp()
    outcomes = []
    for _ in range(num_cases(200, scale)):
        given = program(rng, 5, 9, 1)
        # rows are pushed out of reach, or nearly
        push = rng.normal(size=14) * (rng.random(14) < 0.3)
        moved = given._replace(lower=given.lower + push, upper=given.upper + push)
        x, y = small.solve(moved), reference.solve(moved)
        assert (x is None) == (y is None)
        outcomes.append(x is None)
        if x is not None and y is not None:
            assert np.abs(x - y).max() < SAME * (1 + np.abs(y).max())
    assert 0 < sum(outcomes) < len(outcomes)
    given = program(rng, 5, 9, 1)
    crossed = given._replace(lower=given.upper + 1, upper=given.lower)
    assert small.solve(crossed) is None


def test_equations_that_follow_from_others_do_no_harm(rng: np.random.Generator) -> None:
    given = program(rng, 8, 6, 3)
    weights = np.array([[1.0, 1, 0], [0, 3, -2], [0, 0, 1]])
    right = weights @ given.lower[8:11]
    more = given._replace(
        A=np.concatenate([given.A, weights @ given.A[:3]]),
        lower=np.concatenate([given.lower, right]),
        upper=np.concatenate([given.upper, right]),
        names=(*given.names, "sum", "difference", "again"),
    )
    x, y = Embedded().solve(more), Daqp().solve(given)
    assert x is not None
    assert y is not None
    assert np.abs(x - y).max() < SAME


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_units_do_not_matter(size: float, rng: np.random.Generator) -> None:
    given = program(rng, 6, 8, 2)
    scaled = given._replace(
        f=given.f * size, lower=given.lower * size, upper=given.upper * size, H=given.H
    )
    x, y = Embedded().solve(given), Embedded().solve(scaled)
    assert x is not None
    assert y is not None
    # small numbers have the tolerance of numbers of size one
    assert np.abs(x * size - y).max() < max(SAME * size, 1e-8)


def test_single_precision(rng: np.random.Generator, scale: float) -> None:
    small, reference = Embedded("float"), Daqp()
    for _ in range(num_cases(100, scale)):
        given = singles(program(rng, 7, 6, 1))
        x, y = small.solve(given), reference.solve(given)
        assert x is not None
        assert y is not None
        assert np.abs(x - y).max() < 2e-3 * (1 + np.abs(y).max())
