"""Contacts and friction know no units: a motion in other units is the same motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import Contact, DryFriction, KelvinVoigt, simulate
from dalembert.simulation.events.base import Event
from dalembert.simulation.laws.base import SwitchingLaw

GRAVITY = 9.81
UNITS = [(length, 1.0, 1.0) for length in (1e-9, 1e-6, 1e6, 1e9)] + [
    (1.0, 1e-9, 1.0),
    (1.0, 1e9, 1.0),
    (1.0, 1.0, 1e-9),
    (1.0, 1.0, 1e9),
    (1e-6, 1e9, 1e-6),
]
# of events that follow each other by rounded states
RELATIVE = 1e-9


class Case(NamedTuple):
    """A model in some units, its start, duration and laws, and the unit of each entry of q."""

    model: Model
    q: list[float]
    v: list[float]
    duration: float
    laws: list[Event | SwitchingLaw]
    units: list[float]


def ball(L: float, M: float, T: float) -> Case:
    """A ball that bounces until it rests."""
    (x,) = da.coordinates("x")
    weight = GRAVITY * T**2 / L / M
    model = da.compile(da.System(kinetic=x.dot**2 / M / 2, potential=weight * x, coordinates=[x]))
    return Case(model, [1 / L], [0.0], 2 / T, [Contact(x, restitution=0.5)], [L])


def rough_ball(L: float, M: float, T: float) -> Case:
    """A ball that bounces on, slides along and rolls on a rough floor."""
    x, y, a = da.coordinates("x y a")
    kinetic = (x.dot**2 + y.dot**2 + a.dot**2 / 250 / L**2) / 2 / M
    weight = GRAVITY * T**2 / L / M
    model = da.compile(da.System(kinetic=kinetic, potential=weight * y, coordinates=[x, y, a]))
    floor = Contact(y - 0.1 / L, restitution=0.3, name="floor")
    skid = DryFriction(x.dot - 0.1 / L * a.dot, 0.3, normal="floor")
    return Case(model, [0, 0.2 / L, 0], [2 * T / L, 0, 0], 1 / T, [floor, skid], [L, L, 1])


def box(L: float, M: float, T: float) -> Case:
    """A box that rocks on two corners until it lies flat."""
    x, y, a = da.coordinates("x y a")
    kinetic = (x.dot**2 + y.dot**2 + a.dot**2 / 6 / L**2) / 2 / M
    weight = GRAVITY * T**2 / L / M
    model = da.compile(da.System(kinetic=kinetic, potential=weight * y, coordinates=[x, y, a]))
    corners = [
        Contact(y + (side * da.sin(a) - da.cos(a)) / (2 * L), restitution=0.4, name=str(side))
        for side in (-1, 1)
    ]
    return Case(model, [0, 1 / L, 0.3], [0, 0, 0], 2 / T, [*corners], [L, L, 1])


def pad(L: float, M: float, T: float) -> Case:
    """A ball on a pad that gives way."""
    (x,) = da.coordinates("x")
    weight = GRAVITY * T**2 / L / M
    model = da.compile(da.System(kinetic=x.dot**2 / M / 2, potential=weight * x, coordinates=[x]))
    soft = KelvinVoigt(1e4 * T**2 / M, 20 * T / M)
    return Case(model, [1 / L], [0.0], 1.5 / T, [Contact(x, compliance=soft)], [L])


def moved(case: Callable[..., Case], units: tuple[float, float, float]):
    """Return the names and times of the events and the last configuration, in SI units."""
    model, q, v, duration, laws, lengths = case(*units)
    motion = simulate(model, q, v, duration, events=laws)
    assert motion.ok, motion.status
    assert motion.warnings == ()
    times = np.array([t for t, _ in motion.events]) * units[2]
    return [name for _, name in motion.events], times, motion.q[-1] * lengths


@pytest.mark.parametrize("case", [ball, rough_ball, box, pad])
def test_a_motion_in_other_units(case: Callable[..., Case]) -> None:
    names, times, q = moved(case, (1.0, 1.0, 1.0))
    assert len(names) > 3
    for units in UNITS:
        others, when, there = moved(case, units)
        assert others == names, units
        assert np.abs(when - times).max() < RELATIVE, units
        assert np.abs(there - q).max() < RELATIVE, units


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_start_inside_a_surface_is_refused_at_any_size(size: float) -> None:
    (x,) = da.coordinates("x")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=x * size, coordinates=[x]))
    floor = Contact(x - size, name="floor")
    with pytest.raises(da.EvaluationError, match="without penetration"):
        simulate(model, [size * (1 - 1e-6)], [0.0], 1.0, events=[floor])
    # rounding of the start is moved out
    motion = simulate(model, [size * (1 - 1e-12)], [0.0], 1.0, events=[floor])
    assert motion.ok
    assert motion.q[-1, 0] == pytest.approx(size, rel=1e-15)
