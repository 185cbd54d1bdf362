"""Principal moments and axes: exact when diagonal, by eigenvectors else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert.errors import InvalidExpression
from dalembert.expr import parameters
from dalembert.ring import equal
from dalembert.spatial.exact import rotation_from_quaternion
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.principal import principal
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY
from tests.cases import num_cases

# eigenvalues of a symmetric 3 × 3 matrix, relative to the largest
ROUNDING = 5e-15

ZERO_TENSOR = ((0, 0, 0), (0, 0, 0), (0, 0, 0))


def test_diagonal_tensors_stay_exact() -> None:
    body = Inertia(Fraction(1, 3), (0, 0, 0), (Fraction(3, 7), 5, 1, 0, 0, 0))
    moments, X_BP = principal(body)
    assert moments == (Fraction(3, 7), 5, 1)
    assert X_BP.is_identity


def test_symbols_stay_exact_through_parallel_axes() -> None:
    m, a, b, x, y, z = parameters("m a b x y z")
    body = Inertia.from_com(m, (x, y, z), ((a, 0, 0), (0, b, 0), (0, 0, a + b)))
    moments, X_BP = principal(body)
    assert all(equal(p, q) for p, q in zip(moments, (a, b, a + b), strict=True))
    assert all(equal(p, q) for p, q in zip(X_BP.p, (x, y, z), strict=True))
    assert X_BP.R == IDENTITY


def test_moments_of_a_turned_body(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(50, scale)):
        size = 10.0 ** rng.uniform(-12, 6)
        second = rng.uniform(0.01, 1, 3) * size
        I = np.diag(second.sum() - second)
        R = Rotation.from_quat(rng.normal(size=4)).as_matrix()
        T = R @ I @ R.T
        T = (T + T.T) / 2
        c = tuple(rng.normal(size=3).tolist())
        m = float(size)
        body = Inertia.from_com(m, c, tuple(map(tuple, T.tolist())))  # type: ignore[arg-type]
        moments, X_BP = principal(body)
        # the shift to the centre of mass costs digits of m cᵀc
        tolerance = ROUNDING * size * (1 + 3 * float(np.dot(c, c)))
        assert np.allclose(sorted(moments), sorted(np.diag(I)), rtol=0, atol=tolerance)
        assert np.allclose(X_BP.p, c, rtol=1e-14)
        P = np.array(X_BP.R)
        assert np.linalg.det(P) > 0
        assert np.allclose(P @ P.T, np.eye(3), atol=ROUNDING)
        assert np.allclose(P @ np.diag(moments) @ P.T, T, rtol=0, atol=2 * tolerance)
        # of the 24 it is the least turn: at most 62.8°, the farthest from all turns of a cube
        assert np.degrees(np.arccos((np.trace(P) - 1) / 2)) < 62.9


def test_small_turns_keep_the_order_of_the_axes() -> None:
    R = rotation_from_quaternion(100, 1, -2, 3)
    body = Inertia(1, (0, 0, 0), (3, 1, 2, 0, 0, 0)).moved(Pose(R))
    moments, X_BP = principal(body)
    assert np.allclose(moments, (3, 1, 2), atol=ROUNDING)
    assert np.allclose(X_BP.R, np.array(R, dtype=float), atol=ROUNDING)


def test_exact_numbers_beyond_floats_keep_their_size() -> None:
    # eigenvalues 1 and 3 of [[2, 1], [1, 2]]
    tiny = Fraction(1, 10**200)
    body = Inertia(tiny, (0, 0, 0), (2 * tiny, 2 * tiny, 4 * tiny, tiny, 0, 0))
    moments, _ = principal(body)
    assert np.allclose(np.array(sorted(moments)) * 1e200, (1, 3, 4), rtol=ROUNDING)


def test_what_has_no_principal_axes_is_refused() -> None:
    (a,) = parameters("a")
    with pytest.raises(InvalidExpression, match="bind the parameters"):
        principal(Inertia(1, (0, 0, 0), (2, 2, 2, a, 0, 0)))
    with pytest.raises(InvalidExpression, match="give the mass"):
        principal(Inertia(0, (1, 0, 0), (1, 1, 1, 0, 0, 0)))
    assert principal(Inertia(0, (0, 0, 0), (0, 0, 0, 0, 0, 0))).moments == (0, 0, 0)
    assert principal(Inertia.from_com(2, (1, 2, 3), ZERO_TENSOR)).moments == (0, 0, 0)
