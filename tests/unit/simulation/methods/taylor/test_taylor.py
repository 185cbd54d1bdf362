"""Taylor's method: coefficients against mpmath, motions against closed forms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model import compile_series
from dalembert.simulation import DOP853, Taylor, simulate
from tests.unit.simulation.methods.integrator_cases import (
    bennett,
    bennett_start,
    double_pendulum,
    free_chain,
    free_chain_start,
    kepler,
    kepler_start,
    oscillator,
    pendulum,
    pendulum_angle,
    pendulum_period,
    problem_of,
    swinging_frame,
    world_momentum,
)

T, Y, C = da.parameters("t y c")
HALF = 0.7

# a function of time and of a constant, as an expression and as mpmath has it
FUNCTIONS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "sin": (da.sin(T * T), lambda t: mpmath.sin(t * t)),
    "cos": (da.cos(T * T), lambda t: mpmath.cos(t * t)),
    "sin and cos": (da.sin(T) * da.cos(T) ** 2, lambda t: mpmath.sin(t) * mpmath.cos(t) ** 2),
    "quotient": (T / (1 + C * T * T), lambda t: t / (1 + HALF * t * t)),
    "constant quotient": (C / (1 + T) - T / C, lambda t: HALF / (1 + t) - t / mpmath.mpf(HALF)),
    "root": (da.sqrt(1 + T), lambda t: mpmath.sqrt(1 + t)),
    "power": ((1 + T) ** Fraction(7, 3), lambda t: (1 + t) ** (mpmath.mpf(7) / 3)),
    "exp": (da.exp(T * T), lambda t: mpmath.exp(t * t)),
    "log": (da.log(1 + T), lambda t: mpmath.log(1 + t)),
    "tan": (da.tan(T), mpmath.tan),
    "tanh": (da.tanh(2 * T), lambda t: mpmath.tanh(2 * t)),
    "asin": (da.asin(T), mpmath.asin),
    "acos": (da.acos(T), mpmath.acos),
    "atan2": (da.atan2(T, 1 + T * T), lambda t: mpmath.atan2(t, 1 + t * t)),
    "atan2 of a constant": (da.atan2(C, T), lambda t: mpmath.atan2(HALF, t)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_coefficients(name: str) -> None:
    # y = ∫ f(t) dt with t a state of rate 1
    f, reference = FUNCTIONS[name]
    order, start = 12, 0.3
    series = compile_series([1, f], [T, Y], {"c": [C]}, order=order)
    got = series([start, 2.0], [HALF])[:, 1]
    with mpmath.workdps(40):
        slopes = mpmath.taylor(reference, mpmath.mpf(start), order - 1)
        expected = [2.0] + [float(x / (k + 1)) for k, x in enumerate(slopes)]
    # a few roundings in each recurrence
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-14)


def test_coefficients_of_more_products_than_lanes() -> None:
    # x = 1/(1-t) has x' = x²; y_k' = x^k needs a chain of products in three groups
    states = da.parameters(" ".join(f"s{k}" for k in range(20)))
    x = states[0]
    powers = [x * x]
    for _ in states[1:]:
        powers.append(powers[-1] * x)
    got = compile_series(powers, states, order=6)(np.ones(20))
    # x^(k+2) = (1-t)^-(k+2): coefficients binomial(k+1+j, j)
    for k in range(20):
        rates = [float(mpmath.binomial(k + 1 + j, j)) for j in range(6)]
        np.testing.assert_allclose(got[1:, k], [r / (j + 1) for j, r in enumerate(rates)])


def test_order_follows_from_the_tolerance() -> None:
    assert Taylor().order == 20
    assert Taylor(tolerance=1e-8).order == 11
    for bad in (0.0, 1.0, -1e-9, float("nan")):
        with pytest.raises(EvaluationError, match="tolerance"):
            Taylor(tolerance=bad)


def test_oscillator() -> None:
    t = np.linspace(0, 50, 11)
    motion = simulate(oscillator(), [1.0], [0.5], t, method=Taylor())
    np.testing.assert_allclose(motion.q[:, 0], np.cos(2 * t) + 0.25 * np.sin(2 * t), atol=2e-14)


def test_pendulum_of_large_swing() -> None:
    t = np.linspace(0, 3 * pendulum_period(3.0), 31)
    motion = simulate(pendulum(), [3.0], [0.0], t, method=Taylor())
    # the slow top multiplies rounding
    np.testing.assert_allclose(motion.q[:, 0], pendulum_angle(3.0, t), atol=2e-12)


def test_states_between_steps() -> None:
    stepper = Taylor().start(problem_of(pendulum()), 0.0, np.array([1.0, 0.0]), 5.0)
    for _ in range(3):
        t = stepper.t
        step = stepper.step(5.0)
        for s in np.linspace(t, step.t, 5):
            assert step.dense(s)[0] == pytest.approx(pendulum_angle(1.0, s), abs=1e-14)


@pytest.mark.parametrize("eccentricity", [0.1, 0.9])
def test_kepler_orbit_closes(eccentricity: float) -> None:
    q, v = kepler_start(eccentricity)
    motion = simulate(kepler(), q, v, 10 * 2 * np.pi, method=Taylor())
    np.testing.assert_allclose(motion.q[-1], q, atol=2e-12 / (1 - eccentricity) ** 2)
    moment = motion.q[:, 0] * motion.qd[:, 1] - motion.q[:, 1] * motion.qd[:, 0]
    np.testing.assert_allclose(moment, moment[0], rtol=1e-14)


def test_double_pendulum_keeps_its_energy() -> None:
    motion = simulate(double_pendulum(), [2.0, 2.5], [0, 0], 10.0, method=Taylor())
    assert np.abs(motion.energy.error).max() <= 1e-12


def test_runs_back() -> None:
    there = simulate(double_pendulum(), [1.0, 1.5], [0, 0], 5.0, method=Taylor())
    back = simulate(
        double_pendulum(), there.q[-1], there.qd[-1], np.array([5.0, 0.0]), method=Taylor()
    )
    np.testing.assert_allclose(back.q[-1], [1.0, 1.5], atol=1e-11)


def test_quaternions(rng: np.random.Generator) -> None:
    model, (q, v) = free_chain(), free_chain_start(rng)
    motion = simulate(model, q, v, 2.0, method=Taylor())
    assert np.abs(motion.energy.error).max() <= 1e-13
    moment = world_momentum(model, motion.q, motion.qd)
    np.testing.assert_allclose(moment, np.broadcast_to(moment[0], moment.shape), atol=1e-13)
    for k in model.configuration.quaternions:
        lengths = np.linalg.norm(motion.q[:, k : k + 4], axis=1)
        np.testing.assert_allclose(lengths, 1, atol=1e-15)


def test_law_of_time_and_state() -> None:
    model = oscillator()
    # ẍ = -4x + (3x + sin t): x = (t cos t terms aside) from rest, ẍ + x = sin t
    law = [3 * model.symbols.q[0] + da.sin(da.time)]
    t = np.linspace(0, 10, 6)
    motion = simulate(model, [0.0], [0.0], t, law, method=Taylor())
    np.testing.assert_allclose(motion.q[:, 0], (np.sin(t) - t * np.cos(t)) / 2, atol=1e-13)
    assert np.abs(motion.energy.error).max() <= 1e-12


def test_constant_forces() -> None:
    t = np.linspace(0, 10, 6)
    motion = simulate(oscillator(), [0.0], [0.0], t, [8.0], method=Taylor())
    np.testing.assert_allclose(motion.q[:, 0], 2 * (1 - np.cos(2 * t)), atol=1e-13)


def test_longest_step() -> None:
    (x,) = da.coordinates("x")
    fall = da.compile(da.System(kinetic=x.dot**2 / 2, potential=10 * x, coordinates=[x]))
    # a polynomial in time is one step, stored in parts
    motion = simulate(fall, [0.0], [1.0], 3.0, method=Taylor())
    assert len(motion.t) == 1 + Taylor.stored_parts
    assert motion.q[-1, 0] == pytest.approx(3 - 45, abs=1e-13)
    assert (
        len(simulate(fall, [0.0], [1.0], 3.0, method=Taylor(max_step=0.5)).t)
        == 1 + 6 * Taylor.stored_parts
    )
    with pytest.raises(EvaluationError, match="max_step"):
        Taylor(max_step=0.0)


def test_a_symmetric_start_does_not_hide_the_radius() -> None:
    """From (π/2, π/2) at rest the motion has the powers 2, 6, 10, … of time alone."""
    numbers = dict(zip(da.parameters("m1 m2 l1 l2 g"), (1, 1, 1, 1, 9.81), strict=True))
    model = da.compile(da.textbook.double_pendulum(), parameters=numbers)
    motion = simulate(model, [np.pi / 2, np.pi / 2], None, 2.0, method=Taylor())
    energy = model.energy(motion.q, motion.qd)
    assert np.abs(energy - energy[0]).max() <= 1e-12


def test_fall_into_the_sun_stops_with_a_reason() -> None:
    motion = simulate(kepler(), [1.0, 0.0], [0.0, 0.0], 2.0, method=Taylor())
    assert not motion.ok
    # the fall from rest at 1 takes π/√8
    assert motion.t[-1] == pytest.approx(np.pi / np.sqrt(8), abs=1e-6)


def test_refuses_what_has_no_series() -> None:
    model = oscillator()
    with pytest.raises(EvaluationError, match="DOP853"):
        simulate(model, [0.0], [0.0], 1.0, lambda t, q, v: [0.0], method=Taylor())
    with pytest.raises(EvaluationError, match=r"sign.*smoothing="):
        simulate(model, [0.0], [1.0], 1.0, [-da.sign(model.symbols.qd[0])], method=Taylor())


def test_lagrangian_of_time() -> None:
    t = np.linspace(0, 3, 4)
    motion = simulate(swinging_frame(), [0.5], [1.0], t, method=Taylor())
    np.testing.assert_allclose(motion.q[:, 0], 0.5 + 2 * t - np.sin(t), atol=1e-13)


def test_redundant_loop() -> None:
    motion = simulate(bennett(), bennett_start(), None, 0.5, method=Taylor())
    assert motion.ok
    assert np.abs(bennett().constraint_error(motion.q)).max() <= 1e-12
    assert np.abs(motion.energy.error).max() <= 1e-13
    assert np.ptp(motion.energy.total - motion.energy.potential) > 0.1


@pytest.mark.parametrize("turns", [300_000, 10**6])
def test_angles_beyond_the_reduction_of_sines(turns: int) -> None:
    """A pendulum that was turned often before swings as one that was not."""
    (angle,) = da.coordinates("angle")
    model = da.compile(
        da.System(kinetic=angle.dot**2 / 2, potential=-da.cos(angle), coordinates=[angle])
    )
    start = float(2 * np.pi * turns)
    motion = simulate(model, [start + 1.0], [0.0], [0.0, 3.0])
    assert motion.ok, motion.status
    assert any("1.6e+06 rad" in text for text in motion.warnings)
    right = simulate(model, [np.fmod(start + 1.0, 2 * np.pi)], [0.0], [0.0, 3.0])
    # as well as floats know so large an angle
    assert abs((motion.q - right.q)[-1] - (motion.q - right.q)[0]) < 16 * np.spacing(start)
    refused = simulate(model, [start + 1.0], [0.0], 3.0, method=Taylor())
    assert "take DOP853" in refused.status


def four_bar(values: tuple[float, ...]) -> Any:
    names = da.parameters("l0 l1 l2 l3 m1 m2 m3 g")
    parameters = dict(zip(names, values, strict=True))
    return da.compile(da.textbook.robots.four_bar(), parameters=parameters)


def test_closed_mechanisms_have_series_by_default() -> None:
    linkage = four_bar((1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81))
    start = ([0.5, 0.4, 1.5], [1.0, 0.0, 0.0])
    motion, other = (
        simulate(linkage, *start, [0.0, 2.5, 5.0], initial="project", method=method)
        for method in (None, DOP853())
    )
    assert motion.method.startswith("Taylor")
    np.testing.assert_allclose(motion.q, other.q, atol=1e-10)
    assert motion.energy_error < 1e-13
    assert motion.position_error.max() < 1e-14


def test_near_singular_configurations_another_method_goes_on() -> None:
    """A parallelogram through its stretched position: rates by the known rank are needed."""
    parallelogram = four_bar((1.0, 0.5, 1.0, 0.5, 1.0, 1.0, 1.0, 9.81))
    q = np.pi / 2
    motion = simulate(parallelogram, [q, -q, q], [12.0, -12.0, 12.0], 0.2)
    assert motion.ok
    assert any("DOP853" in text and "nearly singular" in text for text in motion.warnings)
    assert any("the rank of the constraints falls from 2 to 1" in text for text in motion.warnings)
    # it stays a parallelogram: opposite sides are parallel
    np.testing.assert_allclose(motion.q[:, 0], motion.q[:, 2], atol=1e-8)


def test_projections_between_steps_leave_the_motion_as_it_is() -> None:
    """With a loose tolerance every step is projected; the error is that of the tolerance."""
    linkage = four_bar((1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81))
    start = ([0.5, 0.4, 1.5], [1.0, 0.0, 0.0])
    loose, exact = (
        simulate(linkage, *start, [0.0, 2.0], initial="project", method=method)
        for method in (Taylor(1e-9), Taylor())
    )
    np.testing.assert_allclose(loose.q, exact.q, atol=1e-6)
    assert loose.position_error.max() < 1e-13


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_loose_tolerances(tolerance: float) -> None:
    """A harmonic oscillator for ten seconds: no coefficient is measured beside itself.

    With orders up to 11 the steps shrank until the motion stopped.
    """
    model = oscillator()
    motion, exact = (
        simulate(model, [1.0], [0.3], 10.0, method=Taylor(e)) for e in (tolerance, 2.3e-16)
    )
    assert motion.ok
    assert abs(motion.q[-1, 0] - exact.q[-1, 0]) < tolerance
    # a step of order p is about e⁻² of the radius of convergence, whatever p is
    assert len(motion.t) < 6 * len(exact.t)
