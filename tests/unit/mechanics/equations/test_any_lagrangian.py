"""Lagrangians that are not quadratic in the velocities: relativity, higher powers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.errors import InvalidSystem

x, y, r = da.coordinates("x y r")
m, c, k, q, B = da.parameters("m c k q B")

CLOSE = 1e-9
"""Relative: SciPy at 1e-13 and our motion over a few periods."""


def relativistic(v2: da.Expr) -> da.Expr:
    return -m * c**2 * da.sqrt(1 - v2 / c**2)


def oscillator() -> da.System:
    return da.System(coordinates=[x], lagrangian=relativistic(x.dot**2) - k * x**2 / 2)


def gyration() -> da.System:
    """A charge in a constant field B across the plane."""
    L = relativistic(x.dot**2 + y.dot**2) + q * B * (x * y.dot - y * x.dot) / 2
    return da.System(coordinates=[x, y], lagrangian=L)


def test_the_relativistic_oscillator_is_that_of_goldstein():
    # d/dt (γ m ẋ) = -k x with d/dt γ ẋ = γ³ ẍ
    eq = oscillator().equations()
    assert str(eq) == "m ẍ/(-ẋ²/c² + 1)^(3/2) + k x = 0"
    assert da.check_answer("m*x.ddot/(1 - x.dot^2/c^2)^(3/2) = -k*x", eq).is_right
    (energy,) = eq.conserved()
    assert da.equal(energy.quantity, m * c**2 / da.sqrt(1 - x.dot**2 / c**2) + k * x**2 / 2)
    assert energy.prove().is_proved


def test_its_motion_is_scipys():
    model = da.compile(oscillator(), parameters={m: 2, c: 1, k: 3})
    motion = da.simulate(model, [0.8], [0.0], t=20.0)

    def rate(_: float, s: np.ndarray) -> list[float]:
        return [s[1], -1.5 * s[0] * (1 - s[1] ** 2) ** 1.5]

    theirs = solve_ivp(rate, (0, 20), [0.8, 0], method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    np.testing.assert_allclose([motion.q[-1, 0], motion.qd[-1, 0]], theirs, atol=CLOSE)
    energy = model.energy(motion.q, motion.qd)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)


def test_a_fast_charge_turns_more_slowly():
    """γ is constant, and the angular velocity is q B/(γ m)."""
    model = da.compile(gyration(), parameters={m: 1, c: 1, q: 2, B: 3})
    speed = 0.8
    omega = 6 * np.sqrt(1 - speed**2)
    motion = da.simulate(model, [0.0, 0.0], [speed, 0.0], t=3.0)
    turned = omega * motion.t
    # a positive charge turns against the field: clockwise
    expected = speed * np.stack([np.cos(turned), -np.sin(turned)], axis=1)
    np.testing.assert_allclose(motion.qd, expected, atol=CLOSE)


def test_a_fast_bead_on_a_circle():
    """The constraint x ẋ + y ẏ = 0 keeps γ: -ω² (x, y) is the acceleration."""
    l = da.parameters("l")[0]
    system = da.System(
        coordinates=[x, y],
        lagrangian=relativistic(x.dot**2 + y.dot**2),
        constraints=[x**2 + y**2 - l**2],
    )
    model = da.compile(system, parameters={m: 1, c: 1, l: 2})
    qdd = model.forward_dynamics([2.0, 0.0], [0.0, 0.9], [])
    np.testing.assert_allclose(qdd, [-(0.9**2) / 2, 0], atol=CLOSE)
    # motions on constraints measure velocities by M(q)
    with pytest.raises(InvalidSystem, match="quadratic in the velocities"):
        da.simulate(model, [2.0, 0.0], [0.0, 0.9], t=1.0)


def test_fourth_powers():
    eq = da.System(
        coordinates=[x], lagrangian=x.dot**4 / 4 + m * x.dot**2 / 2 - k * x**2 / 2
    ).equations()
    # d/dt (ẋ³ + m ẋ) = 3 ẋ² ẍ + m ẍ
    assert str(eq) == "(3 ẋ² + m) ẍ + k x = 0"
    assert all(proof.is_proved for proof in eq.prove())


def test_webers_force():
    """Weber 1846: F = k/r² (1 - ṙ²/2c² + r r̈/c²), from the potential k/r (1 + ṙ²/2c²)."""
    L = m * r.dot**2 / 2 - k / r * (1 + r.dot**2 / (2 * c**2))
    eq = da.System(coordinates=[r], lagrangian=L).equations()
    weber = "m*r.ddot = k/r^2*(1 - r.dot^2/(2*c^2) + r*r.ddot/c^2)"
    assert da.check_answer(weber, eq).is_right


def test_what_needs_a_quadratic_lagrangian_says_so():
    eq = oscillator().equations()
    assert not eq.is_quadratic
    for ask in (
        lambda: eq.T,
        lambda: eq.V,
        eq.christoffel,
        eq.coriolis_by_differentiation,
        eq.coriolis_by_kronecker,
        eq.hamiltonian,
        eq.certificate,
        lambda: da.check_answer("m*x.dot^2/2", eq, "T"),
    ):
        with pytest.raises(InvalidSystem, match="Lagrangian quadratic in the velocities"):
            ask()
    model = da.compile(oscillator(), parameters={m: 1, c: 1, k: 1})
    for ask in (lambda: model.mass_matrix([0.1]), lambda: model.coriolis([0.1], [0.2])):
        with pytest.raises(InvalidSystem, match="inverse_dynamics_derivatives"):
            ask()
    with pytest.raises(InvalidSystem, match="by lagrangian="):
        da.System(coordinates=[x], kinetic=x.dot**4).equations()


def test_statements_of_the_proofs_are_those_that_apply():
    proofs = oscillator().equations().prove()
    said = [proof.statement for proof in proofs]
    assert "L, R and Υ are those of the description" in said
    assert not any("Christoffel" in x or "skew" in x for x in said)
    assert not any(proof.verdict == "refuted" for proof in proofs)
    model = da.compile(oscillator(), parameters={m: 1, c: 1, k: 1})
    assert all(proof.is_proved for proof in model.prove())


def test_the_derivation_shows_no_energies_apart():
    text = str(oscillator().equations().derivation())
    assert "Kinetic and potential energy" not in text
    assert "M q̈ + N = Υ, with M = ∂²L/∂q̇²." in text
