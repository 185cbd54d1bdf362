"""Machines and robots against equations written out by hand, or against SymPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations
from tests.oracles import by_name, column, coriolis_from, lagranges_method, random_state

m, M, l0, g, I, J = da.parameters("m M l g I J")
x, y, l, theta, alpha = da.coordinates("x y l theta alpha")

# accelerations of a closed chain, from coordinates far from its singular places
ROUNDING = 1e-9


def of(title: str) -> da.Equations:
    return equations("machines", title)


def test_crane() -> None:
    # Newton: rope force S along the rope, trolley and load
    F, tau = da.inputs("F tau")
    eq = of("Crane: a trolley with a rope of varying length")
    load = (x + l * sin(theta)).ddot, (-l * cos(theta)).ddot + g
    expected = [
        M * x.ddot + m * load[0] - F,
        m * (sin(theta) * load[0] - cos(theta) * load[1]) - tau,
        m * l * (cos(theta) * load[0] + sin(theta) * load[1]),
    ]
    assert da.equal(eq.residual, expected)


def test_slung_load() -> None:
    # Sreenath, Michael and Kumar 2013, in the plane: the sum of both bodies, and the load across
    f, tau = da.inputs("f tau")
    eq = of("Quadrotor in the plane with a slung load")
    load = (x + l0 * sin(alpha)).ddot, (y - l0 * cos(alpha)).ddot + g
    expected = [
        M * x.ddot + m * load[0] + f * sin(theta),
        M * (y.ddot + g) + m * load[1] - f * cos(theta),
        J * theta.ddot - tau,
        m * l0 * (cos(alpha) * load[0] + sin(alpha) * load[1]),
    ]
    assert da.equal(eq.residual, expected)


def test_slider_crank(rng: np.random.Generator) -> None:
    # SymPy in the crank angle alone, with the rod at asin(r sin θ / l)
    eq = of("Slider-crank")
    (angle,) = dynamicsymbols("theta,")
    t = sp.Symbol("t")
    Js, ms, Ms, r, ls = sp.symbols("J m M r l")
    rod = sp.asin(r * sp.sin(angle) / ls)
    piston = r * sp.cos(angle) + ls * sp.cos(rod)
    middle = r * sp.cos(angle) + ls / 2 * sp.cos(rod), r * sp.sin(angle) / 2
    T = Js * angle.diff(t) ** 2 + Ms * piston.diff(t) ** 2 + ms * ls**2 / 12 * rod.diff(t) ** 2
    T += ms * (middle[0].diff(t) ** 2 + middle[1].diff(t) ** 2)
    theirs = lagranges_method(T / 2, [angle])
    theta, phi, x = eq.coordinates
    for _ in range(3):
        values = random_state(eq, rng)
        radius, length = (values[p] for p in da.parameters("r l"))
        values[da.parameters("l")[0]] = length = length + radius
        a, w = values[theta], values[theta.dot]
        b = np.arcsin(radius * np.sin(a) / length)
        u = w * radius * np.cos(a) / (length * np.cos(b))
        slope = -radius * np.sin(a) - length * np.sin(b) * u / w
        values |= {phi: b, phi.dot: u, x.dot: slope * w}
        values[x] = radius * np.cos(a) + length * np.cos(b)
        at = theirs(by_name(values))
        # virtual work of the force on the piston
        torque, force = (values[s] for s in da.inputs("tau F"))
        expected = (torque + slope * force - at.h[0]) / at.M[0, 0]
        assert eq.solve(values).accelerations[0] == pytest.approx(
            expected, rel=ROUNDING, abs=ROUNDING
        )


def test_leg() -> None:
    # two links by the textbook formula for absolute angles, the platform by Newton
    q, p = da.coordinates("q1 p1")
    (tau,) = da.inputs("tau")
    eq = of("One leg of a planar 3-RRR robot")
    one, two = eq.lam
    h = m * l0**2 / 2
    c, s = cos(q - p), sin(q - p)
    first = (I + m * l0**2) * q.ddot + h * (c * p.ddot + s * p.dot**2)
    second = (I + m * l0**2 / 4) * p.ddot + h * (c * q.ddot - s * q.dot**2)
    expected = [
        first - tau + l0 * (sin(q) * one - cos(q) * two),
        second + l0 * (sin(p) * one - cos(p) * two),
        m * x.ddot + one,
        m * y.ddot + two,
    ]
    assert da.equal(eq.residual, expected)


def test_parallel_robot() -> None:
    # leg k pulls the platform with -(λ₂ₖ₋₁, λ₂ₖ) at the corner 2πk/3
    eq = of("Planar 3-RRR robot")
    (phi,) = da.coordinates("phi")
    (r,) = da.parameters("r")
    torques = da.inputs("tau1 tau2 tau3")
    h = m * l0**2 / 2
    driven, passive, moment = [], [], da.parse("0", [])
    for k in range(3):
        q, p = eq.coordinates[k], eq.coordinates[3 + k]
        one, two = eq.lam[2 * k], eq.lam[2 * k + 1]
        c, s = cos(q - p), sin(q - p)
        upper = (I + 5 * m * l0**2 / 4) * q.ddot + h * (c * p.ddot + s * p.dot**2)
        lower = (I + m * l0**2 / 4) * p.ddot + h * (c * q.ddot - s * q.dot**2)
        driven.append(upper - torques[k] + l0 * (sin(q) * one - cos(q) * two))
        passive.append(lower + l0 * (sin(p) * one - cos(p) * two))
        corner = phi + 2 * da.pi * k / 3
        moment = moment + r * (cos(corner) * two - sin(corner) * one)
    across, up = (sum(eq.lam[k::2]) for k in range(2))
    platform = [M * x.ddot + across, M * y.ddot + up, J * phi.ddot + moment]
    assert da.equal(eq.residual, [*driven, *passive, *platform])
    assert eq.degrees_of_freedom() == 3


def test_eight_links(rng: np.random.Generator) -> None:
    # point masses at the ends: M and gravity by the sums of Jacobians, in NumPy
    eq = of("Planar arm with eight links")
    values = random_state(eq, rng)
    lengths = [values[p] for p in da.parameters(" ".join(f"l{i}" for i in range(1, 9)))]
    masses = [values[p] for p in da.parameters(" ".join(f"m{i}" for i in range(1, 9)))]

    def jacobians(q: np.ndarray) -> list[np.ndarray]:
        angles = np.cumsum(q)
        legs = np.array(lengths) * np.stack([-np.sin(angles), np.cos(angles)])
        # joint j moves all links from j on
        return [
            np.stack([legs[:, j : max(j, k)].sum(axis=1) for j in range(8)], axis=1)
            for k in range(1, 9)
        ]

    def mass(q: np.ndarray) -> np.ndarray:
        return np.sum([m * J.T @ J for m, J in zip(masses, jacobians(q), strict=True)], axis=0)

    q, v = (np.array([values[x] for x in xs]) for xs in (eq.coordinates, eq.velocities))
    weight = sum(m * values[g] * J[1] for m, J in zip(masses, jacobians(q), strict=True))
    assert eq.M.evaluate(values) == pytest.approx(mass(q), rel=1e-12)
    expected = coriolis_from(mass, q, v) @ v + weight
    assert column(eq.bias, values) == pytest.approx(expected, rel=1e-11)
