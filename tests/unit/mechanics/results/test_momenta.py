"""Centre of mass and momenta: by hand, by laws of motion, and beside the compiled recursions."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem

x, y, theta, phi = da.coordinates("x y theta phi")
m, m1, m2, l, I, g = da.parameters("m m1 m2 l I g")


def test_two_particles():
    # Penn, 3.1: r_C = Σ mᵢ rᵢ / Σ mᵢ
    a, b, c, d = da.coordinates("a b c d")
    pair = da.System.from_particles([m1, m2], [(a, b), (c, d)], coordinates=[a, b, c, d])
    found = pair.momenta()
    assert found.center_of_mass is not None
    assert found.velocity is not None
    assert da.equal(found.mass, m1 + m2)
    total = m1 + m2
    assert da.equal(found.center_of_mass, [(m1 * a + m2 * c) / total, (m1 * b + m2 * d) / total])
    assert da.equal(found.momentum, [m1 * a.dot + m2 * c.dot, m1 * b.dot + m2 * d.dot])
    assert da.equal(found.momentum, (m1 + m2) * found.velocity)
    angular = m1 * (a * b.dot - b * a.dot) + m2 * (c * d.dot - d * c.dot)
    assert da.equal(found.angular_momentum, [angular])
    # about the centre of mass: reduced mass times ρ × ρ̇
    u, v, ud, vd = a - c, b - d, a.dot - c.dot, b.dot - d.dot
    spin = m1 * m2 / (m1 + m2) * (u * vd - v * ud)
    assert da.equal(found.about(found.center_of_mass), [spin])


def test_a_rod_in_the_plane():
    body = da.Body(m, (l / 2 * da.cos(theta), l / 2 * da.sin(theta)), m * l**2 / 12, theta)
    rod = da.System.from_bodies([body], coordinates=[theta], gravity=(0, -g))
    # about its end: m l²/3
    assert da.equal(rod.momenta().angular_momentum, [m * l**2 / 3 * theta.dot])
    assert da.equal(rod.equations().momenta().angular_momentum, [m * l**2 / 3 * theta.dot])


def test_a_shaft_in_space():
    """A disc that turns by φ about an axle that turns by θ about the vertical."""
    J1, J3 = da.parameters("J1 J3")
    turned = da.rotation_z(theta) @ da.rotation_x(phi)
    body = da.Body(m, (0, 0, 0), da.Matrix.diagonal([J3, J1, J1]), turned)
    found = da.System.from_bodies([body], coordinates=[theta, phi]).momenta()
    axle = (da.cos(theta), da.sin(theta), 0)
    expected = [J3 * phi.dot * e for e in axle]
    expected[2] = J1 * theta.dot
    assert da.equal(found.angular_momentum, expected)


def test_forces_from_outside_change_the_momenta():
    """Newton and Euler: Ṗ = m g and L̇ = r_C × m g along every motion of a free double body."""
    a, b = da.coordinates("a b")
    tip = (x + l * da.cos(a), y + l * da.sin(a))
    bodies = [da.Body(m1, (x, y), I, b), da.Body(m2, tip, I, a)]
    system = da.System.from_bodies(bodies, coordinates=[x, y, a, b], gravity=(0, -g))
    eq = system.equations()
    q2 = dict(zip(system.accelerations, eq.accelerations(), strict=True))
    found = eq.momenta()
    assert found.center_of_mass is not None
    rates = [da.ddt(e).subs(q2) for e in (*found.momentum, *found.angular_momentum)]
    weight = (m1 + m2) * g
    assert da.equal(rates, [0, -weight, -weight * found.center_of_mass[0]])


def test_bodies_without_mass_have_no_centre():
    found = da.textbook.free_rigid_body().momenta()
    assert found.center_of_mass is None
    assert found.velocity is None
    assert "r_C" not in str(found)


def test_a_robot_as_its_model(rng):
    # which tests/agreement compares with Pinocchio
    mechanism = da.textbook.robots.ur5e()
    found = mechanism.momenta()
    assert found.center_of_mass is not None
    q, v = rng.uniform(-1, 1, (2, 6))
    symbols = da.coordinates("q1 q2 q3 q4 q5 q6")
    values = dict(zip(symbols, q, strict=True))
    values |= dict(zip([s.dot for s in symbols], v, strict=True))
    columns = (found.center_of_mass, found.momentum, found.about(found.center_of_mass))
    ours = np.concatenate([[e.evaluate(values) for e in column] for column in columns])
    model = da.compile(mechanism)
    expected = model.centroidal_momentum(q, v)
    np.testing.assert_allclose(ours[3:], expected, atol=1e-12)
    np.testing.assert_allclose(ours[:3], model.center_of_mass(q), atol=1e-12)


def test_what_has_no_bodies():
    energies = da.System(kinetic=m * x.dot**2 / 2, coordinates=[x])
    for thing in (energies, energies.equations()):
        with pytest.raises(InvalidSystem, match="from_bodies"):
            thing.momenta()
    ball = da.System.from_particles([m], [(x, y)], coordinates=[x, y]).momenta()
    with pytest.raises(InvalidSystem, match="2 components, got 3"):
        ball.about((0, 0, 0))


def test_faces():
    found = da.textbook.cart_pole().momenta()
    assert str(found).startswith("r_C = ")
    assert "r_{C}" in found._repr_latex_()
