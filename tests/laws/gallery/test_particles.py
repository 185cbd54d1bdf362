"""Particles and beads against equations written out by hand."""

from __future__ import annotations

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations

m, R, g, W, h, a, l = da.parameters("m R g Omega h a l")
x, y, z, r, theta, phi = da.coordinates("x y z r theta phi")


def of(title: str) -> da.Equations:
    return equations("particles", title)


def test_turning_hoop() -> None:
    # Goldstein, chapter 2: θ̈ = (Ω² cos θ - g/R) sin θ
    eq = of("Bead on a hoop that turns at a constant rate")
    assert da.equal(eq.accelerations(), [(W**2 * cos(theta) - g / R) * sin(theta)])


def test_turning_wire() -> None:
    # in the turning frame: centrifugal force against gravity along the wire
    eq = of("Bead on a straight wire that turns in a vertical plane")
    assert da.equal(eq.residual, [m * r.ddot - m * W**2 * r + m * g * sin(W * da.time)])


def test_helix() -> None:
    # arc length s = φ √(R² + h²) on a slope h/√(R² + h²)
    eq = of("Bead on a helix")
    slope = h / da.sqrt(R**2 + h**2)
    assert da.equal(eq.accelerations()[0] * da.sqrt(R**2 + h**2), -g * slope)


def test_turning_parabola() -> None:
    eq = of("Bead on a turning parabola")
    along = (1 + 4 * a**2 * x**2) * x.ddot + 4 * a**2 * x * x.dot**2
    assert da.equal(eq.residual, [m * (along + (2 * a * g - W**2) * x)])
    # at Ω² = 2 a g every place is one of rest
    at_rest = {W: da.sqrt(2 * a * g), x.dot: 0, x.ddot: 0}
    assert da.equal(eq.residual.subs(at_rest), [0])


def test_cycloid() -> None:
    # Huygens: the arc s = 4 R sin(θ/2) is a harmonic oscillator; the factor is m ∂s/∂θ
    eq = of("Bead on a cycloid")
    s = 4 * R * sin(theta / 2)
    expected = m * s.diff(theta) * (s.ddot + g / (4 * R) * s)
    assert da.equal(eq.residual, [expected])


def test_cone() -> None:
    (alpha,) = da.parameters("alpha")
    eq = of("Particle in a cone")
    spin = m * r**2 * sin(alpha) ** 2 * phi.dot
    radial = r.ddot - r * (sin(alpha) * phi.dot) ** 2 + g * cos(alpha)
    assert da.equal(eq.residual, [m * radial, spin.dot])


def test_sphere() -> None:
    # radial balance on |r| = R: 2 λ R² = m (g z - v²)
    eq = of("Particle on a sphere, by a constraint")
    (lam,) = eq.lam
    expected = [m * x.ddot - 2 * x * lam, m * y.ddot - 2 * y * lam, m * (z.ddot + g) - 2 * z * lam]
    assert da.equal(eq.residual, expected)
    force = eq.multipliers()[0] * 2 * (x**2 + y**2 + z**2)
    assert da.equal(force, m * (g * z - x.dot**2 - y.dot**2 - z.dot**2))


def test_crossed_fields() -> None:
    # Lorentz's force e (E + v × B)
    e, B, E = da.parameters("e B E")
    eq = of("Charged particle in crossed fields")
    lorentz = [m * x.ddot - e * E - e * B * y.dot, m * y.ddot + e * B * x.dot]
    assert da.equal(eq.residual, lorentz)


def test_two_bodies() -> None:
    m1, m2, G = da.parameters("m1 m2 G")
    X, Y = da.coordinates("X Y")
    eq = of("Two bodies that attract each other")
    reduced = m1 * m2 / (m1 + m2)
    expected = [
        (m1 + m2) * X.ddot,
        (m1 + m2) * Y.ddot,
        reduced * (r.ddot - r * phi.dot**2) + G * m1 * m2 / r**2,
        (reduced * r**2 * phi.dot).dot,
    ]
    assert da.equal(eq.residual, expected)


def test_foucault() -> None:
    # Coriolis' force -2 m Ω × v and the centrifugal force of the vertical part of Ω
    (beta,) = da.parameters("beta")
    w = W * sin(beta)
    eq = of("Foucault's pendulum")
    east = x.ddot - 2 * w * y.dot - w**2 * x + g / l * x
    north = y.ddot + 2 * w * x.dot - w**2 * y + g / l * y
    assert da.equal(eq.residual, [m * east, m * north])
