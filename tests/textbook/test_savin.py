"""Savin, contact-aware control, lecture 4: angular velocity, C q̇, the pinned three-link chain."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from tests.oracles import (
    by_name,
    column,
    constrained_accelerations,
    lagranges_method,
    random_state,
    rates,
)

# homework 1: angular velocity is linear in q̇


def general_rotation() -> tuple[tuple[da.Expr, ...], da.Matrix]:
    angles = da.coordinates("phi theta psi")
    phi, theta, psi = angles
    return angles, da.rotation_z(phi) @ da.rotation_x(theta) @ da.rotation_z(psi)


def test_angular_velocity_is_linear_in_the_velocities():
    angles, R = general_rotation()
    w = da.angular_velocity(R)
    speeds = [x.dot for x in angles]
    J = da.jacobian(w, speeds)
    # ∂²ω/∂q̇² = 0, ω(q, 0) = 0 and hence ω = J q̇
    for x in speeds:
        assert da.equal(J.diff(x), da.Matrix.zeros(3, 3))
    assert da.equal(w.subs(dict.fromkeys(speeds, 0)), da.Matrix.zeros(3, 1))
    assert da.equal(w, J @ da.Matrix.column(speeds))


def test_angular_velocity_of_euler_angles():
    # z-x-z in world axes: φ̇ about z, θ̇ about the line of nodes, ψ̇ about the body's axis
    (phi, theta, psi), R = general_rotation()
    s, c = da.sin, da.cos
    expected = [
        c(phi) * theta.dot + s(theta) * s(phi) * psi.dot,
        s(phi) * theta.dot - s(theta) * c(phi) * psi.dot,
        phi.dot + c(theta) * psi.dot,
    ]
    assert da.equal(da.angular_velocity(R), expected)


def test_erratum_5_only_the_corrected_product_is_skew():
    _, R = general_rotation()
    W = R.ddt() @ R.T
    assert da.equal(W, -W.T)
    printed = R @ R.ddt()
    assert not da.equal(printed, -printed.T)
    # a turn about z: the diagonal of the printed product is -q̇ sin 2q
    (q,) = da.coordinates("q")
    Z = da.rotation_z(q)
    assert da.equal((Z @ Z.ddt())[0, 0], -q.dot * da.sin(2 * q))


def test_erratum_6_the_components_come_in_reverse():
    _, R = general_rotation()
    W = R.ddt() @ R.T
    w = da.angular_velocity(R)
    assert da.equal([-W[0, 1], W[0, 2], -W[1, 2]], [w[2], w[1], w[0]])


# homework: three links with a pinned end


@pytest.fixture(scope="module")
def eq() -> da.Equations:
    return da.textbook.pinned_three_link().equations()


@pytest.fixture(scope="module")
def sympy_chain():
    """Return SymPy's M and h of the free chain, typed in from the figure: uniform rods."""
    t = sp.Symbol("t")
    q = dynamicsymbols("q1 q2 q3")
    m, l, g = sp.symbols("m1:4"), sp.symbols("l1:4"), sp.Symbol("g")
    x = y = angle = sp.Integer(0)
    L = sp.Integer(0)
    for k in range(3):
        angle = angle + q[k]
        cx, cy = x + l[k] / 2 * sp.cos(angle), y + l[k] / 2 * sp.sin(angle)
        L += m[k] * (cx.diff(t) ** 2 + cy.diff(t) ** 2) / 2 - m[k] * g * cy
        L += m[k] * l[k] ** 2 / 12 * angle.diff(t) ** 2 / 2
        x, y = x + l[k] * sp.cos(angle), y + l[k] * sp.sin(angle)
    return lagranges_method(L, q)


def test_three_coordinates_two_constraints(eq):
    assert len(eq.coordinates) == 3
    assert eq.A.shape == (2, 3)
    assert eq.degrees_of_freedom() == 1
    assert eq.virtual_displacements().shape == (3, 1)
    assert da.equal(eq.A @ eq.virtual_displacements(), da.Matrix.zeros(2, 1))


def test_constraint_jacobian_by_hand(eq):
    q1, q2, q3 = eq.coordinates
    l1, l2, l3, x_e, y_e = da.parameters("l1 l2 l3 x_e y_e")
    a = [q1, q1 + q2, q1 + q2 + q3]
    c, s = [da.cos(x) for x in a], [da.sin(x) for x in a]
    lengths = [l1, l2, l3]
    end = [sum(l * x for l, x in zip(lengths, f, strict=True)) for f in (c, s)]
    assert da.equal(eq.a, [end[0] - x_e, end[1] - y_e])
    # joint j moves all links from j on
    A = [
        [-sum(lengths[i] * s[i] for i in range(j, 3)) for j in range(3)],
        [sum(lengths[i] * c[i] for i in range(j, 3)) for j in range(3)],
    ]
    assert da.equal(eq.A, A)


def test_mass_matrix_and_bias_against_sympy(eq, sympy_chain, rng):
    for _ in range(10):
        values = random_state(eq, rng)
        theirs = sympy_chain(by_name(values))
        assert eq.M.evaluate(values) == pytest.approx(theirs.M, rel=1e-11, abs=1e-11)
        assert column(eq.bias, values) == pytest.approx(theirs.h, rel=1e-11, abs=1e-11)


def test_gravity_and_coriolis_against_sympy(eq, sympy_chain, rng):
    for _ in range(5):
        values = random_state(eq, rng)
        still = values | dict.fromkeys(eq.velocities, 0.0)
        gravity = sympy_chain(by_name(still)).h
        assert column(eq.N, values) == pytest.approx(gravity, rel=1e-11, abs=1e-11)
        bias = sympy_chain(by_name(values)).h
        product = eq.C.evaluate(values) @ rates(eq, values)
        assert product == pytest.approx(bias - gravity, rel=1e-11, abs=1e-11)


def test_constrained_accelerations_against_kkt(eq, sympy_chain, rng):
    qdd, lam = eq.accelerations(), eq.multipliers()
    for _ in range(5):
        values = random_state(eq, rng)
        theirs = sympy_chain(by_name(values))
        # constraint rows and their rate from the angles, in plain NumPy
        angles = np.cumsum([values[q] for q in eq.coordinates])
        turn = np.cumsum(rates(eq, values))
        l = np.array([values[x] for x in da.parameters("l1 l2 l3")])
        A = np.array(
            [
                [-np.sum((l * np.sin(angles))[j:]) for j in range(3)],
                [np.sum((l * np.cos(angles))[j:]) for j in range(3)],
            ]
        )
        # ä = A q̈ - (Σ l c ω², Σ l s ω²)
        gamma = np.array([l * np.cos(angles) @ turn**2, l * np.sin(angles) @ turn**2])
        torques = np.array([values[x] for x in da.inputs("tau1 tau2 tau3")])
        expected, forces = constrained_accelerations(theirs.M, torques - theirs.h, A, gamma)
        assert column(qdd, values) == pytest.approx(expected, rel=1e-8, abs=1e-8)
        assert column(lam, values) == pytest.approx(forces, rel=1e-8, abs=1e-8)
        numerical = eq.solve(values)
        assert numerical.accelerations == pytest.approx(expected, rel=1e-8, abs=1e-8)
        assert numerical.multipliers == pytest.approx(forces, rel=1e-8, abs=1e-8)
        assert numerical.constraint_rank == 2


# the alternative forms of C q̇


def test_coriolis_by_differentiation_and_by_kronecker(eq):
    product = eq.C @ da.Matrix.column(eq.velocities)
    assert da.equal(eq.coriolis_by_differentiation(), product)
    assert da.equal(eq.coriolis_by_kronecker(), product)


def test_equations_18_and_19_as_written(eq):
    # built here from M alone, in the order the slides have; (19) with the missing transpose
    q, v = eq.coordinates, da.Matrix.column(eq.velocities)
    H, rate = eq.M, eq.M.ddt()
    quadratic = (v.T @ H @ v)[0]
    by_differentiation = rate @ v - da.jacobian([quadratic], q).T / 2
    kronecker = da.Matrix.column([x * y for x in v for y in v])
    by_kronecker = rate @ v - da.jacobian(H.entries, q).T @ kronecker / 2
    assert da.equal(by_differentiation, eq.C @ v)
    assert da.equal(by_kronecker, eq.C @ v)
    assert da.equal(eq.coriolis_by_differentiation(), by_differentiation)
    assert da.equal(eq.coriolis_by_kronecker(), by_kronecker)


def test_tempting_but_wrong(eq):
    # slide: ½ q̇ᵀ ∂H/∂q q̇ is not ½ Ḣ q̇
    v = da.Matrix.column(eq.velocities)
    half = (eq.M.ddt() @ v) / 2
    slopes = da.jacobian([(v.T @ eq.M @ v)[0] / 2], eq.coordinates).T
    assert not da.equal(half, slopes)


def test_christoffel_formula_17(eq):
    # Γ_ijk = ½(∂H_ij/∂q_k + ∂H_ik/∂q_j - ∂H_kj/∂q_i), C_ij = Σ_k Γ_ijk q̇_k
    q, H = eq.coordinates, eq.M
    for i in range(3):
        for j in range(3):
            gamma = [
                (H[i, j].diff(q[k]) + H[i, k].diff(q[j]) - H[k, j].diff(q[i])) / 2 for k in range(3)
            ]
            total = sum(g * x.dot for g, x in zip(gamma, q, strict=True))
            assert da.equal(eq.C[i, j], total)


def test_implicit_constraint_examples():
    # examples 1 and 2 of the reaction forces: q₁ - q₃ + 2 = 0 and q₁² + q₂² - 1 = 0
    q1, q2, q3 = da.coordinates("q1 q2 q3")
    eq = da.System(
        kinetic=q1.dot**2 + q2.dot**2 + q3.dot**2,
        coordinates=[q1, q2, q3],
        constraints=[q1 - q3 + 2, q1**2 + q2**2 - 1],
    ).equations()
    assert da.equal(eq.A, [[1, 0, -1], [2 * q1, 2 * q2, 0]])
    l1, l2 = eq.lam
    reaction = eq.A.T @ da.Matrix.column(eq.lam)
    assert da.equal(reaction, [l1 + 2 * q1 * l2, 2 * q2 * l2, -l1])
    assert eq.degrees_of_freedom() == 1


def test_all_proofs_hold(eq):
    assert [p.statement for p in eq.prove() if not p.is_proved] == []
