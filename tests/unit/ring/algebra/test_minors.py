"""Exact elimination against floating-point elimination and against its own definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.ring import canonical_matrix, dependent_row, rank, ring_of
from dalembert.ring.algebra.null_space import null_space

x, y = da.coordinates("x y")
a, b = da.parameters("a b")


def random_matrix(draw: random.Random, m: int, n: int) -> da.Matrix:
    pool = [a, b, da.cos(x), da.sin(x), da.cos(x + y), x, 1, 2, 0, 0]
    return da.Matrix(
        [
            [draw.choice(pool) * draw.choice([1, -2]) + draw.choice([0, a, 1]) for _ in range(n)]
            for _ in range(m)
        ]
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_determinant_agrees_with_lapack(n: int, draw: random.Random) -> None:
    m = random_matrix(draw, n, n)
    values = {s: draw.uniform(0.5, 2) for s in (x, y, a, b)}
    expected = float(np.linalg.det(m.evaluate(values)))
    assert m.det().evaluate(values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_solution_satisfies_the_equations_exactly(n: int, draw: random.Random) -> None:
    m = random_matrix(draw, n, n) + da.Matrix.identity(n) * (3 + a)
    right = random_matrix(draw, n, 2)
    assert da.equal(m @ m.solve(right), right)


def test_inverse_of_a_rotation_is_its_transpose() -> None:
    R = da.rotation_z(x) @ da.rotation_x(y)
    assert da.equal(R.inverse(), R.T)
    assert da.equal(R.det(), 1)


def test_sign_of_permutations() -> None:
    assert da.Matrix([[0, 1], [1, 0]]).det() == -1
    assert da.Matrix([[0, a, 0], [0, 0, 1], [1, 0, 0]]).det() is a


def test_singular_matrix_is_named() -> None:
    m = da.Matrix([[da.sin(x) ** 2, 1], [1 - da.cos(x) ** 2, 1]])
    with pytest.raises(da.SingularSystem, match="determinant is identically zero"):
        m.solve(da.Matrix.column([1, 1]))


def test_shapes_are_checked() -> None:
    with pytest.raises(da.InvalidExpression, match="square"):
        da.Matrix([[1, 2]]).det()
    with pytest.raises(da.InvalidExpression, match="row counts"):
        da.Matrix.identity(2).solve(da.Matrix.column([1]))


def test_null_space_is_annihilated_and_complete(draw: random.Random) -> None:
    for _ in range(10):
        m = random_matrix(draw, 2, 4)
        ring = ring_of(m.entries)
        A = canonical_matrix(ring, m)
        Z = null_space(ring, A)
        assert all(e.is_surely_zero for e in A @ Z)
        assert rank(ring, A) + Z.shape[1] == 4
        assert rank(ring, Z.T) == Z.shape[1]


def test_dependent_row_is_the_first_that_repeats() -> None:
    m = da.Matrix([[a, da.cos(x)], [1, 0], [a**2, a * da.cos(x)]])
    ring = ring_of(m.entries)
    assert dependent_row(ring, canonical_matrix(ring, m)) == 2
    assert dependent_row(ring, canonical_matrix(ring, da.Matrix(m.rows[:2]))) is None


def test_explosion_is_stopped_with_the_size(draw: random.Random) -> None:
    from dalembert.ring import solve

    m = random_matrix(draw, 4, 4) + da.Matrix.identity(4) * a
    ring = ring_of(m.entries)
    A = canonical_matrix(ring, m)
    with pytest.raises(da.TooLarge, match="4 equations"):
        solve(ring, A, A.col(0), max_terms=3)
