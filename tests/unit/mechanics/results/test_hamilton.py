"""Hamilton's form: H(q, p), and its equations against Lagrange's."""

from __future__ import annotations

import pytest
import sympy as sp

import dalembert as da

m, l, g, k, e = da.parameters("m l g k e")
x, y, z, theta = da.coordinates("x y z theta")


def pendulum() -> da.Equations:
    return da.System.from_particles(
        [m],
        [(l * da.sin(theta), -l * da.cos(theta))],
        coordinates=[theta],
        gravity=(0, -g),
    ).equations()


def test_pendulum():
    form = pendulum().hamiltonian()
    (p,) = form.momenta
    assert p.symbol is not None
    assert p.symbol.name == "p_theta"
    assert da.equal(form.definitions, [m * l**2 * theta.dot])
    assert da.equal(form.H, p**2 / (2 * m * l**2) - m * g * l * da.cos(theta))
    assert da.equal(form.qdot, [p / (m * l**2)])
    assert da.equal(form.pdot, [-m * g * l * da.sin(theta)])


def test_names_of_the_momenta():
    form = da.textbook.planar_arm().equations().hamiltonian()
    assert form.momenta == da.coordinates("p1 p2")


def test_double_pendulum_by_sympy():
    """SymPy inverts p = M q̇ for the double pendulum and forms p q̇ - L."""
    form = da.textbook.double_pendulum().equations().hamiltonian()
    a1, a2, p1, p2 = sp.symbols("theta1 theta2 p_theta1 p_theta2")
    m1, m2, l1, l2, grav = sp.symbols("m1 m2 l1 l2 g")
    M = sp.Matrix(
        [
            [(m1 + m2) * l1**2, m2 * l1 * l2 * sp.cos(a1 - a2)],
            [m2 * l1 * l2 * sp.cos(a1 - a2), m2 * l2**2],
        ]
    )
    p = sp.Matrix([p1, p2])
    V = -(m1 + m2) * grav * l1 * sp.cos(a1) - m2 * grav * l2 * sp.cos(a2)
    H = (p.T * M.inv() * p)[0] / 2 + V
    names = ["theta1", "theta2", "p_theta1", "p_theta2"]
    assert da.equal(form.H, da.from_sympy(H, coordinates=names))
    qdot = [H.diff(p1), H.diff(p2)]
    pdot = [-H.diff(a1), -H.diff(a2)]
    assert da.equal(form.qdot, da.from_sympy(qdot, coordinates=names))
    assert da.equal(form.pdot, da.from_sympy(pdot, coordinates=names))


def charge() -> da.Equations:
    """Return a charge e in the field B = ∇ × A with A = ½ k (-y, x, 0), and E = -∇(z²)."""
    A = (-k * y / 2, k * x / 2, 0)
    v = (x.dot, y.dot, z.dot)
    L = m * sum(u**2 for u in v) / 2 + e * sum(a * u for a, u in zip(A, v, strict=True))
    return da.System(lagrangian=L - e * z**2, coordinates=[x, y, z]).equations()


def test_charged_particle():
    eq = charge()
    form = eq.hamiltonian()
    px, py, pz = form.momenta
    # H = |p - e A|² / 2m + e φ
    kinetic = ((px + e * k * y / 2) ** 2 + (py - e * k * x / 2) ** 2 + pz**2) / (2 * m)
    assert da.equal(form.H, kinetic + e * z**2)
    assert da.equal(
        form.definitions, [m * x.dot - e * k * y / 2, m * y.dot + e * k * x / 2, m * z.dot]
    )
    # the Lorentz force: m ẍ = e k ẏ, m ÿ = -e k ẋ
    assert da.equal(
        eq.residual,
        [m * x.ddot - e * k * y.dot, m * y.ddot + e * k * x.dot, m * z.ddot + 2 * e * z],
    )


SYSTEMS = [
    "particle",
    "geared_link",
    "elastic_joint",
    "rp_arm",
    "planar_arm",
    "cartesian_arm",
    "double_pendulum",
    "spherical_pendulum",
    "cart_pole",
    "furuta_pendulum",
    "driven_pendulum",
    "free_rigid_body",
]


@pytest.mark.parametrize("name", [*SYSTEMS, "charge"])
def test_hamiltons_equations_are_lagranges(name):
    """With p = ∂L/∂q̇: q̇ = ∂H/∂p holds identically, and d/dt p - ṗ is the Lagrangian residual."""
    eq = charge() if name == "charge" else getattr(da.textbook, name)().equations()
    form = eq.hamiltonian()
    momenta = dict(zip(form.momenta, form.definitions, strict=True))
    assert da.equal(form.qdot.subs(momenta), da.Matrix.column(eq.velocities))
    residual = form.definitions.ddt() - form.pdot.subs(momenta)
    assert da.equal(residual, eq.residual)


@pytest.mark.parametrize("name", ["planar_arm", "spherical_pendulum", "furuta_pendulum"])
def test_hamiltonian_is_the_energy(name):
    eq = getattr(da.textbook, name)().equations()
    form = eq.hamiltonian()
    momenta = dict(zip(form.momenta, form.definitions, strict=True))
    assert da.equal(form.H.subs(momenta), eq.T + eq.V)
    for q, p, rate in zip(eq.coordinates, form.momenta, form.qdot, strict=True):
        assert da.equal(rate, form.H.diff(p)), q


def test_dissipation_enters_the_momentum_equation():
    (r,) = da.coordinates("r")
    eq = da.System(
        kinetic=m * r.dot**2 / 2, potential=k * r**2 / 2, coordinates=[r], dissipation=e * r.dot**2
    ).equations()
    form = eq.hamiltonian()
    (p,) = form.momenta
    assert da.equal(form.pdot, [-k * r - 2 * e * p / m])
