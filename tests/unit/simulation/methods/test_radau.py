"""Stiff motion: the implicit method, its exact Jacobian, and how the default comes to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import Contact, DryFriction, Radau, simulate
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.methods.rate_jacobian import rate_jacobian
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.problem import Problem
from tests.effort import at_once

GRAVITY = 9.81


def stiff_spring(stiffness: float = 1e8, damping: float = 1e5) -> Model:
    """A kilogram on a damped spring, under its weight."""
    (x,) = da.coordinates("x")
    return da.compile(
        da.System(
            kinetic=x.dot**2 / 2,
            potential=stiffness * x**2 / 2 + GRAVITY * x,
            dissipation=damping * x.dot**2 / 2,
            coordinates=[x],
        )
    )


def test_a_cyclic_coordinate() -> None:
    """A pendulum on a cart: nothing depends on where the cart is."""
    numbers = dict(zip(da.parameters("m_c m_p l g"), (1, 0.2, 0.5, GRAVITY), strict=True))
    model = da.compile(da.textbook.cart_pole(), parameters=numbers)
    start = [0.0, 0.5], [0.3, 0.0]
    motion = simulate(model, *start, [0.0, 3.0], method=Radau())
    assert motion.ok, motion.status
    right = simulate(model, *start, [0.0, 3.0])
    assert np.abs(motion.q[-1] - right.q[-1]).max() < 1e-8


def problem_of(model: Model, forces: Any = None) -> Problem:
    return Problem(model, forcing(forces, model), Projection(), is_audited=False)


@pytest.mark.parametrize("is_symbolic", [True, False])
def test_the_jacobian(is_symbolic: bool, rng: np.random.Generator) -> None:
    """Against central differences in steps of another length."""
    numbers = dict(zip(da.parameters("m_c m_p l g"), (1, 0.2, 0.5, GRAVITY), strict=True))
    model = da.compile(da.textbook.cart_pole(), parameters=numbers)
    x, v = model.symbols.q[0], model.symbols.qd[0]
    law: Any = [-2 * x - v * x] if is_symbolic else lambda t, q, qd: [-2 * q[0] - qd[0] * q[0]]
    problem, state = problem_of(model, law), rng.normal(size=4)
    J = rate_jacobian(problem, 4, 1.0)(0.0, state)
    for j, e in enumerate(np.eye(4)):
        column = (problem.rate(0.0, state + 1e-5 * e) - problem.rate(0.0, state - 1e-5 * e)) / 2e-5
        assert np.abs(J[:, j] - column).max() < 1e-7


def test_a_stiff_spring_settles_by_default() -> None:
    motion = at_once(lambda: simulate(stiff_spring(), [1e-3], [0.0], 20.0), 20.0)
    assert motion.ok, motion.status
    assert motion.q[-1, 0] == pytest.approx(-GRAVITY / 1e8, rel=1e-9)
    assert any("stiff" in text and "Radau" in text for text in motion.warnings)
    assert motion.energy_error < 1e-6 * motion.energy.total[0]


def test_radau_alone_starts_at_rest_in_equilibrium() -> None:
    motion = simulate(stiff_spring(), [-GRAVITY / 1e8], [0.0], 20.0, method=Radau())
    assert motion.ok, motion.status
    assert len(motion) < 1000
    assert motion.q[-1, 0] == pytest.approx(-GRAVITY / 1e8, rel=1e-9)


def test_soft_springs_keep_the_default() -> None:
    motion = simulate(stiff_spring(100.0, 1.0), [1.0], [0.0], 10.0)
    assert motion.warnings == ()


@pytest.mark.parametrize("form", ["expression", "function"])
def test_a_force_that_chatters_is_named(form: str) -> None:
    """-sign(x + ẋ) has no solution but to slide along x + ẋ = 0."""
    (x,), (u,) = da.coordinates("x"), da.inputs("u")
    model = da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=0 * x, coordinates=[x], forces=[u])
    )
    law: Any = [-da.sign(x + x.dot)]
    if form == "function":
        law = lambda t, q, qd: [-np.sign(q[0] + qd[0])]  # noqa: E731
    motion = at_once(lambda: simulate(model, [1.0], [0.0], 5.0, law), 30.0)
    assert not motion.ok
    # it reaches the line where 1 - t²/2 - t = 0
    assert motion.t[-1] == pytest.approx(np.sqrt(3) - 1, abs=1e-6)
    assert "DryFriction(u, F)" in motion.status


def test_a_sliding_mode_as_dry_friction() -> None:
    """On x + ẋ = 0 the equivalent control is -ẋ: x falls like e⁻ᵗ."""
    (x,) = da.coordinates("x")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=0 * x, coordinates=[x]))
    relay = DryFriction(x + x.dot, 1.0, name="relay")
    reached = np.sqrt(3) - 1
    motion = simulate(model, [1.0], [0.0], [0.0, reached + 2], events=[relay])
    assert motion.ok, motion.status
    assert motion.events[0] == (pytest.approx(reached, abs=1e-12), "relay sticks")
    assert motion.q[-1, 0] == pytest.approx((1 - reached**2 / 2) * np.exp(-2), abs=1e-11)


def test_contacts_of_stiff_motion() -> None:
    """A stiff spring pulls a mass onto a stop, where it rests."""
    model = stiff_spring()
    stop = Contact(model.symbols.q[0] - 1e-4, name="stop")
    motion = simulate(model, [1e-3], [0.0], 1.0, events=[stop], method=Radau())
    assert motion.ok, motion.status
    assert motion.q[-1, 0] == pytest.approx(1e-4, abs=1e-15)
    assert motion.lam[-1, 0] == pytest.approx(1e4 + GRAVITY, rel=1e-9)
