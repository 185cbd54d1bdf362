"""Bounds on eigenvalues are certain: the certificate decides, not the floating-point candidate."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

from dalembert.mechanics.results import spectrum
from dalembert.mechanics.results.spectrum import (
    eigenvalue_reached,
    float_below,
    is_positive_definite,
    smallest_eigenvalue_bound,
)


def balls(A: np.ndarray, radius: float = 0.0) -> flint.arb_mat:
    n = len(A)
    return flint.arb_mat(n, n, [flint.arb(float(x), radius) for x in A.ravel()])


def with_spectrum(values: list[int]) -> np.ndarray:
    """Return a matrix of whole numbers / 9 with these eigenvalues: H D H, H = 1 - ⅔ 11ᵀ."""
    n = len(values)
    assert n == 3
    H = 3 * np.eye(n) - 2 * np.ones((n, n))
    return H @ np.diag(values) @ H


@pytest.mark.parametrize("values", [[1, 2, 3], [3, 1, 2], [2, 3, 1], [1, 1, 1]])
def test_definite_just_below_the_smallest_eigenvalue(values) -> None:
    A = balls(with_spectrum(values))  # eigenvalues 9, 18, 27
    lowest = 9 * min(values)
    assert is_positive_definite(A, flint.arb(lowest) - flint.arb(1e-9))
    assert not is_positive_definite(A, flint.arb(lowest))
    assert not is_positive_definite(A, flint.arb(lowest) + flint.arb(1e-9))


def test_every_pivot_counts(rng) -> None:
    for _ in range(30):
        n = int(rng.integers(1, 6))
        B = rng.integers(-4, 5, (n, n)).astype(float)
        A = B + B.T
        lowest = np.linalg.eigvalsh(A)[0]
        assert is_positive_definite(balls(A), flint.arb(lowest - 1e-6))
        assert not is_positive_definite(balls(A), flint.arb(lowest + 1e-6))


def test_bound_holds_and_is_close(rng) -> None:
    for _ in range(30):
        n = int(rng.integers(1, 6))
        B = rng.normal(size=(n, n)) * 10.0 ** rng.integers(-8, 9)
        A = B + B.T
        radius = float(np.abs(A).max()) * 1e-3
        bound = smallest_eigenvalue_bound(balls(A, radius))
        # every symmetric matrix within the balls, here their corners
        for _ in range(10):
            signs = np.sign(rng.normal(size=(n, n)))
            E = radius * (np.tril(signs) + np.tril(signs, -1).T)
            assert bound <= np.linalg.eigvalsh(A + E)[0] + 1e-12 * radius
        assert bound >= np.linalg.eigvalsh(A)[0] - 1.01 * n * radius


def test_a_wrong_candidate_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    A = balls(with_spectrum([1, 2, 3]))
    monkeypatch.setattr(np.linalg, "eigvalsh", lambda _: np.array([9.0 + 1e-3, 18.0, 27.0]))
    assert smallest_eigenvalue_bound(A) <= 9
    # hopeless candidates end in no bound at all
    monkeypatch.setattr(np.linalg, "eigvalsh", lambda _: np.array([1e9, 1e9, 1e9]))
    monkeypatch.setattr(spectrum, "WIDENINGS", 2)
    assert smallest_eigenvalue_bound(A) == -math.inf


def test_infinite_balls_have_no_bound() -> None:
    A = flint.arb_mat(1, 1, [flint.arb("nan")])
    assert smallest_eigenvalue_bound(A) == -math.inf
    huge = flint.arb_mat(1, 1, [flint.arb("1e400")])
    assert smallest_eigenvalue_bound(huge) == -math.inf


def test_zero_matrix() -> None:
    assert -1e-300 < smallest_eigenvalue_bound(balls(np.zeros((2, 2)))) <= 0


@pytest.mark.parametrize("number", ["1/3", "-1/3", "0.1", "-0.1", "7", "1e-400", "-1e-400"])
def test_doubles_below_are_the_nearest(number) -> None:
    value = Fraction(number)
    with flint.ctx.workprec(200):
        below = float_below(flint.arb(flint.fmpq(value.numerator, value.denominator)))
    assert Fraction(below) <= value
    assert Fraction(math.nextafter(math.nextafter(below, math.inf), math.inf)) > value


def test_doubles_below_balls() -> None:
    assert float_below(flint.arb(1, 0.5)) <= 0.5
    assert float_below(flint.arb("-1e400")) == -math.inf


def test_the_widest_row_counts() -> None:
    # [[0, ±1], [±1, 0]] beside a sharp entry: eigenvalues down to -1
    wide = [flint.arb(0), flint.arb(0, 1), flint.arb(0), flint.arb(0, 1), *[flint.arb(0)] * 5]
    assert smallest_eigenvalue_bound(flint.arb_mat(3, 3, wide)) <= -1


def test_rayleighs_quotient_is_not_below_the_smallest_eigenvalue(rng) -> None:
    A = with_spectrum([1, 2, 3])
    for _ in range(20):
        assert eigenvalue_reached(balls(A), rng.normal(size=3)) >= 9
    assert eigenvalue_reached(balls(A), np.linalg.eigh(A)[1][:, 0]) == pytest.approx(9, rel=1e-9)
    assert eigenvalue_reached(balls(A), np.zeros(3)) == math.inf
