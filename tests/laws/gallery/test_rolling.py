"""Rolling bodies against equations written out by hand."""

from __future__ import annotations

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations

m, M, R, r0, g, I, J, l, alpha = da.parameters("m M R r g I J l alpha")
theta, phi, r = da.coordinates("theta phi r")
(tau,) = da.inputs("tau")


def of(title: str) -> da.Equations:
    return equations("rolling", title)


def test_cylinder_in_a_cylinder() -> None:
    # small oscillations have ω² = 2 g/(3 (R - r))
    eq = of("Cylinder that rolls inside a fixed cylinder")
    assert da.equal(eq.accelerations(), [-2 * g / (3 * (R - r0)) * sin(theta)])


def test_cylinder_on_a_slope() -> None:
    eq = of("Cylinder that rolls down a slope")
    down, turn = eq.accelerations()
    assert da.equal(down, g * sin(alpha) * 2 / 3)
    assert da.equal(turn, down / r0)
    # Newton: m s̈ = m g sin α + friction
    assert da.equal(eq.multipliers(), [m * down - m * g * sin(alpha)])
    assert eq.integrability().is_holonomic


def test_loaded_hoop() -> None:
    # T = (M + m (1 - cos θ)) R² θ̇² and V = -m g R cos θ: energy theorem, divided by θ̇
    eq = of("Hoop with a weight on its rim")
    inertia = 2 * R**2 * (M + m * (1 - cos(theta)))
    slope = inertia.diff(theta) / 2
    expected = inertia * theta.ddot + slope * theta.dot**2 + m * g * R * sin(theta)
    assert da.equal(eq.residual, [expected])


def test_ball_on_a_beam() -> None:
    # Hauser, Sastry and Kokotović 1992
    eq = of("Ball on a beam")
    expected = [
        (I / R**2 + m) * r.ddot + m * g * sin(phi) - m * r * phi.dot**2,
        (m * r**2 + J) * phi.ddot + 2 * m * r * r.dot * phi.dot + m * g * r * cos(phi) - tau,
    ]
    assert da.equal(eq.residual, expected)


def test_ballbot() -> None:
    # Newton and Euler: the pin carries (P, N); the ground holds the ball by friction
    eq = of("Ballbot in the plane")
    across = m * (R * phi + l * sin(theta)).ddot
    up = m * (g + (l * cos(theta)).ddot)
    ball = (J + M * R**2) * phi.ddot + R * across - tau
    body = I * theta.ddot + l * cos(theta) * across - l * sin(theta) * up + tau
    assert da.equal(eq.residual, [ball, body])
