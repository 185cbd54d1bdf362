"""Invariants of contacts, friction and impacts: a planted fault ends the run, and is named."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import DOP853, Contact, DryFriction, simulate
from dalembert.simulation.contact import decision
from dalembert.simulation.contact.rows import STICK, Mode
from dalembert.simulation.laws.mode_changes import ModeChanges
from dalembert.simulation.laws.modes import Modes

GRAVITY = 9.81

UNITS = (1e-9, 1.0, 1e9)
"""Metres in a unit of length: seconds and kilograms stay."""


def block(unit: float) -> Model:
    x, y = da.coordinates("x y")
    (f, g) = da.inputs("f g")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=GRAVITY / unit * y,
        coordinates=[x, y],
        forces=[f, g],
    )
    return da.compile(system)


def laws(model: Model, restitution: float = 0.0) -> list:
    floor = Contact(model.symbols.q[1], restitution=restitution, name="floor")
    return [floor, DryFriction(model.symbols.qd[0], 0.5, name="skid", normal="floor")]


@pytest.fixture
def blind(monkeypatch):
    """Modes never end."""
    monkeypatch.setattr(ModeChanges, "look", lambda self, t, x, step: ())
    monkeypatch.setattr(ModeChanges, "look_far", lambda self, steps, most, size: ((), most))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("method", [None, DOP853()])
def test_a_body_that_falls_through_the_floor(blind, unit, method):
    model = block(unit)
    motion = simulate(model, [0, 1 / unit], None, 1.0, method=method, events=laws(model)[:1])
    assert not motion.ok
    assert "bodies that stay apart at 'floor'" in motion.status
    assert motion.t[-1] < 1.0 or method is None


@pytest.mark.parametrize("unit", UNITS)
def test_a_floor_that_pulls(blind, unit):
    model = block(unit)
    lift = [0, 2 * GRAVITY / unit * da.time]
    motion = simulate(model, [0, 0], None, 1.0, forces=lift, events=laws(model)[:1])
    assert not motion.ok
    assert "'floor' to push or to open" in motion.status


@pytest.mark.parametrize("unit", UNITS)
def test_friction_beyond_its_cone(blind, unit):
    model = block(unit)
    push = [2 * GRAVITY / unit * da.time, 0]
    motion = simulate(model, [0, 0], None, 1.0, forces=push, events=laws(model))
    assert not motion.ok
    assert "a friction 'skid' of at most" in motion.status


@pytest.mark.parametrize("unit", UNITS)
def test_friction_that_drives(blind, unit):
    model = block(unit)
    motion = simulate(model, [0, 0], [1 / unit, 0], 1.0, events=laws(model))
    assert not motion.ok
    assert "a friction 'skid' against its velocity" in motion.status


@pytest.mark.parametrize("unit", UNITS)
def test_a_force_from_afar(monkeypatch, unit):
    def held(self, t, q, v, mode):
        self.mode = Mode.of(np.full(len(mode.status), STICK))

    monkeypatch.setattr(Modes, "take", held)
    monkeypatch.setattr(Modes, "held_at_rest", lambda self, t, q, v: (q, v))
    model = block(unit)
    motion = simulate(model, [0, 1e-6 / unit], None, 1.0, events=laws(model))
    assert not motion.ok
    assert "no force where 'floor' is open" in motion.status


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("gain", [1e-8, 0.1])
def test_an_impact_that_adds_energy(monkeypatch, unit, gain):
    right = decision.blow

    def wrong(*arguments, **options):
        found = right(*arguments, **options)
        return found._replace(change=(1 + gain) * found.change)

    monkeypatch.setattr(decision, "blow", wrong)
    model = block(unit)
    events = laws(model, restitution=1.0)
    motion = simulate(model, [0, 1 / unit], None, 1.0, events=events)
    assert not motion.ok
    assert "an impact that takes energy" in motion.status
