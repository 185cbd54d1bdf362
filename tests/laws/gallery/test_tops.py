"""Tops and gyroscopes against published equations."""

from __future__ import annotations

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations

phi, theta, psi = da.coordinates("phi theta psi")
s, c = sin(theta), cos(theta)


def of(title: str) -> da.Equations:
    return equations("tops", title)


def test_heavy_top() -> None:
    # Goldstein, section 5.7: both momenta are constant, θ moves in an effective potential
    A, C, m, g, l = da.parameters("A C m g l")
    eq = of("Heavy top in Euler angles")
    spin = C * (psi.dot + phi.dot * c)
    precession = A * s**2 * phi.dot + spin * c
    tilt = A * theta.ddot - A * s * c * phi.dot**2 + spin * s * phi.dot - m * g * l * s
    assert da.equal(eq.residual, [precession.dot, tilt, spin.dot])


def test_gimbals() -> None:
    # angular velocities in the frame of the inner ring: (θ̇, φ̇ sin θ, φ̇ cos θ); rotor about its y
    J, A1, B1, C1, A, C = da.parameters("J A1 B1 C1 A C")
    eq = of("Gyroscope in gimbals")
    spin = C * (psi.dot + phi.dot * s)
    about_z = J + (A + C1) * c**2 + B1 * s**2
    precession = about_z * phi.dot + spin * s
    tilt = (A + A1) * theta.ddot + (A + C1 - B1) * s * c * phi.dot**2 - spin * c * phi.dot
    assert da.equal(eq.residual, [precession.dot, tilt, spin.dot])


def test_governor() -> None:
    # Landau and Lifshitz, §5, problem 4, with a shaft that is not driven at a constant rate
    m, M, l, J, g = da.parameters("m M l J g")
    (tau,) = da.inputs("tau")
    eq = of("Watt's governor")
    turn = ((J + 2 * m * l**2 * s**2) * phi.dot).dot - tau
    arms = 2 * m * l**2 * (theta.ddot - s * c * phi.dot**2)
    sleeve = 4 * M * l**2 * (s**2 * theta.ddot + s * c * theta.dot**2)
    weight = 2 * (m + M) * g * l * s
    assert da.equal(eq.residual, [turn, arms + sleeve + weight])
