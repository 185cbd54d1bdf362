"""Poses: adjacent letters cancel, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.ring import equal
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import sincos
from dalembert.spatial.vectors import cross, rotate, sub
from tests.random_mechanisms import random_mechanism


def poses(rng: np.random.Generator, number: int) -> list[Pose]:
    """Return rational poses, exactly orthogonal."""
    return [j.placement for j in random_mechanism(rng, number, kinds=("fixed",)).joints]


def homogeneous(X: Pose) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.array(X.R, dtype=float), np.array(X.p, dtype=float)
    return T


def test_composition_is_exact_and_associative(rng: np.random.Generator) -> None:
    X_AB, X_BC, X_CD = poses(rng, 3)
    assert (X_AB @ X_BC) @ X_CD == X_AB @ (X_BC @ X_CD)
    assert X_AB @ Pose() == Pose() @ X_AB == X_AB
    expected = homogeneous(X_AB) @ homogeneous(X_BC)
    assert homogeneous(X_AB @ X_BC) == pytest.approx(expected, abs=1e-14)


def test_inverse_is_exact(rng: np.random.Generator) -> None:
    X_AB, X_BC = poses(rng, 2)
    assert (X_AB @ X_AB.inverse()).is_identity
    assert (X_AB.inverse() @ X_AB).is_identity
    assert X_AB.inverse().inverse() == X_AB
    assert (X_AB @ X_BC).inverse() == X_BC.inverse() @ X_AB.inverse()


def test_points_go_there_and_back(rng: np.random.Generator) -> None:
    X_AB, X_BC = poses(rng, 2)
    p_C = (1, Fraction(2, 3), -5)
    assert (X_AB @ X_BC).point(p_C) == X_AB.point(X_BC.point(p_C))
    assert X_AB.point_back(X_AB.point(p_C)) == p_C
    assert X_AB.point_back(p_C) == X_AB.inverse().point(p_C)
    assert X_AB.point((0, 0, 0)) == X_AB.p


def test_rotations_keep_cross_products(rng: np.random.Generator) -> None:
    (X,) = poses(rng, 1)
    a, b = (1, 2, 3), (Fraction(-1, 2), 0, 4)
    assert rotate(X.R, cross(a, b)) == cross(rotate(X.R, a), rotate(X.R, b))
    # distances stay
    d = sub(X.point(a), X.point(b))
    assert sum(k * k for k in d) == sum(k * k for k in sub(a, b))


def test_map_and_identity() -> None:
    X = Pose(p=(1, 2, 3))
    assert X.map(lambda k: 2 * k).p == (2, 4, 6)
    assert not X.is_identity
    assert Pose().is_identity


def test_symbolic_screw_and_its_inverse() -> None:
    q, h = da.parameters("q h")
    X = Pose(axis_rotation((0, 0, 1), *sincos(q)), (0, 0, h * q))
    Y = X @ X.inverse()
    entries = [*Y.R[0], *Y.R[1], *Y.R[2], *Y.p]
    expected = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert all(equal(a, b) for a, b in zip(entries, expected, strict=True))
