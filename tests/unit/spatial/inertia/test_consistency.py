"""Physical consistency of inertias: exact verdict, float margin, nearest repair."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from dalembert.errors import InvalidExpression
from dalembert.expr import parameters
from dalembert.spatial.exact import rotation_from_rpy
from dalembert.spatial.inertia.consistency import (
    consistency_margin,
    is_consistent,
    nearest_consistent,
    pseudo_inertia,
)
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from tests.cases import num_cases
from tests.figures import Figures

# below this the verdict in floats is a matter of rounding: eigenvalues of a 3 × 3 matrix are exact
# to a few times 2.2e-16 of the largest
ROUNDING = 1e-13


def random_inertia(rng: np.random.Generator, *, valid: bool) -> Inertia:
    """Return a body of random points, or one whose second moments are spoilt."""
    size = 10.0 ** rng.integers(-4, 3)
    points = rng.normal(size=(int(rng.integers(1, 6)), 3)) * size
    masses = rng.uniform(0.1, 2, len(points)) * 10.0 ** rng.integers(-4, 3)
    total = Inertia(0, (0, 0, 0), (0, 0, 0, 0, 0, 0))
    for m, p in zip(masses, points, strict=True):
        m, (x, y, z) = Fraction(str(m)), (Fraction(str(k)) for k in p)
        total += Inertia.from_com(m, (x, y, z), ((0, 0, 0), (0, 0, 0), (0, 0, 0)))
    if valid:
        return total
    # take second moments away along a random direction: Σ ← Σ - k n nᵀ, k > nᵀ Σ n
    n = rng.normal(size=3)
    J = np.array([[float(x) for x in row] for row in pseudo_inertia(total)])
    k = (n @ J[:3, :3] @ n) / (n @ n) ** 2 * rng.choice([1.001, 2, 50]) + 1e-12
    less = [[Fraction(str(k * n[i] * n[j])) for j in range(3)] for i in range(3)]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = less
    moments = (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz)
    return total._replace(I=tuple(a - b for a, b in zip(total.I, moments, strict=True)))


def determinant(A: list[list[Fraction]]) -> Fraction:
    """Return the determinant by Laplace expansion: another way than the one under test."""
    if not A:
        return Fraction(1)
    rest = [row[1:] for row in A]
    minors = (determinant(rest[:i] + rest[i + 1 :]) for i in range(len(A)))
    return sum(((-1) ** i * A[i][0] * m for i, m in enumerate(minors)), Fraction(0))


def has_no_negative_minor(inertia: Inertia) -> bool:
    """Tell whether all fifteen principal minors of the pseudo-inertia are ≥ 0 (Sylvester)."""
    J = pseudo_inertia(inertia)
    return all(
        determinant([[J[i][j] for j in chosen] for i in chosen]) >= 0
        for size in range(1, 5)
        for chosen in combinations(range(4), size)
    )


def test_verdicts_agree(rng: np.random.Generator, scale: float, figures: Figures) -> None:
    found = {True: 0, False: 0}
    for i in range(num_cases(1000, scale)):
        body = random_inertia(rng, valid=i % 2 == 0)
        verdict = is_consistent(body)
        found[verdict] += 1
        assert verdict == (i % 2 == 0)
        assert verdict == has_no_negative_minor(body)
        margin = consistency_margin(body)
        assert (margin >= -ROUNDING) if verdict else (margin < ROUNDING)
        if abs(margin) > ROUNDING:
            assert (margin > 0) == verdict
    figures.count("inertias", sum(found.values()))
    figures.count("wrong verdicts", 0)
    assert min(found.values()) > 0


def test_repair_is_consistent_and_idempotent(rng: np.random.Generator, scale: float) -> None:
    for i in range(num_cases(500, scale)):
        body = random_inertia(rng, valid=i % 4 == 0)
        near = nearest_consistent(body)
        assert is_consistent(near)
        assert nearest_consistent(near) == near
        assert (near.m, near.h) == (body.m, body.h)
        if i % 4 == 0:
            assert near == body


def test_repair_is_nearest(rng: np.random.Generator) -> None:
    """No other body with this mass and centre of mass is nearer, up to the floor."""

    def second_moments(inertia: Inertia) -> np.ndarray:
        return np.array([[float(x) for x in row[:3]] for row in pseudo_inertia(inertia)[:3]])

    for _ in range(50):
        body = random_inertia(rng, valid=False)._replace(h=(0, 0, 0))
        wanted = second_moments(body)
        distance = np.linalg.norm(second_moments(nearest_consistent(body)) - wanted)
        for _ in range(20):
            L = rng.normal(size=(3, 3))
            other = second_moments(nearest_consistent(body)) + 1e-3 * np.linalg.norm(wanted) * (
                L @ L.T
            )
            assert np.linalg.norm(other - wanted) >= distance * (1 - 1e-8)


def test_repair_does_not_depend_on_the_axes(rng: np.random.Generator) -> None:
    for _ in range(20):
        body = random_inertia(rng, valid=False)
        X = Pose(rotation_from_rpy(*rng.uniform(-3, 3, 3)), (0, 0, 0))
        turned = [float(k) for k in nearest_consistent(body.moved(X)).I]
        expected = [float(k) for k in nearest_consistent(body).moved(X).I]
        np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-12 * max(map(abs, expected)))


def test_limits_of_the_consistent() -> None:
    flat = Inertia(1, (0, 0, 0), (1, 1, 2, 0, 0, 0))
    assert is_consistent(flat)
    assert not is_consistent(flat._replace(I=(1, 1, Fraction(2) + Fraction(1, 10**30), 0, 0, 0)))
    assert is_consistent(NO_INERTIA)
    assert is_consistent(Inertia(1, (1, 0, 0), (0, 1, 1, 0, 0, 0)))
    # less than the mass at this distance needs
    assert not is_consistent(Inertia(1, (1, 0, 0), (0, 1, Fraction(999, 1000), 0, 0, 0)))
    # a first moment without mass
    assert not is_consistent(Inertia(0, (1, 0, 0), (1, 1, 1, 0, 0, 0)))
    # a rotor whose mass is counted elsewhere is a limit of bodies
    assert is_consistent(Inertia(0, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
    assert not is_consistent(Inertia(-1, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
    assert consistency_margin(Inertia(-1, (0, 0, 0), (1, 1, 1, 0, 0, 0))) == -1
    assert consistency_margin(Inertia(2, (0, 0, 0), (1, 1, 1, 0, 0, 0))) == pytest.approx(1 / 3)


def test_what_is_not_near_anything_is_refused() -> None:
    with pytest.raises(InvalidExpression, match="give the mass first"):
        nearest_consistent(Inertia(-1, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
    with pytest.raises(InvalidExpression, match="give the mass first"):
        nearest_consistent(Inertia(0, (1, 0, 0), (1, 1, 1, 0, 0, 0)))
    (m,) = parameters("m")
    with pytest.raises(InvalidExpression, match="bind the parameters"):
        is_consistent(Inertia(m, (0, 0, 0), (1, 1, 1, 0, 0, 0)))


def test_a_body_inside_out_becomes_a_point_mass() -> None:
    near = nearest_consistent(Inertia(2, (0, 0, 2), (-1, -1, -1, 0, 0, 0)))
    assert near == Inertia.from_com(2, (0, 0, 1), ((0, 0, 0), (0, 0, 0), (0, 0, 0)))
