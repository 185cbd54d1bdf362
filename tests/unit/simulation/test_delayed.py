"""Transport delays in continuous time: the method of steps by hand."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import Contact, Delayed, Taylor

(x,) = da.coordinates("x")
(f,) = da.inputs("f")


def cart():
    return da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))


@pytest.mark.parametrize("law", [[-x], lambda t, q, qd: -q])
def test_the_method_of_steps(law):
    """ẍ = -x(t - 1), x = 1 before 0.

    On [0, 1] x = 1 - t²/2; on [1, 2] ẍ = -1 + s²/2 with s = t - 1: x = 1/2 - s - s²/2 + s⁴/24.
    On [2, 3] ẍ = -(1/2 - s - s²/2 + s⁴/24): x = a + b s - s²/4 + s³/6 + s⁴/24 - s⁶/720.
    """
    motion = da.simulate(cart(), [1.0], [0.0], [0.0, 1.0, 2.0, 3.0], Delayed(law, 1.0))
    assert motion.ok
    second, slope = 1 / 2 - 1 - 1 / 2 + 1 / 24, -1 - 1 + 1 / 6
    third = second + slope - 1 / 4 + 1 / 6 + 1 / 24 - 1 / 720
    assert motion.q[:, 0] == pytest.approx([1, 1 / 2, second, third], rel=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_delay_of_a_whole_period_leaves_no_trace(scale):
    """With x = cos ωt before 0 the delayed force is that of a spring, for two delays and more."""
    period = 2 * np.pi * scale
    law = Delayed(
        [-x / scale**2],
        period,
        history=lambda t: ([np.cos(t / scale)], [-np.sin(t / scale) / scale]),
    )
    motion = da.simulate(cart(), [1.0], [0.0], 2.3 * period, law)
    assert motion.q[:, 0] == pytest.approx(np.cos(motion.t / scale), abs=1e-9)


def test_a_damper_that_comes_late_feeds_the_swing():
    """ẍ + x = -c ẋ(t - δ): s = iω + σ of s² + 1 + c s e^{-sδ} = 0 by Newton's method here."""
    c, delay = 0.05, np.pi
    s = 1j
    for _ in range(20):
        value = s * s + 1 + c * s * np.exp(-s * delay)
        s = s - value / (2 * s + c * np.exp(-s * delay) * (1 - s * delay))
    assert s.real > 0

    def exact(t):
        e = np.exp(s * t)
        return [e.real], [(s * e).real]

    system = da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2, coordinates=[x], forces=[f])
    law = Delayed([-c * x.dot], delay, history=exact)
    motion = da.simulate(da.compile(system), *exact(0.0), 30.0, law)
    assert motion.q[-1] == pytest.approx(exact(30.0)[0], abs=1e-9)
    assert motion.energy_error < 1e-10


def test_the_past_survives_an_impact():
    """A force of the state one second ago, on a ball that meets a wall: x(t - 1) has the corner."""
    ball = da.simulate(
        cart(), [0.0], [2.0], 2.0, Delayed([-x], 1.0), events=[Contact(1 - x, 1.0, name="wall")]
    )
    # to 1 at t = 1/2 and back to 0 at t = 1; then ẍ = -2 s up to s = 1/2, -2 (1 - s) behind it
    assert ball.events[0][0] == pytest.approx(0.5, rel=1e-12)
    s = 0.5
    v, place = -2 - s**2, -2 * s - s**3 / 3
    r = 0.5
    place += v * r - r**2 / 2 + r**3 / 3
    v += -(r - r**2)
    assert ball.qd[-1, 0] == pytest.approx(v, rel=1e-9)
    assert ball.q[-1, 0] == pytest.approx(place, rel=1e-9)


def test_a_body_with_a_quaternion_sees_its_past(rng):
    """A torque by the angular velocity half a second ago, about a fixed axis: a scalar equation."""
    top = (
        da.Builder("top", gravity=(0, 0, 0))
        .link("body", mass=1, inertia=(1, 1, 2))
        .spherical("ball", "body")
        .build()
    )
    model = da.compile(top)

    def law(t, q, qd):
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)
        return -2 * qd

    motion = da.simulate(model, model.neutral, [0, 0, 1.0], 1.0, Delayed(law, 0.5, None))
    # ω̇ = -ω(t - 1/2), at rest before 0: ω = 1 up to 1/2, then 1 - s
    assert motion.qd[-1] == pytest.approx([0, 0, 0.5], abs=1e-11)


def test_odd_delays_are_refused():
    with pytest.raises(EvaluationError, match="positive delay"):
        Delayed([-x], 0.0)
    with pytest.raises(EvaluationError, match="expressions in Delayed"):
        Delayed(3.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match="at most 1000000 delays"):
        da.simulate(cart(), [0], [0], 1.0, Delayed([-x], 1e-9))
    with pytest.raises(EvaluationError, match="times that increase"):
        da.simulate(cart(), [0], [0], [1.0, 0.0], Delayed([-x], 0.1))
    with pytest.raises(EvaluationError, match="power series"):
        da.simulate(cart(), [0], [0], 1.0, Delayed([-x], 0.1), method=Taylor())
    with pytest.raises(EvaluationError, match=r"expected shape .* of the history of Delayed"):
        da.simulate(cart(), [0], [0], 1.0, Delayed([-x], 0.1, history=lambda t: ([0, 0], [0])))
