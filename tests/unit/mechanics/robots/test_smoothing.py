"""Dry friction as tanh(v / smoothing) in the system and the equations of a mechanism."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

ROUNDING = 1e-12
MOTION = 1e-7


def rubbing_arm() -> da.Mechanism:
    """Two hinges with Coulomb and Stribeck friction, one of them of a geared motor."""
    return (
        da.Builder("arm", gravity=(0, -9.81, 0))
        .link("a", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        .link("b", mass=2, com=(0.3, 0, 0), inertia=(0.2, 0.1, 0.1))
        .revolute("first", "a", friction=0.4, stribeck=0.2, stribeck_velocity=0.5)
        .revolute("second", "b", origin=(1, 0, 0), damping=0.1)
        .actuator("plain", "first")
        .actuator("motor", "second", gear_ratio=-3, friction=0.05)
        .build()
    )


def test_system_and_mechanism_have_the_same_accelerations(rng: np.random.Generator) -> None:
    arm = rubbing_arm()
    of_tree = da.compile(arm, smoothing=0.03)
    of_system = da.compile(arm.system(smoothing=0.03))
    q, v, tau = rng.uniform(-1, 1, (3, 20, 2))
    # velocities from deep inside the smoothing to far beyond it
    v *= 10.0 ** rng.uniform(-5, 1, (20, 1))
    expected = of_tree.forward_dynamics(q, v, tau)
    assert of_system.forward_dynamics(q, v, tau) == pytest.approx(expected, rel=ROUNDING, abs=1e-11)


def test_motion_of_the_system_is_that_of_the_written_law() -> None:
    """m q̈ = -m g sin α - F tanh(q̇ / s), against SciPy on the equation typed by hand."""
    slide = da.Builder("slide", gravity=(-2, 0, -9)).link("a", mass=3)
    mechanism = slide.prismatic("j", "a", axis="x", friction=4).build()

    def rate(t: float, x: np.ndarray) -> list[float]:
        return [x[1], -2 - 4 * math.tanh(x[1] / 0.1) / 3]

    hand = solve_ivp(rate, (0, 1), [0, 1.5], rtol=1e-11, atol=1e-12)
    for model in (
        da.compile(mechanism, smoothing=0.1),
        da.compile(mechanism.system(smoothing=0.1)),
    ):
        motion = da.simulate(model, [0.0], [1.5], 1.0)
        assert motion.ok
        assert motion.events == ()
        assert motion.q[-1, 0] == pytest.approx(hand.y[0, -1], abs=MOTION)


def test_system_and_mechanism_move_alike() -> None:
    arm = rubbing_arm()
    start = ([0.3, -0.2], [0.5, 1.0], 0.5)
    one = da.simulate(da.compile(arm, smoothing=0.05), *start)
    other = da.simulate(da.compile(arm.system(smoothing=0.05)), *start)
    assert one.ok
    assert other.ok
    assert other.q[-1] == pytest.approx(one.q[-1], abs=MOTION)


def test_equations_take_a_symbol_and_prove_with_it() -> None:
    (s,) = da.parameters("s")
    eq = rubbing_arm().equations(smoothing=s)
    assert s in eq.parameters
    assert all(p.is_proved for p in eq.prove())
    v = eq.coordinates[1].dot
    (tau,) = da.inputs("tau2")
    assert da.equal(eq.forces[1], tau + 0.15 * da.tanh(-3 * v / s))


@pytest.mark.parametrize("wrong", [0, -1.0, math.inf, math.nan, True, "0.1", np.zeros(2)])
def test_smoothing_is_a_positive_velocity(wrong: object) -> None:
    arm = rubbing_arm()
    for use in (arm.system, arm.equations, lambda smoothing: da.compile(arm, smoothing=smoothing)):
        with pytest.raises(da.InvalidMechanism, match="positive velocity for smoothing="):
            use(smoothing=wrong)  # type: ignore[arg-type]
