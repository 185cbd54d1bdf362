"""Long motion is left to explicit methods; what is stiff is handed over, on evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import DOP853, simulate
from dalembert.simulation.stiffness import dissipates
from tests.effort import at_once
from tests.unit.simulation.methods.test_radau import problem_of, stiff_spring

GRAVITY = 9.81


def double_pendulum(damping: float = 0.0) -> Model:
    """Two rods without mass with a particle at the end of each."""
    a, b = da.coordinates("a b")
    first = (da.sin(a), -da.cos(a))
    second = (first[0] + da.sin(b), first[1] - da.cos(b))
    free = da.System.from_particles(
        [1, 1], [first, second], coordinates=[a, b], gravity=(0, -GRAVITY)
    )
    system = da.System(
        kinetic=free.kinetic,
        potential=free.potential,
        dissipation=damping / 2 * (a.dot**2 + b.dot**2),
        coordinates=[a, b],
    )
    return da.compile(system)


def test_a_planet_of_three_hundred_periods() -> None:
    """Kepler: it is back where it began, and the error grows with the square of the time."""
    x, y = da.coordinates("x y")
    potential = -1 / da.sqrt(x**2 + y**2)
    kinetic = (x.dot**2 + y.dot**2) / 2
    model = da.compile(da.System(kinetic=kinetic, potential=potential, coordinates=[x, y]))
    end = 600 * np.pi
    motion = at_once(lambda: simulate(model, [0.5, 0], [0, np.sqrt(3)], [0, end]))
    assert motion.ok, motion.status
    assert motion.warnings == ()
    assert np.abs(motion.q[-1] - [0.5, 0]).max() < 1e-9


@pytest.mark.parametrize("damping", [0.0, 1e-4])
def test_a_double_pendulum_of_a_thousand_seconds(damping: float) -> None:
    motion = at_once(lambda: simulate(double_pendulum(damping), [1.0, 2.0], None, [0, 1000.0]))
    assert motion.ok, motion.status
    assert motion.warnings == ()
    assert motion.energy_error < 1e-10


def test_kapitzas_pendulum() -> None:
    """Upright on a support that shakes; with a law of the time."""
    (a,) = da.coordinates("a")
    gravity = GRAVITY - 1e3 * da.cos(100 * da.time)
    model = da.compile(
        da.System(kinetic=a.dot**2 / 2, potential=gravity * da.cos(a), coordinates=[a])
    )
    motion = at_once(lambda: simulate(model, [0.2], None, [0, 60.0]))
    assert motion.ok, motion.status
    assert motion.warnings == ()
    assert np.abs(motion.q).max() < 0.5


def test_what_may_be_stiff() -> None:
    """Where nothing takes energy out, nothing is."""
    (x,), (f,) = da.coordinates("x"), da.inputs("f")
    cart = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))
    assert not any(dissipates(problem_of(cart, u)) for u in ([0.0], [-x], [da.sin(da.time)]))
    by_velocity: Any = [-x.dot], lambda t, q, qd: -qd
    assert all(dissipates(problem_of(cart, u)) for u in by_velocity)
    assert dissipates(problem_of(double_pendulum(1e-4)))
    assert not dissipates(problem_of(double_pendulum()))


def test_the_gain_of_an_implicit_method_is_measured() -> None:
    """Its slow mode is e⁻ᵗ; the fast one, a million times as fast, keeps explicit steps short."""
    model = stiff_spring(1e6, 1e6)
    motion = at_once(lambda: simulate(model, [1.0], None, 5.0), 20.0)
    assert motion.ok, motion.status
    (note,) = motion.warnings
    assert "times less work; measured later" in note
    x = motion.q[-1, 0] + GRAVITY / 1e6
    slow = 1e6 / (5e5 + np.sqrt(25e10 - 1e6))
    assert x == pytest.approx(np.exp(-5 * slow), rel=1e-4)


def test_an_implicit_method_that_gains_nothing_is_left_again() -> None:
    """A stiff spring at rest, until a force of a frequency that no method can pass over."""
    (x,), (f,) = da.coordinates("x"), da.inputs("f")
    system = da.System(
        kinetic=x.dot**2 / 2,
        potential=5e7 * x**2,
        dissipation=5e4 * x.dot**2,
        coordinates=[x],
        forces=[f],
    )
    begins = (1 + da.tanh(1e4 * (da.time - 0.05))) / 2
    force = 1e4 * begins * da.sin(1e6 * da.time)
    motion = simulate(da.compile(system), [1e-3], None, [0, 0.2], [force], method=None)
    assert motion.ok, motion.status
    (note,) = motion.warnings
    assert "; it went back at t = 0.0" in note
    assert motion.energy_error < 1e-8


def test_a_method_that_was_asked_for_is_kept() -> None:
    motion = simulate(stiff_spring(), [1e-3], None, [0, 0.5], method=DOP853(rtol=1e-8))
    assert motion.ok, motion.status
    assert motion.warnings == ()
