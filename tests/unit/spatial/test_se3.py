"""Twists, adjoint maps and screws against matrix exponentials and exact identities."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm, logm

from dalembert.errors import InvalidExpression
from dalembert.expr import coordinates, cos, parameters, sin
from dalembert.ring import canonical_all, equal, ring_of
from dalembert.spatial import se3
from dalembert.spatial.exact import rotation_from_quaternion
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import so3
from dalembert.spatial.vectors import dot
from tests.cases import num_cases

# a handful of operations on numbers of size 1
ROUNDING = 4e-15

ANGLES = [0.0, *(10.0**-k for k in range(1, 17)), 1e-200, 1.0, 2.0, 3.0]
ANGLES += [math.pi - 10.0**-k for k in range(1, 16)]


def worst(a: Any, b: Any) -> float:
    return float(np.max(np.abs(np.array(a, dtype=float) - np.array(b, dtype=float))))


def product(A: se3.Rows, B: se3.Rows) -> se3.Rows:
    columns = tuple(zip(*B, strict=True))
    return tuple(tuple(_dot(row, column) for column in columns) for row in A)


def _dot(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])


def column(A: se3.Rows, V: se3.Twist) -> list[Any]:
    return [_dot(row, (*V[0], *V[1])) for row in A]


def flat(V: se3.Twist) -> list[Any]:
    return [*V[0], *V[1]]


def random_twist(rng: np.random.Generator, angle: float) -> se3.Twist:
    axis = rng.normal(size=3)
    w = (axis / np.linalg.norm(axis) * angle).tolist()
    v = rng.uniform(-1, 1, 3).tolist()
    return tuple(v), tuple(w)


def random_exact_pose(rng: np.random.Generator) -> Pose:
    w, x, y, z, *p = (int(k) for k in rng.integers(-9, 10, 7))
    return Pose(rotation_from_quaternion(w or 1, x, y, z), tuple(p))  # type: ignore[arg-type]


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_and_log_keep_all_digits_at_every_angle(angle: float, rng: np.random.Generator) -> None:
    V = random_twist(rng, angle)
    X = se3.exp(V)
    with mpmath.workdps(50):
        E = mpmath.expm(mpmath.matrix([[mpmath.mpf(x) for x in row] for row in se3.hat(V)]))
        expected = np.array(E.tolist(), dtype=float)
    assert worst(se3.to_matrix(X), expected) < ROUNDING
    v, w = se3.log(X)
    assert worst(v, V[0]) < ROUNDING
    assert worst(w, V[1]) < ROUNDING * angle + 1e-300


def test_exp_and_log_are_those_of_matrices(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(20, scale)):
        V = random_twist(rng, rng.uniform(0, 3))
        X = se3.exp(V)
        assert worst(se3.to_matrix(X), expm(np.array(se3.hat(V)))) < 1e-13
        L = np.real(logm(np.array(se3.to_matrix(X))))
        assert worst(flat(se3.vee(tuple(map(tuple, L)))), flat(V)) < 1e-9
        assert worst(flat(se3.log(X)), flat(V)) < ROUNDING


def test_batches_equal_single_calls(rng: np.random.Generator) -> None:
    twists = [random_twist(rng, angle) for angle in ANGLES]
    data = np.array([flat(V) for V in twists])
    V = tuple(data.T[:3]), tuple(data.T[3:])
    X = se3.exp(V)
    back = np.array(flat(se3.log(X)))
    for n, one in enumerate(twists):
        single = se3.exp(one)
        assert worst([[x[n] for x in row] for row in X.R], single.R) < ROUNDING
        assert worst([x[n] for x in X.p], single.p) < ROUNDING
        assert worst(back[:, n], flat(one)) < ROUNDING


def test_hat_and_vee() -> None:
    V: Any = parameters("v1 v2 v3"), parameters("w1 w2 w3")
    assert se3.vee(se3.hat(V)) == V
    # V̂₁V̂₂ - V̂₂V̂₁ is the bracket
    U: Any = parameters("a1 a2 a3"), parameters("b1 b2 b3")
    forth, back = product(se3.hat(V), se3.hat(U)), product(se3.hat(U), se3.hat(V))
    expected = se3.hat(se3.bracket(V, U))
    for i, j in itertools.product(range(4), repeat=2):
        assert equal(forth[i][j] - back[i][j], expected[i][j])
    assert all(
        equal(a, b) for a, b in zip(column(se3.ad(V), U), flat(se3.bracket(V, U)), strict=True)
    )


def test_adjoint_of_a_product_exactly(rng: np.random.Generator) -> None:
    for _ in range(5):
        X, Y = random_exact_pose(rng), random_exact_pose(rng)
        assert se3.adjoint(X @ Y) == product(se3.adjoint(X), se3.adjoint(Y))
        assert se3.coadjoint(X @ Y) == product(se3.coadjoint(X), se3.coadjoint(Y))
        # Ad⁻ᵀ
        transposed = tuple(zip(*se3.adjoint(X.inverse()), strict=True))
        assert se3.coadjoint(X) == transposed


def test_adjoint_of_a_product_in_the_ring() -> None:
    a, b = coordinates("a b")
    x, y, z, h = parameters("x y z h")
    ring = ring_of([sin(a), sin(b), x, y, z, h])
    A, B, px, py, pz, ph = canonical_all(ring, [a, b, x, y, z, h])
    X = Pose(so3.exp((A, 0, 0)), (px, py, pz)) @ Pose(so3.exp((0, B, 0)))
    Y = Pose(so3.exp((0, 0, B)), (pz, 1, ph))
    assert se3.adjoint(X @ Y) == product(se3.adjoint(X), se3.adjoint(Y))
    assert se3.adjoint(X.inverse() @ X) == se3.adjoint(Pose())


def test_adjoint_moves_exponents() -> None:
    # X e^V̂ X⁻¹ = e^(Ad V)^, a law of the group, for a joint about a moved axis
    (q,) = coordinates("q")
    S = ((0, -2, 1), (0, 0, 1))
    X = Pose(rotation_from_quaternion(1, 2, 2, 4), (3, -1, 2))
    left = X @ se3.exp_screw(S, q) @ X.inverse()
    right = se3.exp_screw(se3.transform_twist(X, S), q)
    for a, b in zip(
        [*itertools.chain(*left.R), *left.p], [*itertools.chain(*right.R), *right.p], strict=True
    ):
        assert equal(a, b)


def test_maps_are_their_matrices(rng: np.random.Generator) -> None:
    X = random_exact_pose(rng)
    V = ((1, -2, 3), (4, 5, -6))
    F = ((2, 7, 1), (-3, 2, 8))
    assert flat(se3.transform_twist(X, V)) == column(se3.adjoint(X), V)
    assert flat(se3.transform_wrench(X, F)) == column(se3.coadjoint(X), F)
    assert se3.transform_twist_back(X, se3.transform_twist(X, V)) == V
    assert se3.transform_wrench_back(X, se3.transform_wrench(X, F)) == F
    minus_transpose = tuple(tuple(-x for x in row) for row in zip(*se3.ad(V), strict=True))
    assert flat(se3.cobracket(V, F)) == column(minus_transpose, F)


def test_power_does_not_depend_on_the_frame(rng: np.random.Generator) -> None:
    X = random_exact_pose(rng)
    V: Any = parameters("v1 v2 v3"), parameters("w1 w2 w3")
    F: Any = parameters("f1 f2 f3"), parameters("m1 m2 m3")
    moved = se3.power(se3.transform_twist(X, V), se3.transform_wrench(X, F))
    assert equal(moved, se3.power(V, F))


def test_exp_screw_is_exp_of_the_multiple(rng: np.random.Generator) -> None:
    for _ in range(10):
        v, w = random_twist(rng, 1.0)
        q = float(rng.uniform(-3, 3))
        expected = expm(q * np.array(se3.hat((v, w))))
        assert worst(se3.to_matrix(se3.exp_screw((v, w), q)), expected) < 1e-13
    slide = se3.exp_screw(((0, 0, 1), (0, 0, 0)), 3)
    assert slide == Pose(p=(0, 0, 3))


def test_exp_over_symbols() -> None:
    q, h = coordinates("q h")
    X = se3.exp(((0, 0, h), (0, 0, q)))
    expected = ((cos(q), -sin(q), 0), (sin(q), cos(q), 0), (0, 0, 1))
    assert expected == X.R
    assert all(equal(a, b) for a, b in zip(X.p, (0, 0, h), strict=True))
    # e^V̂ e^-V̂ = 1 for a twist of six symbols
    v, w = parameters("v1 v2 v3"), parameters("w1 w2 w3")
    one = se3.exp((v, w)) @ se3.exp((tuple(-x for x in v), tuple(-x for x in w)))  # type: ignore[arg-type]
    for a, b in zip(
        [*itertools.chain(*one.R), *one.p], (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0), strict=True
    ):
        assert equal(a, b)


def test_screw_there_and_back_exactly() -> None:
    V = ((3, -1, 4), (1, 5, -9))
    screw = se3.to_screw(V)
    assert se3.from_screw(screw) == V
    # the point is the one nearest to the origin, and moves along the axis only
    assert dot(screw.point, screw.axis) == 0
    assert se3.from_screw(se3.to_screw(((1, 2, 2), (0, 0, 0)))) == ((1, 2, 2), (0, 0, 0))
    assert se3.to_screw(((0, 2, 0), (0, 0, 0))).pitch == math.inf
    h, a = parameters("h a")
    assert se3.to_screw(((0, -a, h), (0, 0, 1))) == se3.Screw((0, 0, 1), (a, 0, 0), h)


def test_a_point_of_the_axis_stays_or_advances(rng: np.random.Generator) -> None:
    V = random_twist(rng, 1.0)
    screw = se3.to_screw(V)
    q = 0.8
    moved = se3.exp_screw(V, q).point(screw.point)
    advance = np.array(screw.point) + q * screw.pitch * np.array(screw.axis)
    assert worst(moved, advance) < ROUNDING


def test_screws_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidExpression, match="needs a line"):
        se3.to_screw(((0, 0, 0), (0.0, 0.0, 0.0)))
    some = np.array([0.0, 1.0])
    with pytest.raises(InvalidExpression, match="take the translations apart"):
        se3.to_screw(((some, some, some), (some, 0, 0)))
