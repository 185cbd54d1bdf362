"""Sampled controllers against the exact maps of discrete-time control."""

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import DOP853, IMU, RK4, FirstOrder, Sampled, dc_motors, simulate

METHODS = [None, DOP853(), RK4(0.01)]


def cart():
    """A unit mass under a force: x(t + h) = x + h v + h² u / 2 while u is held."""
    (x,), (u,) = da.coordinates("x"), da.inputs("u")
    return da.compile(da.System(kinetic=x.dot**2 / 2, forces=[u], coordinates=[x]))


def exact(law, h, steps, x=1.0, v=0.0, acts_after=0):
    """Return the states of the cart at the samples, forces acting some samples later."""
    states, pending = [(x, v)], [0.0] * acts_after
    for _ in range(steps):
        pending.append(law(x, v))
        u = pending.pop(0)
        x, v = x + h * v + h * h * u / 2, v + h * u
        states.append((x, v))
    return np.array(states)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_the_force_is_held_between_samples(method):
    times = np.arange(11) * 0.25
    motion = simulate(
        cart(), [1.0], [0.0], times, Sampled(lambda t, q, v: -2 * q - v, 0.25), method=method
    )
    expected = exact(lambda x, v: -2 * x - v, 0.25, 10)
    np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), expected, atol=1e-13)
    # what acted is in the trajectory, and its work in the account
    np.testing.assert_allclose(
        motion.tau[:-1, 0], -2 * expected[:-1, 0] - expected[:-1, 1], atol=1e-12
    )
    assert motion.energy_error < 1e-13


def test_a_delay_of_two_samples():
    """The loop that is stable without delay is unstable with it, as the exact map says."""
    law = Sampled(lambda t, q, v: -2 * q - v, 0.25, delay=0.5)
    motion = simulate(cart(), [1.0], [0.0], np.arange(21) * 0.25, law)
    expected = exact(lambda x, v: -2 * x - v, 0.25, 20, acts_after=2)
    np.testing.assert_allclose(motion.q[:, 0], expected[:, 0], rtol=1e-11, atol=1e-11)
    assert np.abs(expected[:, 0]).max() > 2


def test_a_delay_between_samples():
    """x'' = u with u = 1 from 0.1 s on."""
    motion = simulate(
        cart(), [0.0], [0.0], [0.0, 0.9], Sampled(lambda t, q, v: [1.0], 1.0, delay=0.1)
    )
    np.testing.assert_allclose(motion.q[-1, 0], 0.8**2 / 2, atol=1e-15)


def test_encoders_and_converters_round():
    seen = []

    def law(t, q, v):
        seen.append((q[0], v[0]))
        return [0.126]

    sampled = Sampled(law, 0.1, position_quantum=0.01, velocity_quantum=0.05, force_quantum=0.05)
    motion = simulate(cart(), [0.123], [0.0], 0.35, sampled)
    np.testing.assert_allclose(motion.tau[0], 0.15, atol=1e-15)
    x = 0.123 + 0.15 * np.array([0, 0.1, 0.2, 0.3]) ** 2 / 2
    np.testing.assert_allclose([q for q, _ in seen], np.rint(x / 0.01) * 0.01, atol=1e-15)
    np.testing.assert_allclose([v for _, v in seen], [0, 0, 0.05, 0.05], atol=1e-15)


def test_a_law_that_remembers_is_called_once_a_sample_in_order():
    """An observer: the velocity by backward differences."""
    calls = []

    class Observer:
        last = None

        def __call__(self, t, q, v):
            calls.append(t)
            rate = 0.0 if self.last is None else (q[0] - self.last) / 0.1
            self.last = q[0]
            return [-4 * q[0] - 2 * rate]

    motion = simulate(cart(), [1.0], [0.0], 3.0, Sampled(Observer(), 0.1))
    assert motion.ok
    np.testing.assert_allclose(calls, np.arange(len(calls)) * 0.1, atol=1e-12)
    assert abs(motion.q[-1, 0]) < 0.1


def test_rows_on_both_sides_of_a_jump():
    """Two rows at a sample: accelerations before and after it, so that resampling is exact."""
    motion = simulate(cart(), [1.0], [0.0], 2.0, Sampled(lambda t, q, v: -q, 1.0))
    (place,) = np.flatnonzero((motion.t[1:] == motion.t[:-1]) & (motion.t[1:] == 1.0))
    np.testing.assert_allclose(motion.qdd[place : place + 2, 0], [-1.0, -0.5], atol=1e-14)
    np.testing.assert_allclose(motion.resample([0.9]).q[0, 0], 1 - 0.9**2 / 2, atol=1e-14)


def test_wrenches_act_beside_a_sampled_law():
    """A slider of 2 kg under a held force and a constant push of 3 N."""
    slider = da.Builder("slider", gravity=(0, 0, 0)).link("m", mass=2).prismatic("x", "m", axis="x")
    model = da.compile(slider.build())
    push = {"m": [3.0, 0, 0, 0, 0, 0]}
    motion = simulate(
        model, [0.0], [0.0], [0.0, 1.0], Sampled(lambda t, q, v: [1.0], 0.5), external=push
    )
    np.testing.assert_allclose(motion.q[-1, 0], 1.0, atol=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sampled(lambda t, q, v: q, 0.0), "positive period"),
        (lambda: Sampled(lambda t, q, v: q, 0.1, delay=-1), "delay from 0"),
        (lambda: Sampled([1.0], 0.1), "function of"),  # type: ignore[arg-type]
        (
            lambda: simulate(cart(), [0], [0], [1.0, 0.0], Sampled(lambda t, q, v: q, 0.1)),
            "increase",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(EvaluationError, match=message):
        make()


def test_a_law_that_fails_keeps_the_motion_so_far():
    motion = simulate(
        cart(),
        [1.0],
        [0.0],
        3.0,
        Sampled(lambda t, q, v: [1 / (2 - t)] if t < 2 else [np.nan], 1.0),
    )
    assert not motion.ok
    assert motion.t[-1] == 2
    assert "expected finite numbers for the result of the sampled law" in motion.status


def test_a_sampled_law_sets_voltages_of_motors():
    """Between samples (ω, i) is linear: x⁺ = e^{AT} x + A⁻¹ (e^{AT} - 1) B u, by hand."""
    J, d, R, L, k, r, period = 0.02, 0.01, 1.0, 0.002, 0.03, 30.0, 0.004
    wheel = da.Builder("wheel", gravity=(0, 0, 0)).link("rim", mass=1, inertia=(J, J, J))
    wheel = wheel.revolute("hub", "rim", damping=d).actuator("motor", "hub", gear_ratio=r)
    model = da.compile(wheel.build())
    (u,) = da.inputs("u")
    motors = dc_motors(model, [u], resistance=R, inductance=L, constant=k)

    def law(t, q, qd):
        return [12.0 if round(t / period) % 5 < 2 else -3.0 * qd[0]]

    late = period / 4
    sampled = Sampled(law, period, delay=late, into=motors)
    motion = da.simulate(model, [0.0], [0.0], np.arange(26) * period, sampled)
    assert motion.ok
    A = np.array([[-d / J, r * k / J], [-r * k / L, -R / L]])
    x, old, rows = np.zeros(2), 0.0, [np.zeros(2)]
    for i in range(25):
        new = law(i * period, None, x)[0]
        for volts, time in ((old, late), (new, period - late)):
            E = expm(A * time)
            x = E @ x + np.linalg.solve(A, (E - np.eye(2)) @ [0, volts / L])
        old = new
        rows.append(x)
    at = np.searchsorted(motion.t, np.arange(26) * period - 1e-12)
    found = np.column_stack([motion.qd[at, 0], motion.controller_state[at, 0]])
    np.testing.assert_allclose(found, rows, atol=1e-9)


def test_commands_need_a_law():
    (x,), (f, u), (z,) = da.coordinates("x"), da.inputs("f u"), da.coordinates("z")
    cart = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))
    lag = FirstOrder({z: u - z}, [z], commands=[u])
    with pytest.raises(EvaluationError, match=r"expected a law that sets u of FirstOrder"):
        da.simulate(cart, [0], [0], 1.0, lag)
    motion = da.simulate(cart, [0], [0], 1.0, Sampled(lambda t, q, qd: [1.0], 0.1, into=lag))
    assert motion.qd[-1, 0] == pytest.approx(np.exp(-1), abs=1e-12)


def test_inertial_unit_feels_forces_with_states_of_their_own() -> None:
    cart = (
        da.Builder("cart", gravity=(0, 0, -9.81))
        .link("cart", mass=1, inertia=(1, 1, 1))
        .prismatic("x", "cart", axis=(1, 0, 0))
        .build()
    )
    (z,), (w,) = da.coordinates("z"), da.inputs("w")
    lag = FirstOrder({z: w - z}, [z], start={z: 2.0}, commands=[w])
    seen: list[float] = []

    def law(t: float, imu: np.ndarray) -> list[float]:
        seen.append(float(imu[0]))
        return [0.0]

    sampled = Sampled(law, 0.1, sensors=(IMU("cart"),), into=lag)
    assert da.simulate(da.compile(cart), [0], [0], 0.5, sampled).ok
    # the force of the lag decays: ż = -z
    np.testing.assert_allclose(seen, 2 * np.exp(-0.1 * np.arange(6)), rtol=1e-12)
