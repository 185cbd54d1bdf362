"""Pendulums against published equations, or against SymPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations
from tests.oracles import by_name, column, lagranges_method, random_state

m, M, l, a, g, k, d, e, I = da.parameters("m M l a g k d e I")
m1, m2, l1, a1, a2, I1, I2 = da.parameters("m1 m2 l1 a1 a2 I1 I2")
q1, q2, r, x, z, theta, phi = da.coordinates("q1 q2 r x z theta phi")
tau, F = da.inputs("tau F")


def of(title: str) -> da.Equations:
    return equations("pendulums", title)


def test_spring_pendulum() -> None:
    eq = of("Spring pendulum")
    along = m * (r.ddot - r * theta.dot**2) + k * (r - l) - m * g * cos(theta)
    across = r * m * (r * theta.ddot + 2 * r.dot * theta.dot + g * sin(theta))
    assert da.equal(eq.residual, [along, across])


def test_coupled_pendulums() -> None:
    # moment of the spring about each pivot: force k d (sin θ₁ - sin θ₂), arm d cos θ
    eq = of("Two pendulums coupled by a spring")
    t1, t2 = eq.coordinates
    force = k * d * (sin(t1) - sin(t2))
    expected = [
        m * l**2 * t1.ddot + m * g * l * sin(t1) + force * d * cos(t1),
        m * l**2 * t2.ddot + m * g * l * sin(t2) - force * d * cos(t2),
    ]
    assert da.equal(eq.residual, expected)


def test_wilberforce() -> None:
    # Berg and Marshall 1991
    eq = of("Wilberforce's pendulum")
    delta, eps = da.parameters("delta epsilon")
    expected = [m * z.ddot + k * z + eps * theta / 2, I * theta.ddot + delta * theta + eps * z / 2]
    assert da.equal(eq.residual, expected)


def test_pivot_on_a_circle() -> None:
    # Landau's Lagrangian with the pivot on the mirrored circle: l φ̈ = a γ² cos(φ - γt) - g sin φ
    (gamma,) = da.parameters("gamma")
    eq = of("Pendulum whose pivot goes round a circle")
    expected = (a * gamma**2 * cos(phi - gamma * da.time) - g * sin(phi)) / l
    assert da.equal(eq.accelerations(), [expected])


def test_wagon() -> None:
    # apparent gravity (-a, -g)
    eq = of("Pendulum in a wagon that speeds up")
    assert da.equal(eq.accelerations(), [-(g * sin(theta) + a * cos(theta)) / l])


def test_reaction_wheel() -> None:
    # Spong, Corke and Lozano 2001
    eq = of("Pendulum with a reaction wheel")
    d11 = m1 * a**2 + m2 * l**2 + I1 + I2
    assert da.equal(eq.M, [[d11, I2], [I2, I2]])
    assert da.equal(eq.bias, [-(m1 * a + m2 * l) * g * sin(theta), 0])
    assert da.equal(eq.forces, [0, tau])


def spong(eq: da.Equations) -> None:
    """Check M and the bias of two links as Spong 1995 prints them."""
    d11 = m1 * a1**2 + m2 * (l1**2 + a2**2 + 2 * l1 * a2 * cos(q2)) + I1 + I2
    d12 = m2 * (a2**2 + l1 * a2 * cos(q2)) + I2
    assert da.equal(eq.M, [[d11, d12], [d12, m2 * a2**2 + I2]])
    h = m2 * l1 * a2 * sin(q2)
    pull = m2 * a2 * g * cos(q1 + q2)
    first = -h * q2.dot**2 - 2 * h * q2.dot * q1.dot + (m1 * a1 + m2 * l1) * g * cos(q1) + pull
    assert da.equal(eq.bias, [first, h * q1.dot**2 + pull])


def test_acrobot() -> None:
    eq = of("Acrobot")
    spong(eq)
    assert da.equal(eq.forces, [0, tau])


def test_pendubot() -> None:
    eq = of("Pendubot")
    spong(eq)
    assert da.equal(eq.forces, [tau, 0])
    assert len(eq.lumped().table) == 5


def test_double_pendulum_on_a_cart(rng: np.random.Generator) -> None:
    # SymPy from absolute angles A = q₁, B = q₁ + q₂
    eq = of("Double pendulum on a cart with a spring and dampers")
    X, p, q = dynamicsymbols("x q1 q2")
    t = sp.Symbol("t")
    Ms, ms, ls, gs, ks = sp.symbols("M m l g k")
    A, B = p, p + q
    u, v, w = X.diff(t), A.diff(t), B.diff(t)
    upper = u**2 + ls**2 * v**2 + 2 * ls * u * v * sp.cos(A)
    lower = upper + ls**2 * w**2 + 2 * ls * w * (u * sp.cos(B) + ls * v * sp.cos(A - B))
    V = -ms * gs * ls * (2 * sp.cos(A) + sp.cos(B)) + ks * X**2 / 2
    theirs = lagranges_method(Ms * u**2 / 2 + ms * (upper + lower) / 2 - V, [X, p, q])
    for _ in range(3):
        values = random_state(eq, rng)
        at = theirs(by_name(values))
        rates = [values[s.dot] for s in eq.coordinates]
        damping = [values[s] for s in da.parameters("b b1 b2")]
        bias = at.h + np.array(damping) * rates
        assert eq.M.evaluate(values) == pytest.approx(at.M, rel=1e-12, abs=1e-12)
        assert column(eq.bias, values) == pytest.approx(bias, rel=1e-12, abs=1e-12)


def test_tora() -> None:
    # Bupp, Bernstein and Coppola 1995
    eq = of("Cart with an eccentric rotor (TORA)")
    expected = [
        (M + m) * x.ddot
        + k * x
        + m * e * (theta.ddot * cos(theta) - theta.dot**2 * sin(theta))
        - F,
        (I + m * e**2) * theta.ddot + m * e * x.ddot * cos(theta) - tau,
    ]
    assert da.equal(eq.residual, expected)
