"""Stability arguments of the controllers: V as stated, V̇ as stated, along true motions."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.control import (
    Adaptive,
    ComputedTorque,
    GravityCompensation,
    Impedance,
    PassivityBased,
    PDGravity,
)
from dalembert.simulation import DOP853, simulate
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism
from tests.unit.control.controllers.closed_loop import ClosedLoop

# V is summed from terms of its own size: what rounding may add between two stored times
ROUNDING = 1e-12

STEP = 1e-5


def slope_along(V: Any, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return V̇ along the motion with acceleration a, by central differences of fourth order."""

    def at(s: float) -> np.ndarray:
        return V(t + s, q + s * v + s * s / 2 * a, v + s * a)

    h = STEP
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


KINDS = ("revolute", "continuous", "prismatic", "helical")


def random_arm(rng: np.random.Generator) -> da.Model:
    return da.compile(random_mechanism(rng, 4, kinds=KINDS, mimic=0.0), smoothing=0.1)


def definite(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return a random positive definite matrix, far from diagonal."""
    A = rng.normal(size=(n, n))
    return A @ A.T + 0.5 * np.eye(n)


def waves(n: int) -> list[Any]:
    return [da.sin(da.time * (k + 1) / 2) / 2 + da.time**2 / 10 for k in range(n)]


def form(K: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...i,ij,...j", x, K, x)


def agree(found: np.ndarray, expected: np.ndarray, V: np.ndarray, a: np.ndarray) -> None:
    """Compare rates of V: differences lose what rounding of V and the step leave."""
    scale = 1 + np.abs(expected) + np.abs(V) + np.abs(a).max(axis=-1) ** 2
    assert np.abs((found - expected) / scale).max() < 1e-8


def test_passivity_based(rng: np.random.Generator, scale: float) -> None:
    """V = ½ sᵀ M s has V̇ = -sᵀ K s along the true motion, which Ṁ - 2C skew makes exact."""
    for _ in range(num_cases(4, scale)):
        model = random_arm(rng)
        n = model.nv
        K, slope = definite(rng, n), definite(rng, n)
        controller = PassivityBased(model, waves(n), slope=slope, damping=K)
        q, v = rng.normal(size=(2, 8, n))
        a = model.forward_dynamics(q, v, controller(0.3, q, v))
        x, xd, _ = controller.desired(0.3)
        s = v - xd + (q - x) @ slope
        V = controller.lyapunov(0.3, q, v)
        assert np.allclose(V, np.einsum("...i,...ij,...j", s, model.mass_matrix(q), s) / 2)
        found = slope_along(controller.lyapunov, 0.3, q, v, a)
        agree(found, -form(K, s), V, a)
        assert np.allclose(controller.lyapunov_rate(0.3, q, v), -form(K, s))


def test_passivity_based_in_symbols() -> None:
    """The same identity for the 2R arm with symbols for all parameters, decided exactly.

    V̇ = sᵀ M (q̈ - q̈_r) + ½ sᵀ Ṁ s with M q̈ = τ - h: no division, and every term of Ṁ - 2C counts.
    """
    model = da.compile(da.textbook.robots.planar_arm_nr(2))
    slope, K = [2, 3], [5, 7]
    reference = [da.time**2, da.sin(da.time)]
    law = PassivityBased(model, reference, slope=slope, damping=K).law
    assert law is not None
    q, v = model.symbols.q, model.symbols.qd
    M, h = model.expressions("mass_matrix", q), model.expressions("bias", q, v)
    xd = [x.diff(da.time) for x in reference]
    xdd = [x.diff(da.time) for x in xd]
    r = [d - k * (a - x) for d, k, a, x in zip(xd, slope, q, reference, strict=True)]
    rd = [d - k * (b - x) for d, k, b, x in zip(xdd, slope, v, xd, strict=True)]
    s = [a - b for a, b in zip(v, r, strict=True)]
    two = range(2)
    rate = sum(s[i] * (law[i] - h[i] - sum(M[i][j] * rd[j] for j in two)) for i in two)
    turning = sum(
        s[i] * s[j] * M[i][j].diff(x) * xdot
        for i in two
        for j in two
        for x, xdot in zip(q, v, strict=True)
    )
    assert da.equal(rate + turning / 2, -sum(k * x**2 for k, x in zip(K, s, strict=True)))
    # another C with the same C q̇ would not do: half of the identity fails
    assert not da.equal(rate, -sum(k * x**2 for k, x in zip(K, s, strict=True)))


def test_adaptive(rng: np.random.Generator, scale: float) -> None:
    """V = ½ sᵀ M s + ½ θ̃ᵀ Γ⁻¹ θ̃ has V̇ = -sᵀ K s, however wrong the estimate."""
    for _ in range(num_cases(3, scale)):
        model = random_arm(rng)
        n = model.nv
        K = definite(rng, n)
        controller = Adaptive(model, waves(n), slope=2.0, damping=K, adaptation=0.5)
        true = controller.state
        for _ in range(4):
            q, v = rng.normal(size=(2, n))
            x = np.concatenate([q, v, true + rng.normal(size=true.size)])
            found, V, rate = slope_of_estimate(controller, x)
            d = controller.desired(0.3)
            expected = -form(K, v - d.velocity + 2 * (q - d.position))
            agree(np.array(found), expected, np.array(V), rate)


def slope_of_estimate(controller: Adaptive, x: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Return V̇, V and ẋ at x = (q, q̇, θ̂), for a plant that the controller's model describes."""
    model, true, h = controller.model, controller.state, STEP
    loop = ClosedLoop(model, controller)
    rate = loop.rate(0.3, x)

    def V(s: float) -> float:
        q, v, state = loop.parts(x + s * rate)
        bent = s * s / 2 * loop.parts(rate)[1]
        return float(controller.lyapunov(0.3 + s, q + bent, v, state, model, true))

    return (8 * (V(h) - V(-h)) - (V(2 * h) - V(-2 * h))) / (12 * h), V(0.0), rate


def test_springs_on_joints(rng: np.random.Generator, scale: float) -> None:
    """PD + gravity: V̇ = -q̇ᵀ D q̇ less what the mechanism's own dampers take."""
    for _ in range(num_cases(4, scale)):
        model = random_arm(rng)
        n = model.nv
        D = definite(rng, n)
        hold = PDGravity(model, rng.normal(size=n), stiffness=definite(rng, n), damping=D)
        float_ = GravityCompensation(model, damping=D)
        q, v = rng.normal(size=(2, 8, n))
        rubbing = model.passive_force(q, v) - model.passive_force(q, 0 * v)
        expected = (rubbing * v).sum(axis=-1) - form(D, v)
        a = model.forward_dynamics(q, v, hold(0.0, q, v))
        agree(slope_along(hold.lyapunov, 0.0, q, v, a), expected, hold.lyapunov(0.0, q, v), a)
        a = model.forward_dynamics(q, v, float_(0.0, q, v))
        found = slope_along(lambda _, q, v, V=float_.lyapunov: V(q, v), 0.0, q, v, a)
        agree(found, expected, float_.lyapunov(q, v), a)


def test_computed_torque(rng: np.random.Generator, scale: float) -> None:
    """V̇ = -q̃'ᵀ D q̃', whatever the mechanism."""
    for _ in range(num_cases(3, scale)):
        model = random_arm(rng)
        n = model.nv
        D = definite(rng, n)
        controller = ComputedTorque(model, waves(n), stiffness=definite(rng, n), damping=D)
        q, v = rng.normal(size=(2, 8, n))
        a = model.forward_dynamics(q, v, controller(0.3, q, v))
        error = v - controller.desired(0.3).velocity
        found = slope_along(controller.lyapunov, 0.3, q, v, a)
        agree(found, -form(D, error), controller.lyapunov(0.3, q, v), a)


HOME = np.array([0.0, -0.5, 0.0, -1.8, 0.0, 1.5, 0.5])
PANDA_DAMPING = np.array([20.0, 20.0, 20.0, 20.0, 3.0, 3.0, 1.0])


def test_a_set_point_is_reached_and_v_falls_all_the_way() -> None:
    model = da.compile(da.textbook.robots.panda())
    stiffness = 5 * PANDA_DAMPING
    hold = PDGravity(model, HOME, stiffness=stiffness, damping=PANDA_DAMPING)
    motion = simulate(model, HOME + 0.4, np.full(7, -0.5), np.linspace(0, 10, 401), hold)
    assert motion.ok, motion.status
    V = hold.lyapunov(motion.t, motion.q, motion.qd)
    assert np.diff(V).max() <= ROUNDING * V[0]
    assert np.abs(motion.q[-1] - HOME).max() < 1e-6
    assert np.abs(motion.qd[-1]).max() < 1e-6


def test_the_impedance_is_passive() -> None:
    """T + U falls from a large turn and offset of the tool until it is at its target."""
    model = da.compile(da.textbook.robots.panda())
    target = model.forward_kinematics(HOME, frame="flange")
    controller = Impedance(
        model, "flange", target, 400.0, 20.0, damping=20.0, joint_damping=PANDA_DAMPING / 10
    )
    start = HOME + np.array([0.5, 0.3, -0.4, 0.3, 0.6, -0.5, 0.8])
    t, method = np.linspace(0, 12, 241), DOP853(rtol=1e-9, atol=1e-12)
    motion = simulate(model, start, np.zeros(7), t, controller, method=method)
    assert motion.ok, motion.status
    V = controller.lyapunov(motion.q, motion.qd)
    assert np.diff(V).max() <= ROUNDING * V[0]
    assert np.abs(model.forward_kinematics(motion.q[-1], frame="flange") - target).max() < 1e-4
