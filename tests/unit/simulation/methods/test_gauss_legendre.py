"""Gauss–Legendre methods: their orders, and what they keep."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.simulation import simulate
from dalembert.simulation.methods.gauss_legendre import GaussLegendre, tableau
from tests.unit.simulation.methods.integrator_cases import (
    bennett,
    bennett_start,
    double_pendulum,
    free_chain,
    free_chain_start,
    kepler,
    kepler_start,
    one_step,
    oscillator,
    pendulum,
    pendulum_angle,
    slope,
    swinging_frame,
    symplectic_defect,
    world_momentum,
)


@pytest.mark.parametrize("stages", [2, 3])
def test_tableau(stages: int) -> None:
    c, b, A = tableau(stages)
    # B(2s) and C(s): the quadrature and the stages are exact for polynomials
    for k in range(1, 2 * stages + 1):
        assert b @ c ** (k - 1) == pytest.approx(1 / k, abs=1e-15)
    for k in range(1, stages + 1):
        np.testing.assert_allclose(A @ c ** (k - 1), c**k / k, atol=1e-15)
    # symplectic: b_i a_ij + b_j a_ji = b_i b_j
    np.testing.assert_allclose(b[:, None] * A + (b[:, None] * A).T, np.outer(b, b), atol=1e-16)


@pytest.mark.parametrize("order", [4, 6])
def test_order_on_the_pendulum(order: int) -> None:
    steps = [0.1, 0.05, 0.025]
    end = 2.0
    exact = pendulum_angle(2.0, end)
    errors = []
    for h in steps:
        motion = simulate(pendulum(), [2.0], [0.0], end, method=GaussLegendre(order, h))
        errors.append(abs(motion.q[-1, 0] - exact))
    assert slope(steps, errors) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("order", [4, 6])
def test_order_on_a_kepler_orbit(order: int) -> None:
    q, v = kepler_start(0.3)
    steps = [2 * np.pi / n for n in (40, 80, 160)]
    errors = [
        np.abs(simulate(kepler(), q, v, 2 * np.pi, method=GaussLegendre(order, h)).q[-1] - q).max()
        for h in steps
    ]
    assert slope(steps, errors) == pytest.approx(order, abs=0.4)


@pytest.mark.parametrize("order", [4, 6])
def test_map_is_symplectic(order: int) -> None:
    # the mass matrix depends on q: a method in (q, q̇) would fail this
    x = [0.7, -0.4, 1.5, -2.0]
    assert symplectic_defect(double_pendulum(), GaussLegendre(order, 0.1), 0.1, x) <= 1e-10


@pytest.mark.parametrize("order", [4, 6])
def test_step_back_undoes_a_step(order: int) -> None:
    x = np.array([0.7, -0.4, 1.5, -2.0])
    method, model = GaussLegendre(order, 0.05), double_pendulum()
    there = one_step(model, method, 0.05)(x)
    assert np.abs(there - x).max() > 0.05
    np.testing.assert_allclose(one_step(model, method, -0.05)(there), x, atol=1e-14)


def test_quadratic_invariants_stay_to_rounding() -> None:
    q, v = kepler_start(0.5)
    motion = simulate(kepler(), q, v, 40.0, method=GaussLegendre(4, 0.05))
    moment = motion.q[:, 0] * motion.qd[:, 1] - motion.q[:, 1] * motion.qd[:, 0]
    np.testing.assert_allclose(moment, moment[0], rtol=1e-14)
    # of the oscillator the energy is one
    energy = simulate(oscillator(), [1.0], [0.0], 40.0, method=GaussLegendre(4, 0.05)).energy.total
    np.testing.assert_allclose(energy, energy[0], rtol=1e-14)


def test_energy_stays_in_a_band() -> None:
    motion = simulate(pendulum(), [2.0], [0.0], 200.0, method=GaussLegendre(4, 0.1))
    error = motion.energy.error
    first, last = np.abs(error[: len(error) // 2]).max(), np.abs(error[len(error) // 2 :]).max()
    assert 1e-7 < first < 1e-3
    assert last <= 1.05 * first


def test_quaternions(rng: np.random.Generator) -> None:
    model, (q, v) = free_chain(), free_chain_start(rng)
    motion = simulate(model, q, v, 0.5, method=GaussLegendre(6, 0.005))
    # about (step · 10/s)⁶ of the whole
    assert np.abs(motion.energy.error).max() <= 1e-8 * motion.energy.total[0]
    moment = world_momentum(model, motion.q, motion.qd)
    np.testing.assert_allclose(moment, np.broadcast_to(moment[0], moment.shape), atol=1e-7)
    for k in model.configuration.quaternions:
        np.testing.assert_allclose(np.linalg.norm(motion.q[:, k : k + 4], axis=1), 1, atol=1e-14)


def test_forces_as_a_function() -> None:
    def push(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [3 * q[0] + np.sin(t) - 0 * v[0]]

    # ẍ + x = sin t from rest
    t = np.linspace(0, 3, 4)
    motion = simulate(oscillator(), [0.0], [0.0], t, push, method=GaussLegendre(6, 0.02))
    np.testing.assert_allclose(motion.q[:, 0], (np.sin(t) - t * np.cos(t)) / 2, atol=1e-11)


def test_bad_options() -> None:
    with pytest.raises(EvaluationError, match="order 4 or 6"):
        GaussLegendre(order=5)
    with pytest.raises(EvaluationError, match=r"the step of .* above 0"):
        GaussLegendre(step=0.0)


def test_step_too_long_says_so() -> None:
    motion = simulate(oscillator(), [1.0], [0.0], 10.0, method=GaussLegendre(4, 5.0))
    assert not motion.ok
    assert "smaller step" in motion.status


def test_lagrangian_of_time() -> None:
    t = np.linspace(0, 3, 4)
    motion = simulate(swinging_frame(), [0.5], [1.0], t, method=GaussLegendre(6, 0.05))
    np.testing.assert_allclose(motion.q[:, 0], 0.5 + 2 * t - np.sin(t), atol=1e-9)


def test_redundant_loop() -> None:
    motion = simulate(bennett(), bennett_start(), None, 0.5, method=GaussLegendre(6, 0.01))
    assert motion.ok
    assert np.abs(bennett().constraint_error(motion.q)).max() <= 1e-12
    assert np.abs(motion.energy.error).max() <= 1e-8
    assert np.ptp(motion.energy.total - motion.energy.potential) > 0.1
