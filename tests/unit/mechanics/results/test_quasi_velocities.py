"""Quasi-velocities: the equations of the literature, and the motion of the multiplier form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem
from tests.oracles import random_state

x, y, phi, psi, theta, right, left = da.coordinates("x y phi psi theta right left")
m, I, J, a, b, R, l, w, k, g = da.parameters("m I J a b R l w k g")
I1, I2, I3 = da.parameters("I1 I2 I3")
tau1, tau2, F = da.inputs("tau1 tau2 F")
v, u, omega, w1, w2, w3 = da.coordinates("v u omega w1 w2 w3")
s, c, t = da.sin, da.cos, da.time

FORWARD = c(phi) * x.dot + s(phi) * y.dot
SIDE = -s(phi) * x.dot + c(phi) * y.dot


def sleigh() -> da.Equations:
    """Chaplygin's sleigh: the blade is at (x, y), the centre of mass a ahead of it."""
    place = (x + a * c(phi), y + a * s(phi))
    return da.System.from_bodies(
        [da.Body(m, place, I, phi)], coordinates=[x, y, phi], velocity_constraints=[SIDE]
    ).equations()


def differential_drive() -> da.Equations:
    """Two driven wheels at ±b beside the centre, the centre of mass a ahead of it."""
    place = (x + a * c(phi), y + a * s(phi))
    body = da.Body(m, place, I, phi).kinetic()
    return da.System(
        kinetic=body + J * (right.dot**2 + left.dot**2) / 2,
        coordinates=[x, y, phi, right, left],
        forces=[0, 0, 0, tau1, tau2],
        velocity_constraints=[
            SIDE,
            FORWARD + b * phi.dot - R * right.dot,
            FORWARD - b * phi.dot - R * left.dot,
        ],
    ).equations()


def snakeboard() -> da.Equations:
    """Rotor psi and wheels ±theta at ±l ahead of the centre (Ostrowski, Lewis, Murray, Burdick)."""
    T = (
        m * (x.dot**2 + y.dot**2) / 2
        + I * phi.dot**2 / 2
        + J * (phi.dot + psi.dot) ** 2 / 2
        + k * theta.dot**2
    )
    back = -s(phi + theta) * x.dot + c(phi + theta) * y.dot - l * c(theta) * phi.dot
    front = -s(phi - theta) * x.dot + c(phi - theta) * y.dot + l * c(theta) * phi.dot
    return da.System(
        kinetic=T,
        coordinates=[x, y, phi, psi, theta],
        forces=[0, 0, 0, tau1, tau2],
        velocity_constraints=[back, front],
    ).equations()


def euler_angles() -> tuple[da.Equations, dict[str, da.Expr]]:
    """A body that turns about its centre of mass, and its angular velocity in body axes."""
    eq = da.textbook.free_rigid_body().equations()
    p, q, r = eq.coordinates
    return eq, {
        "w1": p.dot * s(q) * s(r) + q.dot * c(r),
        "w2": p.dot * s(q) * c(r) - q.dot * s(r),
        "w3": p.dot * c(q) + r.dot,
    }


def turned_rod() -> da.Equations:
    """A particle on a rod turned at the rate w, in Cartesian coordinates: y ẋ - x ẏ + w r² = 0."""
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        coordinates=[x, y],
        velocity_constraints=[y * x.dot - x * y.dot + w * (x**2 + y**2)],
    ).equations()


# ---- the equations of the literature


def test_knife_edge():
    # on a slope: m v̇ = m g sin α cos φ, J ω̇ = 0 (Neimark and Fufaev, chapter III)
    eq = da.textbook.knife_edge().equations()
    heading = eq.coordinates[2]
    (alpha,) = da.parameters("alpha")
    form = eq.quasi_velocities({"v": FORWARD, "omega": phi.dot})
    assert heading is phi
    assert da.equal(form.residual[0], m * v.dot - m * g * s(alpha) * c(phi))
    assert da.equal(form.residual[1], J * omega.dot)
    assert da.equal(form.kinematics[0], v * c(phi))


def test_chaplygin_sleigh():
    # v̇ = a ω², (I + m a²) ω̇ = -m a v ω (Bloch, Nonholonomic Mechanics and Control, 1.7)
    form = sleigh().quasi_velocities({v: FORWARD, omega: phi.dot})
    assert da.equal(form.residual[0], m * v.dot - m * a * omega**2)
    assert da.equal(form.residual[1], (I + m * a**2) * omega.dot + m * a * v * omega)
    assert da.equal(form.accelerations()[1], -m * a * v * omega / (I + m * a**2))


def test_eulers_equations_from_boltzmann_and_hamel():
    eq, definitions = euler_angles()
    form = eq.quasi_velocities(definitions)
    expected = [
        I1 * w1.dot - (I2 - I3) * w2 * w3,
        I2 * w2.dot - (I3 - I1) * w3 * w1,
        I3 * w3.dot - (I1 - I2) * w1 * w2,
    ]
    assert da.equal(form.residual, da.Matrix.column(expected))
    assert all(proof.is_proved for proof in form.prove())
    assert {proof.hypotheses for proof in form.prove()} == {("sin(θ) ≠ 0",)}


def test_rolling_disc():
    eq = da.textbook.rolling_disc().equations()
    form = eq.quasi_velocities()
    turn, roll = (q.dot for q in form.velocities)
    tau_phi, tau_theta = eq.forces[2], eq.forces[3]
    assert da.equal(form.residual[0], J * turn - tau_phi)
    assert da.equal(form.residual[1], (I + m * R**2) * roll - tau_theta)


def test_differential_drive():
    # m (v̇ - a ω²) R + 2 J v̇ / R = τ₁ + τ₂ over R, Fierro and Lewis 1997 with wheel inertia added
    form = differential_drive().quasi_velocities({"v": FORWARD, "omega": phi.dot})
    first = (m + 2 * J / R**2) * v.dot - m * a * omega**2 - (tau1 + tau2) / R
    inertia = I + m * a**2 + 2 * J * b**2 / R**2
    second = inertia * omega.dot + m * a * v * omega - b * (tau1 - tau2) / R
    assert da.equal(form.residual[0], first)
    assert da.equal(form.residual[1], second)


def test_a_driven_constraint():
    # in polar coordinates m (r̈ - w² r) = 0; u = ṙ
    r = da.sqrt(x**2 + y**2)
    form = turned_rod().quasi_velocities({"u": (x * x.dot + y * y.dot) / r})
    assert da.equal(form.residual[0], m * u.dot - m * w**2 * r)
    assert all(proof.is_proved for proof in form.prove())


# ---- the motion of the multiplier form

CASES = {
    "knife edge": lambda: (da.textbook.knife_edge().equations(), None),
    "sleigh": lambda: (sleigh(), None),
    "sleigh, named": lambda: (sleigh(), {"v": FORWARD, "omega": phi.dot}),
    "differential drive": lambda: (differential_drive(), None),
    "snakeboard": lambda: (snakeboard(), None),
    "rigid body": euler_angles,
    "turned rod": lambda: (turned_rod(), None),
    "pinned links": lambda: (da.textbook.pinned_three_link().equations(), None),
    "no constraints": lambda: (da.textbook.cart_pole().equations(), None),
}


@pytest.mark.parametrize("case", CASES)
def test_same_accelerations_as_with_multipliers(case, rng):
    eq, definitions = CASES[case]()
    form = eq.quasi_velocities(definitions)
    values = random_state(eq, rng)
    values |= {q: float(rng.uniform(0.3, 1.2)) for q in form.velocities}
    first = form.kinematics.evaluate(values)[:, 0]
    values |= dict(zip(eq.velocities, map(float, first), strict=True))
    M = form.M.evaluate(values)
    rates = np.linalg.solve(M, (form.forces - form.bias).evaluate(values)[:, 0])
    values |= dict(zip(form.rates, map(float, rates), strict=True))
    # q̈ = B u̇ + Ḃ u + ċ
    second = form.kinematics.ddt().evaluate(values)[:, 0]
    assert np.allclose(second, eq.solve(values).accelerations, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_proofs(case):
    eq, definitions = CASES[case]()
    proofs = eq.quasi_velocities(definitions).prove()
    assert len(proofs) == (3 if eq.lam else 2)
    assert all(proof.is_proved for proof in proofs)


def test_wrong_equations_are_refuted():
    form = sleigh().quasi_velocities()
    wrong = replace(form, bias=form.bias * 2)
    verdicts = [proof.verdict for proof in wrong.prove()]
    assert verdicts == ["proved", "refuted", "refuted"]


def test_the_state_rate_compiles():
    # the sleigh settles: v² + (I/m + a²) ω² is constant, v grows until it moves straight ahead
    form = sleigh().quasi_velocities({"v": FORWARD, "omega": phi.dot})
    numbers = {m: 2, I: 0.5, a: 0.4}
    state = [x, y, phi, v, omega]
    rate = da.compile_function(list(form.state_rate().subs(numbers)), state)
    z = np.array([0.0, 0.0, 0.3, 0.1, 2.0])
    for _ in range(4000):
        k1 = rate(z)
        k2 = rate(z + 0.0025 * k1)
        z = z + 0.005 * k2
    energy = 2 * z[3] ** 2 / 2 + (0.5 + 2 * 0.16) * z[4] ** 2 / 2
    assert energy == pytest.approx(0.01 + 0.82 * 2, rel=1e-3)
    assert abs(z[4]) < 1e-3


@pytest.mark.parametrize(
    ("definitions", "words"),
    [
        ({"v": FORWARD}, "expected 2 quasi-velocities"),
        ({"v": FORWARD, "omega": phi.dot, "u": x.dot}, "drop some"),
        ({"v": FORWARD, "omega": 2 * FORWARD}, "independent"),
        ({"v": FORWARD, "omega": SIDE}, "independent"),
        ({"v": x.dot**2, "omega": phi.dot}, "linear"),
        ({"x": FORWARD, "omega": phi.dot}, "new names"),
        ({"v": x.ddot, "omega": phi.dot}, "x.ddot"),
        ({"v": F * x.dot, "omega": phi.dot}, "F"),
    ],
)
def test_refused(definitions, words):
    with pytest.raises(InvalidSystem, match=words):
        sleigh().quasi_velocities(definitions)


def test_texts():
    form = sleigh().quasi_velocities({"v": FORWARD, "omega": phi.dot})
    assert str(form).splitlines()[0] == "m v̇ - m a ω² = 0"
    assert "\\dot{v}" in form._repr_latex_()
