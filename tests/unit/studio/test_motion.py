"""Steps of the live simulation, closing of loops, and what is played."""

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.motion import advanced, closed, closed_start, scaled_gains
from dalembert.studio.sample import sample
from dalembert.studio.state import State


def numbers(description: da.Mechanism) -> dict:
    lengths = {"l0": 4, "l1": 1.5, "l2": 3, "l3": 3.5}
    return {
        x: lengths.get(str(x).translate(str.maketrans("₀₁₂₃", "0123")), 1)
        for x in description.parameters
    }


def test_live_steps_follow_the_simulation() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    goal = np.full(6, 0.3)
    gains = scaled_gains(model, goal, 100.0, 20.0)
    law = da.control.PDGravity(model, goal, stiffness=gains.stiffness, damping=gains.damping)
    state = State(model, np.zeros(6))
    t, q, qd = advanced(model, state.moment, 0.2, law)
    motion = da.simulate(model, np.zeros(6), None, 0.2, law)
    assert t == pytest.approx(0.2)
    assert np.allclose(q, motion.q[-1], atol=1e-5)
    assert np.allclose(qd, motion.qd[-1], atol=1e-3)
    state.close()


def test_loops_stay_closed_and_energy_stays() -> None:
    bar = da.textbook.robots.four_bar()
    model = da.compile(bar, parameters=numbers(bar))
    state = State(model, closed_start(model, np.array([0.6, -0.5, 1.0])))
    assert np.abs(model.constraint_error(state.moment.q)).max() < 1e-9
    nothing = state.no_inputs()
    moment = state.moment
    for _ in range(10):
        t, q, qd = advanced(model, moment, 0.05, lambda t, q, v: nothing)
        moment = moment._replace(t=t, q=q, qd=qd)
    assert np.abs(model.constraint_error(moment.q)).max() < 1e-9
    assert np.abs(model.constraint_jacobian(moment.q) @ moment.qd).max() < 1e-9
    start = float(model.energy(state.moment.q, state.moment.qd))
    assert float(model.energy(moment.q, moment.qd)) == pytest.approx(start, abs=1e-4)
    assert float(model.kinetic_energy(moment.q, moment.qd)) > 0.01
    state.close()


def test_the_joint_that_is_held_does_not_move() -> None:
    bar = da.textbook.robots.four_bar()
    model = da.compile(bar, parameters=numbers(bar))
    q = closed_start(model, np.array([0.6, -0.5, 1.0]))
    q[0] += 0.2
    found = closed(model, q, keep=0)
    assert found is not None
    assert found[0] == q[0]
    assert np.abs(model.constraint_error(found)).max() < 1e-9


def test_what_cannot_be_closed_is_said() -> None:
    bar = da.textbook.robots.four_bar()
    values = {x: 10 if str(x) == "l₀" else 1 for x in bar.parameters}
    model = da.compile(bar, parameters=values)
    q = np.array([0.1, 0.2, 0.3])
    assert closed(model, q) is None
    assert closed_start(model, q) is q
    state = State(model, q)
    assert "the constraints do not hold here" in state.moment.trouble
    state.close()


def test_a_loop_in_line_is_closed_at_the_start() -> None:
    bar = da.textbook.robots.four_bar()
    model = da.compile(bar, parameters=numbers(bar))
    # all links along x: no small motion brings the ends together
    assert closed(model, np.zeros(3)) is None
    found = closed_start(model, np.zeros(3))
    assert np.abs(model.constraint_error(found)).max() < 1e-9


def test_samples_are_between_the_stored_ones() -> None:
    model = da.compile(da.textbook.robots.quadrotor())
    motion = da.simulate(model, model.neutral, [0.1, 0, 0, 1, 0, 0], 0.5)
    for t in (-1.0, 0.0, 0.123, 0.5, 9.0):
        q, qd, u, *_ = sample(motion, t)
        assert np.linalg.norm(q[3:]) == pytest.approx(1)
        exact = motion.resample([min(max(t, 0.0), 0.5)])
        assert np.allclose(q, exact.q[0], atol=1e-2)
        assert (len(qd), len(u)) == (6, 6)
