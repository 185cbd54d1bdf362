"""Derivatives of long motions, whose steps are taken many at once."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import DOP853, Crossing
from dalembert.simulation.variations import many_steps
from dalembert.simulation.variations.many_steps import ManySteps
from tests.unit.simulation.variations.motions import FLYER, flyer_start, free_flyer, spring

# errors of 13,000 steps at 1e-12 add up
LONG = 1e-9


@pytest.mark.parametrize(
    ("length", "mass", "period"), [(1, 1, 1), (1e-9, 1e9, 1e-6), (1e9, 1e-9, 1e6)]
)
def test_spring_over_many_periods(length: float, mass: float, period: float) -> None:
    w = 2 * np.pi / period
    k, T = mass * w**2, 300.3 * period
    found = da.sensitivities(spring(), [length], [0], [0, T / 2, T], parameters={"m": mass, "k": k})
    for t, Phi, by_k in zip(found.t, found.by_state, found.by("k"), strict=True):
        c, s = np.cos(w * t), np.sin(w * t)
        unit = np.array([[1, 1 / w], [w, 1]])
        np.testing.assert_allclose(Phi / unit, [[c, s], [-s, c]], atol=LONG)
        # x = x₀ cos ωt, 2 k ∂ω/∂k = ω; positions and velocities in units of x₀ ωT and of its rate
        expected = [-t / T * s / 2, -(s / (w * T) + t / T * c) / 2]
        np.testing.assert_allclose(by_k * k / (length * w * T) / [1, w], expected, atol=LONG)


def test_quaternions_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    model = da.compile(free_flyer())
    q0, v0 = flyer_start(model)
    t = np.linspace(0, 3, 4)
    slow = da.sensitivities(model, q0, v0, t, parameters=FLYER)
    monkeypatch.setattr(many_steps, "STEPS_BETWEEN_LOOKS", 5)
    monkeypatch.setattr(many_steps, "LONG", 5)
    fast = da.sensitivities(model, q0, v0, t, parameters=FLYER)
    size = np.abs(slow.by_state).max()
    np.testing.assert_allclose(fast.by_state, slow.by_state, atol=1e-10 * size)
    np.testing.assert_allclose(fast.by_parameters, slow.by_parameters, atol=1e-10 * size)
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-10)


def test_particle_on_a_circle_for_long() -> None:
    (x, y), (L,) = da.coordinates("x y"), da.parameters("L")
    model = da.compile(
        da.System(
            kinetic=(x.dot**2 + y.dot**2) / 2,
            coordinates=[x, y],
            constraints=[x**2 + y**2 - L**2],
        )
    )
    T = 600.0
    found = da.sensitivities(model, [1, 0], [0, 1], [0, T / 2, T], parameters={L: 1})
    for t, Phi, by_L in zip(found.t, found.by_state, found.by(L), strict=True):
        # goes round with the speed v: the angle is v t / L
        c, s = np.cos(t), np.sin(t)
        along = np.array([-t * s, t * c, -s - t * c, c - t * s])
        np.testing.assert_allclose(Phi[:, 3] / T, along / T, atol=LONG)
        longer = [c + t * s, s - t * c, t * c, t * s]
        np.testing.assert_allclose(by_L / T, np.array(longer) / T, atol=LONG)


def test_events_and_restarts_on_the_way() -> None:
    t = np.linspace(0, 120, 5)
    model, p = spring(), {"m": 1, "k": 4}
    (x,) = model.symbols.q
    found = da.sensitivities(
        model, [1], [0], t, parameters=p, events=[Crossing(x, direction=1)], restarts=True
    )
    c, s = np.cos(60), np.sin(60)
    for Phi in found.by_state[1:]:
        np.testing.assert_allclose(Phi, [[c, s / 2], [-2 * s, c]], atol=1e-9)
    # 2 t = (2 n + 3/2) π
    times = [event.t for event in found.events]
    assert len(times) == 38
    np.testing.assert_allclose(times, np.pi * (np.arange(38) + 0.75), rtol=1e-12)


def test_parameters_without_effect_have_zeros() -> None:
    (x, y), (k, c) = da.coordinates("x y"), da.parameters("k c")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=k * x**2 / 2 + c * y**4 / 4,
        coordinates=[x, y],
    )
    found = da.sensitivities(
        da.compile(system), [1, 1], [0, 0], [0, 300.0], parameters={k: 2, c: 3}
    )
    assert not found.by("k")[:, [1, 3]].any()
    assert not found.by(c)[:, [0, 2]].any()
    assert found.by(k)[1:, [0, 2]].all()


def test_angles_beyond_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_steps, "STEPS_BETWEEN_LOOKS", 2)
    monkeypatch.setattr(many_steps, "LONG", 0)
    (a,), (k,) = da.coordinates("a"), da.parameters("k")
    model = da.compile(da.System(kinetic=a.dot**2 / 2, potential=-k * da.cos(a), coordinates=[a]))
    # series take angles to 1.6e6 rad, whose sines are known to 1e-10; without gravity a = a₀ + w t
    found = da.sensitivities(
        model, [1.5999e6], [1e4], [0, 0.1], parameters={k: 0}, method=DOP853(1e-7)
    )
    np.testing.assert_allclose(found.q[-1], 1.5999e6 + 1e3)
    np.testing.assert_allclose(found.by_state[-1], [[1, 0.1], [0, 1]], atol=1e-12)
    # ä = -k sin(a): its integral over the time is (cos(a) - cos(a₀)) / w
    first, last = np.cos([1.5999e6, 1.6009e6])
    assert found.by(k)[-1, 1] == pytest.approx((last - first) / 1e4, abs=1e-9)


def test_end_in_a_singularity_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_steps, "STEPS_BETWEEN_LOOKS", 3)
    monkeypatch.setattr(many_steps, "LONG", 0)
    seen = []
    begin = ManySteps.begin

    def watched(*args: object) -> ManySteps | None:
        seen.append(args)
        return begin(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ManySteps, "begin", watched)
    (x,) = da.coordinates("x")
    system = da.System(kinetic=x.dot**2 / 2, potential=-1 / x, coordinates=[x])
    with pytest.raises(EvaluationError, match="singular"):
        da.sensitivities(da.compile(system), [1.0], None, 5.0)
    assert seen
