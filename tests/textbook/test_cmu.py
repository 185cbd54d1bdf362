"""CMU 24-760, homework 6: every printed result of problems 1 and 2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.mechanics import transformed_parts
from tests.oracles import by_name, column, constrained_accelerations, random_state, rates

q1, q2 = da.coordinates("q1 q2")
x1, y1, phi1, x2, y2, phi2 = da.coordinates("x1 y1 phi1 x2 y2 phi2")
m, l, g = da.parameters("m l g")
tau, F = da.inputs("tau1 F2")
s1, c1, s2, c2 = da.sin(phi1), da.cos(phi1), da.sin(phi2), da.cos(phi2)
reach = l / 2 + q2


@pytest.fixture(scope="module")
def generalized() -> da.Equations:
    return da.textbook.rp_arm().equations()


@pytest.fixture(scope="module")
def maximal() -> da.Equations:
    return da.textbook.rp_arm_maximal().equations()


# problem 1: generalized coordinates


def test_energies(generalized):
    T = m / 2 * (q2.dot**2 + q1.dot**2 * reach**2) + Fraction(5, 24) * m * l**2 * q1.dot**2
    V = m * g * (l + q2) * da.sin(q1)
    assert da.equal(generalized.T, T)
    assert da.equal(generalized.V, V)
    assert da.equal(generalized.L, T - V)


def test_intermediate_derivatives(generalized):
    L = generalized.L
    p1 = Fraction(5, 12) * m * l**2 * q1.dot + m * q1.dot * reach**2
    rate = (
        Fraction(5, 12) * m * l**2 * q1.ddot
        + m * q1.ddot * reach**2
        + 2 * m * q1.dot * q2.dot * reach
    )
    assert da.equal(L.diff(q1.dot), p1)
    assert da.equal(da.ddt(L.diff(q1.dot)), rate)
    assert da.equal(L.diff(q1), -m * g * (l + q2) * da.cos(q1))
    assert da.equal(L.diff(q2.dot), m * q2.dot)
    assert da.equal(da.ddt(L.diff(q2.dot)), m * q2.ddot)
    assert da.equal(L.diff(q2), m * q1.dot**2 * reach - m * g * da.sin(q1))


def test_equations_1_and_2(generalized):
    first = (
        (Fraction(5, 12) * l**2 + reach**2) * m * q1.ddot
        + 2 * m * q1.dot * q2.dot * reach
        + m * g * (l + q2) * da.cos(q1)
        - tau
    )
    second = m * q2.ddot - m * q1.dot**2 * reach + m * g * da.sin(q1) - F
    assert da.equal(generalized.residual, [first, second])


def test_manipulator_form(generalized):
    eq = generalized
    assert da.equal(eq.M, [[5 * m * l**2 / 12 + m * reach**2, 0], [0, m]])
    assert da.equal(eq.C, [[q2.dot * m * reach, q1.dot * m * reach], [-q1.dot * m * reach, 0]])
    assert da.equal(eq.N, [m * g * (l + q2) * da.cos(q1), m * g * da.sin(q1)])
    assert da.equal(eq.forces, [tau, F])


def test_mass_matrix_from_body_jacobians(generalized):
    J1 = da.Matrix([[0, 0], [l / 2, 0], [1, 0]])
    J2 = da.Matrix([[0, 1], [l / 2 + q2, 0], [1, 0]])
    inertia = da.Matrix.diagonal([m, m, m * l**2 / 12])
    assert da.equal(generalized.M, J1.T @ inertia @ J1 + J2.T @ inertia @ J2)


# problem 2: maximal coordinates


def test_constraints(maximal):
    a = [x1 - l * c1 / 2, y1 - l * s1 / 2, y2 * c2 - x2 * s2, phi2 - phi1]
    A = [
        [1, 0, l * s1 / 2, 0, 0, 0],
        [0, 1, -l * c1 / 2, 0, 0, 0],
        [0, 0, 0, -s2, c2, -x2 * c2 - y2 * s2],
        [0, 0, -1, 0, 0, 1],
    ]
    assert da.equal(maximal.a, a)
    assert da.equal(maximal.A, A)


def test_rate_of_the_constraint_jacobian(maximal):
    w1, w2 = phi1.dot, phi2.dot
    last = -w2 * (y2 * c2 - x2 * s2) - x2.dot * c2 - y2.dot * s2
    Adot = [
        [0, 0, w1 * l * c1 / 2, 0, 0, 0],
        [0, 0, w1 * l * s1 / 2, 0, 0, 0],
        [0, 0, 0, -w2 * c2, -w2 * s2, last],
        [0, 0, 0, 0, 0, 0],
    ]
    assert da.equal(maximal.Ad, Adot)


def test_maximal_energies(maximal):
    squares = x1.dot**2 + x2.dot**2 + y1.dot**2 + y2.dot**2
    T = m * squares / 2 + m * l**2 * (phi1.dot**2 + phi2.dot**2) / 24
    V = m * g * (y1 + y2)
    assert da.equal(maximal.T, T)
    assert da.equal(maximal.V, V)
    assert da.equal(maximal.L, T - V)


def test_applied_forces(maximal):
    assert da.equal(maximal.forces, [-F * c1, -F * s1, tau, F * c1, F * s1, 0])


def printed_left_minus_right(third_angle: da.Expr, lam: list[da.Expr]) -> list[da.Expr]:
    """Return equations (3) to (8) with λ on the left, as CMU has it.

    ``third_angle`` is the angle in the λ₃ terms of (6) and (7): φ₁ as printed, φ₂ as in A.
    """
    l1, l2, l3, l4 = lam
    s, c = da.sin(third_angle), da.cos(third_angle)
    return [
        m * x1.ddot + l1 + F * c1,
        m * y1.ddot + m * g + l2 + F * s1,
        m * l**2 * phi1.ddot / 12 + l / 2 * s1 * l1 - l / 2 * c1 * l2 - l4 - tau,
        m * x2.ddot - s * l3 - F * c1,
        m * y2.ddot + m * g + c * l3 - F * s1,
        m * l**2 * phi2.ddot / 12 - x2 * c2 * l3 - y2 * s2 * l3 + l4,
    ]


def test_equations_3_to_8(maximal):
    # ours has Aᵀλ on the right: λ_CMU = -λ
    theirs = [-x for x in maximal.lam]
    assert da.equal(maximal.residual, printed_left_minus_right(phi2, theirs))


def test_erratum_in_6_and_7(maximal):
    # as printed, with φ₁, they agree on the constraint φ₂ = φ₁ only
    printed = printed_left_minus_right(phi1, [-x for x in maximal.lam])
    for k in range(6):
        assert da.equal(maximal.residual[k], printed[k]) == (k not in (3, 4))
    assert da.equal(
        maximal.residual.subs({phi2: phi1}), da.Matrix.column(printed).subs({phi2: phi1})
    )


def test_sign_of_the_multipliers(maximal):
    # at rest, arm straight up, no input: the pin carries both links, so it pushes link 1 upwards
    # with the weight of link 1; the slider lets link 2 fall
    up = {phi1: da.pi / 2, phi2: da.pi / 2, x1: 0, y1: l / 2, x2: 0, y2: l, F: 0, tau: 0}
    rest = {x.dot: 0 for x in (x1, y1, phi1, x2, y2, phi2)}
    lam = maximal.multipliers().subs(up).subs(rest)
    assert da.equal(lam, [0, m * g, 0, 0])


def test_maximal_manipulator_form(maximal):
    I = m * l**2 / 12
    assert da.equal(maximal.M, da.Matrix.diagonal([m, m, I, m, m, I]))
    assert da.equal(maximal.C, da.Matrix.zeros(6, 6))
    assert da.equal(maximal.N, [0, m * g, 0, 0, m * g, 0])
    assert maximal.degrees_of_freedom() == 2


# 2.6: the multipliers


def printed_multipliers(values: dict[str, Any], matrix: Any) -> Any:
    """Return (A M⁻¹ Aᵀ)⁻¹ (A M⁻¹ (Υ - C q̇ - N) + Ȧ q̇), typed in from the solution."""
    v = values
    length, mass = v["l"], v["m"]
    s_1, c_1, s_2, c_2 = v["s1"], v["c1"], v["s2"], v["c2"]
    w1, w2 = v["phi1.dot"], v["phi2.dot"]
    A = matrix(
        [
            [1, 0, length * s_1 / 2, 0, 0, 0],
            [0, 1, -length * c_1 / 2, 0, 0, 0],
            [0, 0, 0, -s_2, c_2, -v["x2"] * c_2 - v["y2"] * s_2],
            [0, 0, -1, 0, 0, 1],
        ]
    )
    last = -w2 * (v["y2"] * c_2 - v["x2"] * s_2) - v["x2.dot"] * c_2 - v["y2.dot"] * s_2
    Adot = matrix(
        [
            [0, 0, w1 * length * c_1 / 2, 0, 0, 0],
            [0, 0, w1 * length * s_1 / 2, 0, 0, 0],
            [0, 0, 0, -w2 * c_2, -w2 * s_2, last],
            [0, 0, 0, 0, 0, 0],
        ]
    )
    I = mass * length**2 / 12
    inertias = [mass, mass, I, mass, mass, I]
    M_inverse = matrix([[1 / inertias[i] if i == j else 0 for j in range(6)] for i in range(6)])
    weight = mass * v["g"]
    push, torque = v["F2"], v["tau1"]
    free = [-push * c_1, -push * s_1 - weight, torque, push * c_1, push * s_1 - weight, 0]
    speeds = [v[f"{name}.dot"] for name in ("x1", "y1", "phi1", "x2", "y2", "phi2")]
    right = A @ M_inverse @ matrix([[x] for x in free]) + Adot @ matrix([[x] for x in speeds])
    return A @ M_inverse @ A.T, right


def test_multipliers_numerically(maximal, rng):
    lam = maximal.multipliers()
    for _ in range(20):
        values = random_state(maximal, rng)
        named = by_name(values)
        named |= {"s1": np.sin(values[phi1]), "c1": np.cos(values[phi1])}
        named |= {"s2": np.sin(values[phi2]), "c2": np.cos(values[phi2])}
        schur, right = printed_multipliers(named, lambda rows: np.array(rows, float))
        expected = -np.linalg.solve(schur, right)[:, 0]
        assert column(lam, values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_multipliers_exactly_at_rational_points(maximal, rng):
    """SymPy solves the printed formula in rationals; sin and cos are points of the circle."""
    lam = da.to_sympy(maximal.multipliers())
    t = sp.Symbol("t")
    angles = {i: sp.Function(f"phi{i}")(t) for i in (1, 2)}
    for _ in range(3):
        named: dict[str, Any] = {}
        for name in ("m", "l", "g", "F2", "tau1", "x2", "y2"):
            named[name] = sp.Rational(int(rng.uniform(1, 30)), 7)
        for name in ("x1", "y1", "phi1", "x2", "y2", "phi2"):
            named[f"{name}.dot"] = sp.Rational(int(rng.uniform(-30, 30)), 11)
        for i in (1, 2):
            u = sp.Rational(int(rng.uniform(-9, 9)), 5)
            named[f"s{i}"], named[f"c{i}"] = 2 * u / (1 + u**2), (1 - u**2) / (1 + u**2)
        schur, right = printed_multipliers(named, sp.Matrix)
        expected = -schur.LUsolve(right)
        functions = {f(angles[i]): named[f"{k}{i}"] for i in (1, 2) for k, f in _TRIG.items()}
        positions = {sp.Function(name)(t): named[name] for name in ("x2", "y2")}
        speeds = {
            sp.Function(name)(t).diff(t): named[f"{name}.dot"]
            for name in ("x1", "y1", "phi1", "x2", "y2", "phi2")
        }
        constants = {sp.Symbol(name): named[name] for name in ("m", "l", "g", "F2", "tau1")}
        value = lam.subs(speeds).subs(functions).subs(positions).subs(constants)
        assert sp.simplify(value - expected) == sp.zeros(4, 1)


_TRIG = {"s": sp.sin, "c": sp.cos}


def test_accelerations_satisfy_the_equations_exactly(maximal):
    qdd, lam = maximal.accelerations(), maximal.multipliers()
    solved = dict(zip([x.ddot for x in maximal.coordinates], qdd, strict=True))
    solved |= dict(zip(maximal.lam, lam, strict=True))
    assert da.equal(maximal.residual.subs(solved), da.Matrix.zeros(6, 1))
    held = maximal.A @ qdd + maximal.Ad @ da.Matrix.column([x.dot for x in maximal.coordinates])
    assert da.equal(held, da.Matrix.zeros(4, 1))


def test_accelerations_numerically(maximal, rng):
    qdd = maximal.accelerations()
    for _ in range(5):
        values = random_state(maximal, rng)
        M, A = maximal.M.evaluate(values), maximal.A.evaluate(values)
        right = column(maximal.forces, values) - column(maximal.N, values)
        gamma = -maximal.Ad.evaluate(values) @ rates(maximal, values)
        expected, lam = constrained_accelerations(M, right, A, gamma)
        assert column(qdd, values) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert column(maximal.multipliers(), values) == pytest.approx(lam, rel=1e-9, abs=1e-9)


# 2.7: back to generalized coordinates


def test_change_of_basis():
    h = da.textbook.rp_arm_positions()
    s, c = da.sin(q1), da.cos(q1)
    printed = [l * c / 2, l * s / 2, q1, reach * c, reach * s, q1]
    assert da.equal([h[x] for x in (x1, y1, phi1, x2, y2, phi2)], printed)


def test_transformed_parts(maximal):
    parts = transformed_parts(maximal, da.textbook.rp_arm_positions(), [q1, q2])
    s, c = da.sin(q1), da.cos(q1)
    H = [
        [-l * s / 2, 0],
        [l * c / 2, 0],
        [1, 0],
        [-reach * s, c],
        [reach * c, s],
        [1, 0],
    ]
    assert da.equal(parts["H"], H)
    # HᵀMH, HᵀCH + HᵀMḢ, HᵀN, HᵀΥ are the matrices of problem 1
    assert da.equal(parts["M"], [[5 * m * l**2 / 12 + m * reach**2, 0], [0, m]])
    C = [[q2.dot * m * reach, q1.dot * m * reach], [-q1.dot * m * reach, 0]]
    assert da.equal(parts["C"], C)
    assert da.equal(parts["N"], [m * g * (l + q2) * da.cos(q1), m * g * da.sin(q1)])
    assert da.equal(parts["forces"], [tau, F])


def test_constraints_vanish_on_the_change_of_basis(maximal):
    # A H = 0: the columns of H are virtual displacements, so HᵀAᵀλ drops out
    h = da.textbook.rp_arm_positions()
    H = transformed_parts(maximal, h, [q1, q2])["H"]
    assert da.equal(maximal.a.subs(h), da.Matrix.zeros(4, 1))
    assert da.equal(maximal.A.subs(h) @ H, da.Matrix.zeros(4, 2))


def test_maximal_and_generalized_equations_are_equivalent(maximal, generalized):
    reduced = maximal.change_coordinates(da.textbook.rp_arm_positions(), [q1, q2])
    assert reduced.coordinates == (q1, q2)
    assert reduced.lam == ()
    assert da.equal(reduced.residual, generalized.residual)
    assert da.equal(reduced.M, generalized.M)
    assert da.equal(reduced.N, generalized.N)
    assert da.equal(reduced.forces, generalized.forces)


def test_reduced_equations_prove_their_own_properties(maximal):
    reduced = maximal.change_coordinates(da.textbook.rp_arm_positions(), [q1, q2])
    assert [p.statement for p in reduced.prove() if not p.is_proved] == []


@pytest.mark.parametrize("make", [da.textbook.rp_arm, da.textbook.rp_arm_maximal])
def test_all_proofs_hold(make):
    proofs = make().equations().prove()
    assert len(proofs) >= 10
    assert [p.statement for p in proofs if not p.is_proved] == []
