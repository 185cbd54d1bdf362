"""Planned swing-ups: the acrobot and the cart-pole from random states, within their limits."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control import LQR, plan_to
from dalembert.control.planning import search
from dalembert.control.planning.step_map import StepMap
from dalembert.simulation import DOP853, simulate
from tests.cases import num_cases
from tests.unit.control.controllers import controlled as plants

# feedback forgives
METHOD = DOP853(rtol=1e-5, atol=1e-6)
LIMIT = 25.0


def acrobot_catch() -> LQR:
    return LQR(plants.acrobot(), plants.UPRIGHT_ACROBOT, [10, 10, 1, 1], 1.0, actuated=[1])


def test_derivatives_of_a_step(rng: np.random.Generator) -> None:
    """Against central differences, and the step itself against a tight integrator."""
    step = StepMap(plants.acrobot(), [1], 0.02)
    x, u = rng.normal(size=4), rng.normal(size=1)
    A, B = step.derivatives(x, u)
    h = 1e-5
    for k in range(4):
        e = h * np.eye(4)[k]
        assert np.allclose((step(x + e, u) - step(x - e, u)) / (2 * h), A[:, k], atol=1e-8)
    assert np.allclose((step(x, u + h) - step(x, u - h)) / (2 * h), B[:, 0], atol=1e-8)
    exact = simulate(plants.acrobot(), x[:2], x[2:], [0.0, 0.02], [0.0, float(u[0])])
    assert np.abs(step(x, u) - np.r_[exact.q[-1], exact.qd[-1]]).max() < 1e-5


@pytest.mark.parametrize("name", ["acrobot", "cart_pole"])
def test_it_is_up_in_seconds_from_any_start(
    name: str, rng: np.random.Generator, scale: float
) -> None:
    if name == "acrobot":
        catch, angles = acrobot_catch(), [0, 1]
    else:
        catch, angles = LQR(plants.cart_pole(), plants.UPRIGHT_CART, 1.0, 0.1), [1]
    model, is_angle = catch.model, np.isin([0, 1], angles)
    for _ in range(num_cases(1, scale)):
        q0 = np.where(is_angle, rng.uniform(-np.pi, np.pi, 2), rng.uniform(-1, 1, 2))
        v0 = rng.uniform(-2, 2, 2)
        swing = plan_to(catch, q0, v0, limits=LIMIT, angles=angles)
        assert np.abs(swing.inputs).max() <= LIMIT
        assert np.allclose(swing.states[0], [*q0, *v0])
        T = swing.times[-1]
        assert T < 10
        # the regulator of the cart takes its time
        end = T + (4.0 if name == "acrobot" else 12.0)
        motion = simulate(model, q0, v0, [0.0, T, end], swing, method=METHOD)
        assert motion.ok, motion.status
        away = motion.q[-1] - catch.equilibrium
        away = np.where(is_angle, (away + np.pi) % (2 * np.pi) - np.pi, away)
        assert np.abs(away).max() < 0.01
        assert np.abs(motion.qd[-1]).max() < 0.01


def test_a_push_on_the_way_is_taken_back() -> None:
    """The gains hold the plan: a disturbed start still ends upright."""
    catch = acrobot_catch()
    swing = plan_to(catch, [0.0, 0.0], limits=LIMIT)
    T = swing.times[-1]
    motion = simulate(
        catch.model, [0.02, -0.02], [0.05, 0.0], [0.0, T, T + 4.0], swing, method=METHOD
    )
    assert motion.ok, motion.status
    away = (motion.q[-1] - catch.equilibrium + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(away).max() < 0.01
    # one call for many states
    q, v = np.zeros((3, 2)), np.ones((3, 2))
    assert np.array_equal(swing(0.1, q, v)[1], swing(0.1, q[1], v[1]))


def test_what_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    catch = acrobot_catch()
    monkeypatch.setattr(search, "ROUNDS", 3)
    with pytest.raises(da.EvaluationError, match=r"within 0\.1 s, got .* at best, not below"):
        plan_to(catch, [0.0, 0.0], duration=0.1, limits=1.0)
    with pytest.raises(da.EvaluationError, match="expected 1 limits above zero"):
        plan_to(catch, [0.0, 0.0], limits=[1.0, 2.0])
    ball = da.Builder("b").link("rod", mass=1, com=(0, 0, 0.5), inertia=(0.2, 0.2, 0.1))
    model = da.compile(ball.spherical("ball", "rod").build())
    with pytest.raises(da.InvalidMechanism, match="one coordinate each for plan_to"):
        plan_to(LQR(model, [1, 0, 0, 0], 1.0, 1.0), [1, 0, 0, 0])
