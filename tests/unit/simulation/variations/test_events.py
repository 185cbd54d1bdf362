"""Derivatives of motions through events: bounces, stops and switches in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.simulation import (
    DOP853,
    Contact,
    Crossing,
    DryFriction,
    JointStops,
    KelvinVoigt,
    Radau,
)
from tests.unit.simulation.variations.motions import double_pendulum

# of DOP853 at 1e-12 over some steps
TIGHT = 1e-10
# a complex step has no error of its own
STEP = 1e-40


def ball() -> da.Model:
    (h,), (m, g) = da.coordinates("h"), da.parameters("m g")
    return da.compile(da.System(kinetic=m * h.dot**2 / 2, potential=m * g * h, coordinates=[h]))


def bounced(values: Sequence[complex], t: float) -> list[complex]:
    """Return height and velocity of a bouncing ball at t, from (h₀, v₀, g, e)."""
    h, v, g, e = values
    fall = (v + np.sqrt(v * v + 2 * g * h)) / g
    if t < fall.real:
        return [h + v * t - g * t * t / 2, v - g * t]
    v, when = e * (g * fall - v), fall
    while (when + 2 * v / g).real < t:
        when, v = when + 2 * v / g, e * v
    s = t - when
    return [v * s - g * s * s / 2, v - g * s]


def slopes_of_bounces(values: Sequence[float], t: float) -> np.ndarray:
    """Return the derivatives of (h, ḣ) by (h₀, v₀, g, e), by a complex step."""
    columns = []
    for k in range(4):
        moved = [x + 1j * STEP * x * (i == k) for i, x in enumerate(values)]
        columns.append(np.imag(bounced(moved, t)) / (STEP * values[k]))
    return np.transpose(columns)


@pytest.mark.parametrize("kind", ["contact", "crossing"])
@pytest.mark.parametrize(("length", "second"), [(1.0, 1.0), (1e-9, 1.0), (1e9, 1e6), (1e3, 1e-6)])
def test_bouncing_ball(kind: str, length: float, second: float) -> None:
    model, (e,) = ball(), da.parameters("e")
    (h,), speed = model.symbols.q, length / second
    bounce: Contact | Crossing = Contact(h, restitution=e, resting_speed=1e-6 * speed)
    if kind == "crossing":
        bounce = Crossing(h, direction=-1, change=lambda t, q, v: (0 * q, -e * v))
    values = (length, 0.2 * speed, 9.81 * length / second**2, 0.8)
    t = second * np.array([0, 0.3, 0.7, 1.0, 1.5, 2.0])
    found = da.sensitivities(
        model,
        [values[0]],
        [values[1]],
        t,
        parameters={"m": 2, "g": values[2], "e": 0.8},
        events=[bounce],
    )
    assert len(found.events) == 3
    for i, when in enumerate(t):
        expected = slopes_of_bounces(values, when)
        ours = np.column_stack([found.by_state[i], found.by("g")[i], found.by("e")[i]])
        # δh and δḣ for a relative change of each
        unit = np.array([[length], [speed]])
        np.testing.assert_allclose(
            ours * values / unit, expected * values / unit, rtol=TIGHT, atol=TIGHT
        )
    # the mass does not matter
    np.testing.assert_allclose(found.by("m") / [length, speed], 0, atol=1e-14)


def test_ball_comes_to_rest() -> None:
    (x, h), (g, e) = da.coordinates("x h"), da.parameters("g e")
    model = da.compile(
        da.System(kinetic=(x.dot**2 + h.dot**2) / 2, potential=g * h, coordinates=[x, h])
    )
    floor = Contact(h, restitution=e, resting_speed=1e-3)
    start = ([0.0, 1.0], [2.0, 0.0], [0, 3.0])
    found = da.sensitivities(model, *start, parameters={g: 9.81, e: 0.5}, events=[floor])
    assert found.events[-1].name.endswith("rests")
    # it lies still and goes on sideways
    expected = np.zeros((4, 4))
    expected[0, [0, 2]], expected[2, 2] = (1, 3), 1
    np.testing.assert_allclose(found.by_state[-1], expected, atol=1e-9)
    np.testing.assert_allclose(found.by_parameters[-1], 0, atol=1e-9)


def test_end_at_an_event() -> None:
    model = ball()
    (h,) = model.symbols.q
    down = Crossing(h, direction=-1, is_terminal=True, name="down")
    p = {"m": 2, "g": 9.81}
    found = da.sensitivities(model, [1.0], [0.2], [0, 5.0], parameters=p, events=[down])
    root = np.sqrt(0.2**2 + 2 * 9.81)
    T = (0.2 + root) / 9.81
    (event,) = found.events
    assert found.t.tolist() == [0.0, event.t]
    assert event.t == pytest.approx(T, rel=1e-14)
    assert event.time_by is not None
    assert event.state_by is not None
    names = [str(x) for x in found.parameters]
    by_g = -T / 9.81 + 1 / (9.81 * root)
    by = dict(zip(["h", "v", *names], event.time_by, strict=True))
    assert by == pytest.approx({"h": 1 / root, "v": (1 + 0.2 / root) / 9.81, "g": by_g, "m": 0})
    # the ball arrives at h = 0 with -√(v² + 2 g h)
    assert [*event.q, *event.qd] == pytest.approx([0, -root], abs=1e-14)
    np.testing.assert_allclose(event.state_by[0], 0, atol=1e-14)
    speeds = dict(zip(["h", "v", *names], event.state_by[1], strict=True))
    assert speeds == pytest.approx({"h": -9.81 / root, "v": -0.2 / root, "g": -1 / root, "m": 0})


def test_cost_that_ends_at_an_event() -> None:
    model, values = ball(), (1.0, 0.2, 9.81)
    (h,), (v,) = model.symbols.q, model.symbols.qd

    def J(values: Sequence[complex]) -> complex:
        h, v, g = values
        T = (v + np.sqrt(v * v + 2 * g * h)) / g
        return h * T + v * T**2 / 2 - g * T**3 / 6 + (v - g * T) * T

    unit = np.eye(3)
    expected = [J(values + 1j * STEP * unit[k]).imag / STEP for k in range(3)]
    for method in (DOP853(1e-12), Radau(1e-10)):
        found = da.cost_gradient(
            model,
            [1.0],
            [0.2],
            5.0,
            running=h,
            final=v * da.time,
            parameters={"m": 2, "g": 9.81},
            events=[Crossing(h, direction=-1, is_terminal=True)],
            method=method,
        )
        assert found.value == pytest.approx(J(values))
        np.testing.assert_allclose([*found.by_state, found.by("g")], expected, rtol=1e-8)


def test_event_of_time() -> None:
    (x,), (a, T, k) = da.coordinates("x"), da.parameters("a T k")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=-a * x, coordinates=[x]))
    kick = Crossing(da.time - T, change=lambda t, q, v: (q, v + k * t))
    p = {a: 3, T: 0.7, k: 2}
    found = da.sensitivities(model, [0], [1], [0, 0.5, 2.0], parameters=p, events=[kick])
    # x = t + a t²/2 + k T (t - T) from T on
    np.testing.assert_allclose(found.q[-1], 2 + 1.5 * 4 + 2 * 0.7 * 1.3)
    assert not found.by(T)[1].any()
    np.testing.assert_allclose(found.by(T)[-1], [2 * (2 - 1.4), 2])
    np.testing.assert_allclose(found.by(k)[-1], [0.7 * 1.3, 0.7])
    np.testing.assert_allclose(found.by(a)[-1], [2, 2], rtol=1e-12)
    assert found.events[0].time_by is not None
    assert found.events[0].time_by.tolist() == [0, 0, *(float(x is T) for x in found.parameters)]


def test_events_that_only_look_change_nothing() -> None:
    model = da.compile(double_pendulum())
    p = {"m": 0.7, "M": 1.2, "l": 0.4, "L": 0.9, "g": 9.81, "c": 0.3}
    (a, _), t = model.symbols.q, [0, 0.5, 1.0]
    plain = da.sensitivities(model, [1, 2], None, t, parameters=p)
    found = da.sensitivities(model, [1, 2], None, t, parameters=p, events=[Crossing(a)])
    np.testing.assert_allclose(found.by_state, plain.by_state, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.by_parameters, plain.by_parameters, rtol=1e-9, atol=1e-9)
    assert found.events
    # the time of a crossing by differences
    place = 4 + [str(x) for x in found.parameters].index("L")
    h, times = 1e-5, []
    for s in (h, -h):
        bound = da.compile(double_pendulum(), parameters={**p, "L": 0.9 + s})
        times.append(da.simulate(bound, [1, 2], None, 1.0, events=[Crossing(a)]).events[0][0])
    assert found.events[0].time_by is not None
    assert found.events[0].time_by[place] == pytest.approx((times[0] - times[1]) / 2 / h, rel=1e-6)


def test_pendulum_hits_a_wall_in_both_coordinates() -> None:
    (x, y), (a,) = da.coordinates("x y"), da.coordinates("a")
    L, g, e, wall = da.parameters("L g e wall")
    particle = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=g * y,
        coordinates=[x, y],
        constraints=[x**2 + y**2 - L**2],
    )
    pendulum = da.System(kinetic=L**2 * a.dot**2 / 2, potential=-g * L * da.cos(a), coordinates=[a])
    p, T, w = {L: 0.8, g: 9.81, e: 0.7, wall: 0.1}, 2.1, 1.3
    angle = Contact(L * da.sin(a) + wall, restitution=e)
    free = da.sensitivities(da.compile(pendulum), [1.0], [w], [0, T], parameters=p, events=[angle])

    def lifted(a: float, w: float) -> np.ndarray:
        c, s = np.cos(a), np.sin(a)
        return 0.8 * np.array([[c, 0], [s, 0], [-s * w, c], [c * w, s]])

    model, events = da.compile(particle), [Contact(x + wall, restitution=e)]
    start = (0.8 * np.array([np.sin(1.0), -np.cos(1.0)]), w * lifted(1.0, w)[:2, 0])
    found = da.sensitivities(model, *start, [0, T], parameters=p, events=events)
    assert len(found.events) == len(free.events) == 2
    end = lifted(free.q[-1, 0], free.qd[-1, 0])
    for name in (g, e, wall):
        np.testing.assert_allclose(found.by(name)[-1], end @ free.by(name)[-1], atol=1e-8)
    np.testing.assert_allclose(
        found.by_state[-1] @ lifted(1.0, w), end @ free.by_state[-1], rtol=1e-9, atol=1e-8
    )
    # a running cost that jumps at the wall
    back, columns = (
        da.cost_gradient(
            model, *start, T, running=x * y.dot, final=y, parameters=p, events=events, method=method
        )
        for method in (DOP853(1e-12), Radau(1e-6))
    )
    assert columns.value == pytest.approx(back.value, rel=1e-4)
    np.testing.assert_allclose(columns.by_parameters, back.by_parameters, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(columns.by_state, back.by_state, rtol=1e-3, atol=1e-3)


def test_friction_stops_a_block_and_lets_it_go() -> None:
    (x,), (F, k, c) = da.coordinates("x"), da.parameters("F k c")
    model = da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=-k * da.time**2 * x / 2, coordinates=[x])
    )
    block = DryFriction(x.dot, F, c)
    p = {F: 2, c: 3, k: 1}
    found = da.sensitivities(model, [0], [1], [0, 0.4, 3.0], parameters=p, events=[block])
    stick, slip = (event.t for event in found.events)
    # v = 1 - F t + k t³/6 until it sticks, then k t²/2 = c, and v = k (t³ - s³)/6 - F (t - s)
    assert slip == pytest.approx(np.sqrt(6))

    def end(F: complex, c: complex, k: complex) -> list[complex]:
        s = stick + 0j
        for _ in range(60):
            s = s - (1 - F * s + k * s**3 / 6) / (-F + k * s**2 / 2)
        x = s - F * s**2 / 2 + k * s**4 / 24
        r, T = np.sqrt(2 * c / k), 3.0
        v = k * (T**3 - r**3) / 6 - F * (T - r)
        x += k * (T**4 - r**4) / 24 - k * r**3 * (T - r) / 6 - F * (T - r) ** 2 / 2
        return [x, v]

    np.testing.assert_allclose([*found.q[-1], *found.qd[-1]], np.real(end(2, 3, 1)), rtol=1e-10)
    for name, moved in ((F, (2 + 1j * STEP, 3, 1)), (c, (2, 3 + 1j * STEP, 1))):
        expected = np.imag(end(*moved)) / STEP
        np.testing.assert_allclose(found.by(name)[-1], expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.by(k)[-1], np.imag(end(2, 3, 1 + 1j * STEP)) / STEP, rtol=1e-9)
    # what it had at the start is lost when it sticks, but for where
    np.testing.assert_allclose(found.by_state[-1][:, 0], [1, 0], atol=1e-12)
    assert found.by_state[-1][1, 1] == pytest.approx(0, abs=1e-12)


def test_particle_leaves_a_sphere() -> None:
    (x, y), (r, g) = da.coordinates("x y"), da.parameters("r g")
    model = da.compile(
        da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=g * y, coordinates=[x, y])
    )
    ball = Contact(da.sqrt(x**2 + y**2) - r)
    a, R, p = 0.4, 2.0, {r: 2, g: 9.81}
    start = R * np.array([np.sin(a), np.cos(a)])
    found = da.sensitivities(model, start, None, [0, 1.2], parameters=p, events=[ball])
    (leaves,) = found.events
    assert leaves.name == "contact opens"
    # from rest at the angle a it leaves where cos b = 2/3 cos a, with v² = g r cos b
    b = np.arccos(2 / 3 * np.cos(a))
    np.testing.assert_allclose(leaves.q, R * np.array([np.sin(b), np.cos(b)]), rtol=1e-9)
    assert leaves.state_by is not None
    by_a = leaves.state_by[:, :2] @ (R * np.array([np.cos(a), -np.sin(a)]))
    db = 2 / 3 * np.sin(a) / np.sin(b)
    np.testing.assert_allclose(by_a[:2], R * np.array([np.cos(b), -np.sin(b)]) * db, rtol=1e-7)
    speed = np.sqrt(9.81 * R * np.cos(b))
    by_speed = leaves.qd @ by_a[2:] / speed
    assert by_speed == pytest.approx(-9.81 * R * np.sin(b) * db / (2 * speed), rel=1e-7)
    # a larger sphere: the same angle, by the start that is moved outwards
    by_r = leaves.state_by[:2, 4 + found.parameters.index(r)]
    np.testing.assert_allclose(by_r, [np.sin(b), np.cos(b)], rtol=1e-7)


def test_joints_stick_and_slip() -> None:
    F, m = da.parameters("F m")
    arm = (
        da.Builder("arm", gravity=(0, -9.81, 0))
        .link("a", mass=2, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("q1", "a", friction=F, damping=0.1)
        .link("b", mass=m, com=(0.4, 0, 0), inertia=(0.05, 0.05, 0.05))
        .revolute("q2", "b", origin=(1, 0, 0), friction=2)
        .build()
    )
    model, t, start = da.compile(arm), [0, 1.5], ([0.3, 0.4], [0.0, 0.0])
    found = da.sensitivities(model, *start, t, parameters={F: 3, m: 1})
    names = ["q2 slides", "q2 sticks", "q2 slides", "q1 turns", "q2 sticks"]
    assert [event.name for event in found.events] == names
    # friction is told apart from mass by a difference along both
    h, ends = 1e-5, []
    for s in (h, -h):
        bound = da.compile(arm, parameters={F: 3 + s, m: 1 - s / 2})
        motion = da.simulate(bound, *start, t)
        ends.append(np.concatenate([motion.q[-1], motion.qd[-1]]))
    ours = found.by(F)[-1] - found.by(m)[-1] / 2
    np.testing.assert_allclose(ours, (ends[0] - ends[1]) / 2 / h, rtol=1e-6, atol=1e-8)


def test_soft_floor_by_differences() -> None:
    model = ball()
    (h,), p = model.symbols.q, {"m": 2.0, "g": 9.81}
    floor = Contact(h, compliance=KelvinVoigt(stiffness=1e4, damping=30))
    t = [0, 1.1]
    found = da.sensitivities(model, [1.0], [0.0], t, parameters=p, events=[floor])
    h_, ends = 1e-5, []
    for s in (h_, -h_):
        (x,), (m, g) = da.coordinates("h"), da.parameters("m g")
        system = da.System(kinetic=m * x.dot**2 / 2, potential=m * g * x, coordinates=[x])
        bound = da.compile(system, parameters={m: 2.0, g: 9.81 + s})
        ends.append(da.simulate(bound, [1.0], [0.0], t, events=[floor]))
    slope = [(ends[0].q[-1] - ends[1].q[-1])[0], (ends[0].qd[-1] - ends[1].qd[-1])[0]]
    np.testing.assert_allclose(found.by("g")[-1], np.array(slope) / 2 / h_, rtol=1e-5)


def test_box_with_a_quaternion_falls_on_a_corner() -> None:
    (r,) = da.parameters("r")
    box = da.Builder("box", gravity=(0, 0, -9.81)).link("box", mass=2, inertia=(0.1, 0.2, 0.3))
    mechanism = box.floating("free", "box").build()
    model = da.compile(mechanism)
    q = model.symbols.q
    # the height of the point (r, 0, 0) of the box: z + 2 (x z - w y) r of the quaternion
    w, x, y, z = q[3:7]
    corner = q[2] + 2 * (x * z - w * y) * r
    v0, t = np.array([0.1, 0, 0, 0.3, 1.0, -0.4]), [0, 0.6]
    q0 = model.neutral
    q0[2] = 1.0
    found = da.sensitivities(
        model, q0, v0, t, parameters={r: 0.3}, events=[Contact(corner, restitution=0.6)]
    )
    assert [event.name for event in found.events] == ["impact at contact"]
    configuration, n = model.configuration, model.nv
    rng, h = np.random.default_rng(1), 1e-6
    change, dr = rng.normal(size=2 * n), 0.4
    ends = []
    for s in (h, -h):
        gap = corner.subs({r: 0.3 + s * dr})
        ends.append(
            da.simulate(
                model,
                configuration.integrate(q0, change[:n], s),
                v0 + s * change[n:],
                t,
                events=[Contact(gap, restitution=0.6)],
            )
        )
    up, down = ends
    slope = [*configuration.difference(down.q[-1], up.q[-1]), *(up.qd[-1] - down.qd[-1])]
    ours = found.by_state[-1] @ change + found.by(r)[-1] * dr
    np.testing.assert_allclose(ours, np.array(slope) / 2 / h, rtol=1e-6, atol=1e-6)


def test_joint_stop_of_a_mechanism() -> None:
    (k,) = da.parameters("k")
    arm = (
        da.Builder("arm", gravity=(0, -9.81, 0))
        .link("rod", mass=k, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("q", "rod", limits=(-1.0, 3.0), damping=0.2)
        .build()
    )
    model = da.compile(arm)
    stops = JointStops(restitution=0.5)
    found = da.sensitivities(model, [0.5], [0.0], [0, 1.0], parameters={k: 2}, events=[stops])
    assert len(found.events) > 1
    ends = []
    for s in (1e-6, -1e-6):
        bound = da.compile(arm, parameters={k: 2 + s})
        ends.append(da.simulate(bound, [0.5], [0.0], [0, 1.0], events=[stops]))
    slope = (ends[0].qd[-1] - ends[1].qd[-1]) / 2e-6
    np.testing.assert_allclose(found.by(k)[-1, 1:], slope, rtol=1e-5)


def test_what_has_no_derivative_is_refused() -> None:
    model = ball()
    (h,), p = model.symbols.q, {"m": 1, "g": 10}
    (v,) = model.symbols.qd
    # thrown up so that it just comes to 0.2
    touch = Crossing(h - 0.2, is_terminal=True, name="touch")
    with pytest.raises(EvaluationError, match="touch to pass zero with a speed"):
        da.sensitivities(model, [0.0], [2 * (1 + 1e-13)], 1.0, parameters=p, events=[touch])
    with pytest.raises(EvaluationError, match="function of crossing"):
        da.sensitivities(
            model, [1], None, 1.0, parameters=p, events=[Crossing(lambda t, q, v: q[0])]
        )

    def branch(t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (q, -v) if v[0] < 0 else (q, v)

    with pytest.raises(EvaluationError, match="arithmetic"):
        da.sensitivities(model, [1], None, 1.0, parameters=p, events=[Crossing(h, change=branch)])
    with pytest.raises(EvaluationError, match="same time"):
        da.sensitivities(
            model,
            [1],
            None,
            1.0,
            parameters=p,
            events=[Contact(h, name="one"), Contact(2 * h, name="two")],
        )
    with pytest.raises(EvaluationError, match="begins without an impact"):
        da.sensitivities(model, [0], [-1], 1.0, parameters=p, events=[Contact(h)])
    with pytest.raises(EvaluationError, match="again and again"):
        da.sensitivities(
            model,
            [1],
            None,
            3.0,
            parameters=p,
            events=[Crossing(h, direction=-1, change=lambda t, q, v: (q, -0.5 * v))],
        )
    plane = DryFriction((v, 2 * v), 0.3)
    with pytest.raises(EvaluationError, match="on a plane"):
        da.sensitivities(model, [1], None, 1.0, parameters=p, events=[plane])
    rough = DryFriction(v, 0.3, normal="contact")
    with pytest.raises(EvaluationError, match="follows contact"):
        da.sensitivities(model, [1], None, 1.0, parameters=p, events=[Contact(h), rough])
    (e,) = da.parameters("e")
    with pytest.raises(EvaluationError, match="restitution from 0 to 1"):
        da.sensitivities(
            model, [1], None, 1.0, parameters={**p, e: 2}, events=[Contact(h, restitution=e)]
        )
    bound = da.compile(da.System(kinetic=v**2 / 2, potential=h, coordinates=[h]))
    with pytest.raises(EvaluationError, match="depends on e"):
        da.simulate(bound, [1], None, 1.0, events=[Contact(h, restitution=e)])
