"""Swing-up: published bounds, V̇ along the motion, and the catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.control import LQR, EnergyShaping, SwingUp
from dalembert.simulation import DOP853, simulate
from tests.unit.control.controllers import controlled as plants

CART: dict[str, Any] = {
    "actuated": 0,
    "angles": [1],
    "energy_gain": 1.0,
    "velocity_gain": 3.0,
    "position_gain": 20.0,
    "damping": 3.0,
}
# the gains of Xin and Kaneda (2007), section 6
ACROBOT: dict[str, Any] = {
    "actuated": 1,
    "angles": [0, 1],
    "energy_gain": 1.0,
    "velocity_gain": 35.8,
    "position_gain": 61.2,
    "damping": 66.3,
}


# looser than the default: the feedback forgives, and minutes pass
METHOD = DOP853(rtol=1e-9, atol=1e-10)


def cart_swing() -> EnergyShaping:
    return EnergyShaping(plants.cart_pole(), plants.UPRIGHT_CART, **CART)


def acrobot_swing() -> EnergyShaping:
    return EnergyShaping(plants.acrobot(), plants.UPRIGHT_ACROBOT, **ACROBOT)


def test_bound_of_the_gain_is_the_published_one() -> None:
    """Xin and Kaneda give k_D > 35.741 for their acrobot."""
    assert np.isclose(acrobot_swing().least_velocity_gain, 35.741, rtol=0, atol=6e-4)


def test_bound_of_the_gain_by_hand() -> None:
    """For the cart-pole β = 1/(m_c + m_p sin² θ) and E* - U = m_p g l (1 + cos θ)."""
    theta = np.linspace(0, np.pi, 200_001)
    bound = (0.3 * 9.81 * 0.5 * (1 + np.cos(theta)) * (1 + 0.3 * np.sin(theta) ** 2)).max()
    assert np.isclose(cart_swing().least_velocity_gain, bound, rtol=1e-8)


@pytest.mark.parametrize("make", [cart_swing, acrobot_swing])
def test_v_falls_by_the_damping_of_the_actuated_joint(make: Any, rng: np.random.Generator) -> None:
    """V̇ = -k_d q̇_a², by central differences along the flow."""
    swing = make()
    model, h = swing.model, 1e-5
    q, v = rng.normal(size=(2, 20, 2))
    a = model.forward_dynamics(q, v, swing(0.0, q, v))
    ahead = swing.lyapunov(q + h * v + h * h / 2 * a, v + h * a)
    behind = swing.lyapunov(q - h * v + h * h / 2 * a, v - h * a)
    expected = -swing.damping * v[:, swing.actuated] ** 2
    scale = np.abs(swing.lyapunov(q, v)) + np.abs(a).max(axis=1) ** 2
    assert np.abs(((ahead - behind) / (2 * h) - expected) / scale).max() < 1e-6


@pytest.mark.parametrize(
    ("make", "costs", "start", "end"),
    [
        (cart_swing, (1.0, 0.1), [0.0, 0.3], 20.0),
        (cart_swing, (1.0, 0.1), [0.5, -1.0], 20.0),
        # where Xin and Kaneda start: 1.4 rad below the horizontal
        (acrobot_swing, (100.0, 0.1), [np.pi / 2 - 1.4, 0.0], 20.0),
        # far from it the energy takes minutes to settle, as V̇ = -k_d q̇₂² with q₂ nearly at rest
        (acrobot_swing, (100.0, 0.1), [1.0, 0.0], 320.0),
    ],
)
def test_swing_up_catches_and_stays(make: Any, costs: Any, start: Any, end: float) -> None:
    swing = make()
    model = swing.model
    actuated = [swing.actuated] if len(model.symbols.inputs) == 2 else None
    controller = SwingUp(swing, LQR(model, swing.upright, *costs, actuated=actuated))
    t = np.linspace(0, end, 1001)
    motion = simulate(model, start, [0.0, 0.0], t, controller, method=METHOD)
    assert motion.ok, motion.status
    caught = controller.has_caught(motion.q, motion.qd)
    first = int(np.argmax(caught))
    assert 0 < first < 800
    # once caught it is never lost
    assert caught[first:].all()
    off = motion.q - swing.upright
    turns = np.isin([0, 1], swing.angles)
    off = np.where(turns, (off + np.pi) % (2 * np.pi) - np.pi, off)
    assert np.abs(off[t > end - 3]).max() < 0.05
    # V of the swing falls until the hand-over
    V = swing.lyapunov(motion.q[:first], motion.qd[:first])
    assert np.diff(V).max() < 1e-9 * V[0]
    # V of the regulator falls after it
    near = np.where(turns, off + swing.upright, motion.q)[first:]
    S = controller.catch.lyapunov(near, motion.qd[first:])
    assert np.diff(S).max() < 1e-9 * S[0]


def test_laws_and_batches(rng: np.random.Generator) -> None:
    swing = cart_swing()
    model = swing.model
    q, v = rng.normal(size=(2, 40, 2))
    assert swing.law is not None
    law = model.compile(list(swing.law), {"q": list(model.symbols.q), "qd": list(model.symbols.qd)})
    assert np.allclose(law(q, v), swing(0.0, q, v), rtol=1e-11, atol=1e-11)
    controller = SwingUp(swing, LQR(model, swing.upright, 1.0, 1.0))
    assert controller.law is None
    q[:10] = swing.upright + 1e-3 * rng.normal(size=(10, 2)) + [0, 4 * np.pi]
    v[:10] *= 1e-3
    together = controller(0.0, q, v)
    alone = np.array([controller(0.0, a, b) for a, b in zip(q, v, strict=True)])
    assert controller.has_caught(q, v)[:10].all()
    assert np.allclose(together, alone, rtol=1e-11, atol=1e-11)


def test_refusals() -> None:
    model, up = plants.cart_pole(), plants.UPRIGHT_CART
    with pytest.raises(da.EvaluationError, match=r"velocity_gain above 2\.9555"):
        EnergyShaping(model, up, **{**CART, "velocity_gain": 2.9})
    with pytest.raises(da.EvaluationError, match="above zero for damping, got -1"):
        EnergyShaping(model, up, **{**CART, "damping": -1})
    with pytest.raises(da.InvalidMechanism, match=r"force on coordinate 1 .* got the forces F, 0"):
        EnergyShaping(model, up, **{**CART, "actuated": 1})
    with pytest.raises(da.InvalidMechanism, match=r"two coordinates .* got 7 coordinates"):
        EnergyShaping(plants.panda(), up, **CART)
    builder = da.Builder("rubs", gravity=(0, -9.8, 0))
    builder.link("a", mass=1, com=(0, -1, 0)).link("b", mass=1, com=(0, -1, 0))
    builder.revolute("j", "a", damping=0.1).revolute("k", "b", origin=(0, -1, 0))
    with pytest.raises(da.InvalidMechanism, match=r"conservative model .* loses"):
        EnergyShaping(da.compile(builder.build()), [np.pi, 0], **ACROBOT)
    swing = cart_swing()
    with pytest.raises(da.EvaluationError, match="regulator at the upright position"):
        SwingUp(swing, LQR(model, [0.0, 0.0], 1.0, 1.0))
    with pytest.raises(da.EvaluationError, match="above zero for level"):
        SwingUp(swing, LQR(model, up, 1.0, 1.0), level=0.0)
