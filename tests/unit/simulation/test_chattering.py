"""Forces that jump to and fro across a surface are told from stiff ones, at every tolerance."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853, DryFriction, simulate
from dalembert.simulation.chattering import jumps


@pytest.fixture(scope="module")
def cart():
    (x,), (u,) = da.coordinates("x"), da.inputs("u")
    return da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[u]))


def surface(model):
    return model.symbols.q[0] + model.symbols.qd[0]


@pytest.mark.parametrize("method", [None, DOP853(rtol=1e-8), DOP853(rtol=1e-4)])
def test_a_relay_is_told_to_chatter(cart, method):
    motion = simulate(cart, [1.0], [0.0], 5.0, [-10 * da.sign(surface(cart))], method=method)
    assert not motion.ok
    assert "they chatter. Write -F sign(u) as DryFriction(u, F)" in motion.status
    # what was computed is kept
    assert motion.t[-1] > 0.095


def test_a_relay_of_python_is_no_stiff_motion(cart):
    def relay(t, q, qd):
        return [-10 * np.sign(q[0] + qd[0])]

    motion = simulate(cart, [1.0], [0.0], 5.0, relay)
    assert "they chatter" in motion.status
    assert motion.warnings == ()


def test_the_same_relay_as_friction_slides_along_its_surface(cart):
    """ẋ = -x on it: x falls by e in a second."""
    motion = simulate(cart, [1.0], [0.0], 5.0, events=[DryFriction(surface(cart), 10.0)])
    assert motion.ok
    (when, name), *_ = motion.events
    assert name == "friction sticks"
    arrived = motion.q[motion.t == when][-1, 0]
    assert motion.q[-1, 0] == pytest.approx(arrived * np.exp(when - 5.0), rel=1e-9)


@pytest.mark.parametrize("steepness", [1e4, 1e6])
def test_a_steep_force_does_not_chatter(cart, steepness):
    """On the surface ẋ = -x. The steeper one is stiff; explicit steps do for the other."""
    motion = simulate(cart, [1.0], [0.0], 5.0, [-10 * da.tanh(steepness * surface(cart))])
    assert motion.ok
    assert any("Radau" in text for text in motion.warnings) == (steepness == 1e6)
    x, v = motion.q[-1, 0], motion.qd[-1, 0]
    assert v == pytest.approx(-x, rel=1e-3)


def test_rounding_of_forces_in_balance_does_not_chatter():
    """A spring of 1e3 N/m and its weight: at rest rates are rounding, in steps of any length."""
    (x,) = da.coordinates("x")
    system = da.System(
        kinetic=x.dot**2 / 2,
        potential=500 * x**2 + 9.81 * da.sin(x + 1),
        dissipation=20 * x.dot**2,
        coordinates=[x],
    )
    motion = simulate(da.compile(system), [0.3], [0.0], 2000.0)
    assert motion.ok, motion.status
    assert 1000 * motion.q[-1, 0] + 9.81 * np.cos(motion.q[-1, 0] + 1) == pytest.approx(0, abs=1e-9)


def test_a_jump_stays_in_ever_smaller_parts():
    start, end = (0.0, np.array([-0.3])), (1.0, np.array([0.7]))
    assert jumps(lambda t, x: np.sign(x), start, end)
    assert not jumps(lambda t, x: np.tanh(1e6 * x), start, end)
    assert not jumps(lambda t, x: x, start, end)
    assert not jumps(lambda t, x: 0 * x, start, end)
