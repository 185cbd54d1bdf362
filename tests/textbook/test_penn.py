"""Penn, dynamics of robot arms: the 2R arm, the Cartesian 2P arm, the inertia of a block."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert.spatial import block_inertia
from tests.oracles import random_values

q1, q2 = da.coordinates("q1 q2")
m1, m2, a1, a_c1, a_c2, I1, I2, g = da.parameters("m1 m2 a1 a_c1 a_c2 I1 I2 g")
tau1, tau2 = da.inputs("tau1 tau2")

# the planar 2R arm, videos 3.6 and 3.7

d11 = m1 * a_c1**2 + m2 * (a1**2 + a_c2**2 + 2 * a1 * a_c2 * da.cos(q2)) + I1 + I2
d12 = m2 * (a_c2**2 + a1 * a_c2 * da.cos(q2)) + I2
d22 = m2 * a_c2**2 + I2
h = -m2 * a1 * a_c2 * da.sin(q2)
# P = m₁ g a_c1 sin q₁ + m₂ g (a₁ sin q₁ + a_c2 sin(q₁+q₂)), the heights of the two centres
g1 = (m1 * a_c1 + m2 * a1) * g * da.cos(q1) + m2 * a_c2 * g * da.cos(q1 + q2)
g2 = m2 * a_c2 * g * da.cos(q1 + q2)


@pytest.fixture(scope="module")
def arm() -> da.Equations:
    return da.textbook.planar_arm().equations()


def test_every_d_ij(arm):
    assert da.equal(arm.M[0, 0], d11)
    assert da.equal(arm.M[0, 1], d12)
    assert da.equal(arm.M[1, 0], d12)
    assert da.equal(arm.M[1, 1], d22)


def test_mass_matrix_from_the_printed_jacobians(arm):
    s1, c1, s12, c12 = da.sin(q1), da.cos(q1), da.sin(q1 + q2), da.cos(q1 + q2)
    J1 = da.Matrix([[-a_c1 * s1, 0], [a_c1 * c1, 0], [0, 0]])
    J2 = da.Matrix(
        [[-a1 * s1 - a_c2 * s12, -a_c2 * s12], [a1 * c1 + a_c2 * c12, a_c2 * c12], [0, 0]]
    )
    rotational = da.Matrix([[I1 + I2, I2], [I2, I2]])
    assert da.equal(arm.M, m1 * (J1.T @ J1) + m2 * (J2.T @ J2) + rotational)


def test_every_christoffel_symbol(arm):
    # c_ijk of the slides, with i, j, k = 1, 2
    expected = {
        (1, 1, 1): 0,
        (1, 2, 1): h,
        (2, 1, 1): h,
        (2, 2, 1): h,
        (1, 1, 2): -h,
        (1, 2, 2): 0,
        (2, 1, 2): 0,
        (2, 2, 2): 0,
    }
    c = arm.christoffel()
    for i, j, k in itertools.product((1, 2), repeat=3):
        assert da.equal(c[i - 1][j - 1][k - 1], expected[i, j, k]), (i, j, k)


def test_christoffel_symbols_as_the_slides_write_them(arm):
    c = arm.christoffel()
    assert da.equal(c[0][0][0], d11.diff(q1) / 2)
    assert da.equal(c[0][1][0], d11.diff(q2) / 2)
    assert da.equal(c[1][1][0], d12.diff(q2) - d22.diff(q1) / 2)
    assert da.equal(c[0][0][1], d12.diff(q1) - d11.diff(q2) / 2)
    assert da.equal(c[0][1][1], d22.diff(q1) / 2)
    assert da.equal(c[1][1][1], d22.diff(q2) / 2)


def test_gravity(arm):
    assert da.equal(arm.N, [g1, g2])


def test_coriolis_matrix(arm):
    printed = [[h * q2.dot, h * q2.dot + h * q1.dot], [-h * q1.dot, 0]]
    assert da.equal(arm.C, printed)


def test_both_equations(arm):
    first = (
        d11 * q1.ddot
        + d12 * q2.ddot
        + h * q1.dot * q2.dot
        + h * q2.dot * q1.dot
        + h * q2.dot**2
        + g1
        - tau1
    )
    second = d12 * q1.ddot + d22 * q2.ddot - h * q1.dot**2 + g2 - tau2
    assert da.equal(arm.residual, [first, second])


def test_properties_are_proved(arm):
    assert [p.statement for p in arm.prove() if not p.is_proved] == []


def test_skew_symmetry_by_hand(arm):
    # Ḋ has h·(2q̇₂, q̇₂; q̇₂, 0), so Ḋ - 2C = h·(0, -2q̇₁-q̇₂; 2q̇₁+q̇₂, 0)
    S = arm.M.ddt() - arm.C * 2
    w = 2 * q1.dot + q2.dot
    assert da.equal(S, [[0, -h * w], [h * w, 0]])


def test_eigenvalue_bounds(arm, rng):
    # λ₁ |v|² ≤ vᵀ D v ≤ λ₂ |v|² with λ from trace and determinant
    for _ in range(20):
        values = random_values([q1, q2, m1, m2, a1, a_c1, a_c2, I1, I2], rng)
        D = arm.M.evaluate(values)
        half, det = np.trace(D) / 2, np.linalg.det(D)
        low, high = half - np.sqrt(half**2 - det), half + np.sqrt(half**2 - det)
        assert low > 0
        v = np.array([rng.uniform(-1, 1), rng.uniform(-1, 1)])
        assert low * v @ v - 1e-12 <= v @ D @ v <= high * v @ v + 1e-12


# the Cartesian arm of two prismatic joints, video 3.5


def test_cartesian_arm():
    eq = da.textbook.cartesian_arm().equations()
    assert da.equal(eq.V, g * (m1 + m2) * q1)
    assert da.equal(eq.M, [[m1 + m2, 0], [0, m2]])
    assert da.equal(eq.N, [g * (m1 + m2), 0])
    c = eq.christoffel()
    assert all(c[i][j][k] == 0 for i, j, k in itertools.product(range(2), repeat=3))
    assert da.equal(eq.C, da.Matrix.zeros(2, 2))
    assert da.equal(eq.residual, [(m1 + m2) * q1.ddot + g * (m1 + m2) - tau1, m2 * q2.ddot - tau2])
    assert [p.statement for p in eq.prove() if not p.is_proved] == []


# the inertia tensor of a block, video 3.4

m, a, b, c = da.parameters("m a b c")


def test_block_about_its_centre():
    printed = da.Matrix.diagonal([b**2 + c**2, a**2 + c**2, a**2 + b**2]) * (m / 12)
    assert da.equal(da.textbook.block(), printed)


def test_block_about_a_corner():
    # ∫(y² + z²)ρ dV = ρ a (b³c/3 + b c³/3) = m (b² + c²)/3 and ∫xyρ dV = ρ (a²/2)(b²/2) c = m ab/4
    expected = [
        [m * (b**2 + c**2) / 3, -m * a * b / 4, -m * a * c / 4],
        [-m * a * b / 4, m * (a**2 + c**2) / 3, -m * b * c / 4],
        [-m * a * c / 4, -m * b * c / 4, m * (a**2 + b**2) / 3],
    ]
    assert da.equal(block_inertia(m, (a, b, c), corner=(0, 0, 0)), expected)


def test_block_by_parallel_axes():
    # I_P = I_C + m (|d|² 1 - d dᵀ), where d leads from the reference point to the centre
    x, y, z = da.parameters("x y z")
    d = da.Matrix.column([x + a / 2, y + b / 2, z + c / 2])
    shift = (da.Matrix.identity(3) * d.dot(d) - d @ d.T) * m
    moved = block_inertia(m, (a, b, c), corner=(x, y, z))
    assert da.equal(moved, da.textbook.block() + shift)


def test_block_by_numerical_integration(rng):
    # two Gauss points on each axis integrate quadratic moments without error
    values = random_values([m, a, b, c], rng)
    corner = [rng.uniform(-1, 1) for _ in range(3)]
    sides = [values[x] for x in (a, b, c)]
    nodes = (1 + np.array([-1, 1]) / np.sqrt(3)) / 2
    tensor = np.zeros((3, 3))
    for u in itertools.product(nodes, repeat=3):
        r = np.array([x0 + t * side for x0, t, side in zip(corner, u, sides, strict=True)])
        tensor += values[m] / 8 * (r @ r * np.eye(3) - np.outer(r, r))
    exact = block_inertia(m, (a, b, c), corner=corner).evaluate(values)
    assert exact == pytest.approx(tensor, rel=1e-12, abs=1e-12)
