"""The linear regulator: exact linearisation, poles, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.control import LQR
from dalembert.errors import EvaluationError
from tests.closed_mechanisms import four_bar
from tests.unit.control.controllers import controlled as plants
from tests.unit.control.controllers.closed_loop import ClosedLoop


def differences(f: object, x: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Return ∂f/∂x by central differences of fourth order."""
    columns = []
    for k in range(x.size):
        e = step * np.eye(x.size)[k]
        columns.append((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * step))  # type: ignore[operator]
    return np.stack(columns, axis=-1)


def damped() -> da.Model:
    """Return a double pendulum with dampers and a spring."""
    builder = da.Builder("damped", gravity=(0, -9.8, 0))
    builder.link("a", mass=1, com=(0, -0.5, 0)).link("b", mass=1, com=(0, -0.5, 0))
    builder.revolute("j", "a", damping=0.7)
    builder.revolute("k", "b", origin=(0, -1, 0), damping=0.4, stiffness=3.0)
    return da.compile(builder.build())


def test_cart_pole_by_hand() -> None:
    """With θ = π + φ: m_c ẍ = F + m_p g φ and m_c l φ̈ = (m_c + m_p) g φ + F."""
    m_c, m_p, l, g = 1.0, 0.3, 0.5, 9.81
    regulator = LQR(plants.cart_pole(), plants.UPRIGHT_CART, 1.0, 1.0)
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[0, 2] = A[1, 3] = 1
    A[2, 1], A[3, 1] = m_p * g / m_c, (m_c + m_p) * g / (m_c * l)
    B[2, 0], B[3, 0] = 1 / m_c, 1 / (m_c * l)
    assert np.allclose(regulator.A, A, rtol=0, atol=1e-13)
    assert np.allclose(regulator.B, B, rtol=0, atol=1e-13)
    assert regulator.poles.real.max() < 0


@pytest.mark.parametrize("name", ["cart_pole", "acrobot", "panda", "damped"])
def test_poles_are_those_of_the_true_closed_loop(name: str) -> None:
    """The poles agree with a numerical linearisation of the nonlinear closed loop."""
    regulator = {
        "cart_pole": lambda: LQR(plants.cart_pole(), plants.UPRIGHT_CART, [1, 10, 1, 1], 0.5),
        "acrobot": lambda: LQR(
            plants.acrobot(), plants.UPRIGHT_ACROBOT, [10, 10, 1, 1], 1.0, actuated=[1]
        ),
        "panda": lambda: LQR(plants.panda(), plants.PANDA_HOME, 10.0, 1.0),
        "damped": lambda: LQR(damped(), [np.pi, 0.0], 1.0, 1.0, actuated=[0]),
    }[name]()
    loop = ClosedLoop(regulator.model, regulator)
    rest = loop.start(regulator.equilibrium, np.zeros(regulator.model.nv))
    assert np.abs(loop.rate(0.0, rest)).max() < 1e-12
    slopes = differences(lambda x: loop.rate(0.0, x), rest)
    linear = regulator.A - regulator.B @ regulator.gain
    # differences of fourth order at 1e-5 leave rounding over the step
    assert np.abs(slopes - linear).max() < 1e-9 * np.abs(linear).max()
    assert regulator.poles.real.max() < 0
    assert np.linalg.eigvals(slopes).real.max() < 0
    # the Riccati equation itself
    A, S = regulator.A, regulator.riccati
    gain = regulator.gain
    left = A.T @ S + S @ A + regulator.state_cost - gain.T @ regulator.input_cost @ gain
    assert np.abs(left).max() < 1e-8 * np.abs(S @ A).max()
    assert np.linalg.eigvalsh(S)[0] > 0


def test_cost_of_a_small_motion_is_the_riccati_form() -> None:
    """∫ x̃ᵀ Q x̃ + ũᵀ R ũ dt from x̃₀ is x̃₀ᵀ S x̃₀ up to third order."""
    regulator = LQR(plants.cart_pole(), plants.UPRIGHT_CART, [1, 10, 1, 1], 0.5)
    loop = ClosedLoop(regulator.model, regulator)
    Q, R = np.diag([1, 10, 1, 1]), 0.5
    x0, rest = 1e-4 * np.array([1.0, 2.0, -1.0, 0.5]), np.array([0, np.pi, 0, 0])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        x = y[:4] - rest
        u = regulator(t, y[:2], y[2:4])
        return np.append(loop.rate(t, y[:4]), x @ Q @ x + R * u @ u)

    start = np.append(x0 + rest, 0.0)
    found = solve_ivp(rate, (0, 40), start, method="DOP853", rtol=1e-10, atol=1e-16)
    assert np.isclose(found.y[-1, -1], x0 @ regulator.riccati @ x0, rtol=1e-6)


def test_the_law_and_the_resting_torque(rng: np.random.Generator) -> None:
    model = plants.panda()
    regulator = LQR(model, plants.PANDA_HOME, 10.0, 1.0)
    assert np.allclose(regulator.input, model.gravity(plants.PANDA_HOME), rtol=0, atol=1e-10)
    q, v = rng.normal(size=(2, 3, 7))
    assert regulator.law is not None
    law = model.compile(
        list(regulator.law), {"q": list(model.symbols.q), "qd": list(model.symbols.qd)}
    )
    assert np.allclose(law(q, v), regulator(0.0, q, v), rtol=0, atol=1e-10)


def test_refusals() -> None:
    cart, panda = plants.cart_pole(), plants.panda()
    with pytest.raises(
        da.EvaluationError, match=r"expected an equilibrium, got q = .* cannot hold"
    ):
        LQR(cart, [0.0, 2.0], 1.0, 1.0)
    with pytest.raises(da.EvaluationError, match="expected an equilibrium"):
        LQR(panda, plants.PANDA_HOME, 1.0, 1.0, input=np.zeros(7))
    with pytest.raises(da.EvaluationError, match="input_cost"):
        LQR(cart, plants.UPRIGHT_CART, 1.0, 0.0)
    with pytest.raises(da.EvaluationError, match="state_cost as a number, as 4 numbers"):
        LQR(cart, plants.UPRIGHT_CART, [1.0, 1.0], 1.0)
    with pytest.raises(da.EvaluationError, match="semidefinite state_cost"):
        LQR(cart, plants.UPRIGHT_CART, -1.0, 1.0)
    with pytest.raises(da.EvaluationError, match="inputs that act among 0 to 6, got"):
        LQR(panda, plants.PANDA_HOME, 1.0, 1.0, actuated=[7])
    with pytest.raises(da.EvaluationError, match=r"shape \(2,\) for the equilibrium"):
        LQR(cart, [0.0], 1.0, 1.0)


def test_a_mode_out_of_reach_is_named() -> None:
    """Two pendulums on fixed pivots, one of them driven: the other falls whatever is done."""
    a, b = da.coordinates("a b")
    (u,) = da.inputs("u")
    T = (a.dot**2 + b.dot**2) / 2
    V = da.cos(a) + 4 * da.cos(b)
    model = da.compile(da.System(kinetic=T, potential=V, coordinates=[a, b], forces=[u, 0]))
    # b̈ = 4 b
    with pytest.raises(da.EvaluationError, match=r"got the mode λ = 2.* that they do not reach"):
        LQR(model, [0.0, 0.0], 1.0, 1.0)


def geared_carts(builder: da.Builder) -> da.Builder:
    """Return two carts with x₂ = 2 x₁."""
    return (
        builder.link("first", mass=3)
        .prismatic("x1", "first", axis="x", parent="world", damping=0.5)
        .link("second", mass=5)
        .prismatic("x2", "second", axis="x", parent="world")
        .couple("gear", "x2", "x1", 2)
    )


def test_coupled_carts_are_one_cart() -> None:
    """With x₂ = 2 x₁ the regulator is that of a cart of mass m₁ + 4 m₂."""
    geared = LQR(
        da.compile(geared_carts(da.Builder("carts")).build()),
        [0.5, 1.0],
        [4.0, 0, 1.0, 0],
        0.1,
        actuated=[0],
    )
    single = da.Builder("one").link("cart", mass=23).prismatic("x", "cart", damping=0.5, axis="x")
    alone = LQR(da.compile(single.build()), [0.0], [4.0, 1.0], 0.1)
    assert geared.A.shape == (2, 2)
    assert np.allclose(np.sort(geared.poles), np.sort(alone.poles), rtol=1e-9)
    # the same force for the same error
    shift, rate = np.array([0.03, 0.06]), np.array([0.2, 0.4])
    force = geared(0.0, geared.equilibrium + shift, rate)
    assert np.allclose(force, [*alone(0.0, shift[:1], rate[:1]), 0], rtol=1e-9)
    assert geared.lyapunov(geared.equilibrium + shift, rate) == pytest.approx(
        alone.lyapunov(shift[:1], rate[:1]), rel=1e-9
    )


def test_linkage_is_held_up() -> None:
    """A motor on the crank of a four-bar holds it where it would fall, and lets nothing drift."""
    closed = four_bar()
    model = closed.model
    q0 = da.simulate(model, closed.start, np.zeros(3), [0, 1e-9], initial="project").q[0]
    regulator = LQR(model, q0, 1.0, 1.0, actuated=[0])
    assert regulator.A.shape == (2, 2)
    assert regulator.poles.real.max() < 0
    off = da.simulate(
        model, q0 + 0.05 * regulator.basis[:3, 0], np.zeros(3), [0, 1e-9], initial="project"
    ).q[0]
    motion = da.simulate(model, off, np.zeros(3), np.linspace(0, 20, 5), regulator)
    assert motion.ok, motion.status
    assert np.abs(motion.q[-1] - q0).max() < 1e-6
    values = [regulator.lyapunov(q, v) for q, v in zip(motion.q, motion.qd, strict=True)]
    assert (np.diff(values) < 0).all()


def test_open_loop_is_no_equilibrium() -> None:
    with pytest.raises(EvaluationError, match=r"gear off by 0\.5"):
        LQR(da.compile(geared_carts(da.Builder("carts")).build()), [0.0, 0.5], 1.0, 1.0)


def test_a_blade_is_not_held_by_smooth_feedback() -> None:
    """Sideways a blade does not move, and no input reaches that mode of the linear motion."""
    x, y, heading = da.coordinates("x y heading")
    push, turn = da.inputs("push turn")
    blade = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2 + heading.dot**2 / 20,
        potential=0,
        coordinates=[x, y, heading],
        forces=[push * da.cos(heading), push * da.sin(heading), turn],
        velocity_constraints=[x.dot * da.sin(heading) - y.dot * da.cos(heading)],
    )
    with pytest.raises(
        EvaluationError, match=r"λ = 0.* the velocity constraint .* manoeuvres only"
    ):
        LQR(da.compile(blade), [0.0, 0.0, 0.0], 1.0, 1.0)
