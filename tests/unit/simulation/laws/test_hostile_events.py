"""Events at the same time, at the start, at the end, late, and where nothing can be done."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853, Contact, Crossing, DryFriction, simulate

GRAVITY = 9.81
FALL = np.sqrt(2 / GRAVITY)


@pytest.fixture(scope="module")
def ball():
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=GRAVITY * x, coordinates=[x]))


@pytest.mark.parametrize("method", [None, DOP853()])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_an_impact_turns_back_has_not_crossed(ball, method, is_first):
    x = ball.symbols.q[0]
    events = [Contact(x, restitution=0.5, name="floor"), Crossing(x, name="crossed")]
    motion = simulate(
        ball, [1.0], [0.0], 1.0, method=method, events=events if is_first else events[::-1]
    )
    assert [name for _, name in motion.events] == ["impact at floor"] * 2


@pytest.mark.parametrize("method", [None, DOP853()])
def test_what_goes_on_through_zero_at_an_impact_has_crossed(ball, method):
    x = ball.symbols.q[0]
    first = simulate(ball, [1.0], [0.0], 1.0, method=method, events=[Contact(x, restitution=0.5)])
    when = first.events[0][0]
    events = [Contact(x, restitution=0.5), Crossing(da.time - when, name="clock")]
    motion = simulate(ball, [1.0], [0.0], 1.0, method=method, events=events)
    assert [name for _, name in motion.events].count("clock") == 1
    assert len(motion.events) == 3


@pytest.mark.parametrize("method", [None, DOP853()])
def test_a_function_that_is_zero_at_the_end_has_crossed_there(ball, method):
    def clock(t, q, qd):
        return t - 0.5

    def touching(t, q, qd):
        return (t - 0.5) ** 2

    events = [Crossing(clock, name="clock"), Crossing(touching, name="touching")]
    motion = simulate(ball, [0.0], [1.0], 0.5, method=method, events=events)
    assert motion.events == ((0.5, "clock"),)
    # and once where a step only happens to end there
    motion = simulate(ball, [0.0], [1.0], [0.0, 0.5, 1.0], method=method, events=events)
    assert motion.events == ((pytest.approx(0.5, abs=1e-15), "clock"),)


@pytest.mark.parametrize("start", [0.0, 1e6, 1e9, -1e9])
def test_two_balls_bounce_together_until_they_rest_at_any_time(start):
    a, b = da.coordinates("a b")
    kinetic, weight = (a.dot**2 + b.dot**2) / 2, GRAVITY * (a + b)
    balls = da.compile(da.System(kinetic=kinetic, potential=weight, coordinates=[a, b]))
    events = [Contact(a, restitution=0.5, name="a"), Contact(b, restitution=0.5, name="b")]
    motion = simulate(balls, [1, 1], [0, 0], np.array([start, start + 2]), events=events)
    assert motion.ok
    assert [name for _, name in motion.events][:3] == ["impact at a and b"] * 3
    assert motion.events[-1][1] == "impact at a and b, a rests, b rests"
    # 20 bounces, each as late as the clock tells
    assert abs(motion.events[-1][0] - start - 3 * FALL) < 2e-6 + 40 * np.spacing(abs(start))
    assert (motion.q[-1] == 0).all()
    assert (motion.qd[-1] == 0).all()


def test_it_stays_at_rest_for_ages(ball):
    x = ball.symbols.q[0]
    motion = simulate(ball, [1.0], [0.0], 4e6, events=[Contact(x, restitution=0.99)])
    assert motion.ok
    assert len(motion.events) == 1375
    assert motion.q[-1, 0] == 0


def test_a_gap_that_no_force_changes_is_refused(ball):
    with pytest.raises(da.EvaluationError, match=r"depends on model\.symbols\.q"):
        simulate(ball, [1.0], [0.0], 1.0, events=[Contact(0.5 - da.time)])


def test_walls_that_leave_no_room_are_told(ball):
    x = ball.symbols.q[0]
    walls = [Contact(x - da.time, name="below"), Contact(2 - da.time - x, name="above")]
    motion = simulate(ball, [0.0], [1.0], 2.0, events=walls)
    assert not motion.ok
    assert motion.t[-1] == pytest.approx(1.0, abs=1e-9)
    assert "leave no room" in motion.status


def test_a_box_on_four_rough_feet_slides_and_stops_at_once():
    """Four feet share the load in many ways, which is no paradox; all of them stop together."""
    x, y, z, a, b = da.coordinates("x y z a b")
    kinetic = (x.dot**2 + y.dot**2 + z.dot**2 + (a.dot**2 + b.dot**2) / 20) / 2
    box = da.compile(da.System(kinetic=kinetic, potential=GRAVITY * z, coordinates=[x, y, z, a, b]))
    laws = []
    for i in (-1, 1):
        for j in (-1, 1):
            # small turns about both axes lift the feet
            laws += [
                Contact(z + i * 0.3 * a + j * 0.2 * b, name=f"{i} {j}"),
                DryFriction((x.dot, y.dot), 0.3, name=f"skid {i} {j}", normal=f"{i} {j}"),
            ]
    motion = simulate(box, [0] * 5, [0.6, 0.8, 0, 0, 0], 0.5, events=laws)
    assert motion.ok, motion.status
    ((when, name),) = motion.events
    assert when == pytest.approx(1 / (0.3 * GRAVITY), abs=1e-10)
    assert name.count("sticks") == 4
    assert motion.q[-1, :2] == pytest.approx(np.array([0.6, 0.8]) / (0.6 * GRAVITY), abs=1e-11)
