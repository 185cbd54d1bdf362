"""Crossings: their times against closed forms, their order, changes of state, and pile-ups."""

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853, RK4, Crossing, simulate
from dalembert.simulation.events.search import first_fall, nodes

# the time of an event is as exact as the phase of the motion
TIME = 1e-12
ROUNDING = 1e-14
GRAVITY = 9.81


@pytest.fixture(scope="module")
def oscillator():
    """x = cos 2t from (1, 0)."""
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=2 * x**2, coordinates=[x]))


@pytest.fixture(scope="module")
def ball():
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=GRAVITY * x, coordinates=[x]))


def occurrences(motion, name):
    return np.array([t for t, what in motion.events if what == name])


def test_zeros_of_an_oscillator(oscillator):
    x = oscillator.symbols.q[0]
    motion = simulate(oscillator, [1.0], [0.0], 40.0, events=[Crossing(x, name="zero")])
    found = occurrences(motion, "zero")
    expected = (np.arange(25) + 0.5) * np.pi / 2
    assert np.abs(found - expected).max() < TIME


@pytest.mark.parametrize(("direction", "first"), [(1, 3 * np.pi / 4), (-1, np.pi / 4)])
def test_direction(oscillator, direction, first):
    event = Crossing(oscillator.symbols.q[0], direction=direction, name="zero")
    found = occurrences(simulate(oscillator, [1.0], [0.0], 20.0, events=[event]), "zero")
    assert np.abs(found - (first + np.pi * np.arange(found.size))).max() < TIME
    assert found.size == int((20 - first) // np.pi) + 1


def test_function_of_time_and_state(oscillator):
    # x = t/10 first at the root of cos 2t = t/10
    event = Crossing(lambda t, q, qd: q[0] - t / 10, is_terminal=True, name="meets")
    motion = simulate(oscillator, [1.0], [0.0], 5.0, events=[event])
    from scipy.optimize import brentq

    t = brentq(lambda t: np.cos(2 * t) - t / 10, 0, 1, xtol=1e-15)
    assert abs(motion.t[-1] - t) < TIME
    assert motion.status.startswith("stopped by meets")
    assert motion.ok


def test_expression_of_time(oscillator):
    event = Crossing(da.time - da.pi / 3, name="clock")
    motion = simulate(oscillator, [1.0], [0.0], 2.0, events=[event])
    assert abs(motion.events[0][0] - np.pi / 3) < ROUNDING


def test_several_events_in_one_step_come_in_order(ball):
    # Runge–Kutta steps of 0.5 s: the parabola is exact, and passes all heights within one or two
    x = ball.symbols.q[0]
    heights = [1.0, 1.1, 1.2, 1.22]
    events = [Crossing(x - h, name=str(h)) for h in heights]
    motion = simulate(ball, [0.0], [5.0], 1.0, method=RK4(0.5), events=events)
    roots = sorted(
        ((5 + s * np.sqrt(25 - 2 * GRAVITY * h)) / GRAVITY, str(h))
        for h in heights
        for s in (1, -1)
    )
    assert [name for _, name in motion.events] == [name for _, name in roots]
    times = np.array([t for t, _ in motion.events])
    assert np.abs(times - [t for t, _ in roots]).max() < TIME


def test_touching_is_not_crossing(oscillator):
    event = Crossing(oscillator.symbols.q[0] - 1, name="touch")
    assert not simulate(oscillator, [1.0], [0.0], 10.0, events=[event]).events


def test_start_at_zero_is_no_event(oscillator):
    event = Crossing(oscillator.symbols.q[0], name="zero")
    found = occurrences(simulate(oscillator, [0.0], [1.0], 5.0, events=[event]), "zero")
    assert np.abs(found - np.pi / 2 * np.arange(1, 4)).max() < TIME


def test_change_of_state(oscillator):
    # a kick that adds 1 to the velocity at every upward zero: amplitude grows by 1/2
    event = Crossing(
        oscillator.symbols.q[0], direction=1, change=lambda t, q, qd: (q, qd + 1), name="kick"
    )
    motion = simulate(oscillator, [1.0], [0.0], 10.0, events=[event])
    kicks = len(motion.events)
    assert kicks == 3
    assert motion.energy.total[-1] == pytest.approx((2 + kicks) ** 2 / 2, abs=1e-12)
    # the account takes the energy that a change brings for negative losses
    assert motion.energy_error < 1e-12


def test_changes_that_pile_up_end_the_motion(ball):
    x = ball.symbols.q[0]
    bounce = Crossing(x, direction=-1, change=lambda t, q, qd: (q, -qd / 2), name="floor")
    motion = simulate(ball, [1.0], [0.0], 5.0, events=[bounce])
    zeno = 3 * np.sqrt(2 / GRAVITY)
    assert abs(motion.t[-1] - zeno) < 1e-6
    assert "again and again" in motion.status
    assert not motion.ok
    assert motion.q.min() > -1e-12


@pytest.mark.parametrize("omega", [1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("start", [0.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("method", [None, DOP853()])
def test_crossings_at_all_times_and_frequencies(omega, start, method):
    if method is not None and omega * np.spacing(start) > 0.01:
        pytest.skip("steps of a tenth of a period are shorter than the floats of time resolve")
    (x,) = da.coordinates("x")
    model = da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=(omega * x) ** 2 / 2, coordinates=[x])
    )
    # a whole number of half periods, not to end at a zero
    half = np.pi / omega
    span = [start, start + 30 * half]
    motion = simulate(model, [1.0], [0.0], span, method=method, events=[Crossing(x, name="zero")])
    assert motion.ok, motion.status
    found = occurrences(motion, "zero")
    expected = start + (np.arange(30) + 0.5) * half
    assert found.size == expected.size
    assert np.abs(found - expected).max() <= 8 * np.spacing(span[1]) + 1e-12 / omega


def test_watching_does_not_change_the_motion(oscillator):
    x = oscillator.symbols.q[0]
    free = simulate(oscillator, [1.0], [0.0], [0.0, 500.0])
    watched = simulate(oscillator, [1.0], [0.0], [0.0, 500.0], events=[Crossing(x, name="zero")])
    assert len(watched.events) == 318
    assert (watched.q[-1] == free.q[-1]).all()


def test_many_crossings_in_one_step(oscillator):
    event = Crossing(da.sin(1000 * da.time), name="fast")
    found = occurrences(simulate(oscillator, [1.0], [0.0], 2.0, events=[event]), "fast")
    assert found.size == 636
    assert np.abs(found - np.arange(1, 637) * np.pi / 1000).max() < TIME


def test_a_particle_does_not_pass_a_bump():
    """It flies over flat ground in one long step, and a hill of 0.1 m is in its way."""
    x, y = da.coordinates("x y")
    model = da.compile(
        da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=0 * x, coordinates=[x, y])
    )
    hill = da.exp(-16 * (x - 500) ** 2) / 10
    event = Crossing(y - hill, is_terminal=True, name="hill")
    motion = simulate(model, [0.0, 0.05], [100.0, 0.0], 10.0, events=[event])
    # exp(-(d/0.25)²) = 1/2
    assert motion.status.startswith("stopped by hill")
    assert motion.q[-1, 0] == pytest.approx(500 - 0.25 * np.sqrt(np.log(2)), abs=1e-11)


def test_an_event_at_the_very_end_is_reported(oscillator):
    event = Crossing(da.time - 2, name="end")
    assert simulate(oscillator, [1.0], [0.0], 2.0, events=[event]).events == ((2.0, "end"),)
    again = simulate(oscillator, [1.0], [0.0], [0.0, 2.0, 3.0], events=[event])
    assert again.events == ((2.0, "end"),)


def test_events_of_both_directions_between_others(oscillator):
    # many events cut the steps in which crossings of the other direction are passed over
    x, v = oscillator.symbols.q[0], oscillator.symbols.qd[0]
    events = [Crossing(x - k / 7, name="grid") for k in range(-6, 7)]
    events += [Crossing(x, direction=1, name="up"), Crossing(v, direction=-1, name="top")]
    motion = simulate(oscillator, [1.0], [0.0], 15.0, events=events)
    up, top = occurrences(motion, "up"), occurrences(motion, "top")
    assert np.abs(up - (np.arange(5) * np.pi + 3 * np.pi / 4)).max() < TIME
    assert np.abs(top - np.arange(1, 5) * np.pi).max() < TIME
    # cos 2t = k/7 at 2t = ±acos(k/7) + 2πn
    angles = np.arccos(np.arange(-6, 7) / 7)
    turns = 2 * np.pi * np.arange(6)[:, None]
    grid = np.sort(np.concatenate([turns + angles, turns - angles], axis=None)) / 2
    grid = grid[(grid > 0) & (grid < 15)]
    assert occurrences(motion, "grid") == pytest.approx(grid, abs=TIME)


def test_backwards(oscillator):
    event = Crossing(oscillator.symbols.q[0], name="zero")
    motion = simulate(oscillator, [1.0], [0.0], -3.0, events=[event])
    found = occurrences(motion, "zero")
    assert np.abs(found + np.array([1, 3]) * np.pi / 4).max() < TIME


def test_coarse_steps_land_on_the_event(oscillator):
    # the cubic between steps is off by 1e-5; landing again is not
    event = Crossing(oscillator.symbols.q[0], name="zero")
    motion = simulate(oscillator, [1.0], [0.0], 5.0, method=RK4(0.1), events=[event])
    for t in occurrences(motion, "zero"):
        assert abs(motion.q[motion.t == t]).max() < ROUNDING


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
def test_narrow_dips_are_found(depth):
    times = nodes(0.0, 1.0)

    def f(t):
        return (t - 0.4567) ** 2 - depth

    found = first_fall(f, times, f(times), 1e-13)
    assert found == pytest.approx(0.4567 - np.sqrt(depth), abs=1e-12)


def test_dips_that_do_not_reach_zero_are_not_found():
    times = nodes(0.0, 1.0)
    assert first_fall(lambda t: (t - 0.4567) ** 2, times, (times - 0.4567) ** 2, 1e-13) is None


def test_bad_events_are_refused(oscillator):
    with pytest.raises(da.EvaluationError, match="direction -1, 0 or 1"):
        Crossing(oscillator.symbols.q[0], direction=2)
    with pytest.raises(da.EvaluationError, match="expression or a function"):
        Crossing("x")  # type: ignore[arg-type]
    event = Crossing(lambda t, q, qd: np.nan if t > 0.5 else 1.0)
    motion = simulate(oscillator, [1.0], [0.0], 1.0, events=[event])
    assert not motion.ok
    assert "finite number" in motion.status
    event = Crossing(oscillator.symbols.q[0], change=lambda t, q, qd: (q, [1.0, 2.0]))
    motion = simulate(oscillator, [1.0], [0.0], 1.0, events=[event])
    assert not motion.ok
    assert "expected shape (1,) for qd" in motion.status
