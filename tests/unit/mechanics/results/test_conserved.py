"""Conserved momenta and energy: found where they are, verified along every motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from tests.oracles import random_values

x, y, phi = da.coordinates("x y phi")
m, k, l, g = da.parameters("m k l g")
(F,) = da.inputs("F")


def names(eq: da.Equations) -> list[str]:
    return [item.name for item in eq.conserved()]


def constant_along_motion(eq: da.Equations, quantity: da.Expr) -> bool:
    """Tell whether d/dt vanishes with the accelerations of the equations, exactly."""
    qdd = dict(zip([q.ddot for q in eq.coordinates], eq.accelerations(), strict=True))
    return da.equal(da.ddt(quantity).subs(qdd), 0)


def test_spherical_pendulum():
    eq = da.textbook.spherical_pendulum().equations()
    theta, around = eq.coordinates
    momentum, energy = eq.conserved()
    assert momentum.name == "momentum of φ"
    assert da.equal(momentum.quantity, m * l**2 * da.sin(theta) ** 2 * around.dot)
    assert "∂L/∂φ = 0" in momentum.reason
    assert energy.name == "energy"
    kinetic = m * l**2 * (theta.dot**2 + da.sin(theta) ** 2 * around.dot**2) / 2
    assert da.equal(energy.quantity, kinetic - m * g * l * da.cos(theta))
    assert constant_along_motion(eq, momentum.quantity)
    assert constant_along_motion(eq, energy.quantity)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("double_pendulum", ["energy"]),
        ("free_rigid_body", ["momentum of φ", "energy"]),
        ("driven_pendulum", []),
        ("cart_pole", []),
        ("geared_link", []),
        # the blade turns freely, and its constraint holds at rest; the slope ties x and y
        ("knife_edge", ["momentum of φ", "energy"]),
    ],
)
def test_textbook(name, expected):
    eq = getattr(da.textbook, name)().equations()
    assert names(eq) == expected
    for item in eq.conserved():
        if not eq.lam:
            assert constant_along_motion(eq, item.quantity)


def test_knife_edge_energy_needs_the_constraint():
    # dE/dt = λ A q̇ = 0: substitute ẏ = ẋ tan φ
    eq = da.textbook.knife_edge().equations()
    heading = eq.coordinates[2]
    energy = eq.conserved()[-1].quantity
    qdd = dict(zip([q.ddot for q in eq.coordinates], eq.accelerations(), strict=True))
    rate = da.ddt(energy).subs(qdd)
    admissible = {y.dot: x.dot * da.sin(heading) / da.cos(heading)}
    assert not da.equal(rate, 0)
    assert da.equal(rate.subs(admissible), 0)


def test_a_force_takes_both_away():
    T = m * (x.dot**2 + y.dot**2) / 2
    assert names(da.System(kinetic=T, coordinates=[x, y]).equations()) == [
        "momentum of x",
        "momentum of y",
        "energy",
    ]
    assert names(da.System(kinetic=T, coordinates=[x, y], forces=[F, 0]).equations()) == [
        "momentum of y"
    ]
    damped = da.System(kinetic=T, coordinates=[x, y], dissipation=k * x.dot**2)
    assert names(damped.equations()) == ["momentum of y"]


def test_a_constraint_takes_the_momenta_it_touches():
    T = m * (x.dot**2 + y.dot**2 + phi.dot**2) / 2
    eq = da.System(kinetic=T, coordinates=[x, y, phi], constraints=[x - y]).equations()
    # the force of the constraint is opposite on x and y: their sum is left
    assert names(eq) == ["momentum of φ", "momentum of x, y together", "energy"]


def test_time_in_the_potential():
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=k * da.time * x**2,
        coordinates=[x, y],
    ).equations()
    assert names(eq) == ["momentum of y"]


def bead_on_a_turning_hoop() -> da.Equations:
    """A bead on a hoop of radius l that turns about its vertical diameter at the given rate k."""
    turn = k * da.time
    place = (l * da.sin(x) * da.cos(turn), l * da.sin(x) * da.sin(turn), -l * da.cos(x))
    return da.System.from_particles([m], [place], coordinates=[x], gravity=(0, 0, -g)).equations()


def test_jacobi_integral_of_the_bead_on_a_turning_hoop():
    # L = ½ m l² (ẋ² + k² sin² x) + m g l cos x, so h = ½ m l² (ẋ² - k² sin² x) - m g l cos x
    eq = bead_on_a_turning_hoop()
    (item,) = eq.conserved()
    assert item.name == "Jacobi integral"
    assert "not T + V" in item.reason
    h = m * l**2 * (x.dot**2 - k**2 * da.sin(x) ** 2) / 2 - m * g * l * da.cos(x)
    assert da.equal(item.quantity, h)
    assert constant_along_motion(eq, item.quantity)
    # the motor that turns the hoop feeds the energy
    assert not constant_along_motion(eq, eq.T + eq.V)
    (balance,) = [p for p in eq.prove() if "along every motion" in p.statement]
    assert balance.statement.startswith("dh/dt = ")
    assert "Jacobi integral" in balance.statement
    assert balance.is_proved


def test_energy_is_only_called_so_where_it_is_kinetic_plus_potential():
    eq = da.textbook.spherical_pendulum().equations()
    assert da.equal(eq.conserved()[-1].quantity, eq.T + eq.V)
    assert any(p.statement == "dE/dt = q̇ᵀΥ along every motion" for p in eq.prove())
    # of a bare Lagrangian nobody knows what T was: the hoop's may stand for any system
    bare = da.System(lagrangian=bead_on_a_turning_hoop().L, coordinates=[x]).equations()
    (item,) = bare.conserved()
    assert item.name == "Jacobi integral"
    assert "if L = T - V" in item.reason


def test_canonical_momentum_in_a_magnetic_field():
    # L = ½ m v² + k x ẏ: y is cyclic with momentum m ẏ + k x, not m ẏ; the field does no work
    eq = da.System(
        lagrangian=m * (x.dot**2 + y.dot**2) / 2 + k * x * y.dot, coordinates=[x, y]
    ).equations()
    momentum, *others, energy = eq.conserved()
    assert [item.name for item in others] == ["momentum of x", "angular momentum of x, y"]
    assert da.equal(momentum.quantity, m * y.dot + k * x)
    assert da.equal(energy.quantity, m * (x.dot**2 + y.dot**2) / 2)
    assert constant_along_motion(eq, momentum.quantity)
    assert constant_along_motion(eq, energy.quantity)
    assert not constant_along_motion(eq, m * y.dot)


def test_constant_along_a_numerical_motion(rng):
    eq = da.textbook.spherical_pendulum().equations()
    theta, around = eq.coordinates
    values = random_values(eq.parameters, rng)
    state = [theta, around, theta.dot, around.dot]
    qdd = eq.accelerations()

    def rhs(_: float, u: np.ndarray) -> np.ndarray:
        at = values | dict(zip(state, map(float, u), strict=True))
        return np.concatenate([u[2:], qdd.evaluate(at)[:, 0]])

    motion = solve_ivp(rhs, (0, 2), [1.0, 0.2, 0.3, 1.5], rtol=1e-10, atol=1e-12)
    for item in eq.conserved():
        along = item.quantity.evaluate(values | dict(zip(state, motion.y, strict=True)))
        assert np.ptp(along) < 1e-7 * (1 + np.abs(along).max())


def test_text_of_a_conserved_quantity():
    eq = da.System(kinetic=m * x.dot**2 / 2, potential=k * abs(x), coordinates=[x]).equations()
    text = str(eq.conserved()[-1])
    assert text.startswith("energy is conserved: ")
    assert "[x ≠ 0]" in text
    assert text.endswith("constraints at rest")
    assert "[x ≠ 0]" in eq.conserved()[-1]._repr_markdown_()
