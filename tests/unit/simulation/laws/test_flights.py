"""Between impacts a motion follows its power series; a rebound is one call of compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853, Contact, Crossing, JointStops, simulate
from dalembert.simulation.contact.reading import Rows

GRAVITY = 9.81


@pytest.fixture(scope="module")
def ball():
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=GRAVITY * x, coordinates=[x]))


@pytest.fixture
def reads(monkeypatch):
    """Count the states at which all rows are read, which is what impacts in general need."""
    counted = []
    read = Rows.read

    def counting(self, t, q, v):
        counted.append(t)
        return read(self, t, q, v)

    monkeypatch.setattr(Rows, "read", counting)
    return counted


def test_a_thousand_impacts_by_compiled_code(ball, reads):
    x = ball.symbols.q[0]
    fall = np.sqrt(2 / GRAVITY)
    motion = simulate(ball, [1.0], [0.0], 2000 * fall, events=[Contact(x, restitution=1)])
    times = np.array([t for t, _ in motion.events])
    assert "in flight, DOP853" in motion.method
    assert times == pytest.approx(fall * (1 + 2 * np.arange(1000)), rel=1e-13)
    assert motion.energy_error < 1e-12
    # at the start
    assert len(reads) < 10


def test_a_series_and_steps_agree_on_a_tumbling_box():
    x, y, a = da.coordinates("x y a")
    kinetic = (x.dot**2 + y.dot**2 + a.dot**2 / 6) / 2
    box = da.compile(da.System(kinetic=kinetic, potential=GRAVITY * y, coordinates=[x, y, a]))
    corners = [
        Contact(y + (i * da.sin(a) + j * da.cos(a)) / 2, restitution=0.7, name=f"{i} {j}")
        for i in (-1, 1)
        for j in (-1, 1)
    ]
    start = ([0, 1.5, 0.3], [0.5, 0, 2.0])
    series, steps = (
        simulate(box, *start, 2.5, events=corners, method=method) for method in (None, DOP853())
    )
    assert series.method != steps.method
    assert [name for _, name in series.events] == [name for _, name in steps.events]
    assert len(series.events) > 4
    assert series.q[-1] == pytest.approx(steps.q[-1], abs=1e-8)
    assert series.energy_error < 1e-12
    gaps = [
        series.q[:, 1] + (i * np.sin(series.q[:, 2]) - np.cos(series.q[:, 2])) / 2 for i in (-1, 1)
    ]
    assert np.min(gaps) > -1e-13


def test_it_takes_off_from_a_table_that_slows_down(ball):
    x = ball.symbols.q[0]
    floor = Contact(x + 20 * da.cos(da.time), name="table")
    motion = simulate(ball, [-20.0], [0.0], 3.0, events=[floor])
    # where 20 cos t = -g
    t = np.arccos(-GRAVITY / 20)
    assert motion.events == ((pytest.approx(t, abs=1e-9), "table opens"),)
    h, u, s = -20 * np.cos(t), 20 * np.sin(t), 3.0 - t
    assert motion.q[-1, 0] == pytest.approx(h + u * s - GRAVITY * s**2 / 2, abs=1e-8)
    assert motion.lam[-1, 0] == 0
    assert motion.energy_error < 1e-9


def test_stops_of_a_planar_robot_and_events_beside_them():
    robot = (
        da.Builder("robot")
        .link("upper", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("shoulder", "upper", axis=(0, 1, 0), limits=(-1, 1))
        .link("lower", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("elbow", "lower", parent="upper", origin=(1, 0, 0), axis=(0, 1, 0))
    )
    model = da.compile(robot.build())
    q = model.symbols.q
    events = [JointStops(restitution=0.8), Crossing(q[1], name="straight")]
    motion = simulate(model, [0.0, 0.4], [0.0, 0.0], 3.0, events=events)
    names = {name for _, name in motion.events}
    assert {"straight", "impact at upper limit of shoulder"} <= names
    assert motion.q[:, 0].max() < 1 + 1e-13
    assert motion.energy_error < 1e-11
    for t, name in motion.events:
        row = motion.q[motion.t == t][0]
        assert abs(row[1] if name == "straight" else row[0] - 1) < 1e-12
