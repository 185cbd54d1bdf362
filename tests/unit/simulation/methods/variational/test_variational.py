"""The variational integrator: order two, and what Hamilton's principle gives for free."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import Unstabilised, Variational, simulate
from dalembert.simulation.methods.variational.group_steps import Moves, Transport, bracket
from tests.unit.simulation.methods.integrator_cases import (
    GRAVITY,
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


def test_order_on_the_pendulum() -> None:
    steps = [0.04, 0.02, 0.01]
    exact = pendulum_angle(2.0, 2.0)
    errors = [
        abs(simulate(pendulum(), [2.0], [0.0], 2.0, method=Variational(h)).q[-1, 0] - exact)
        for h in steps
    ]
    assert slope(steps, errors) == pytest.approx(2, abs=0.1)


def test_step_of_the_oscillator() -> None:
    # L_d of the midpoint rule, by hand: x' = ((1 - a) x + h p) / (1 + a), a = h² 4/4
    h, x, p = 0.1, 0.7, -0.3
    a = h**2
    x_next = ((1 - a) * x + h * p) / (1 + a)
    p_next = 2 * (x_next - x) / h - p
    got = one_step(oscillator(), Variational(h), h)(np.array([x, p]))
    np.testing.assert_allclose(got, [x_next, p_next], atol=1e-15)


def test_map_is_symplectic() -> None:
    x = [0.7, -0.4, 1.5, -2.0]
    assert symplectic_defect(double_pendulum(), Variational(0.1), 0.1, x) <= 1e-10


def test_step_back_undoes_a_step() -> None:
    x = np.array([0.7, -0.4, 1.5, -2.0])
    there = one_step(double_pendulum(), Variational(0.05), 0.05)(x)
    assert np.abs(there - x).max() > 0.05
    np.testing.assert_allclose(
        one_step(double_pendulum(), Variational(0.05), -0.05)(there), x, atol=1e-14
    )


def test_energy_has_no_drift() -> None:
    motion = simulate(pendulum(), [2.0], [0.0], 200.0, method=Variational(0.05))
    error = motion.energy.error
    assert 1e-4 < np.abs(error).max() < 0.1
    drift = np.polyfit(motion.t, error, 1)[0] * 200
    # whole swings do not fit the interval: their phase leaves a small part of the band
    assert abs(drift) <= 0.02 * np.abs(error).max()


def test_angular_momentum_of_a_planet() -> None:
    q, v = kepler_start(0.5)
    motion = simulate(kepler(), q, v, 20.0, method=Variational(0.02))
    moment = motion.q[:, 0] * motion.qd[:, 1] - motion.q[:, 1] * motion.qd[:, 0]
    np.testing.assert_allclose(moment, moment[0], rtol=1e-13)


def test_momentum_of_a_free_chain(rng: np.random.Generator) -> None:
    model, (q, v) = free_chain(), free_chain_start(rng)
    motion = simulate(model, q, v, 1.0, method=Variational(0.02))
    moment = world_momentum(model, motion.q, motion.qd)
    np.testing.assert_allclose(moment, np.broadcast_to(moment[0], moment.shape), atol=1e-12)
    error, total = np.abs(motion.energy.error).max(), motion.energy.total[0]
    assert 1e-8 * total < error < 1e-2 * total
    for k in model.configuration.quaternions:
        np.testing.assert_allclose(np.linalg.norm(motion.q[:, k : k + 4], axis=1), 1, atol=1e-14)


def test_step_back_on_the_group(rng: np.random.Generator) -> None:
    model, (q, v) = free_chain(), free_chain_start(rng)
    x = np.concatenate([q, v])
    there = one_step(model, Variational(0.02), 0.02)(x)
    np.testing.assert_allclose(one_step(model, Variational(0.02), -0.02)(there), x, atol=1e-13)


def test_order_on_the_group() -> None:
    # a symmetric top: its axis turns about the angular momentum at |L|/I₁
    top = (
        da.Builder("top", gravity=(0, 0, 0))
        .link("body", mass=1, com=(0, 0, 0), inertia=(2, 2, 1))
        .spherical("ball", "body")
        .build()
    )
    model, w, end = da.compile(top), np.array([0.6, 0.0, 3.0]), 2.0
    moment = np.array([2.0, 2.0, 1.0]) * w
    rate = moment / 2
    angle = np.linalg.norm(rate) * end
    n = rate / np.linalg.norm(rate)
    z = np.array([0.0, 0.0, 1.0])
    # Rodrigues: where the body's axis points at the end
    exact = z * np.cos(angle) + np.cross(n, z) * np.sin(angle) + n * (n @ z) * (1 - np.cos(angle))
    steps, errors = [0.1, 0.05, 0.025], []
    for h in steps:
        motion = simulate(model, [1, 0, 0, 0], w, end, method=Variational(h))
        axis = model.forward_kinematics(motion.q[-1], frame="body")[:3, 2]
        errors.append(np.abs(axis - exact).max())
    assert slope(steps, errors) == pytest.approx(2, abs=0.1)


def test_moves_are_those_of_the_configuration(rng: np.random.Generator) -> None:
    model, (q, v) = free_chain(), free_chain_start(rng)
    for h in (0.0, 1e-9, 0.3):
        np.testing.assert_allclose(
            Moves(model).move(q, h * v), model.configuration.integrate(q, v, h), atol=1e-14
        )


def test_transport_is_the_derivative_of_the_discrete_action(rng: np.random.Generator) -> None:
    # -p_start and p_end by differences of h (F·place(mid) + ½|ξ|²) along g exp(η)
    model, (q, v) = free_chain(), free_chain_start(rng)
    configuration, h = model.configuration, 0.2
    slopes = rng.standard_normal(model.nq)
    weights = rng.uniform(1, 2, model.nv)

    def action(start: np.ndarray, end: np.ndarray) -> float:
        xi = configuration.difference(start, end) / h
        middle = configuration.integrate(start, xi, h / 2)
        return float(h * (slopes @ middle + weights @ xi**2 / 2))

    end = configuration.integrate(q, v, h)
    middle = configuration.integrate(q, v, h / 2)
    d, force, start_slope, end_slope = 1e-5, [], [], []
    for e in np.eye(model.nv):
        forth, back = (configuration.integrate(middle, s * d * e) for s in (1, -1))
        force.append(slopes @ (forth - back) / (2 * d))
        a, b = (action(configuration.integrate(q, s * d * e), end) for s in (1, -1))
        start_slope.append((a - b) / (2 * d))
        a, b = (action(q, configuration.integrate(end, s * d * e)) for s in (1, -1))
        end_slope.append((a - b) / (2 * d))
    transport = Transport(Moves(model).blocks, v, h)
    p, F = weights * v, np.array(force)
    np.testing.assert_allclose(transport.to_start(p, F), -np.array(start_slope), atol=1e-8)
    np.testing.assert_allclose(transport.to_end(p, F), end_slope, atol=1e-8)


def test_bracket_of_twists(rng: np.random.Generator) -> None:
    # Jacobi's identity holds for a bracket of a group, and [a, b] = -[b, a]
    a, b, c = rng.standard_normal((3, 6))
    np.testing.assert_allclose(bracket(a) @ b, -bracket(b) @ a, atol=1e-15)
    total = bracket(a) @ bracket(b) @ c + bracket(b) @ bracket(c) @ a + bracket(c) @ bracket(a) @ b
    np.testing.assert_allclose(total, 0, atol=1e-14)


def test_forces_and_damping() -> None:
    # ẍ = -4x - 2·0.2 ẋ, underdamped, with the damping as a law
    model = oscillator()
    law = [-0.4 * model.symbols.qd[0]]
    w, end, steps, errors = np.sqrt(4 - 0.04), 3.0, [0.04, 0.02, 0.01], []
    exact = np.exp(-0.2 * end) * (np.cos(w * end) + 0.2 / w * np.sin(w * end))
    for h in steps:
        motion = simulate(model, [1.0], [0.0], end, law, method=Variational(h))
        errors.append(abs(motion.q[-1, 0] - exact))
    assert slope(steps, errors) == pytest.approx(2, abs=0.1)


def bead(*, redundant: bool) -> da.Model:
    x, y = da.coordinates("x y")
    circle = x**2 + y**2 - 1
    return da.compile(
        da.System(
            kinetic=(x.dot**2 + y.dot**2) / 2,
            potential=GRAVITY * y,
            coordinates=[x, y],
            constraints=[circle, 3 * circle] if redundant else [circle],
        )
    )


@pytest.mark.parametrize("redundant", [False, True])
def test_pendulum_as_a_constrained_point(redundant: bool) -> None:
    model, amplitude, end = bead(redundant=redundant), 2.0, 1.5
    start = [np.sin(amplitude), -np.cos(amplitude)]
    steps, errors = [0.02, 0.01, 0.005], []
    for h in steps:
        motion = simulate(model, start, [0.0, 0.0], end, method=Variational(h))
        angle = pendulum_angle(amplitude, end)
        errors.append(np.abs(motion.q[-1] - [np.sin(angle), -np.cos(angle)]).max())
        assert np.abs(model.constraint_error(motion.q)).max() <= 1e-13
    assert slope(steps, errors) == pytest.approx(2, abs=0.1)


def test_constraints_hold_without_projection() -> None:
    model = bead(redundant=False)
    motion = simulate(
        model, [1.0, 0.0], [0.0, 0.5], 2.0, method=Variational(0.01), constraints=Unstabilised()
    )
    assert np.abs(model.constraint_error(motion.q)).max() <= 1e-13
    speed = np.einsum("ij,ij->i", motion.q, motion.qd)
    assert np.abs(speed).max() <= 1e-13


def test_knife_edge() -> None:
    # no force: the blade turns evenly and runs in a circle of radius speed / turn
    x, y, a = da.coordinates("x y a")
    knife = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2 + a.dot**2 / 8,
        potential=0,
        coordinates=[x, y, a],
        velocity_constraints=[x.dot * da.sin(a) - y.dot * da.cos(a)],
    )
    steps, errors, end = [0.02, 0.01, 0.005], [], 2.0
    for h in steps:
        motion = simulate(da.compile(knife), [0, 0, 0], [1.0, 0.0, 2.0], end, method=Variational(h))
        errors.append(
            np.abs(motion.q[-1, :2] - [np.sin(2 * end) / 2, (1 - np.cos(2 * end)) / 2]).max()
        )
    assert slope(steps, errors) == pytest.approx(2, abs=0.15)


def test_bad_step() -> None:
    with pytest.raises(EvaluationError, match=r"the step of .* above 0"):
        Variational(step=-1.0)


def test_lagrangian_of_time() -> None:
    t = np.linspace(0, 3, 4)
    motion = simulate(swinging_frame(), [0.5], [1.0], t, method=Variational(0.01))
    np.testing.assert_allclose(motion.q[:, 0], 0.5 + 2 * t - np.sin(t), atol=1e-4)


def test_redundant_loop() -> None:
    motion = simulate(bennett(), bennett_start(), None, 0.5, method=Variational(0.01))
    assert motion.ok
    assert np.abs(bennett().constraint_error(motion.q)).max() <= 1e-12
    assert np.abs(motion.energy.error).max() <= 1e-3
    assert np.ptp(motion.energy.total - motion.energy.potential) > 0.1
