"""Transition matrices between times, and Floquet multipliers of periodic motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.special import ellipe, ellipk, mathieu_a, mathieu_b

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model import Model

# of DOP853 at 1e-12 over one period
TIGHT = 1e-9


def mathieu(a: float, q: float) -> Model:
    (x,) = da.coordinates("x")
    stiffness = a - 2 * q * da.cos(2 * da.time)
    return da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=stiffness * x**2 / 2, coordinates=[x])
    )


@pytest.mark.parametrize(("order", "q"), [(1, 0.3), (2, 5.0), (3, 1.0)])
def test_mathieu_at_its_characteristic_values(order: int, q: float) -> None:
    # there a solution has the period π (even order) or 2π (odd): multipliers ±1, twice
    for a in (mathieu_a(order, q), mathieu_b(order, q)):
        rest = da.sensitivities(mathieu(float(a), q), [0], [0], [0, np.pi])
        assert rest.multipliers.sum() == pytest.approx(2 * (-1) ** order, abs=1e-8)
        assert np.prod(rest.multipliers) == pytest.approx(1, abs=TIGHT)


def test_orbit_of_kepler() -> None:
    x, y = da.coordinates("x y")
    r = da.sqrt(x**2 + y**2)
    model = da.compile(
        da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=-1 / r, coordinates=[x, y])
    )
    e = 0.6
    start = np.array([1 - e, 0, 0, np.sqrt((1 + e) / (1 - e))])
    orbit = da.sensitivities(model, start[:2], start[2:], [0, np.pi, 2 * np.pi])
    # all orbits close after T = 2π a^(3/2), a = -1 / 2E: Φ = I - f ∂T/∂x with ∂T/∂E = 6π at a = 1
    pull = start[0] ** -2
    slope = 6 * np.pi * np.array([pull, 0, 0, start[3]])
    rate = np.array([0, start[3], -pull, 0])
    np.testing.assert_allclose(orbit.by_state[-1], np.eye(4) - np.outer(rate, slope), atol=1e-7)
    # four at 1 in one block: they are as far away as the fourth root of the error
    np.testing.assert_allclose(orbit.multipliers, 1, atol=1e-2)


def test_pendulum_swings_with_its_period() -> None:
    (a,) = da.coordinates("a")
    model = da.compile(da.System(kinetic=a.dot**2 / 2, potential=-da.cos(a), coordinates=[a]))
    a0 = 2.0
    m = np.sin(a0 / 2) ** 2
    # T = 4 K(m), E = 2m - 1, dK/dm = (E(m) - (1 - m) K(m)) / (2 m (1 - m))
    period = 4 * ellipk(m)
    by_energy = (ellipe(m) - (1 - m) * ellipk(m)) / (m * (1 - m))
    swing = da.sensitivities(model, [a0], [0], [0, period / 3, period])
    expected = [[1, 0], [np.sin(a0) ** 2 * by_energy, 1]]
    np.testing.assert_allclose(swing.by_state[-1], expected, atol=1e-8)
    with pytest.raises(EvaluationError, match="returns to its start"):
        _ = da.sensitivities(model, [a0], [0], [0, 1.01 * period]).multipliers


def test_damped_spring_in_rotation() -> None:
    (x,) = da.coordinates("x")
    model = da.compile(
        da.System(
            kinetic=x.dot**2 / 2,
            potential=2 * x**2,
            dissipation=0.3 * x.dot**2,
            forces=[da.inputs("u")[0]],
            coordinates=[x],
        )
    )
    rest = da.sensitivities(model, [0], [0], [0, 2.0])
    A = np.array([[0, 1], [-4, -0.6]])
    np.testing.assert_allclose(np.sort(rest.multipliers), np.sort(np.linalg.eigvals(expm(2 * A))))
    # with restarts: the zero-order hold of A and B, by the exponential of both
    (u,) = da.parameters("u")
    t = np.array([0, 0.1, 0.4, 2.0])
    steps = da.sensitivities(model, [1], [0], t, [u], parameters={u: 0}, restarts=True)
    for k, h in enumerate(np.diff(t), 1):
        held = expm(h * np.block([[A, np.array([[0], [1]])], [np.zeros((1, 3))]]))
        np.testing.assert_allclose(steps.by_state[k], held[:2, :2], atol=TIGHT)
        np.testing.assert_allclose(steps.by(u)[k], held[:2, 2], atol=TIGHT)
    with pytest.raises(EvaluationError, match="restarts"):
        _ = steps.multipliers
    with pytest.raises(EvaluationError, match="list of times"):
        da.sensitivities(model, [1], [0], 1.0, restarts=True)


def test_steps_make_the_whole() -> None:
    box = da.Builder("box", gravity=(0, 0, -9.81)).link("box", mass=2, inertia=(3, 2, 4))
    model = da.compile(box.floating("free", "box").build())
    v = [0.3, 0, 1, 1, -2, 0.5]
    t = np.linspace(0, 1, 5)
    whole = da.sensitivities(model, model.neutral, v, t)
    steps = da.sensitivities(model, model.neutral, v, t, restarts=True)
    product = np.eye(12)
    for k, Phi in enumerate(steps.by_state):
        product = Phi @ product
        np.testing.assert_allclose(product, whole.by_state[k], atol=1e-9)


def test_pendulum_upside_down_is_at_rest() -> None:
    (a,) = da.coordinates("a")
    model = da.compile(da.System(kinetic=a.dot**2 / 2, potential=-da.cos(a), coordinates=[a]))
    # π is no float, so it begins to fall by 1e-16
    found = da.sensitivities(model, [np.pi], [0], [0, 1.5]).multipliers
    np.testing.assert_allclose(np.sort(found), np.exp([-1.5, 1.5]), rtol=TIGHT)


def test_whole_turns_come_back() -> None:
    wheel = da.Builder("wheel").link("wheel", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1))
    model = da.compile(wheel.continuous("axle", "wheel", axis="z").build())
    # about the vertical: constant speed, one turn
    turn = da.sensitivities(model, [0], [1], [0, 1.0, 2 * np.pi])
    np.testing.assert_allclose(turn.by_state[-1], [[1, 2 * np.pi], [0, 1]], atol=TIGHT)
    np.testing.assert_allclose(turn.multipliers, 1, atol=1e-4)
