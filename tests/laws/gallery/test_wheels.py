"""Blades and wheels against known reduced equations, or against M and A written out in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations
from tests.oracles import column, constrained_accelerations, coriolis_from, random_state

x, y, phi, psi, theta = da.coordinates("x y phi psi theta")
v, w = da.parameters("v w")

Function = Callable[[np.ndarray], np.ndarray]
# products of a few factors, and the solution of a system with some ten unknowns
ROUNDING = 1e-9


def of(title: str) -> da.Equations:
    return equations("wheels", title)


def along_the_blade(eq: da.Equations, heading: da.Expr) -> tuple[da.Expr, da.Matrix]:
    """Return v̇ and q̈ where the blade moves with v along its heading and turns with w."""
    qdd = eq.accelerations()
    c, s = cos(heading), sin(heading)
    forward = c * qdd[0] + s * qdd[1] + heading.dot * (c * y.dot - s * x.dot)
    motion = {x.dot: v * c, y.dot: v * s, heading.dot: w}
    return forward.subs(motion), qdd.subs(motion)


def test_skate() -> None:
    (m,), (F,) = da.parameters("m"), da.inputs("F")
    forward, qdd = along_the_blade(of("Skate on ice"), phi)
    assert da.equal([forward, qdd[2]], [F / m, 0])


def test_sleigh() -> None:
    # Chaplygin 1911: v̇ = a ω², (I + m a²) ω̇ = -m a v ω
    m, I, a = da.parameters("m I a")
    forward, qdd = along_the_blade(of("Chaplygin's sleigh"), phi)
    assert da.equal(forward, a * w**2)
    assert da.equal((I + m * a**2) * qdd[2], -m * a * v * w)


def test_sleigh_with_a_rotor() -> None:
    # the motor turns the rotor by τ and the sleigh by -τ
    m, m0, I, J, a = da.parameters("m m0 I J a")
    (tau,) = da.inputs("tau")
    forward, qdd = along_the_blade(of("Chaplygin's sleigh with a rotor"), phi)
    assert da.equal(forward, a * w**2)
    assert da.equal((I + (m + m0) * a**2) * qdd[2], -(m + m0) * a * v * w - tau)
    assert da.equal(J * (qdd[2] + qdd[3]), tau)


def test_wheeled_robot() -> None:
    # Fierro and Lewis 1997, with v at the axle
    m, I, J, b, d, r = da.parameters("m I J b d r")
    right, left = da.inputs("tau_r tau_l")
    forward, qdd = along_the_blade(of("Wheeled robot with two motors"), theta)
    push = (right + left) / r + m * d * w**2
    assert da.equal((m + 2 * J / r**2) * forward, push)
    turn = b * (right - left) / r - m * d * v * w
    assert da.equal((I + m * d**2 + 2 * J * b**2 / r**2) * qdd[2], turn)


def check(eq: da.Equations, rng: np.random.Generator, written: Callable[..., tuple]) -> None:
    """Compare q̈ and λ with those of ``written(q, values)``: M(q), Υ and A(q) in NumPy."""
    for _ in range(3):
        values = random_state(eq, rng)
        name = {str(k.symbol.name): u for k, u in values.items() if k.symbol and not k.symbol.order}
        mass, forces, rows = written(name)
        q = np.array([values[s] for s in eq.coordinates])
        # velocities that the wheels allow
        *_, vt = np.linalg.svd(rows(q))
        qd = vt[len(eq.lam) :].T @ rng.uniform(-1, 1, len(q) - len(eq.lam))
        values |= dict(zip(eq.velocities, map(float, qd), strict=True))
        step = 1e-30
        gamma = -np.imag(rows(q + 1j * step * qd)) / step @ qd
        right = forces(q) - coriolis_from(mass, q, qd) @ qd
        qdd, lam = constrained_accelerations(mass(q), right, rows(q), gamma)
        found = eq.solve(values)
        assert found.accelerations == pytest.approx(qdd, rel=ROUNDING, abs=ROUNDING)
        assert found.multipliers == pytest.approx(lam, rel=ROUNDING, abs=ROUNDING)
        assert column(eq.forces, values) == pytest.approx(forces(q), rel=ROUNDING, abs=ROUNDING)


def test_bicycle(rng: np.random.Generator) -> None:
    eq = of("Kinematic bicycle")

    def written(p: dict[str, float]) -> tuple[Function, Function, Function]:
        m, a, J, l = p["m"], p["a"], p["J"], p["l"]

        def mass(q: np.ndarray) -> np.ndarray:
            s, c = np.sin(q[2]), np.cos(q[2])
            about = p["I"] + J + m * a**2
            return np.array(
                [
                    [m, 0, -m * a * s, 0],
                    [0, m, m * a * c, 0],
                    [-m * a * s, m * a * c, about, J],
                    [0, 0, J, J],
                ]
            )

        def forces(q: np.ndarray) -> np.ndarray:
            return np.array([p["F"] * np.cos(q[2]), p["F"] * np.sin(q[2]), 0, p["tau"]])

        def rows(q: np.ndarray) -> np.ndarray:
            turned = q[2] + q[3]
            rear = [np.sin(q[2]), -np.cos(q[2]), 0, 0]
            return np.array([rear, [np.sin(turned), -np.cos(turned), -l * np.cos(q[3]), 0]])

        return mass, forces, rows

    check(eq, rng, written)
    assert eq.degrees_of_freedom() == 2


def test_car_with_a_trailer(rng: np.random.Generator) -> None:
    eq = of("Car with a trailer")

    def written(p: dict[str, float]) -> tuple[Function, Function, Function]:
        m, m_t, J, l, L = p["m"], p["m_t"], p["J"], p["l"], p["L"]

        def mass(q: np.ndarray) -> np.ndarray:
            s, c = m_t * L * np.sin(q[4]), m_t * L * np.cos(q[4])
            return np.array(
                [
                    [m + m_t, 0, 0, 0, s],
                    [0, m + m_t, 0, 0, -c],
                    [0, 0, p["I"] + J, J, 0],
                    [0, 0, J, J, 0],
                    [s, -c, 0, 0, p["I_t"] + m_t * L**2],
                ]
            )

        def forces(q: np.ndarray) -> np.ndarray:
            return np.array([p["F"] * np.cos(q[2]), p["F"] * np.sin(q[2]), 0, p["tau"], 0])

        def rows(q: np.ndarray) -> np.ndarray:
            turned = q[2] + q[3]
            return np.array(
                [
                    [np.sin(q[2]), -np.cos(q[2]), 0, 0, 0],
                    [np.sin(turned), -np.cos(turned), -l * np.cos(q[3]), 0, 0],
                    [np.sin(q[4]), -np.cos(q[4]), 0, 0, L],
                ]
            )

        return mass, forces, rows

    check(eq, rng, written)
    # known kinematics: θ̇ = v tan δ / l and ψ̇ = v sin(θ - ψ) / L
    delta, l, L = *da.coordinates("delta"), *da.parameters("l L")
    motion = [
        v * cos(theta),
        v * sin(theta),
        v * sin(delta) / (l * cos(delta)),
        w,
        v * sin(theta - psi) / L,
    ]
    assert da.equal(eq.A @ da.Matrix.column(motion), [0, 0, 0])


def test_snakeboard(rng: np.random.Generator) -> None:
    eq = of("Snakeboard")

    def written(p: dict[str, float]) -> tuple[Function, Function, Function]:
        m, J, wheels, l = p["m"], p["J"], 2 * p["J_w"], p["l"]

        def mass(q: np.ndarray) -> np.ndarray:
            M = np.diag([m, m, p["I"] + J + wheels, J, wheels])
            M[2, 3] = M[3, 2] = J
            return M

        def forces(q: np.ndarray) -> np.ndarray:
            return np.array([0, 0, 0, p["tau_psi"], p["tau_phi"]])

        def rows(q: np.ndarray) -> np.ndarray:
            front, back, arm = q[2] + q[4], q[2] - q[4], l * np.cos(q[4])
            return np.array(
                [
                    [np.sin(front), -np.cos(front), -arm, 0, 0],
                    [np.sin(back), -np.cos(back), arm, 0, 0],
                ]
            )

        return mass, forces, rows

    check(eq, rng, written)


def test_roller_racer(rng: np.random.Generator) -> None:
    eq = of("Roller racer")

    def written(p: dict[str, float]) -> tuple[Function, Function, Function]:
        m, I1, I2, a, b = p["m"], p["I1"], p["I2"], p["a"], p["b"]

        def mass(q: np.ndarray) -> np.ndarray:
            return np.array([[m, 0, 0, 0], [0, m, 0, 0], [0, 0, I1 + I2, I2], [0, 0, I2, I2]])

        def forces(q: np.ndarray) -> np.ndarray:
            return np.array([0, 0, 0, p["tau"]])

        def rows(q: np.ndarray) -> np.ndarray:
            second = q[2] + q[3]
            lever = a * np.cos(q[3]) + b
            return np.array(
                [
                    [np.sin(q[2]), -np.cos(q[2]), 0, 0],
                    [np.sin(second), -np.cos(second), -lever, -b],
                ]
            )

        return mass, forces, rows

    check(eq, rng, written)
