"""Derivatives of motions on constraints: closed forms, minimal coordinates, differences."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import Radau

# of DOP853 at 1e-12 over some hundred steps
TIGHT = 1e-9


def particle() -> da.System:
    """Return a pendulum as a particle on a circle."""
    (x, y), (m, L, g) = da.coordinates("x y"), da.parameters("m L g")
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        coordinates=[x, y],
        constraints=[x**2 + y**2 - L**2],
    )


def pendulum() -> da.System:
    (a,), (m, L, g) = da.coordinates("a"), da.parameters("m L g")
    return da.System(
        kinetic=m * L**2 * a.dot**2 / 2, potential=-m * g * L * da.cos(a), coordinates=[a]
    )


def lifted(a: float, w: float, L: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ∂(x, y, ẋ, ẏ)/∂(a, ȧ) and ∂(x, y, ẋ, ẏ)/∂L of x = L sin a, y = -L cos a."""
    c, s = np.cos(a), np.sin(a)
    by_state = np.array([[L * c, 0], [L * s, 0], [-L * s * w, L * c], [L * c * w, L * s]])
    return by_state, np.array([s, -c, c * w, s * w])


@pytest.mark.parametrize("length", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("second", [1e-6, 1.0])
def test_particle_on_a_circle_as_a_pendulum(length: float, second: float) -> None:
    a, L = 1.0, 0.8 * length
    p = {"m": 1.3, "L": L, "g": 9.81 * length / second**2}
    t = second * np.array([0, 0.4, 1.3])
    free = da.sensitivities(da.compile(pendulum()), [a], [0.7 / second], t, parameters=p)
    start = lifted(a, 0.7 / second, L)
    x, v = L * np.array([np.sin(a), -np.cos(a)]), 0.7 / second * start[0][:2, 0]
    found = da.sensitivities(da.compile(particle()), x, v, t, parameters=p)
    unit = np.array([1, 1, 1 / second, 1 / second]) * length
    # a longer rod moves the start along it and keeps the speed: the angular velocity is less
    by_start = free.by_state @ [0, -0.7 / second / L]
    for i, (q, w) in enumerate(zip(free.q[:, 0], free.qd[:, 0], strict=True)):
        T, by_L = lifted(q, w, L)
        assert_close(found.by_state[i] @ start[0], T @ free.by_state[i], unit)
        for name in "mg":
            assert_close(found.by(name)[i] * p[name], T @ free.by(name)[i] * p[name], unit)
        assert_close(found.by("L")[i] * L, (by_L + T @ (free.by("L") + by_start)[i]) * L, unit)


def assert_close(found: np.ndarray, expected: np.ndarray, unit: np.ndarray) -> None:
    shape = (-1, *(1,) * (found.ndim - 1))
    np.testing.assert_allclose(
        found / unit.reshape(shape), expected / unit.reshape(shape), rtol=TIGHT, atol=TIGHT
    )


def test_start_is_moved_onto_the_constraints() -> None:
    p = {"m": 1, "L": 2, "g": 9.81}
    model = da.compile(particle())
    now = da.sensitivities(model, [0, -2], [3, 0], [0.0], parameters=p)
    # only along the circle; where it goes up, q̇ turns with it; a longer rod begins further down
    np.testing.assert_allclose(
        now.by_state[0], [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [1.5, 0, 0, 0]], atol=1e-15
    )
    np.testing.assert_allclose(now.by("L")[0], [0, -1, 0, 0], atol=1e-15)
    near = da.sensitivities(model, [0.1, -2.1], [3, 0.2], [0.0], parameters=p, initial="project")
    assert near.q[0] @ near.q[0] == pytest.approx(4)
    with pytest.raises(EvaluationError, match="project"):
        da.sensitivities(model, [0.1, -2.1], [3, 0], 1.0, parameters=p)


def four_bar_values(lengths: tuple[float, ...]) -> dict[str, float]:
    """Return values of the parameters of a four-bar linkage, by their names."""
    names = ("g", "l0", "l1", "l2", "l3", "m1", "m2", "m3")
    return dict(zip(names, (9.81, *lengths, 1.5, 2.5, 3.5), strict=True))


def test_four_bar_by_differences() -> None:
    mechanism = da.textbook.robots.four_bar()
    model = da.compile(mechanism)
    rng = np.random.default_rng(4)
    p = four_bar_values((3.0, 1.0, 2.6, 2.0))
    closed = da.compile(mechanism, parameters=p)
    t, w = [0, 0.6], np.array([1.0, 0, 0])
    at = da.simulate(closed, [1.0, -0.8, 1.6], w, 0.0, initial="project")
    q0, v0 = at.q[0], at.qd[0]
    found = da.sensitivities(model, q0, v0, t, parameters=p)
    change, dp = rng.normal(size=6), rng.normal(size=len(p)) * 0.3
    ours = found.by_state[-1] @ change + found.by_parameters[-1] @ dp

    def error(h: float) -> float:
        ends = []
        for s in (h, -h):
            moved = da.compile(
                mechanism, parameters={n: p[n] + s * d for n, d in zip(p, dp, strict=True)}
            )
            q, v = q0 + s * change[:3], v0 + s * change[3:]
            ends.append(da.simulate(moved, q, v, t, initial="project"))
        slope = [*(ends[0].q[-1] - ends[1].q[-1]), *(ends[0].qd[-1] - ends[1].qd[-1])]
        return float(np.abs(np.array(slope) / (2 * h) - ours).max())

    # central differences: errors fall with the square of the step
    errors = [error(2e-3), error(1e-3)]
    assert errors[1] < 1e-3 * np.abs(ours).max()
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)


def test_skate_on_a_slope() -> None:
    (x, y, f), (m, k) = da.coordinates("x y f"), da.parameters("m k")
    model = da.compile(
        da.System(
            kinetic=m * (x.dot**2 + y.dot**2) / 2 + f.dot**2 / 2,
            potential=-m * k * x,
            coordinates=[x, y, f],
            velocity_constraints=[x.dot * da.sin(f) - y.dot * da.cos(f)],
        )
    )
    w, T, p = 1.7, 1.3, {"m": 2, "k": 3}
    found = da.sensitivities(model, [0, 0, 0], [0, 0, w], [0, T], parameters=p)
    # the speed along the blade is k sin(f)/ω with f = ωt (Neimark & Fufaev)
    expected = [
        np.sin(w * T) ** 2 / (2 * w**2),
        T / (2 * w) - np.sin(2 * w * T) / (4 * w**2),
        0,
        np.sin(2 * w * T) / (2 * w),
        np.sin(w * T) ** 2 / w,
        0,
    ]
    np.testing.assert_allclose(found.by("k")[-1], expected, atol=1e-12)
    np.testing.assert_allclose(found.by("m")[-1], 0, atol=1e-13)
    # x = k sin²(ωT) / 2ω²
    s, c = np.sin(w * T), np.cos(w * T)
    by_w = 3 * (T * s * c / w**2 - s**2 / w**3)
    assert found.by_state[-1, 0, 5] == pytest.approx(by_w, abs=1e-12)
    # sideways it cannot go: a push across the blade at the start does nothing
    np.testing.assert_allclose(found.by_state[-1][:, 4], 0, atol=1e-12)


def test_rod_on_a_guide_with_a_free_base() -> None:
    (c,) = da.parameters("c")
    rod = (
        da.Builder("bar", gravity=(0, 0, -9.81))
        .link("rod", mass=2, com=(1, 0, 0), inertia=(0.1, 0.4, 0.4))
        .floating("free", "rod")
        .close("cylindrical", "guide", ("rod", (2, 0, 0)), ("world", (2, 0, 0)), damping=c)
    )
    # quaternions, links without mass, and rows that depend on each other
    model = da.compile(rod.build())
    spin = np.array([0, -2 * 0.9, 0.3, 0, 0, 0.9, -0.3, -0.9])
    q0 = model.neutral
    found = da.sensitivities(model, q0, spin, [0, 0.7], parameters={c: 0})
    # it turns about the guide and slides along it
    turn, slide = np.array([0, -2, 0, 0, 0, 1, 0, -1]), np.array([0, 0, 1, 0, 0, 0, -1, 0])
    for way in (turn, slide):
        at = np.concatenate([0 * way, way])
        np.testing.assert_allclose(
            found.by_state[-1] @ at, np.concatenate([0.7 * way, way]), atol=1e-9
        )
    # damping c along the guide: z̈ = -g - c ż / m at first order, with ż = 0.3 - g t
    t, g, m = 0.7, 9.81, 2
    slowed = -(0.3 * t - g * t**2 / 2) / m
    np.testing.assert_allclose(found.by(c)[-1][8:], slowed * slide, atol=1e-9)


def test_driven_constraint() -> None:
    (x, y), (A, w) = da.coordinates("x y"), da.parameters("A w")
    model = da.compile(
        da.System(
            kinetic=(x.dot**2 + y.dot**2) / 2,
            potential=(y - x) ** 2 / 2,
            coordinates=[x, y],
            constraints=[x - A * da.sin(w * da.time)],
        )
    )
    t = np.array([0, 0.5, 2.0])
    found = da.sensitivities(model, [0, 0], [6, 0], t, parameters={A: 2, w: 3})
    s, c = np.sin(3 * t), np.cos(3 * t)
    # ÿ + y = A sin ωt: y = A (sin ωt - ω sin t) / (1 - ω²)
    by_A = [s, (s - 3 * np.sin(t)) / (1 - 9), 3 * c, 3 * (c - np.cos(t)) / (1 - 9)]
    np.testing.assert_allclose(found.by(A), np.transpose(by_A), atol=1e-11)
    np.testing.assert_allclose(found.by(w)[:, 0], 2 * t * c, atol=1e-11)


def test_redundant_constraints() -> None:
    (x, y, z), (a, b) = da.coordinates("x y z"), da.parameters("a b")

    def model(*constraints: da.Expr) -> da.Model:
        return da.compile(
            da.System(
                kinetic=(x.dot**2 + y.dot**2 + z.dot**2) / 2,
                potential=9.81 * y + z**2,
                coordinates=[x, y, z],
                constraints=list(constraints),
                keep_redundant=True,
            )
        )

    circle = x**2 + y**2 - a**2
    start = ([1, 0, 0.5], None, [0, 0.8])
    once = da.sensitivities(model(circle), *start, parameters={a: 1})
    twice = da.sensitivities(model(circle, 2 * circle), *start, parameters={a: 1})
    np.testing.assert_allclose(twice.by_parameters, once.by_parameters, atol=1e-11)
    np.testing.assert_allclose(twice.by_state, once.by_state, atol=1e-11)
    # what does not touch the circle has zeros
    assert not once.by(a)[:, [2, 5]].any()
    with pytest.raises(EvaluationError, match=r"got (a|b), which opens"):
        da.sensitivities(model(circle, x**2 + y**2 - b**2), *start, parameters={a: 1, b: 1})


def test_cost_by_adjoint_and_by_columns() -> None:
    model, p = da.compile(particle()), {"m": 1.3, "L": 0.8, "g": 9.81}
    (x, y), (vx, _) = model.symbols.q, model.symbols.qd
    L = model.symbols.parameters[0]
    running, last = x**2 * vx + L * y, y * vx + L
    start = ([0.8, 0], [0, 1.0], 1.7)
    back = da.cost_gradient(model, *start, running=running, final=last, parameters=p)
    ahead = da.sensitivities(model, *start[:2], [0, 1.7], parameters=p)
    final = da.cost_gradient(model, *start, parameters=p, final=y * vx)
    (_, Y), (VX, _) = ahead.q[-1], ahead.qd[-1]
    slope = np.array([0, VX, Y, 0])
    np.testing.assert_allclose(final.by_state, slope @ ahead.by_state[-1], atol=1e-9)
    np.testing.assert_allclose(final.by_parameters, slope @ ahead.by_parameters[-1], atol=1e-9)
    stiff = da.cost_gradient(
        model, *start, running=running, final=last, parameters=p, method=Radau(1e-6)
    )
    assert stiff.value == pytest.approx(back.value, rel=1e-5)
    np.testing.assert_allclose(stiff.by_state, back.by_state, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(stiff.by_parameters, back.by_parameters, rtol=1e-4, atol=1e-4)


def test_singular_configuration_is_refused() -> None:
    # a parallelogram linkage folds flat: there it may go on in two ways
    mechanism = da.textbook.robots.four_bar()
    model = da.compile(mechanism)
    p = four_bar_values((2.0, 1.0, 2.0, 1.0))
    with pytest.raises(EvaluationError, match="singular"):
        da.sensitivities(model, [0.0, 0.0, 0.0], [1.0, -1.0, 1.0], 1.0, parameters=p)
