"""Derivatives of motions: closed forms, complex step, differences, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.model import Model
from dalembert.simulation import DOP853, FirstOrder, Radau, Sampled, Taylor
from dalembert.simulation.variations.changes import DifferentiatedMotion
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism
from tests.unit.simulation.variations.motions import (
    FLYER,
    PENDULUM,
    double_pendulum,
    flyer_start,
    free_flyer,
    spring,
)

# of DOP853 at 1e-12 over some hundred steps
TIGHT = 1e-9
# a complex step has no error of its own; its integration is controlled by the real part
STEP = 1e-40


def by_complex_step(
    model: Model, q0: Any, v0: Any, end: float, p: Any, change: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the motion's end and its derivative along a change (dq, dq̇, dp), in (q, q̇)."""
    q, v, u = model.symbols.q, model.symbols.qd, model.symbols.inputs
    rates = [
        *model.expressions("configuration_rate", q, v),
        *model.expressions("forward_dynamics", q, v, [0] * len(u)),
    ]
    inputs = {"q": q, "v": v} | ({"p": model.symbols.parameters} if len(p) else {})
    run = model.compile(rates, inputs)
    n = len(q)
    dx, dp = np.concatenate(change[:2]), np.asarray(change[2])
    values = [np.asarray(p) + 1j * STEP * dp] if len(p) else []
    found = solve_ivp(
        lambda t, x: run(x[:n], x[n:], *values),
        (0, end),
        np.concatenate([q0, v0]) + 1j * STEP * dx,
        method="DOP853",
        rtol=1e-13,
        atol=1e-15,
    ).y[:, -1]
    return found.real, found.imag / STEP


@pytest.mark.parametrize("length", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("mass", [1e-9, 1e9])
@pytest.mark.parametrize("period", [1e-6, 1e6])
def test_spring_by_hand_at_every_scale(length: float, mass: float, period: float) -> None:
    w = 2 * np.pi / period
    k = mass * w**2
    t = period * np.array([0, 0.1, 0.3, 1.3])
    found = da.sensitivities(spring(), [length], [0], t, parameters={"m": mass, "k": k})
    c, s = np.cos(w * t), np.sin(w * t)
    # x = x₀ cos ωt + (v₀/ω) sin ωt
    expected = np.array([[c, s / w], [-w * s, c]]).transpose(2, 0, 1)
    np.testing.assert_allclose(
        found.by_state, expected, rtol=TIGHT, atol=0, err_msg="transition matrix"
    )
    # ∂ω/∂k = 1/(2 m ω), ∂ω/∂m = -ω/(2 m)
    by_w = length * np.array([-t * s, -s - w * t * c]).T
    np.testing.assert_allclose(found.by("k"), by_w / (2 * mass * w), rtol=TIGHT)
    np.testing.assert_allclose(found.by("m"), -by_w * w / (2 * mass), rtol=TIGHT)


@pytest.mark.parametrize("name", [*PENDULUM, "q", "v"])
def test_double_pendulum_by_complex_step(name: str) -> None:
    system = double_pendulum()
    model = da.compile(system)
    names = [str(x) for x in model.symbols.parameters]
    p = [PENDULUM[x] for x in names]
    q0, v0, end = [1.0, -0.5], [0.3, 2.0], 3.0
    found = da.sensitivities(model, q0, v0, [0, end], parameters=PENDULUM)
    along = np.array([0.6, -0.8])
    dp = [float(x == name) for x in names]
    change = (along * (name == "q"), along * (name == "v"), dp)
    x, expected = by_complex_step(da.compile(system, "numpy"), q0, v0, end, p, change)
    ours = found.by_state[-1] @ np.concatenate(change[:2]) + found.by_parameters[-1] @ dp
    np.testing.assert_allclose(ours, expected, rtol=TIGHT, atol=TIGHT * np.abs(expected).max())
    np.testing.assert_allclose([*found.q[-1], *found.qd[-1]], x, atol=1e-10)


def test_quaternions_by_complex_step() -> None:
    mechanism, end = free_flyer(), 1.5
    model = da.compile(mechanism)
    names = [str(x) for x in model.symbols.parameters]
    p = [FLYER[x] for x in names]
    q0, v0 = flyer_start(model)
    found = da.sensitivities(model, q0, v0, [0, end], parameters=FLYER)
    twin = da.compile(mechanism, "numpy")
    n, rng = model.nv, np.random.default_rng(8)
    rate = twin.compile(
        twin.expressions("configuration_rate", twin.symbols.q, twin.symbols.qd),
        {"q": twin.symbols.q, "v": twin.symbols.qd},
    )
    for _ in range(3):
        eta, dv, dp = rng.normal(size=n), rng.normal(size=n), rng.normal(size=len(p))
        change = (rate(q0, eta), dv, dp)
        _, expected = by_complex_step(twin, q0, v0, end, p, change)
        ours = found.by_state[-1] @ [*eta, *dv] + found.by_parameters[-1] @ dp
        moved = [*rate(found.q[-1], ours[:n]), *ours[n:]]
        np.testing.assert_allclose(moved, expected, rtol=TIGHT, atol=TIGHT)


def test_quaternions_by_differences() -> None:
    free, end = da.compile(free_flyer()), 1.0
    bound = da.compile(free_flyer(), parameters=FLYER)
    q0, v0 = flyer_start(free)
    Phi = da.sensitivities(free, q0, v0, [0, end], parameters=FLYER).by_state[-1]
    configuration, n = bound.configuration, bound.nv
    change = np.random.default_rng(2).normal(size=2 * n)

    def error(h: float) -> float:
        ends = []
        for s in (h, -h):
            q = configuration.integrate(q0, change[:n], s)
            ends.append(da.simulate(bound, q, v0 + s * change[n:], [0, end]))
        middle = da.simulate(bound, q0, v0, [0, end]).q[-1]
        up, down = (configuration.difference(middle, x.q[-1]) for x in ends)
        slope = [*(up - down), *(ends[0].qd[-1] - ends[1].qd[-1])]
        return float(np.abs(np.array(slope) / (2 * h) - Phi @ change).max())

    # central differences: errors fall with the square of the step
    errors = [error(h) for h in (4e-3, 2e-3, 1e-3)]
    assert errors[2] < 1e-4
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 4, rtol=0.02)


def test_random_mechanisms_by_differences(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(3, scale)):
        model = da.compile(random_mechanism(rng, 3))
        if not model.nv:
            continue
        configuration, n = model.configuration, model.nv
        q0, v0 = configuration.random(rng), rng.uniform(-1, 1, n)
        change, h, t = rng.normal(size=2 * n), 1e-4, [0, 0.2]
        Phi = da.sensitivities(model, q0, v0, t).by_state[-1]
        up, down = (
            da.simulate(model, configuration.integrate(q0, change[:n], s), v0 + s * change[n:], t)
            for s in (h, -h)
        )
        slope = [*configuration.difference(down.q[-1], up.q[-1]), *(up.qd[-1] - down.qd[-1])]
        expected = np.array(slope) / (2 * h)
        np.testing.assert_allclose(Phi @ change, expected, atol=1e-4 * (1 + np.abs(expected).max()))


def test_turn_about_the_vertical_changes_nothing() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    Phi = da.sensitivities(model, [0.1] * 6, None, [0, 0.2]).by_state[-1]
    # only rounding is left of ∂q̈/∂q₁
    np.testing.assert_allclose(Phi[:, 0], np.eye(12)[0], atol=1e-13)
    assert abs(Phi[8, 1]) > 0.1


def test_parameters_that_cancel() -> None:
    (a,), (m, L, g) = da.coordinates("a"), da.parameters("m L g")
    system = da.System(
        kinetic=m * L**2 * a.dot**2 / 2, potential=-m * g * L * da.cos(a), coordinates=[a]
    )
    p = {m: 3, L: 2, g: 9.81}
    found = da.sensitivities(da.compile(system), [1.0], None, 5.0, parameters=p)
    # the mass of a pendulum does not matter, and L and g only as g / L
    np.testing.assert_allclose(found.by("m"), 0, atol=1e-12)
    np.testing.assert_allclose(2 * found.by("L") + 9.81 * found.by("g"), 0, atol=1e-9)
    assert np.abs(found.by("L")).max() > 1


def test_decoupled_parameter_has_exact_zeros() -> None:
    (x, y), (k, c) = da.coordinates("x y"), da.parameters("k c")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=k * x**2 / 2 + c * y**4 / 4,
        coordinates=[x, y],
    )
    found = da.sensitivities(da.compile(system), [1, 1], [0, 0], 4.0, parameters={k: 2, c: 3})
    assert not found.by("k")[:, [1, 3]].any()
    assert not found.by(c)[:, [0, 2]].any()
    assert found.by(k)[1:, [0, 2]].all()


def test_gain_of_a_law_and_time() -> None:
    (x,), (u,), (K, w) = da.coordinates("x"), da.inputs("u"), da.parameters("K w")
    system = da.System(kinetic=x.dot**2 / 2, potential=0, coordinates=[x], forces=[u])
    t = np.linspace(0, 3, 4)
    # ẍ = K cos(ωt): x = K (1 - cos ωt)/ω²
    found = da.sensitivities(
        da.compile(system), [0], [0], t, [K * da.cos(w * da.time)], parameters={K: 2, "w": 1.5}
    )
    s, c = np.sin(1.5 * t), np.cos(1.5 * t)
    np.testing.assert_allclose(found.by("K")[:, 0], (1 - c) / 1.5**2, atol=1e-11)
    by_w = 2 * (t * s / 1.5**2 - 2 * (1 - c) / 1.5**3)
    np.testing.assert_allclose(found.by(w)[:, 0], by_w, atol=1e-11)


def test_wrench_on_a_frame() -> None:
    (F,) = da.parameters("F")
    box = da.Builder("box", gravity=(0, 0, 0)).link("box", mass=2, inertia=(3, 3, 4))
    model = da.compile(box.floating("free", "box").build())
    push = {"box": [F, 0, 0, 0, 0, 0]}
    found = da.sensitivities(model, model.neutral, None, [0, 2.0], external=push, parameters={F: 6})
    # x = F t² / 2 m
    expected = np.zeros(12)
    expected[[0, 6]] = 1, 1
    np.testing.assert_allclose(found.by(F)[-1], expected, atol=1e-12)


def test_stiff_motion_by_radau() -> None:
    (x,), (c, k) = da.coordinates("x"), da.parameters("c k")
    system = da.System(
        kinetic=x.dot**2 / 2, potential=k * x**2 / 2, dissipation=c * x.dot**2 / 2, coordinates=[x]
    )
    values = {"c": 1e6, "k": 1e6}
    found = da.sensitivities(
        da.compile(system), [1], [0], [0, 1.0], parameters=values, method=Radau(1e-9)
    )

    # the roots of r² + c r + k
    def end(c: complex, k: complex) -> complex:
        root = np.sqrt(c * c - 4 * k + 0j)
        slow = -2 * k / (c + root)
        fast = -(c + root) / 2
        return (fast * np.exp(slow) - slow * np.exp(fast)) / (fast - slow)

    expected = [end(1e6 + 1e-20j, 1e6).imag / 1e-20, end(1e6, 1e6 + 1e-20j).imag / 1e-20]
    np.testing.assert_allclose(found.by_parameters[-1, 0], expected, rtol=1e-6)


def test_way_back_undoes_the_way() -> None:
    model = da.compile(double_pendulum())
    there = da.sensitivities(model, [1, 2], None, [0, 2.0], parameters=PENDULUM)
    back = da.sensitivities(model, there.q[-1], there.qd[-1], [2.0, 0.0], parameters=PENDULUM)
    product = back.by_state[-1] @ there.by_state[-1]
    np.testing.assert_allclose(product, np.eye(4), atol=1e-8)


def test_every_step_is_stored_for_an_end_time() -> None:
    p = {"m": 1, "k": 4}
    steps = da.sensitivities(spring(), [1], [0], 2.0, parameters=p)
    ends = da.sensitivities(spring(), [1], [0], [0, 0.5, 2.0], parameters=p)
    assert len(steps.t) > 5
    assert steps.t[-1] == 2
    np.testing.assert_allclose(steps.by_state[-1], ends.by_state[-1], atol=1e-11)
    only = da.sensitivities(spring(), [1], [0], 0.0, parameters=p)
    np.testing.assert_array_equal(only.by_state, [np.eye(2)])


def nothing(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
    return [0.0, 0.0]


def test_what_is_not_covered_is_refused() -> None:
    p = {"m": 1, "k": 4}
    with pytest.raises(EvaluationError, match="none for k"):
        da.sensitivities(spring(), [1], None, 1.0, parameters={"m": 1})
    with pytest.raises(UnknownName, match="K"):
        da.sensitivities(spring(), [1], None, 1.0, parameters={**p, "K": 1})
    with pytest.raises(EvaluationError, match="finite"):
        da.sensitivities(spring(), [1], None, 1.0, parameters={"m": 1, "k": np.nan})
    with pytest.raises(EvaluationError, match="DOP853 or Radau"):
        da.sensitivities(spring(), [1], None, 1.0, parameters=p, method=Taylor())  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match="rounding"):
        da.sensitivities(spring(), [1], None, 1.0, parameters=p, method=DOP853(1e-15))
    with pytest.raises(UnknownName, match="c"):
        da.sensitivities(spring(), [1], None, 1.0, parameters=p).by("c")
    arm = da.compile(da.textbook.robots.planar_arm_nr(2))
    (z,) = da.coordinates("z")
    lag = FirstOrder({z: 1 - z}, [z, 0])
    table = ([0, 1], [[0, 0], [1, 1]])
    for forces in (nothing, Sampled(nothing, 0.1), table, lag):
        with pytest.raises(EvaluationError, match="no derivatives"):
            da.sensitivities(arm, [1, 0], None, 1.0, forces)
    q, v = arm.symbols.q, arm.symbols.qd
    with pytest.raises(EvaluationError, match="sign"):
        da.sensitivities(arm, [1, 0], None, 1.0, [-da.sign(v[0]), q[1]])
    small = da.compile(da.textbook.robots.planar_arm_nr(2), dtype="float32")
    with pytest.raises(EvaluationError, match="float32"):
        da.sensitivities(small, [1, 0], None, 1.0)


def test_motion_into_a_singularity_says_so() -> None:
    (x,) = da.coordinates("x")
    # falls into the centre in finite time
    system = da.System(kinetic=x.dot**2 / 2, potential=-1 / x, coordinates=[x])
    with pytest.raises(EvaluationError, match="singular"):
        da.sensitivities(da.compile(system), [1.0], None, 5.0)


def test_an_interruption_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(self: DifferentiatedMotion, step: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(DifferentiatedMotion, "look_at", stop)
    for function in (da.sensitivities, da.cost_gradient):
        with pytest.raises(KeyboardInterrupt):
            function(spring(), [1], None, 1.0, parameters={"m": 1, "k": 4})
