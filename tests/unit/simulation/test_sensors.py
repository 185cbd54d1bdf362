"""Sensors and sampled laws that see nothing else: MuJoCo, closed forms, an observer."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.simulation import IMU, Contact, Encoder, ForceSensor, Sampled


def arm():
    return (
        da.Builder("arm")
        .link("upper", mass=2, com=(0.2, 0.1, -0.5), inertia=(0.1, 0.12, 0.05))
        .revolute("shoulder", "upper", axis="y")
        .link("lower", mass=1, com=(0, 0.1, -0.4), inertia=(0.05, 0.04, 0.03))
        .revolute("elbow", "lower", axis=(1, 0, 1), origin=(0.1, 0, -1))
        .frame("chip", "lower", origin=(0.03, 0.05, -0.3), rpy=(0.3, -0.2, 1.0))
        .build()
    )


def test_an_inertial_unit_shows_what_mujoco_shows(rng, tmp_path):
    """Accelerometer and gyroscope at a site of the same arm in motion."""
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    da.save(arm(), file)
    text = file.read_text().replace(
        "</mujoco>",
        '<sensor><accelerometer site="chip"/><gyro site="chip"/></sensor></mujoco>',
    )
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    model = da.compile(arm())
    motion = da.simulate(model, rng.uniform(-1, 1, 2), rng.normal(size=2), 0.5)
    seen = IMU("chip").along(motion)
    for i in (0, len(motion.t) // 2, -1):
        data.qpos[:], data.qvel[:] = motion.q[i], motion.qd[i]
        mujoco.mj_forward(theirs, data)
        assert seen[i] == pytest.approx(data.sensordata, rel=1e-9, abs=1e-9)


def test_an_inertial_unit_on_a_free_body_falls_without_weight():
    body = da.Builder("body").link("b", mass=1, inertia=(1, 2, 3)).floating("free", "b").build()
    model = da.compile(body)
    spin = [0, 0, 0, 0.0, 0.0, 2.0]
    motion = da.simulate(model, model.neutral, spin, 1.0)
    seen = IMU("b", rate_quantum=0.3).along(motion)
    assert np.abs(seen[:, :3]).max() < 1e-12
    assert seen[:, 5] == pytest.approx(np.full(len(seen), 2.1), rel=1e-12)


def test_a_law_that_sees_an_encoder_and_filters_it():
    """u = -k x̂ - c (x̂ - x̂₋)/h with positions in whole quanta, as the exact map says."""
    h, quantum, k, c = 0.05, 0.02, 3.0, 1.0
    (x,), (f,) = da.coordinates("x"), da.inputs("f")
    cart = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))
    last = [0.4]

    def law(t, position):
        rate = (position - last[0]) / h
        last[0] = position[0]
        return -k * position - c * rate

    sensors = (Encoder("x", quantum),)
    motion = da.simulate(cart, [0.4], [0.0], np.arange(41) * h, Sampled(law, h, sensors=sensors))
    place, speed, before, expected = 0.4, 0.0, 0.4, [0.4]
    for _ in range(40):
        seen = np.rint(place / quantum) * quantum
        u, before = -k * seen - c * (seen - before) / h, seen
        place, speed = place + h * speed + h * h * u / 2, speed + h * u
        expected.append(place)
    assert motion.q[:, 0] == pytest.approx(expected, abs=1e-12)


def test_an_observer_finds_the_speed_that_no_sensor_shows():
    """Luenberger's observer for a unit mass, poles at 1/2: its error falls by half each sample."""
    h = 0.1
    (x,), (f,) = da.coordinates("x"), da.inputs("f")
    cart = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))
    A, C = np.array([[1, h], [0, 1]]), np.array([1.0, 0])
    # of A - L C with both eigenvalues 1/2
    L = np.array([1.0, 0.25 / h])
    guess, errors = np.array([0.0, 0.0]), []

    def law(t, position):
        nonlocal guess
        errors.append(1.0 - guess[1])
        guess = A @ guess + L * (position[0] - C @ guess)
        return [0.0]

    da.simulate(cart, [0.0], [1.0], 3.0, Sampled(law, h, sensors=(Encoder("x"),)))
    expected, error = [], np.array([0.0, 1.0])
    for _ in errors:
        expected.append(error[1])
        error = (A - np.outer(L, C)) @ error
    assert errors == pytest.approx(expected, abs=1e-12)
    assert abs(errors[-1]) < 1e-6


def test_a_force_sensor_between_links_and_on_a_surface():
    """A weld carries the weight and its moment; a contact shows m g, seen by a law too."""
    beam = (
        da.Builder("beam")
        .link("rod", mass=2, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        .floating("free", "rod")
        .close("fixed", "weld", ("rod", (0, 0, 0)), ("world", (0, 0, 0)))
        .build()
    )
    model = da.compile(beam)
    motion = da.simulate(model, model.neutral, None, 0.1)
    names = ("loop weld z", "loop weld turn y")
    weight = 2 * -float(beam.gravity[2])
    # upwards on the rod, and the moment that holds its end up
    assert ForceSensor(names).along(motion)[-1] == pytest.approx([weight, -weight / 2], rel=1e-9)

    (y,), (f,) = da.coordinates("y"), da.inputs("f")
    block = da.System(kinetic=y.dot**2 / 2, potential=9.81 * y, coordinates=[y], forces=[f])
    seen = []

    def law(t, force):
        seen.append(force[0])
        return [3.0]

    sampled = Sampled(law, 0.5, sensors=(ForceSensor(("floor",)),))
    da.simulate(da.compile(block), [0.0], [0.0], 1.2, sampled, events=[Contact(y, name="floor")])
    assert seen == pytest.approx([9.81, 6.81, 6.81], rel=1e-12)


def test_odd_sensors_are_refused():
    model = da.compile(arm())
    motion = da.simulate(model, [0, 0], [0, 0], 0.1)
    with pytest.raises(UnknownName, match="did you mean elbow"):
        Encoder("elbw").along(motion)
    with pytest.raises(UnknownName, match="chip"):
        IMU("chop").along(motion)
    with pytest.raises(UnknownName, match="names of constraints"):
        ForceSensor(("weld",)).along(motion)
    with pytest.raises(EvaluationError, match="from 0"):
        Encoder("elbow", -1.0)
    with pytest.raises(EvaluationError, match=r"for sensors="):
        Sampled(lambda t, x: x, 0.1, sensors=("elbow",))  # type: ignore[arg-type]
