"""Vectors and matrices of three, against NumPy and exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.ring import equal
from dalembert.spatial.vectors import (
    IDENTITY,
    ZERO,
    Mat,
    Vec,
    add,
    cross,
    dot,
    multiply,
    neg,
    ratio,
    rotate,
    scale,
    skew,
    sub,
    trace,
    transpose,
    unrotate,
)


def vector(rng: np.random.Generator) -> Vec:
    """Return three whole numbers: everything below is then exact."""
    x, y, z = (int(k) for k in rng.integers(-9, 10, size=3))
    return x, y, z


def matrix(rng: np.random.Generator) -> Mat:
    return vector(rng), vector(rng), vector(rng)


def same(ours: Any, theirs: Any) -> bool:
    return np.array_equal(np.array(ours), theirs)


def test_vectors_against_numpy(rng: np.random.Generator) -> None:
    for _ in range(20):
        a, b = vector(rng), vector(rng)
        x, y = np.array(a), np.array(b)
        assert same(add(a, b), x + y)
        assert same(sub(a, b), x - y)
        assert same(neg(a), -x)
        assert same(scale(3, a), 3 * x)
        assert dot(a, b) == x @ y
        assert same(cross(a, b), np.cross(x, y))
        assert same(rotate(skew(a), b), np.cross(x, y))


def test_matrices_against_numpy(rng: np.random.Generator) -> None:
    for _ in range(20):
        A, B, a = matrix(rng), matrix(rng), vector(rng)
        X, Y, x = np.array(A), np.array(B), np.array(a)
        assert same(multiply(A, B), X @ Y)
        assert same(transpose(A), X.T)
        assert same(rotate(A, a), X @ x)
        assert same(unrotate(A, a), X.T @ x)
        assert trace(A) == np.trace(X)


def test_identities(rng: np.random.Generator) -> None:
    a, b, c = vector(rng), vector(rng), vector(rng)
    # Jacobi and Lagrange
    jacobi = add(cross(a, cross(b, c)), add(cross(b, cross(c, a)), cross(c, cross(a, b))))
    assert jacobi == ZERO
    assert cross(a, cross(b, c)) == sub(scale(dot(a, c), b), scale(dot(a, b), c))
    A = matrix(rng)
    assert multiply(A, IDENTITY) == multiply(IDENTITY, A) == A
    assert transpose(transpose(A)) == A


def test_over_expressions() -> None:
    x, y, z = da.parameters("x y z")
    assert all(equal(k, 0) for k in cross((x, y, z), (2 * x, 2 * y, 2 * z)))
    assert equal(dot((x, y, z), (x, y, z)), x**2 + y**2 + z**2)


def test_over_arrays() -> None:
    x = np.linspace(0, 1, 5)
    assert dot((x, 2 * x, 0), (1, x, 7)) == pytest.approx(x + 2 * x**2)


def test_ratio_of_whole_numbers_is_exact() -> None:
    assert ratio(1, 3) == Fraction(1, 3)
    assert ratio(Fraction(1, 2), 3) == Fraction(1, 6)
    assert ratio(1.0, 4) == 0.25
