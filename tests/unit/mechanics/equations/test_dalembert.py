"""D'Alembert's principle: the residual from Newton's law, body by body."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.oracles import column, random_state

q1, q2, q3 = da.coordinates("q1 q2 q3")
m, l, g, k, I1, I2, I3 = da.parameters("m l g k I1 I2 I3")
(tau,) = da.inputs("tau")
s, c, t = da.sin, da.cos, da.time


def test_pendulum_particle_by_hand():
    # r̈ = l (q̈ cos q - q̇² sin q, q̈ sin q + q̇² cos q), and (m r̈ - f)ᵀ ∂r/∂q
    eq = da.System.from_particles(
        [m], [(l * s(q1), -l * c(q1))], coordinates=[q1], gravity=(0, -g), forces=[tau]
    ).equations()
    ax = l * (q1.ddot * c(q1) - q1.dot**2 * s(q1))
    ay = l * (q1.ddot * s(q1) + q1.dot**2 * c(q1))
    by_hand = m * ax * l * c(q1) + (m * ay + m * g) * l * s(q1) - tau
    assert da.equal(eq.dalembert_residual(), [by_hand])
    assert da.equal(eq.dalembert_residual(), eq.residual)


NAMES = [
    "rp_arm",
    "rp_arm_maximal",
    "planar_arm",
    "cartesian_arm",
    "pinned_three_link",
    "wire_particles",
    "double_pendulum",
    "spherical_pendulum",
    "cart_pole",
    "furuta_pendulum",
    "driven_pendulum",
    "free_rigid_body",
]


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_lagrange(name):
    eq = getattr(da.textbook, name)().equations()
    assert da.equal(eq.dalembert_residual(), eq.residual)


def spatial() -> da.System:
    """Return a body with three different inertias on a z-x joint and a slider, with everything."""
    R = da.rotation_z(q1) @ da.rotation_x(q2)
    centre = R @ da.Matrix.column([l, q3, l / 2])
    body = da.Body(m, centre, da.Matrix.diagonal([I1, I2, I3]), R)
    return da.System.from_bodies(
        [body],
        coordinates=[q1, q2, q3],
        gravity=(0, 0, -g),
        potential=k * q3**2 / 2,
        dissipation=k * q1.dot**2 / 2,
        forces=[0, 0, 0, da.Load(torque=(0, 0, tau), orientation=R)],
        constraints=[q3 * c(q2) - l],
    )


def test_rigid_body_in_space():
    eq = spatial().equations()
    assert da.equal(eq.dalembert_residual(), eq.residual)


def test_newton_and_euler_in_numbers(rng):
    """m r̈ and d/dt(R I Rᵀ ω) by difference quotients along q(t) = q + q̇ t + ½ q̈ t²."""
    system = spatial()
    eq = system.equations()
    values = random_state(eq, rng)
    (body,) = system.bodies
    q0, v0, a0 = (
        np.array([values[f(q)] for q in (q1, q2, q3)])
        for f in (lambda q: q, lambda q: q.dot, lambda q: q.ddot)
    )
    inertia = np.diag([values[p] for p in (I1, I2, I3)])
    assert isinstance(body.orientation, da.Matrix)
    R_of, r_of = body.orientation, body.r

    def at(q: np.ndarray) -> dict[da.Expr, float]:
        return values | dict(zip((q1, q2, q3), map(float, q), strict=True))

    def pose(time: float) -> tuple[np.ndarray, np.ndarray]:
        point = at(q0 + v0 * time + a0 * time**2 / 2)
        return R_of.evaluate(point), column(r_of, point)

    def spin(time: float, step: float = 1e-4) -> np.ndarray:
        (Rp, _), (Rm, _), (R, _) = pose(time + step), pose(time - step), pose(time)
        W = (Rp - Rm) / (2 * step) @ R.T
        return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2

    def momentum(time: float) -> np.ndarray:
        R, _ = pose(time)
        return R @ inertia @ R.T @ spin(time)

    step = 1e-3
    acceleration = (pose(step)[1] - 2 * pose(0)[1] + pose(-step)[1]) / step**2
    torque = (momentum(step) - momentum(-step)) / (2 * step)
    force = values[m] * (acceleration + np.array([0, 0, values[g]]))
    total = np.zeros(3)
    for j, e in enumerate(np.eye(3)):
        near = [at(q0 + h * e) for h in (1e-6, -1e-6)]
        dr = (column(r_of, near[0]) - column(r_of, near[1])) / 2e-6
        W = (R_of.evaluate(near[0]) - R_of.evaluate(near[1])) / 2e-6 @ pose(0)[0].T
        w = np.array([W[2, 1], W[0, 2], W[1, 0]])
        # the load: a torque τ about z on the body
        total[j] = force @ dr + (torque - np.array([0, 0, values[tau]])) @ w
    total[2] += values[k] * q0[2]
    total[0] += values[k] * v0[0]
    lam = values[eq.lam[0]]
    total -= lam * np.array([0, -q0[2] * np.sin(q0[1]), np.cos(q0[1])])
    assert column(eq.dalembert_residual(), values) == pytest.approx(total, rel=2e-5, abs=2e-5)


def test_with_explicit_time():
    # a bead on a hoop that turns at a varying rate
    angle = k * t**2 / 2
    r = (l * s(q1) * c(angle), l * s(q1) * s(angle), -l * c(q1))
    eq = da.System.from_particles([m], [r], coordinates=[q1], gravity=(0, 0, -g)).equations()
    # m l² (q̈ - (k t)² sin q cos q) + m g l sin q
    expected = m * l**2 * (q1.ddot - (k * t) ** 2 * s(q1) * c(q1)) + m * g * l * s(q1)
    assert da.equal(eq.dalembert_residual(), [expected])
    assert da.equal(eq.residual, [expected])


def test_constraint_forces_do_no_virtual_work():
    for name in ("rp_arm_maximal", "wire_particles", "pinned_three_link"):
        eq = getattr(da.textbook, name)().equations()
        Z = eq.virtual_displacements()
        reaction = eq.A.T @ da.Matrix.column(eq.lam)
        assert da.equal(Z.T @ reaction, da.Matrix.zeros(Z.shape[1], 1))
        # hence the projected residual has no multiplier
        projected = Z.T @ eq.dalembert_residual()
        assert da.equal(projected, projected.subs(dict.fromkeys(eq.lam, 0)))
