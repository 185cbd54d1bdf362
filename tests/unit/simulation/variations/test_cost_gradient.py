"""Gradients of costs over motions: closed forms, and the chain rule over forward sensitivities."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.simulation import Radau, Taylor
from tests.unit.simulation.variations.motions import (
    FLYER,
    PENDULUM,
    double_pendulum,
    flyer_start,
    free_flyer,
    spring,
)

TIGHT = 1e-9


@pytest.mark.parametrize("length", [1e-9, 1e9])
@pytest.mark.parametrize("period", [1e-6, 1e6])
def test_spring_by_hand_at_every_scale(length: float, period: float) -> None:
    model, m = spring(), 3.0
    w, T = 2 * np.pi / period, 0.3 * period
    k, (x,) = m * w**2, model.symbols.q
    found = da.cost_gradient(
        model, [length], None, T, running=x**2, final=0, parameters={"m": m, "k": k}
    )
    # x = x₀ cos ωt: J = x₀² (T/2 + sin 2ωT / 4ω)
    s, c = np.sin(2 * w * T), np.cos(2 * w * T)
    J = length**2 * (T / 2 + s / (4 * w))
    by_w = length**2 * (2 * T * w * c - s) / (4 * w**2)
    assert found.value == pytest.approx(J, rel=TIGHT, abs=0)
    assert found.by_state[0] == pytest.approx(2 * J / length, rel=TIGHT, abs=0)
    # ∫ 2 x (sin ωt / ω) dt = x₀ sin² ωT / ω²
    assert found.by_state[1] == pytest.approx(length * np.sin(w * T) ** 2 / w**2, rel=TIGHT, abs=0)
    assert found.by("k") == pytest.approx(by_w / (2 * m * w), rel=TIGHT, abs=0)
    assert found.by("m") == pytest.approx(-by_w * w / (2 * m), rel=TIGHT, abs=0)


def test_double_pendulum_as_forward() -> None:
    model = da.compile(double_pendulum())
    (a, b), (va, _) = model.symbols.q, model.symbols.qd
    final = da.sin(a) * b**2 + va**2
    q0, v0 = [1.0, -0.5], [0.3, 2.0]
    found = da.cost_gradient(model, q0, v0, 3.0, final=final, parameters=PENDULUM)
    ahead = da.sensitivities(model, q0, v0, [0, 3.0], parameters=PENDULUM)
    (A, B), (VA, _) = ahead.q[-1], ahead.qd[-1]
    slope = [np.cos(A) * B**2, 2 * np.sin(A) * B, 2 * VA, 0]
    assert found.value == pytest.approx(np.sin(A) * B**2 + VA**2, rel=TIGHT)
    np.testing.assert_allclose(found.by_state, slope @ ahead.by_state[-1], rtol=1e-8)
    np.testing.assert_allclose(found.by_parameters, slope @ ahead.by_parameters[-1], rtol=1e-8)


def test_quaternions_as_forward() -> None:
    model = da.compile(free_flyer())
    q0, v0 = flyer_start(model)
    weights = np.random.default_rng(3).normal(size=model.nv)
    final = sum(w * x for w, x in zip(weights, model.symbols.qd, strict=True))
    found = da.cost_gradient(model, q0, v0, 1.0, final=final, parameters=FLYER)
    ahead = da.sensitivities(model, q0, v0, [0, 1.0], parameters=FLYER)
    n = model.nv
    np.testing.assert_allclose(found.by_state, weights @ ahead.by_state[-1, n:], atol=1e-8)
    np.testing.assert_allclose(
        found.by_parameters, weights @ ahead.by_parameters[-1, n:], atol=1e-8
    )


def test_quaternion_in_the_cost_by_hand() -> None:
    box = da.Builder("box", gravity=(0, 0, 0)).link("box", mass=2, inertia=(3, 3, 3))
    model = da.compile(box.floating("free", "box").build())
    v0 = np.array([0, 0, 0, 0, 0, 0.8])
    # turns about z by 0.8 T: w = cos(0.4 T), so dw = -sin(0.4 T) (η + T δω) / 2
    found = da.cost_gradient(model, model.neutral, v0, 2.0, final=model.symbols.q[3])
    assert found.value == pytest.approx(np.cos(0.8))
    expected = np.zeros(12)
    expected[[5, 11]] = -np.sin(0.8) / 2, -np.sin(0.8)
    np.testing.assert_allclose(found.by_state, expected, atol=1e-11)


def test_weight_of_a_cost_gain_and_time() -> None:
    (x,), (u,), (K, r) = da.coordinates("x"), da.inputs("u"), da.parameters("K r")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=0, coordinates=[x], forces=[u]))
    # ẍ = K t: x = K t³/6; J = ∫ r t x dt + x(T)² = r K T⁵/30 + K² T⁶/36, from t = 0 to 2
    found = da.cost_gradient(
        model,
        [0],
        None,
        (0, 2.0),
        [K * da.time],
        running=r * da.time * x,
        final=x**2,
        parameters={K: 3, r: 5},
    )
    assert found.value == pytest.approx(16 + 16)
    assert found.by(K) == pytest.approx(5 * 32 / 30 + 2 * 3 * 64 / 36)
    assert found.by("r") == pytest.approx(3 * 32 / 30)


def test_damped_fall_backwards_is_stable() -> None:
    (x,), (c,) = da.coordinates("x"), da.parameters("c")
    model = da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=0, dissipation=c * x.dot**2 / 2, coordinates=[x])
    )
    # x = (v₀/c) (1 - e^(-cT)): backwards the velocity would grow by e^50
    found = da.cost_gradient(model, [0], [2.0], 1.0, final=x, parameters={c: 50})
    assert found.value == pytest.approx(2 / 50, rel=TIGHT)
    assert found.by(c) == pytest.approx(-2 / 50**2, rel=1e-8)
    np.testing.assert_allclose(found.by_state, [1, 1 / 50], rtol=1e-8)


def test_stiff_motion_by_radau() -> None:
    (x,), (c, k) = da.coordinates("x"), da.parameters("c k")
    model = da.compile(
        da.System(
            kinetic=x.dot**2 / 2,
            potential=k * x**2 / 2,
            dissipation=c * x.dot**2 / 2,
            coordinates=[x],
        )
    )
    # after a moment x = e^(-kt/c): J = ∫ k x² dt + x(T)² = (c/2) (1 - e^(-2kT/c)) + e^(-2kT/c)
    found = da.cost_gradient(
        model,
        [1],
        [-1],
        1.0,
        running=k * x**2,
        final=x**2,
        parameters={c: 1e6, k: 1e6},
        method=Radau(1e-8),
    )
    part = np.exp(-2)
    # up to c/k² beside 1
    assert found.value == pytest.approx(5e5 * (1 - part) + part, rel=1e-5)
    assert found.by(c) == pytest.approx((1 - part) / 2 - part, rel=1e-4)
    assert found.by(k) == pytest.approx(part, rel=1e-4)
    assert found.by_state[0] == pytest.approx(1e6 * (1 - part), rel=1e-4)


def test_no_time_and_refusals() -> None:
    model, p = spring(), {"m": 1, "k": 4}
    (x,), (v,) = model.symbols.q, model.symbols.qd
    now = da.cost_gradient(model, [2], [3], 0.0, final=x * v, parameters=p)
    assert now.value == 6
    np.testing.assert_array_equal(now.by_state, [3, 2])
    np.testing.assert_array_equal(now.by_parameters, [0, 0])
    with pytest.raises(EvaluationError, match="DOP853"):
        da.cost_gradient(model, [1], None, 1.0, parameters=p, method=Taylor())  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match="abs"):
        da.cost_gradient(model, [1], None, 1.0, final=da.abs(x), parameters=p)
    with pytest.raises(EvaluationError, match="3 times"):
        da.cost_gradient(model, [1], None, [0, 1, 2], final=x, parameters=p)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="c"):
        now.by("c")
