"""Forces with states of their own: closed forms, and the account of a motor's energy."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import Contact, Crossing, DryFriction, FirstOrder, dc_motors

(x,) = da.coordinates("x")
(f,) = da.inputs("f")
(z,) = da.coordinates("z")


def cart():
    return da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))


def test_a_lagged_force_moves_as_the_closed_form():
    """ż = (1 - z)/T: v = t - T (1 - e^{-t/T})."""
    T = 0.3
    motion = da.simulate(cart(), [0], [0], 2.0, FirstOrder({z: (1 - z) / T}, [z]))
    assert motion.qd[-1, 0] == pytest.approx(2 - T * (1 - np.exp(-2 / T)), rel=1e-11)
    assert motion.controller_state[-1, 0] == pytest.approx(1 - np.exp(-2 / T), rel=1e-11)
    assert motion.tau[:, 0] == pytest.approx(motion.controller_state[:, 0], rel=1e-12)
    assert motion.energy_error < 1e-11


def test_states_depend_on_motion_time_and_each_other():
    """ẍ = a, ȧ = b, ḃ = cos t: x = t²/2 - (1 - cos t) … differentiated four times."""
    (a, b) = da.coordinates("a b")
    law = FirstOrder({a: b, b: da.cos(da.time)}, [a], start={b: 2.0})
    motion = da.simulate(cart(), [0], [0], 3.0, law)
    # x⁗ = cos t with x''' = 2 at 0 and all else 0
    t = 3.0
    assert motion.q[-1, 0] == pytest.approx(t**3 / 3 + np.cos(t) - 1 + t**2 / 2, rel=1e-10)


def motor_wheel(friction=0.0):
    wheel = (
        da.Builder("wheel", gravity=(0, 0, 0))
        .link("rim", mass=1, inertia=(1, 1, 0.5))
        .revolute("hub", "rim", friction=friction)
        .actuator("motor", "hub", gear_ratio=5)
        .build()
    )
    return da.compile(wheel)


@pytest.mark.parametrize("inductance", [1e-1, 1e-4, 1e-7])
def test_a_motor_runs_up_with_both_time_constants(inductance):
    """The linear equations of current and speed, by SciPy's matrix exponential; stiff ones too."""
    linalg = pytest.importorskip("scipy.linalg")
    R, k, u, r, J = 2.0, 0.1, 12.0, 5.0, 0.5
    model = motor_wheel()
    motors = dc_motors(model, [u], resistance=R, inductance=inductance, constant=k)
    motion = da.simulate(model, [0], [0], 4.0, motors)
    assert motion.ok
    A = np.array(
        [[0, r * k / J, 0], [-r * k / inductance, -R / inductance, u / inductance], [0, 0, 0]]
    )
    w, i, _ = linalg.expm(4.0 * A) @ [0, 0, 1]
    assert motion.qd[-1, 0] == pytest.approx(w, rel=1e-8)
    assert motion.controller_state[-1, 0] == pytest.approx(i, rel=1e-8)


def test_a_motor_gives_away_what_the_voltage_puts_in():
    """∫u i dt = work at the shaft + ∫R i² dt + ½ L i², with two more states as integrals."""
    model = motor_wheel()
    R, L, k, u = 2.0, 0.05, 0.1, 12.0
    motors = dc_motors(model, [u], resistance=R, inductance=L, constant=k)
    (i,) = motors.rates
    given, heat = da.coordinates("given heat")
    both = FirstOrder({**motors.rates, given: u * i, heat: R * i**2}, motors.forces)
    motion = da.simulate(model, [0], [0], 3.0, both)
    current, put_in, lost = motion.controller_state[-1]
    assert put_in == pytest.approx(motion.energy.work[-1] + lost + L * current**2 / 2, rel=1e-10)


def test_a_motor_breaks_its_load_free():
    """It sticks until r k i = F, i = u/R (1 - e^{-R t/L})."""
    model = motor_wheel(friction=2.0)
    R, L, k, u = 2.0, 0.4, 0.1, 12.0
    motors = dc_motors(model, [u], resistance=R, inductance=L, constant=k)
    motion = da.simulate(model, [0], [0], 1.0, motors)
    expected = -L / R * np.log(1 - 2.0 * R / (5 * k * u))
    assert motion.ok
    assert motion.events[0] == (pytest.approx(expected, rel=1e-9), "hub slides")
    assert motion.energy_error < 1e-10


def test_events_and_contacts_see_the_states():
    """A force that grows as t, z = t: x = t³/6 meets a wall and rests there with the force z."""
    law = FirstOrder({z: 1}, [z])
    wall = Contact(4.5 - x, name="wall")
    half = Crossing(x - 2, name="half")
    motion = da.simulate(cart(), [0], [0], 5.0, law, events=[wall, half])
    assert motion.ok
    assert [t for t, _ in motion.events] == pytest.approx([12 ** (1 / 3), 3.0], rel=1e-10)
    assert motion.lam[-1, 0] == pytest.approx(5.0, rel=1e-10)
    held = da.simulate(cart(), [0], [0], 5.0, law, events=[DryFriction(x.dot, 3.0)])
    assert held.events[0] == (pytest.approx(3.0, rel=1e-10), "friction slides")
    # ẍ = t - 3 from t = 3
    assert held.q[-1, 0] == pytest.approx(2**3 / 6, rel=1e-10)


def test_odd_states_are_refused():
    with pytest.raises(EvaluationError, match=r"da\.coordinates"):
        FirstOrder({f: 1}, [z])
    with pytest.raises(EvaluationError, match="a rate for every state"):
        FirstOrder({z: 1}, [z], start={x: 0})
    with pytest.raises(EvaluationError, match="got x"):
        da.simulate(cart(), [0], [0], 1.0, FirstOrder({x: 1}, [x]))
    with pytest.raises(EvaluationError, match="got y"):
        da.simulate(cart(), [0], [0], 1.0, FirstOrder({z: da.coordinates("y")[0]}, [z]))
    with pytest.raises(EvaluationError, match="1 expressions"):
        da.simulate(cart(), [0], [0], 1.0, FirstOrder({z: 1}, [z, z]))
    with pytest.raises(EvaluationError, match="positive inductance"):
        dc_motors(motor_wheel(), [1.0], resistance=1, inductance=0, constant=1)
    with pytest.raises(EvaluationError, match="1 voltages"):
        dc_motors(motor_wheel(), [1.0, 2.0], resistance=1, inductance=1, constant=1)
