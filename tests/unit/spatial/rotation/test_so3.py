"""Rotation vectors, quaternions and Euler angles against SciPy and fifty digits of mpmath."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from dalembert.errors import InvalidExpression, UnknownName
from dalembert.expr import coordinates, ddt, jacobian, parameters, sin, sqrt
from dalembert.ring import canonical_all, equal, ring_of
from dalembert.spatial.rotation import euler, quaternion, so3
from dalembert.spatial.sinc import cosc, cotc, sinc, sinc3
from dalembert.spatial.vectors import IDENTITY, multiply, rotate, skew, transpose
from tests.cases import num_cases

# entries of a rotation are at most 1, and come from a handful of operations
ROUNDING = 2e-15
# of one function of one number, relative
LAST_DIGITS = 1e-15

SMALL = [10.0**-k for k in range(3, 17)]
NEAR_PI = [math.pi - 10.0**-k for k in range(1, 16)] + [math.pi]
ANGLES = [0.0, 1e-300, 1e-160, *SMALL, 0.03, 0.5, 1.0, 1.999, 2.0, 2.001, 3.0, *NEAR_PI]


def worst(a: Any, b: Any) -> float:
    return float(np.max(np.abs(np.array(a, dtype=float) - np.array(b, dtype=float))))


def rows(R: Any) -> Any:
    return tuple(tuple(float(x) for x in row) for row in R)


def random_axis(rng: np.random.Generator) -> np.ndarray:
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def precise_exp(w: Any) -> np.ndarray:
    """Return e^ŵ in floats, by the matrix exponential of fifty digits."""
    with mpmath.workdps(50):
        R = mpmath.expm(mpmath.matrix(skew(tuple(mpmath.mpf(float(x)) for x in w))))
        return np.array(R.tolist(), dtype=float)


@pytest.mark.parametrize("x", [*ANGLES, 3.5, 4.0, 4.5, 6.0, -1e-8, -1.0])
def test_even_functions_have_all_digits(x: float) -> None:
    with mpmath.workdps(1000 if x and abs(x) < 1e-30 else 60):
        t = mpmath.mpf(x)
        closed = [(mpmath.mpf(1), mpmath.mpf(1) / 2, mpmath.mpf(1) / 6, mpmath.mpf(1) / 12)]
        if x:
            s, c, half = mpmath.sin(t), mpmath.cos(t), t / 2
            closed = [(s / t, (1 - c) / t**2, (t - s) / t**3, (1 - half * mpmath.cot(half)) / t**2)]
        for f, value in zip((sinc, cosc, sinc3, cotc), closed[0], strict=True):
            expected = float(value)
            # absolutely, where sin x / x passes through zero
            error = abs(float(f(x)) - expected) / (abs(expected) if f is not sinc else 1)
            assert error < LAST_DIGITS, f"{f.__name__}({x})"
            assert np.array_equal(f(np.array([x, 1.0, 5.0]))[0], float(f(x)))


def test_exp_is_the_matrix_exponential(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(50, scale)):
        w = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 0.8)
        # expm squares repeatedly and loses a few digits at several turns; so does the angle itself
        assert worst(so3.exp(tuple(w)), expm(np.array(skew(tuple(w))))) < 1e-12
        tolerance = ROUNDING * (1 + float(np.linalg.norm(w)))
        assert worst(so3.exp(tuple(w)), Rotation.from_rotvec(w).as_matrix()) < tolerance


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_and_log_keep_all_digits_at_every_angle(angle: float, rng: np.random.Generator) -> None:
    for _ in range(3):
        w = random_axis(rng) * angle
        R = so3.exp(tuple(w))
        assert worst(R, precise_exp(w)) < ROUNDING
        back = np.array(so3.log(rows(R)))
        # half a turn is as well a turn about the other end of the axis
        sign = -1 if angle > 3.1 and back @ w < 0 else 1
        size = max(angle, 1e-300)
        assert worst(sign * back, w) <= 3e-15 * max(size, 1e-15 if angle < 1e-150 else size)
        q = quaternion.exp(tuple(w))
        assert worst(quaternion.to_matrix(q), R) < ROUNDING
        assert worst(sign * np.array(quaternion.log(q)), w) <= 3e-15 * size or angle > 3.1


def test_log_at_half_a_turn_about_every_axis(rng: np.random.Generator) -> None:
    axes = [np.array(a, dtype=float) for a in itertools.product((-1, 0, 1), repeat=3) if any(a)]
    for a in [*axes, *(random_axis(rng) for _ in range(50))]:
        a = a / np.linalg.norm(a)
        R = rows(2 * np.outer(a, a) - np.eye(3))
        w = np.array(so3.log(R))
        assert abs(np.linalg.norm(w) - math.pi) < ROUNDING
        assert worst(so3.exp(tuple(w)), R) < ROUNDING
        assert w[np.argmax(np.abs(np.round(w, 9)))] > 0


def test_log_is_the_matrix_logarithm(rng: np.random.Generator) -> None:
    for _ in range(20):
        R = Rotation.from_quat(rng.normal(size=4)).as_matrix()
        expected = np.real(logm(R))
        w = so3.log(rows(R))
        # logm itself is good to this
        assert worst(np.array(skew(w), dtype=float), expected) < 1e-9


def test_batches_equal_single_calls(rng: np.random.Generator) -> None:
    cases = np.array([random_axis(rng) * angle for angle in ANGLES])
    w = tuple(cases.T)
    R = so3.exp(w)
    q = quaternion.from_matrix(R)
    results = {
        "exp": R,
        "log": so3.log(R),
        "left": so3.left_jacobian(w),
        "inverse": so3.left_jacobian_inverse(w),
        "quaternion": q,
        "quaternion log": quaternion.log(q),
        "rpy": euler.to_rpy(R),
        "zxz": euler.to_euler("zxz", R),
    }
    for n, case in enumerate(cases):
        one = tuple(case.tolist())
        S = so3.exp(one)
        p = quaternion.from_matrix(S)
        single = {
            "exp": S,
            "log": so3.log(S),
            "left": so3.left_jacobian(one),
            "inverse": so3.left_jacobian_inverse(one),
            "quaternion": p,
            "quaternion log": quaternion.log(p),
            "rpy": euler.to_rpy(S),
            "zxz": euler.to_euler("zxz", S),
        }
        for name, value in single.items():
            batch = np.array([np.broadcast_to(x, len(cases)) for x in _flat(results[name])])
            # near half a turn the rounding decides between the two ways round, and near gimbal
            # lock between angles: the rotations must agree
            got = batch[:, n]
            if name in ("log", "quaternion log") and ANGLES[n] > 3.1:
                assert worst(so3.exp(tuple(got)), S) < ROUNDING
            elif name == "zxz":
                assert worst(euler.from_euler("zxz", got), S) < ROUNDING
            elif name == "quaternion" and ANGLES[n] > 3.1:
                assert worst(quaternion.to_matrix(tuple(got)), S) < ROUNDING
            else:
                assert worst(got, _flat(value)) < ROUNDING, name


def _flat(nested: Any) -> list[Any]:
    return [x for row in nested for x in row] if isinstance(nested[0], tuple) else list(nested)


def test_a_batch_about_a_coordinate_axis_stays_a_float_array() -> None:
    angle = np.array([0.0, 1e-9, 2.0])
    for f in (so3.exp, so3.left_jacobian, so3.left_jacobian_inverse, quaternion.exp):
        for x in _flat(f((0, 0, angle))):
            assert np.asarray(x).dtype != object
    assert worst(so3.log(so3.exp((0, angle, 0)))[1], angle) < ROUNDING


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobians_and_their_inverses(angle: float, rng: np.random.Generator) -> None:
    w = tuple((random_axis(rng) * angle).tolist())
    J, K = so3.left_jacobian(w), so3.left_jacobian_inverse(w)
    assert worst(multiply(J, K), IDENTITY) < 4e-15
    assert worst(multiply(so3.right_jacobian(w), so3.right_jacobian_inverse(w)), IDENTITY) < 4e-15
    # J_l = R J_r, and J = ∫ e^(sŵ) ds from 0 to 1 as a block of one matrix exponential
    assert worst(J, multiply(so3.exp(w), so3.right_jacobian(w))) < ROUNDING
    block = np.zeros((6, 6))
    block[:3, :3], block[:3, 3:] = np.array(skew(w)), np.eye(3)
    assert worst(J, expm(block)[:3, 3:]) < 1e-13


def test_jacobian_gives_the_angular_velocity() -> None:
    # exactly: (d/dt e^ŵ) e^-ŵ = (J ẇ)^ for a vector that turns in the xy plane
    x, y = coordinates("x y")
    w = (x, y, 0)
    R = so3.exp(w)
    Rdot: Any = tuple(tuple(ddt(e) for e in row) for row in R)
    omega = multiply(Rdot, transpose(R))
    expected = rotate(so3.left_jacobian(w), (x.dot, y.dot, 0))
    for a, b in zip((omega[2][1], omega[0][2], omega[1][0]), expected, strict=True):
        assert equal(a, b)


def test_exp_over_symbols_is_orthogonal() -> None:
    x, y, z = parameters("x y z")
    R = so3.exp((x, y, z))
    for product in (multiply(R, transpose(R)), multiply(transpose(R), R)):
        for i, j in itertools.product(range(3), repeat=2):
            assert equal(product[i][j], int(i == j))
    # the axis stays
    assert all(equal(a, b) for a, b in zip(rotate(R, (x, y, z)), (x, y, z), strict=True))
    # and the inverse Jacobian is the inverse
    P = multiply(so3.left_jacobian((x, y, z)), so3.left_jacobian_inverse((x, y, z)))
    for i, j in itertools.product(range(3), repeat=2):
        assert equal(P[i][j], int(i == j))


def test_symbols_and_numbers_agree() -> None:
    x, y, z = parameters("x y z")
    values = {x: 0.3, y: -1.1, z: 0.7}
    w: Any = tuple(values.values())
    R = so3.exp((x, y, z))
    assert worst([[e.evaluate(values) for e in row] for row in R], so3.exp(w)) < ROUNDING
    assert worst([e.evaluate(values) for e in so3.log(R)], w) < ROUNDING
    q = quaternion.exp((x, y, z))
    assert worst([e.evaluate(values) for e in quaternion.log(q)], w) < ROUNDING
    for s in euler.SEQUENCES:
        angles = [e.evaluate(values) for e in euler.to_euler(s, R)]
        assert worst(angles, euler.to_euler(s, so3.exp(w))) < ROUNDING


def test_exp_in_the_ring() -> None:
    (q,) = coordinates("q")
    ring = ring_of([sin(q)])
    (angle,) = canonical_all(ring, [q])
    for w in ((angle, 0, 0), (0, angle, 0), (0, 0, angle)):
        R = so3.exp(w)
        assert multiply(R, transpose(R)) == IDENTITY
    # about an axis in general position the ring must know the angle √(x² + y²)
    x, y = parameters("x y")
    root = sqrt(x * x + y * y)
    w: Any = (*canonical_all(ring_of([sin(root), x, y, 1 / root]), [x, y]), 0)
    R = so3.exp(w)
    assert multiply(R, transpose(R)) == IDENTITY
    assert multiply(so3.left_jacobian(w), so3.left_jacobian_inverse(w)) == IDENTITY


@pytest.mark.parametrize("sequence", euler.SEQUENCES)
def test_euler_angles_of_all_sequences(
    sequence: str, rng: np.random.Generator, scale: float
) -> None:
    for _ in range(num_cases(30, scale)):
        angles = rng.uniform(-math.pi, math.pi, 3)
        R = euler.from_euler(sequence, angles)
        expected = Rotation.from_euler(sequence.upper(), angles)
        assert worst(R, expected.as_matrix()) < ROUNDING
        back = euler.to_euler(sequence, R)
        assert worst(euler.from_euler(sequence, back), R) < ROUNDING
        middle = math.sin(back[1]) if sequence[0] == sequence[2] else math.cos(back[1])
        assert middle >= 0
        if middle > 0.01:
            turns = (np.array(back) - expected.as_euler(sequence.upper())) / (2 * math.pi)
            assert worst(turns, np.round(turns)) < 1e-12


@pytest.mark.parametrize("sequence", euler.SEQUENCES)
@pytest.mark.parametrize("distance", [0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-5])
def test_euler_angles_in_and_near_gimbal_lock(
    sequence: str, distance: float, rng: np.random.Generator
) -> None:
    proper = sequence[0] == sequence[2]
    for lock in (0.0, math.pi) if proper else (-math.pi / 2, math.pi / 2):
        a, c = rng.uniform(-math.pi, math.pi, 2)
        R = euler.from_euler(sequence, (a, lock + distance, c))
        back = euler.to_euler(sequence, R)
        assert worst(euler.from_euler(sequence, back), R) < 3e-15
        if distance == 0:
            assert back[0] == 0


def test_rpy_is_urdf_fixed_axes(rng: np.random.Generator) -> None:
    for _ in range(20):
        roll, yaw = rng.uniform(-math.pi, math.pi, 2)
        pitch = rng.uniform(-1.5, 1.5)
        R = euler.from_rpy(roll, pitch, yaw)
        assert worst(R, Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix()) < ROUNDING
        assert worst(euler.to_rpy(R), (roll, pitch, yaw)) < 1e-13
    # nose up: roll and yaw turn about one line, and yaw is set to 0
    assert worst(euler.to_rpy(euler.from_rpy(0.5, math.pi / 2, 0.2)), (0.3, math.pi / 2, 0)) < 1e-15


def test_euler_over_symbols() -> None:
    a, b, c = coordinates("a b c")
    R = euler.from_euler("zxz", (a, b, c))
    P = multiply(R, transpose(R))
    for i, j in itertools.product(range(3), repeat=2):
        assert equal(P[i][j], int(i == j))
    # zeros show the gimbal lock: about z alone, 'zxz' has no first angle
    first, second, third = euler.to_euler("zxz", so3.exp((0, 0, a)))
    assert (first, second) == (0, 0)
    assert third.evaluate({a: 0.4}) == pytest.approx(0.4)
    # where a pitch beyond a right angle turns the others over
    values = {a: 0.0, b: 2.0, c: 0.0}
    angles = euler.to_euler("zyx", euler.from_euler("zyx", (0, b, 0)))
    numbers = [e.evaluate(values) if hasattr(e, "evaluate") else e for e in angles]
    assert worst(euler.from_euler("zyx", numbers), euler.from_euler("zyx", (0, 2.0, 0))) < ROUNDING


def test_unknown_sequences_are_refused() -> None:
    for name in ("zzx", "xy", "ZYX", "abc", ""):
        with pytest.raises(UnknownName, match="such as 'zyx'"):
            euler.from_euler(name, (0, 0, 0))


def test_quaternion_algebra(rng: np.random.Generator) -> None:
    for _ in range(20):
        a, b = (tuple(q / np.linalg.norm(q)) for q in rng.normal(size=(2, 4)))
        A, B = quaternion.to_matrix(a), quaternion.to_matrix(b)
        assert worst(quaternion.to_matrix(quaternion.product(a, b)), multiply(A, B)) < ROUNDING
        assert worst(A, Rotation.from_quat(a, scalar_first=True).as_matrix()) < ROUNDING
        assert worst(quaternion.product(a, quaternion.conjugate(a)), (1, 0, 0, 0)) < ROUNDING
        v = tuple(rng.normal(size=3))
        assert worst(quaternion.rotate(a, v), rotate(A, v)) < 2 * ROUNDING
        sign = -1 if a[0] < 0 else 1
        assert worst(sign * np.array(quaternion.from_matrix(A)), a) < ROUNDING


def test_quaternion_of_every_branch() -> None:
    # the largest component in turn, and ties between them
    for q in itertools.product((0.0, 1.0, 0.1, -0.1, -1.0), repeat=4):
        if any(q):
            w, x, y, z = q
            unit = quaternion.normalise((w, x, y, z))
            back = np.array(quaternion.from_matrix(quaternion.to_matrix(unit)))
            assert back[0] >= 0
            assert min(worst(back, unit), worst(-back, unit)) < ROUNDING


def test_quaternion_product_over_symbols() -> None:
    a: Any = parameters("a0 a1 a2 a3")
    b: Any = parameters("b0 b1 b2 b3")
    ab = quaternion.product(a, b)
    squares = [sum(x * x for x in q) for q in (a, b, ab)]
    assert equal(squares[0] * squares[1], squares[2])


def test_normalise_is_exact_for_symbols_and_refuses_zero() -> None:
    w, x = parameters("w x")
    q = quaternion.normalise((w, x, 0, 0))
    assert equal(q[0] ** 2 + q[1] ** 2, 1)
    assert quaternion.normalise((0, -2, 0, 0)) == (0, -1, 0, 0)
    assert quaternion.normalise((Fraction(-3), 0, 0, 0)) == (-1, 0, 0, 0)
    for zero in ((0, 0, 0, 0), (0.0, 0.0, 0.0, 0.0), (math.nan, 1.0, 0.0, 0.0)):
        with pytest.raises(InvalidExpression, match="direction"):
            quaternion.normalise(zero)


def test_log_of_structural_rotations_has_no_roots() -> None:
    (q,) = coordinates("q")
    w = so3.log(so3.exp((0, q, 0)))
    assert (w[0], w[2]) == (0, 0)
    assert jacobian([w[1]], [q])[0, 0].evaluate({q: 3.0}) == pytest.approx(1.0)
    assert so3.log(IDENTITY) == (0, 0, 0)
