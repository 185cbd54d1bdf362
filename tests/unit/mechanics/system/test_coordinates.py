"""Changes of coordinates: Cartesian to polar, maximal to generalized, into a moving frame."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.mechanics import transformed_parts
from tests.oracles import random_state

x, y, z = da.coordinates("x y z")
r, phi, theta = da.coordinates("r phi theta")
m, m1, m2, l1, l2, g, k, w = da.parameters("m m1 m2 l1 l2 g k w")
fx, fy = da.inputs("fx fy")
s, c, t = da.sin, da.cos, da.time


def all_proved(eq: da.Equations) -> bool:
    return all(p.is_proved for p in eq.prove())


def test_particle_from_cartesian_to_polar():
    cartesian = da.System.from_particles(
        [m], [(x, y)], coordinates=[x, y], forces=[fx, fy], potential=k * (x**2 + y**2) / 2
    ).equations()
    polar = cartesian.change_coordinates({x: r * c(phi), y: r * s(phi)}, [r, phi])
    # r̈ - r φ̇² along e_r, and d/dt(r² φ̇) across
    along = fx * c(phi) + fy * s(phi)
    across = r * (-fx * s(phi) + fy * c(phi))
    expected = [
        m * (r.ddot - r * phi.dot**2) + k * r - along,
        m * (r**2 * phi.ddot + 2 * r * r.dot * phi.dot) - across,
    ]
    assert da.equal(polar.residual, expected)
    assert da.equal(polar.M, [[m, 0], [0, m * r**2]])
    assert da.equal(polar.C, [[0, -m * r * phi.dot], [m * r * phi.dot, m * r * r.dot]])
    assert all_proved(polar)


def test_and_to_spherical():
    free = da.System.from_particles(
        [m], [(x, y, z)], coordinates=[x, y, z], gravity=(0, 0, -g)
    ).equations()
    h = {x: r * s(theta) * c(phi), y: r * s(theta) * s(phi), z: -r * c(theta)}
    eq = free.change_coordinates(h, [r, theta, phi])
    assert da.equal(eq.M, da.Matrix.diagonal([m, m * r**2, m * r**2 * s(theta) ** 2]))
    # with r held it is the spherical pendulum
    (l,) = da.parameters("l")
    pendulum = da.textbook.spherical_pendulum().equations()
    held = eq.residual.subs({r: l, r.dot: 0, r.ddot: 0})
    assert da.equal([held[1], held[2]], list(pendulum.residual))
    assert all_proved(eq)


def maximal_double_pendulum() -> da.Equations:
    """Return two particles in Cartesian coordinates on two rigid rods."""
    x1, y1, x2, y2 = da.coordinates("x1 y1 x2 y2")
    return da.System.from_particles(
        [m1, m2],
        [(x1, y1), (x2, y2)],
        coordinates=[x1, y1, x2, y2],
        gravity=(0, -g),
        constraints=[x1**2 + y1**2 - l1**2, (x2 - x1) ** 2 + (y2 - y1) ** 2 - l2**2],
    ).equations()


def test_double_pendulum_from_maximal_to_generalized():
    maximal = maximal_double_pendulum()
    a1, a2 = da.coordinates("theta1 theta2")
    x1, y1, x2, y2 = maximal.coordinates
    first = (l1 * s(a1), -l1 * c(a1))
    h = {x1: first[0], y1: first[1], x2: first[0] + l2 * s(a2), y2: first[1] - l2 * c(a2)}
    eq = maximal.change_coordinates(h, [a1, a2])
    # the equations of the double pendulum, typed in test_classics too
    expected = [
        (m1 + m2) * l1**2 * a1.ddot
        + m2 * l1 * l2 * (a2.ddot * c(a1 - a2) + a2.dot**2 * s(a1 - a2))
        + (m1 + m2) * g * l1 * s(a1),
        m2 * l2**2 * a2.ddot
        + m2 * l1 * l2 * (a1.ddot * c(a1 - a2) - a1.dot**2 * s(a1 - a2))
        + m2 * g * l2 * s(a2),
    ]
    assert eq.lam == ()
    assert da.equal(eq.residual, expected)
    assert all_proved(eq)


def test_motions_agree_in_both_sets(rng):
    """The accelerations of the rods, found with multipliers, are those of the angles."""
    maximal = maximal_double_pendulum()
    a1, a2 = da.coordinates("theta1 theta2")
    x1, y1, x2, y2 = maximal.coordinates
    h = {x1: l1 * s(a1), y1: -l1 * c(a1)}
    h |= {x2: h[x1] + l2 * s(a2), y2: h[y1] - l2 * c(a2)}
    reduced = da.textbook.double_pendulum().equations()
    for _ in range(3):
        values = random_state(reduced, rng)
        qdd = reduced.solve(values).accelerations
        moving = values | {a1.ddot: float(qdd[0]), a2.ddot: float(qdd[1])}
        places = dict(values)
        for q, e in h.items():
            places |= {q: e.evaluate(values), q.dot: e.dot.evaluate(values)}
        expected = [e.ddot.evaluate(moving) for e in (h[x1], h[y1], h[x2], h[y2])]
        assert maximal.solve(places).accelerations == pytest.approx(expected, abs=1e-8)


def test_some_constraints_may_stay():
    # only the first rod gets its angle: one multiplier and one constraint are left
    maximal = maximal_double_pendulum()
    x1, y1, x2, y2 = maximal.coordinates
    (a,) = da.coordinates("a")
    eq = maximal.change_coordinates({x1: l1 * s(a), y1: -l1 * c(a)}, [a, x2, y2])
    assert eq.coordinates == (a, x2, y2)
    assert len(eq.lam) == 1
    assert da.equal(eq.a, [(x2 - l1 * s(a)) ** 2 + (y2 + l1 * c(a)) ** 2 - l2**2])
    assert eq.degrees_of_freedom() == 2
    assert all_proved(eq)


def test_coordinates_that_are_not_mentioned_stay():
    eq = da.System.from_particles([m, m1], [(x, 0), (x + y, z)], coordinates=[x, y, z]).equations()
    moved = eq.change_coordinates({y: 2 * theta}, [x, theta, z])
    T = m * x.dot**2 / 2 + m1 * ((x.dot + 2 * theta.dot) ** 2 + z.dot**2) / 2
    assert da.equal(moved.T, T)


def test_rolling_keeps_its_velocity_constraints():
    # the rolled distance d = R θ as coordinate
    (d,) = da.coordinates("d")
    R, I = da.parameters("R I")
    (tau_theta,) = da.inputs("tau_theta")
    eq = da.textbook.rolling_disc().equations()
    heading, roll = eq.coordinates[2:]
    moved = eq.change_coordinates({roll: d / R}, [x, y, heading, d])
    assert da.equal(moved.A, [[1, 0, 0, -c(heading)], [0, 1, 0, -s(heading)]])
    assert da.equal(moved.accelerations()[3], R * tau_theta / (I + m * R**2))


def test_dissipation_and_forces_are_carried():
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        coordinates=[x, y],
        forces=[fx, fy],
        dissipation=k * (x.dot**2 + y.dot**2) / 2,
    ).equations()
    polar = eq.change_coordinates({x: r * c(phi), y: r * s(phi)}, [r, phi])
    # drag k ṙ along and k r² φ̇ across
    assert da.equal(polar.N, [k * r.dot, k * r**2 * phi.dot])
    assert all_proved(polar)


# ---- moving frames


def test_rotating_frame():
    X, Y = da.coordinates("X Y")
    eq = da.System.from_particles([m], [(x, y)], coordinates=[x, y]).equations()
    turning = eq.change_coordinates(
        {x: X * c(w * t) - Y * s(w * t), y: X * s(w * t) + Y * c(w * t)}, [X, Y]
    )
    # Coriolis -2 m w Ẏ and centrifugal -m w² X
    expected = [
        m * X.ddot - 2 * m * w * Y.dot - m * w**2 * X,
        m * Y.ddot + 2 * m * w * X.dot - m * w**2 * Y,
    ]
    assert da.equal(turning.residual, expected)
    assert da.equal(turning.M, [[m, 0], [0, m]])
    assert all_proved(turning)


def test_accelerated_frame():
    # x = X + ½ w t²: a constant inertial force -m w
    (X,) = da.coordinates("X")
    eq = da.System(kinetic=m * x.dot**2 / 2, coordinates=[x]).equations()
    moved = eq.change_coordinates({x: X + w * t**2 / 2}, [X])
    assert da.equal(moved.residual, [m * X.ddot + m * w])


def test_formulas_of_the_change_hold_in_a_moving_frame():
    """HᵀMH, HᵀCH + HᵀMḢ, Hᵀ(N + Cb + Mḃ) together give the directly derived equations."""
    eq = da.textbook.spherical_pendulum().equations()
    (psi,) = da.coordinates("psi")
    th, ph = eq.coordinates
    h = {ph: psi + w * t**2 / 2}
    new = [th, psi]
    direct = eq.change_coordinates(h, new)
    parts = transformed_parts(eq, h, new)
    acceleration = da.Matrix.column([th.ddot, psi.ddot])
    velocity = da.Matrix.column([th.dot, psi.dot])
    left = parts["M"] @ acceleration + parts["C"] @ velocity + parts["N"] - parts["forces"]
    assert da.equal(left, direct.residual)


def test_velocity_linear_lagrangian():
    # a charge in a magnetic field, L = ½ m v² + ½ k (x ẏ - y ẋ) = ½ m (ṙ² + r² φ̇²) + ½ k r² φ̇
    L = m * (x.dot**2 + y.dot**2) / 2 + k * (x * y.dot - y * x.dot) / 2
    eq = da.System(lagrangian=L, coordinates=[x, y]).equations()
    polar = eq.change_coordinates({x: r * c(phi), y: r * s(phi)}, [r, phi])
    assert da.equal(polar.L, m * (r.dot**2 + r**2 * phi.dot**2) / 2 + k * r**2 * phi.dot / 2)
    expected = [
        m * (r.ddot - r * phi.dot**2) - k * r * phi.dot,
        m * (r**2 * phi.ddot + 2 * r * r.dot * phi.dot) + k * r * r.dot,
    ]
    assert da.equal(polar.residual, expected)
    assert all_proved(polar)
