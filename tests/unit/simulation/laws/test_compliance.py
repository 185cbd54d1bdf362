"""Contacts and stops that give way: closed forms and SciPy."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import Contact, DryFriction, HuntCrossley, JointStops, KelvinVoigt

(x,) = da.coordinates("x")


def particle(weight=0.0):
    """Return a unit mass on a line, pulled down by a weight."""
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=weight * x, coordinates=[x]))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_spring_pad_returns_after_half_a_period(scale):
    """From x = 1 with -v: contact at 1/v, half a period π/ω, and back with v."""
    k, v = 400.0 * scale**2, 2.0 * scale
    pad = Contact(x, name="pad", compliance=KelvinVoigt(k))
    motion = da.simulate(particle(), [1.0], [-v], 5.0 / scale, events=[pad])
    assert motion.ok
    times = [t for t, _ in motion.events]
    assert times == pytest.approx([1 / v, 1 / v + np.pi / np.sqrt(k)], rel=1e-10)
    assert [name for _, name in motion.events] == ["pad presses", "pad opens"]
    assert motion.qd[-1] == pytest.approx(v, rel=1e-10)
    assert motion.energy.error == pytest.approx(np.zeros(len(motion.t)), abs=1e-10 * v**2)


def test_kelvin_voigt_lets_go_before_the_pad_is_relaxed():
    """F = -d̈ = 0 of d = (v/w) e^{-ζωt} sin w t, w = ω√(1-ζ²): tan(w t) = 2ζ√(1-ζ²)/(2ζ² - 1)."""
    w0, zeta, v = 50.0, 0.3, 2.0
    pad = Contact(x, name="pad", compliance=KelvinVoigt(w0**2, 2 * zeta * w0))
    motion = da.simulate(particle(), [0.0], [-v], 1.0, events=[pad])
    root = np.sqrt(1 - zeta**2)
    phase = np.arctan2(2 * zeta * root, 2 * zeta**2 - 1)
    end = phase / (w0 * root)
    assert motion.events[-1][0] == pytest.approx(end, rel=1e-10)
    assert motion.events[-1][1] == "pad opens"
    # ḋ = v e^{-ζωt} (cos w t - ζ/√ sin w t)
    rate = v * np.exp(-zeta * w0 * end) * (np.cos(phase) - zeta / root * np.sin(phase))
    assert motion.qd[-1] == pytest.approx(-rate, rel=1e-10)
    assert (motion.lam[:, 0] >= -1e-10).all()
    assert motion.energy.dissipated[-1] == pytest.approx((v**2 - rate**2) / 2, rel=1e-10)


def test_hertz_contact_lasts_as_hertz_says():
    """The contact lasts 2 ∫dd/√(v² - 4/5 k d^{5/2}), 2.94 d_max/v."""
    scipy = pytest.importorskip("scipy.special")
    k, v = 1e7, 3.0
    pad = Contact(x, name="pad", compliance=HuntCrossley(k))
    motion = da.simulate(particle(), [0.0], [-v], 0.1, events=[pad])
    deepest = (5 * v**2 / (4 * k)) ** 0.4
    # ∫₀¹ dy/√(1 - y^{5/2}) = √π Γ(7/5)/Γ(9/10)
    last = 2 * np.sqrt(np.pi) * scipy.gamma(1.4) / scipy.gamma(0.9) * deepest / v
    assert motion.events[-1][0] == pytest.approx(last, rel=1e-9)
    assert motion.qd[-1] == pytest.approx(v, rel=1e-9)
    assert -motion.q.min() == pytest.approx(deepest, rel=1e-2)


def test_hunt_crossley_loses_what_its_formula_says():
    """w dw/(1 + c w) = -k dⁿ dd with w = ḋ: G(v) = G(-e v) with G = w/c - ln(1 + c w)/c²."""
    c, v = 0.3, 2.0
    pad = Contact(x, compliance=HuntCrossley(1e6, c))
    motion = da.simulate(particle(), [0.0], [-v], 0.2, events=[pad])
    rebound = -motion.qd[-1, 0]

    def constant(w):
        return w / c - np.log(1 + c * w) / c**2

    assert constant(rebound) == pytest.approx(constant(v), rel=1e-9)
    assert 0 < -rebound / v < 1


def test_a_ball_comes_to_rest_in_its_pad():
    """Under its weight it settles at the depth m g / k."""
    pad = Contact(x, name="pad", compliance=KelvinVoigt(1e4, 60.0))
    motion = da.simulate(particle(9.81), [0.1], [0.0], 5.0, events=[pad])
    assert motion.ok
    assert motion.q[-1] == pytest.approx(-9.81e-4, rel=1e-9)
    assert motion.lam[-1] == pytest.approx(9.81, rel=1e-9)


def test_soft_stops_of_a_joint_and_friction_beside_them():
    """A swinging door with friction against both stops agrees with SciPy's one-sided forces."""
    integrate = pytest.importorskip("scipy.integrate")
    door = (
        da.Builder("door", gravity=(0, 0, 0))
        .link("leaf", mass=2, com=(0.4, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("hinge", "leaf", limits=(-0.5, 0.8), friction=0.3)
        .build()
    )
    stops = JointStops(compliance=KelvinVoigt(300.0, 1.0))
    motion = da.simulate(da.compile(door), [0.0], [6.0], 0.6, events=[stops])
    assert motion.ok
    inertia = 0.1 + 2 * 0.16

    def rate(t, y):
        q, w = y
        force = -0.3 * np.sign(w)
        if q > 0.8:
            force -= max(0.0, 300 * (q - 0.8) + w)
        if q < -0.5:
            force += max(0.0, 300 * (-0.5 - q) - w)
        return [w, force / inertia]

    other = integrate.solve_ivp(rate, (0, 0.6), [0, 6], rtol=1e-10, atol=1e-12, max_step=1e-4)
    # SciPy steps across the jumps of the forces
    assert motion.q[-1, 0] == pytest.approx(other.y[0, -1], abs=2e-4)
    assert "upper limit of hinge presses" in [name for _, name in motion.events]


def test_soft_and_rigid_rows_act_together():
    """A weight on a pad with dry friction beside it stays where the friction holds it."""
    pad = Contact(x, name="pad", compliance=KelvinVoigt(1e3))
    grip = DryFriction(x.dot, 30.0)
    motion = da.simulate(particle(9.81), [0.01], [-1.0], 2.0, events=[pad, grip])
    assert motion.ok
    assert motion.qd[-1] == pytest.approx(0.0, abs=1e-12)
    assert motion.lam[-1].sum() == pytest.approx(9.81, rel=1e-9)


def test_odd_compliances_are_refused():
    with pytest.raises(EvaluationError, match="positive stiffness"):
        KelvinVoigt(0.0)
    with pytest.raises(EvaluationError, match="damping from 0"):
        HuntCrossley(1.0, -1.0)
    with pytest.raises(EvaluationError, match="exponent"):
        HuntCrossley(1.0, 0.0, 0.5)
    with pytest.raises(EvaluationError, match="either a restitution or a compliance"):
        Contact(x, restitution=0.5, compliance=KelvinVoigt(1.0))
    with pytest.raises(EvaluationError, match="KelvinVoigt or HuntCrossley"):
        JointStops(compliance=1e5)  # type: ignore[arg-type]
