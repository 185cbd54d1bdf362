"""Joint-space controllers: the laws against hand formulas, laws as expressions, bad input."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.control import (
    Adaptive,
    ComputedTorque,
    Controller,
    GravityCompensation,
    Impedance,
    OperationalSpace,
    PassivityBased,
    PDGravity,
    minimum_jerk,
)
from dalembert.simulation import simulate
from tests.controlled_robots import four_bar
from tests.unit.control.controllers import controlled as plants
from tests.unit.control.controllers.closed_loop import ClosedLoop

# torques of some ten N m, sums of a few products
ROUNDING = 1e-12

HOLD = np.array([0.3, -0.7])


def joint_controllers(model: da.Model, reference: Any) -> list[Controller]:
    return [
        GravityCompensation(model, damping=2.0),
        PDGravity(model, reference, stiffness=[30.0, 20.0], damping=5.0),
        ComputedTorque(model, reference, stiffness=[[20.0, 1.0], [1.0, 30.0]], damping=[4, 5]),
        PassivityBased(model, reference, slope=[3.0, 4.0], damping=6.0),
    ]


def by_hand(model: da.Model, q: np.ndarray, v: np.ndarray, d: Any) -> list[np.ndarray]:
    """Return the torques of `joint_controllers` in the words of the textbooks."""
    M, C, g = model.mass_matrix(q), model.coriolis(q, v), model.gravity(q)
    x, xd, xdd = d
    slope = np.diag([3.0, 4.0])
    r, rd = xd - slope @ (q - x), xdd - slope @ (v - xd)
    K = np.array([[20.0, 1.0], [1.0, 30.0]])
    a = xdd - np.diag([4, 5]) @ (v - xd) - K @ (q - x)
    return [
        g - 2 * v,
        g - np.diag([30.0, 20.0]) @ (q - x) - 5 * (v - xd),
        M @ a + C @ v + g,
        M @ rd + C @ r + g - 6 * (v - r),
    ]


@pytest.mark.parametrize("moves", [False, True])
def test_torques_are_those_of_the_textbooks(moves: bool, rng: np.random.Generator) -> None:
    model = plants.planar()
    t = 0.7
    reference = [da.sin(2 * da.time), 1 - da.time**3] if moves else HOLD
    still = (HOLD, np.zeros(2), np.zeros(2))
    moving = (
        np.array([np.sin(1.4), 1 - t**3]),
        np.array([2 * np.cos(1.4), -3 * t**2]),
        np.array([-4 * np.sin(1.4), -6 * t]),
    )
    q, v = rng.normal(size=(2, 2))
    expected = by_hand(model, q, v, moving if moves else still)
    for controller, torque in zip(joint_controllers(model, reference), expected, strict=True):
        assert np.allclose(controller(t, q, v), torque, rtol=0, atol=ROUNDING), controller


def test_laws_are_the_calls(rng: np.random.Generator) -> None:
    """The expressions, fused with the dynamics, give the accelerations of the called feedback."""
    model = plants.planar()
    q, v = rng.normal(size=(2, 6, 2))
    for controller in joint_controllers(model, [da.sin(da.time), da.time**2 / 4]):
        law = controller.law
        assert law is not None
        state = {"q": model.symbols.q, "qd": model.symbols.qd}
        qdd = model.expressions("forward_dynamics", *state.values(), law)
        loop = model.compile(qdd, {**state, "t": da.time})
        expected = model.forward_dynamics(q, v, controller(0.4, q, v))
        assert np.allclose(loop(q, v, 0.4), expected, rtol=0, atol=1e-10), controller


def test_batches_are_states_one_by_one(rng: np.random.Generator) -> None:
    model = plants.panda()
    q, v = rng.normal(size=(2, 3, 7))
    X = model.forward_kinematics(plants.PANDA_HOME, frame="flange")
    controllers: list[Controller] = [
        PDGravity(model, plants.PANDA_HOME, stiffness=50.0, damping=9.0),
        PassivityBased(model, plants.PANDA_HOME, slope=2.0, damping=9.0),
        Adaptive(model, plants.PANDA_HOME, slope=2.0, damping=9.0, adaptation=1.0),
        OperationalSpace(model, "flange", X, 100.0, 20.0),
        Impedance(model, "flange", X, 100.0, 20.0, 5.0),
    ]
    for controller in controllers:
        together = controller(0.0, q, v)
        alone = np.array([controller(0.0, a, b) for a, b in zip(q, v, strict=True)])
        # another order of the sums
        assert np.allclose(together, alone, rtol=1e-12, atol=1e-12), controller


def test_a_reference_may_be_a_function(rng: np.random.Generator) -> None:
    model = plants.planar()
    path = minimum_jerk([[0.0, 0.0], [1.0, -1.0]], 2.0)
    controller = ComputedTorque(model, path, stiffness=25.0)
    q, v = rng.normal(size=(2, 2))
    x, xd, xdd = path(0.6)
    a = xdd - 10 * (v - xd) - 25 * (q - x)
    assert np.allclose(controller(0.6, q, v), model.inverse_dynamics(q, v, a), atol=ROUNDING)
    assert controller.law is None


def test_computed_torque_follows_on_the_panda() -> None:
    """From on the reference it stays there to 1e-6 over ten seconds; from off it, it comes back."""
    model = plants.panda()
    controller = ComputedTorque(model, plants.waves(plants.PANDA_HOME), stiffness=100.0)
    t = np.linspace(0, 10, 201)
    x, xd, _ = controller.desired(t)
    on = simulate(model, x[0], xd[0], t, controller)
    assert on.ok
    assert np.abs(on.q - x).max() < 1e-6
    off = simulate(model, x[0] + 0.2, xd[0], t, controller)
    # critically damped with ω = 10: e = 0.2 (1 + 10 t) exp(-10 t)
    fading = 0.2 * (1 + 10 * t) * np.exp(-10 * t)
    assert np.abs(off.q - x - fading[:, None]).max() < 1e-6


def test_closed_loop_of_a_system(rng: np.random.Generator) -> None:
    """Systems with a force on each coordinate are driven as mechanisms are."""
    x, y = da.coordinates("x y")
    f, g = da.inputs("f g")
    kinetic = (2 * x.dot**2 + y.dot**2 + x.dot * y.dot * da.cos(x)) / 2
    model = da.compile(
        da.System(kinetic=kinetic, potential=x**2 * y, coordinates=[x, y], forces=[f, g])
    )
    controller = ComputedTorque(model, [0.5, 0.5], stiffness=4.0)
    q, v = rng.normal(size=(2, 2))
    rate = ClosedLoop(model, controller).rate(0.0, np.concatenate([q, v]))
    assert np.allclose(rate, np.concatenate([v, -4 * v - 4 * (q - 0.5)]), atol=1e-11)


def test_springs_and_friction_of_the_mechanism_are_carried() -> None:
    builder = da.Builder("elastic", gravity=(0, -9.81, 0))
    builder.link("rod", mass=1.0, com=(0.5, 0, 0))
    builder.revolute("hinge", "rod", stiffness=8.0, damping=0.5)
    model = da.compile(builder.build())
    hold = GravityCompensation(model)
    q = np.array([0.4])
    # m g c cos q + k q
    assert np.allclose(hold(0.0, q, [3.0]), 9.81 * 0.5 * np.cos(0.4) + 8 * 0.4, atol=ROUNDING)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stiffness": [1.0, 2.0, 3.0]}, r"stiffness as a number, as 2 numbers or as a 2 × 2"),
        ({"stiffness": np.eye(3)}, r"got an array of shape \(3, 3\)"),
        ({"stiffness": -1.0}, "positive definite stiffness, got one with the eigenvalue -1"),
        ({"stiffness": [[1, 2], [2, 1]]}, "positive definite stiffness, got .* eigenvalue -1"),
        ({"stiffness": [[1, 0.5], [0, 1]]}, "symmetric matrix for stiffness"),
        ({"damping": 0.0}, "positive definite damping"),
        ({"damping": float("nan")}, "finite numbers for damping, got nan"),
        ({"damping": "much"}, "numbers for damping, got 'much'"),
        ({"reference": [0.0, np.nan]}, "finite numbers for a reference"),
        ({"reference": [0.0, 1.0, 2.0]}, r"shape \(2,\) for a reference, got \(3,\)"),
        ({"reference": [da.time, 0, 0]}, "2 expressions in the reference, got 3"),
        ({"reference": [da.parameters("x")[0], da.time]}, "depends on da.time only, got x"),
        (
            {"reference": lambda t: (np.full(2, np.nan),) * 3},
            "finite numbers for position .* t = 0.0",
        ),
        (
            {"reference": lambda t: (np.zeros(2), np.zeros(3), np.zeros(2))},
            r"shape \(..., 2\) for velocity .* t = 0.0",
        ),
        ({"reference": lambda t: np.zeros(2)}, r"\(q, qd, qdd\) from the reference .* got 2"),
    ],
)
def test_bad_gains_and_references(options: dict[str, Any], message: str) -> None:
    good = {"reference": HOLD, "stiffness": 1.0, "damping": 1.0}
    with pytest.raises(da.EvaluationError, match=message):
        PDGravity(plants.planar(), **{**good, **options})


def test_a_reference_that_breaks_later_says_when() -> None:
    def broken(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.full(2, np.nan if t > 1 else 0.0), np.zeros(2), np.zeros(2)

    controller = PDGravity(plants.planar(), broken, stiffness=1.0, damping=1.0)
    with pytest.raises(da.EvaluationError, match=r"for position of the reference at t = 1.5"):
        controller(1.5, [0.0, 0.0], [0.0, 0.0])


def test_models_that_do_not_fit() -> None:
    gains = {"slope": 1.0, "damping": 1.0}
    with pytest.raises(da.InvalidMechanism, match=r"got none on theta: use ComputedTorque"):
        PassivityBased(plants.cart_pole(), [0.0, 0.0], **gains)
    with pytest.raises(da.InvalidMechanism, match="open chain for PassivityBased, got the constr"):
        PassivityBased(four_bar().model, np.zeros(3), **gains)
    with pytest.raises(da.InvalidMechanism, match=r"got quaternions at joint flight: use C"):
        PassivityBased(da.compile(da.textbook.robots.quadrotor()), np.zeros(7), **gains)
    with pytest.raises(da.InvalidMechanism, match="expected a mechanism for a regressor"):
        Adaptive(plants.cart_pole(), [0.0, 0.0], slope=1.0, damping=1.0, adaptation=1.0)


def test_a_tick_is_one_call_of_compiled_code() -> None:
    """A count, not a time: a tick of 7 joints ran through 60 functions of Python and more."""
    model = da.compile(da.textbook.robots.panda())
    q, v = np.linspace(0.1, 0.7, 7), np.linspace(-0.3, 0.3, 7)
    moving = minimum_jerk([np.zeros(7), np.ones(7)], 2.0)
    for reference, most in (([0.0] * 7, 8), (moving, 20)):
        for controller in (
            PDGravity(model, reference, stiffness=100.0, damping=20.0),
            ComputedTorque(model, reference, stiffness=100.0),
        ):
            expected = controller(0.5, q, v)
            frames: list[str] = []

            def note(frame: Any, event: str, _: Any, seen: list[str] = frames) -> None:
                if event == "call":
                    seen.append(frame.f_code.co_name)

            sys.setprofile(note)
            try:
                found = controller(0.5, q, v)
            finally:
                sys.setprofile(None)
            np.testing.assert_array_equal(found, expected)
            assert len(frames) <= most, frames
