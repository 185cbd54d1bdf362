"""Very many events: all of them, in order, at the price of the steps that they lie in."""

from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Look, Reason
from dalembert.simulation import Crossing, simulate
from dalembert.simulation.events.quantity import Expression
from tests.effort import at_once

TIME = 1e-12
GRAVITY = 9.81


@pytest.fixture(scope="module")
def oscillator():
    """x = cos t from (1, 0)."""
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2, coordinates=[x]))


def line(model, of, t, start=0.0, rate=1.0, *, side=0, stop=None):
    """Return the sign changes of an expression of x = start + rate (t - t₀) in one step."""
    series = np.array([[[start, rate], [rate, 0.0]]])
    look = Look(side, t[0], 0.0, 0.0, 0.0, stop)
    return Expression(model, of).along(look, np.array(t), series)


@pytest.mark.parametrize("number", [3, 255, 256, 257, 2000])
def test_all_zeros_in_one_step(oscillator, number):
    (x,) = oscillator.symbols.q
    found = line(oscillator, da.cos(x), (5.0, 5.0 + number), rate=np.pi)
    assert found.reason is Reason.DONE
    t = np.array([change.t for change in found.changes])
    assert t.size == number
    assert np.abs(t - 5 - np.arange(number) - 0.5).max() < 4 * np.spacing(5.0 + number)
    assert [change.side for change in found.changes] == [(-1) ** (k + 1) for k in range(number)]
    # the state there
    at = np.array([change.x for change in found.changes])
    assert np.abs(at[:, 0] - np.pi * (np.arange(number) + 0.5)).max() < 1e-12 * number


def test_backwards(oscillator):
    (x,) = oscillator.symbols.q
    found = line(oscillator, x**2 - 4, (1.0, -7.0), start=3.0)
    # x = 3 + (t - 1) is 2 at t = 0 and -2 at t = -4
    assert [(change.t, change.side) for change in found.changes] == [(0.0, -1), (-4.0, 1)]


def test_the_search_stops_at_the_side_it_is_to_stop_at(oscillator):
    (x,) = oscillator.symbols.q
    for stop, sides in ((0, [-1]), (-1, [-1]), (1, [-1, 1]), (None, [-1, 1, -1])):
        found = line(oscillator, da.cos(x), (0.0, 9.0), stop=stop)
        assert [change.side for change in found.changes] == sides
        assert found.reason is (Reason.DONE if stop is None else Reason.STOPPED)


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 0.0])
def test_touching_from_one_side_is_no_change(oscillator, gap):
    (x,) = oscillator.symbols.q
    assert not line(oscillator, (x - 1) ** 2 + gap, (0.0, 3.0)).changes
    # and below it there are two
    found = line(oscillator, (x - 1) ** 2 - 1e-8, (0.0, 3.0)).changes
    assert np.abs(np.array([change.t for change in found]) - [1 - 1e-4, 1 + 1e-4]).max() < 1e-9


def test_a_pole_is_not_bounded_and_ends(oscillator):
    (x,) = oscillator.symbols.q
    found = at_once(lambda: line(oscillator, 1 / (x - 1) + 2, (0.0, 3.0)))
    # 1/(x - 1) = -2 at x = 1/2; behind the pole it is positive again
    assert abs(found.changes[0].t - 0.5) < TIME
    assert found.changes[-1].side == 1


def test_where_a_zero_begins_the_side_is_asked_for(oscillator):
    (x,) = oscillator.symbols.q
    assert line(oscillator, x, (0.0, 1.0)).reason is Reason.NO_SIDE
    assert not line(oscillator, x, (0.0, 1.0), side=1).changes
    log = line(oscillator, da.log(x), (0.0, 1.0), start=-1.0)
    assert log.reason is Reason.NOT_FINITE


def test_ten_thousand_crossings(oscillator):
    (x,) = oscillator.symbols.q
    number = 10_000
    motion = at_once(
        lambda: simulate(
            oscillator, [1.0], [0.0], [0.0, number * np.pi], events=[Crossing(x, name="zero")]
        )
    )
    t = np.array([when for when, _ in motion.events])
    assert t.size == number
    # the phase of a long run drifts by rounding
    assert np.abs(t - np.pi * (np.arange(number) + 0.5)).max() < 1e-9
    assert motion.t.size == number + 2


def test_thousands_of_bounces():
    (z,) = da.coordinates("z")
    ball = da.compile(da.System(kinetic=z.dot**2 / 2, potential=GRAVITY * z, coordinates=[z]))
    number, fall = 5000, np.sqrt(2 / GRAVITY)
    bounce = Crossing(z, direction=-1, change=lambda t, q, v: (q, -v), name="bounce")
    motion = at_once(
        lambda: simulate(ball, [1.0], [0.0], [0.0, 2 * fall * number], events=[bounce]), 3.0
    )
    t = np.array([when for when, _ in motion.events])
    assert motion.ok
    assert t.size == number
    # each bounce takes place at a float of the time
    assert np.abs(t - fall * (1 + 2 * np.arange(number))).max() < number * np.spacing(t[-1])
    assert motion.energy_error < number * 1e-14


def test_energy_that_changes_take_is_dissipated():
    (z,) = da.coordinates("z")
    ball = da.compile(da.System(kinetic=z.dot**2 / 2, potential=GRAVITY * z, coordinates=[z]))
    bounce = Crossing(z, direction=-1, change=lambda t, q, v: (q, -0.5 * v))
    motion = simulate(ball, [1.0], [0.0], np.linspace(0, 1, 101), events=[bounce])
    energy = motion.energy
    # three quarters of m g h at the first bounce, and of the rest at the second
    first, second = (when for when, _ in motion.events)
    after = motion.t > second
    between = (motion.t > first) & (motion.t < second)
    assert np.abs(energy.dissipated[motion.t < first]).max() == 0
    assert np.abs(energy.dissipated[between] - 0.75 * GRAVITY).max() < 1e-12
    assert np.abs(energy.dissipated[after] - (1 - 1 / 16) * GRAVITY).max() < 1e-12


def test_what_fails_behind_the_end_is_no_failure(oscillator):
    """Steps ahead of an event that ends the motion are looked at, but never come."""
    (x,) = oscillator.symbols.q

    def fails_later(t, q, v):
        if t > 3.0:
            raise RuntimeError("too late")
        return 1.0

    end = Crossing(x, is_terminal=True, name="end")
    for late in (Crossing(fails_later), Crossing(da.sqrt(2 - da.time) + 1)):
        for events in ([late, end], [end, late]):
            motion = simulate(oscillator, [1.0], [0.0], 50.0, events=events)
            assert motion.ok, motion.status
            assert abs(motion.t[-1] - np.pi / 2) < TIME
    # and without that end, it is one
    motion = simulate(oscillator, [1.0], [0.0], 50.0, events=[Crossing(fails_later)])
    assert not motion.ok
    assert "RuntimeError" in motion.status
    assert motion.t[-1] > 1.0


def test_crossings_of_several_quantities_come_in_order(oscillator):
    (x,), (v,) = oscillator.symbols.q, oscillator.symbols.qd
    events = [
        Crossing(x, name="x"),
        Crossing(v, name="v"),
        Crossing(lambda t, q, qd: q[0] - qd[0], name="x = v"),
    ]
    motion = simulate(oscillator, [1.0], [0.1], 100.0, events=events)
    t, names = zip(*motion.events, strict=True)
    assert list(t) == sorted(t)
    assert list(motion.t) == sorted(motion.t)
    # between two zeros of x there is one of v and one of x - v
    order = {"x": "x = v", "x = v": "v", "v": "x"}
    assert all(order[a] == b or order[b] == a for a, b in pairwise(names))
    alone = [simulate(oscillator, [1.0], [0.1], 100.0, events=[event]).events for event in events]
    together = sorted(pair for events in alone for pair in events)
    assert [name for _, name in together] == list(names)
    assert np.abs(np.array([when for when, _ in together]) - t).max() < TIME
