"""Slotine and Li: the regressor of the law, and what it learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.control import Adaptive, PassivityBased
from dalembert.control.controllers.adaptive import is_friction, tracking_regressor
from dalembert.simulation import DOP853, simulate
from tests.unit.control.controllers import controlled as plants
from tests.unit.control.controllers.closed_loop import ClosedLoop

PANDA_DAMPING = np.array([60, 60, 40, 40, 4, 4, 1])


def rubbing_arm() -> da.Model:
    builder = da.Builder("rubbing", gravity=(0, 0, -9.81))
    place = (0.0, 0.0, 0.0)
    for k, axis in enumerate("zyx"):
        builder.link(f"l{k}", mass=1.0 + k, com=(0.1, 0.2 * k, 0.3), inertia=(0.1, 0.2, 0.15))
        builder.revolute(
            f"j{k}", f"l{k}", axis=axis, origin=place, damping=0.4, friction=0.7, armature=0.05
        )
        place = (0.3, 0.0, 0.1)
    return da.compile(builder.build())


@pytest.mark.parametrize("name", ["panda", "rubbing"])
def test_regressor_of_the_law(name: str, rng: np.random.Generator) -> None:
    """Y(q, v, w, a) θ = M a + C(q, v) w + N, with the C of the Christoffel symbols."""
    model = plants.panda() if name == "panda" else rubbing_arm()
    q, v, w, a = rng.normal(size=(4, 5, model.nv))
    Y = tracking_regressor(model.call, is_friction(model), q, v, w, a)
    theta = np.array(model.regressor_parameters[1], float)
    M, C = model.mass_matrix(q), model.coriolis(q, v)
    expected = (M @ a[..., None] + C @ (w - v)[..., None])[..., 0] + model.bias(q, v)
    assert np.allclose(Y @ theta, expected, rtol=0, atol=1e-11)


def test_a_right_model_gives_the_passivity_based_law(rng: np.random.Generator) -> None:
    model = plants.panda()
    reference = plants.waves(plants.PANDA_HOME)
    gains = {"slope": 4.0, "damping": PANDA_DAMPING}
    adaptive = Adaptive(model, reference, adaptation=1.0, **gains)
    plain = PassivityBased(model, reference, **gains)
    q, v = rng.normal(size=(2, 7))
    assert np.allclose(adaptive(0.3, q, v), plain(0.3, q, v), rtol=0, atol=1e-11)
    assert adaptive.law is None


def test_it_learns_to_follow_with_masses_wrong_by_30_percent() -> None:
    arm = da.textbook.robots.panda()
    plant, believed = plants.panda(), da.compile(plants.with_wrong_masses(arm, 0.3))
    # one frequency: what it learns in a period serves in the next
    reference = [float(c) + 0.4 * da.sin(2 * da.time + k) for k, c in enumerate(plants.PANDA_HOME)]
    gains = {"slope": 5.0, "damping": PANDA_DAMPING}
    controller = Adaptive(believed, reference, adaptation=10.0, **gains)
    x, xd, _ = controller.desired(0.0)
    end = 20.0

    def run(loop: ClosedLoop) -> tuple[np.ndarray, np.ndarray]:
        start = loop.start(x + 0.1, xd)
        found = solve_ivp(loop.rate, (0, end), start, rtol=1e-6, atol=1e-8)
        assert found.success
        return found.t, found.y.T

    loop = ClosedLoop(plant, controller)
    t, states = run(loop)
    q, v, estimate = loop.parts(states)
    error = np.abs(q - controller.desired(t).position).max(axis=1)
    assert error[t > end - 3].max() < 1e-3
    # without learning the same gains leave several times as much
    t_plain, plain = run(ClosedLoop(plant, PassivityBased(believed, reference, **gains)))
    left = np.abs(plain[:, :7] - controller.desired(t_plain).position).max(axis=1)
    assert left[t_plain > end - 3].max() > 4e-3
    # V falls at every step, so the estimate stays as near as V allows: |θ̃|² ≤ 2 V₀ Γ
    labels = list(plant.regressor_parameters[0])
    theta = np.array([float(x) for x in plant.regressor_parameters[1]])
    true = theta[[labels.index(name) for name in controller.labels]]
    V = controller.lyapunov(t, q, v, estimate, plant, true)
    assert np.diff(V).max() < 0
    assert np.linalg.norm(estimate - true, axis=1).max() <= np.sqrt(20 * V[0]) * (1 + 1e-9)


def test_a_simulation_carries_the_estimate_along() -> None:
    """The 2R arm, believed 30 % wrong: the error of every period is below that of the last one."""
    plant, arm = plants.planar(), plants.planar_arm()
    believed = da.compile(plants.with_wrong_masses(arm, 0.3))
    reference = [0.5 * da.sin(2 * da.time), -0.5 + 0.5 * da.cos(2 * da.time)]
    controller = Adaptive(believed, reference, slope=4.0, damping=20.0, adaptation=0.5)
    # four periods
    t = np.linspace(0, 4 * np.pi, 201)
    x, xd, _ = controller.desired(t)
    motion = simulate(plant, x[0], xd[0], t, controller, method=DOP853(rtol=1e-6, atol=1e-8))
    assert motion.ok, motion.status
    assert motion.controller_state.shape == (201, len(controller.labels))
    assert np.allclose(motion.controller_state[0], controller.state)
    error = np.abs(motion.q - x).max(axis=1)[1:].reshape(4, 50).max(axis=1)
    assert (np.diff(error) < 0).all()
    assert error[-1] < error[0] / 4


def test_only_chosen_parameters_adapt(rng: np.random.Generator) -> None:
    model = plants.panda()
    chosen = ["link7.hx", "link7.m"]
    controller = Adaptive(
        model, plants.PANDA_HOME, slope=1.0, damping=1.0, adaptation=[2.0, 3.0], adapt=chosen
    )
    assert controller.labels == ("link7.m", "link7.hx")
    q, v = rng.normal(size=(2, 7))
    heavier = controller.state + np.array([0.5, 0.0])
    loaded = da.compile(da.textbook.robots.panda().with_payload("link7", mass=0.5))
    expected = PassivityBased(loaded, plants.PANDA_HOME, slope=1.0, damping=1.0)(0.0, q, v)
    assert np.allclose(controller(0.0, q, v, heavier), expected, rtol=0, atol=1e-11)
    assert controller.rate(0.0, q, v, heavier).shape == (2,)


def test_bad_input() -> None:
    model = plants.panda()
    gains: dict[str, Any] = {"slope": 1.0, "damping": 1.0, "adaptation": 1.0}
    with pytest.raises(da.UnknownName, match=r"got 'link7.mass' \(did you mean link7.m"):
        Adaptive(model, plants.PANDA_HOME, adapt=["link7.mass"], **gains)
    with pytest.raises(da.EvaluationError, match="adaptation as a number, as 77 numbers"):
        Adaptive(model, plants.PANDA_HOME, **{**gains, "adaptation": [1.0, 2.0]})
    controller = Adaptive(model, plants.PANDA_HOME, **gains)
    still = np.zeros(7)
    with pytest.raises(da.EvaluationError, match=r"shape \(..., 77\) for the estimate, got \(3,\)"):
        controller(0.0, still, still, np.zeros(3))
    with pytest.raises(da.EvaluationError, match="finite numbers for the estimate"):
        controller.rate(0.0, still, still, np.full(77, np.nan))
