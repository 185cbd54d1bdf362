"""Describing a system: what it keeps of the description."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import dalembert as da

x, y, q = da.coordinates("x y q")
m, k, g, l = da.parameters("m k g l")
(F,) = da.inputs("F")
T = m * (x.dot**2 + y.dot**2) / 2
Rz = da.rotation_z(q)


def plane(**options: Any) -> da.System:
    """Return a particle in the plane with other options."""
    return da.System(**({"kinetic": T, "coordinates": [x, y]} | options))


def test_parts():
    system = plane(potential=k * x**2, forces=[F, 0], constraints=[x - y], dissipation=x.dot**2)
    assert system.coordinates == (x, y)
    assert system.velocities == (x.dot, y.dot)
    assert system.accelerations == (x.ddot, y.ddot)
    assert system.lagrangian is T - k * x**2
    assert system.forces == (F, 0)
    assert system.constraints == (x - y,)
    assert system.parameters == (k, m)


def test_a_bare_lagrangian_is_split():
    # a charged particle: the velocity-linear part belongs neither to T nor to V
    eq = da.System(lagrangian=T + l * x * y.dot - k * x**2, coordinates=[x, y]).equations()
    assert da.equal(eq.T, T)
    assert da.equal(eq.V, k * x**2)
    assert da.equal(eq.L, T + l * x * y.dot - k * x**2)
    # d/dt(m ẏ + l x) = 0 and m ẍ - l ẏ + 2 k x = 0
    assert da.equal(eq.residual, [m * x.ddot - l * y.dot + 2 * k * x, m * y.ddot + l * x.dot])


def test_bodies_give_energies():
    # a rod in the plane, and the same rod in space
    r = (l * da.cos(q), l * da.sin(q))
    flat = da.System.from_bodies([da.Body(m, r, k, q)], coordinates=[q], gravity=(0, -g))
    inertia = da.Matrix.diagonal([0, 0, k])
    deep = da.System.from_bodies(
        [da.Body(m, (*r, 0), inertia, Rz)], coordinates=[q], gravity=(0, -g, 0)
    )
    for system in (flat, deep):
        assert da.equal(system.kinetic, (m * l**2 + k) * q.dot**2 / 2)
        assert da.equal(system.potential, m * g * l * da.sin(q))


def test_potential_joins_gravity():
    system = da.System.from_particles(
        [m], [(x, y)], coordinates=[x, y], gravity=(0, -g), potential=k * x**2 / 2
    )
    assert da.equal(system.potential, m * g * y + k * x**2 / 2)


def test_lists_may_be_matrices_or_arrays():
    system = plane(
        coordinates=np.array([x, y]),
        forces=da.Matrix.column([F, 0]),
        constraints=da.Matrix.column([x - y]),
    )
    assert system.coordinates == (x, y)
    assert system.forces == (F, 0)
    assert system.constraints == (x - y,)


def test_floats_keep_their_decimal_meaning():
    eq = da.System(kinetic=0.5 * x.dot**2, potential=9.81 * x, coordinates=[x]).equations()
    assert da.equal(eq.N, [Fraction(981, 100)])


def test_explicit_time():
    # T = ½ m(t) ẋ²: d/dt(m ẋ) = m ẍ + ṁ ẋ, and the second term belongs to N
    mass = 1 + da.time**2
    eq = da.System(kinetic=mass * x.dot**2 / 2, coordinates=[x]).equations()
    assert da.equal(eq.M, [[mass]])
    assert da.equal(eq.C, [[0]])
    assert da.equal(eq.N, [2 * da.time * x.dot])


def test_rayleigh_dissipation():
    # R = ½ k (ẋ - ẏ)²: the drag is ∂R/∂q̇
    eq = plane(dissipation=k * (x.dot - y.dot) ** 2 / 2).equations()
    assert da.equal(eq.N, [k * (x.dot - y.dot), k * (y.dot - x.dot)])


def test_names_bind_bodies_in_which_they_do_not_occur() -> None:
    arm = da.textbook.rp_arm()
    by_name = arm.bind({"m": 2, "l": 3, "g": 10})
    m, l, g = da.parameters("m l g")
    by_symbol = arm.bind({m: 2, l: 3, g: 10})
    assert by_name.parameters == ()
    assert [body.r for body in by_name.bodies] == [body.r for body in by_symbol.bodies]
