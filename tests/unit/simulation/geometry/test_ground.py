"""Robots on the ground: motions known by hand, and distances beside MuJoCo's."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName
from dalembert.mechanism.io.state_layouts import to_mujoco
from dalembert.mechanism.parts.shape import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Sphere,
)
from dalembert.simulation import Ground, simulate

G = 9.81

STATE = 1e-9
"""Errors of ends, in m and m/s: the speed below which a slide is none, and rounding."""

ENGINE = 1e-6
"""MuJoCo's distances of cylinders and ellipsoids end at this tolerance."""

ZOO = os.environ.get("DALEMBERT_ZOO")


def free_body(shape: Geometry, inertia=(1, 1, 1), gravity=(0, 0, -G), **place):
    """Return the model of a free body of 1 kg with one shape."""
    b = da.Builder("body", gravity=gravity).link("body", mass=1, inertia=inertia)
    return da.compile(b.shape("body", shape, **place).floating("free", "body").build())


def ball(radius: float = 0.1, **options):
    i = 2 * radius**2 / 5
    return free_body(Sphere(radius), (i, i, i), **options)


LYING = [0, 0, 0.1, math.sqrt(0.5), 0, math.sqrt(0.5), 0]


def test_a_ball_slides_until_it_rolls() -> None:
    mu, v0, end = 0.3, 1.0, 1.0
    motion = simulate(
        ball(), [0, 0, 0.1, 1, 0, 0, 0], [v0, 0, 0, 0, 0, 0], end, events=[Ground(mu)]
    )
    # v = v0 - μ g t, ω r = 5/2 μ g t: they meet at 2 v0/(7 μ g)
    t = 2 * v0 / (7 * mu * G)
    assert motion.ok
    assert [event[0] for event in motion.events] == pytest.approx([t], abs=STATE)
    x = v0 * t - mu * G * t**2 / 2 + 5 / 7 * v0 * (end - t)
    assert motion.q[-1, :3] == pytest.approx([x, 0, 0.1], abs=STATE)
    # ω = 5/7 v0/r about y
    assert motion.qd[-1, 4] == pytest.approx(50 / 7, abs=1e-7)


def test_a_ball_rolls_down_an_inclined_ground() -> None:
    a, end = 0.4, 1.0
    normal = (math.sin(a), 0, math.cos(a))
    place = [0.1 * normal[0] - 3, 5, 0.1 * normal[2], 1, 0, 0, 0]
    height = -3 * normal[0]
    motion = simulate(ball(), place, None, end, events=[Ground(0.5, height=height, normal=normal)])
    # tan 0.4 < 7/2 μ: it rolls with 5/7 g sin a
    way = 5 / 7 * G * math.sin(a) * end**2 / 2
    down = [math.cos(a), 0, -math.sin(a)]
    assert motion.q[-1, :3] == pytest.approx(np.array(place[:3]) + way * np.array(down), abs=STATE)


def test_a_ball_bounces() -> None:
    drop, e = 0.5, 0.6
    start = [0, 0, 0.1 + drop, 1, 0, 0, 0]
    fall = math.sqrt(2 * drop / G)
    # the top of its first rebound is e² as high
    top = fall * (1 + e)
    motion = simulate(ball(), start, None, top, events=[Ground(0.3, restitution=e)])
    assert motion.q[-1, 2] == pytest.approx(0.1 + e**2 * drop, abs=STATE)
    assert motion.qd[-1] == pytest.approx(np.zeros(6), abs=STATE)


@pytest.mark.parametrize(
    ("shape", "inertia"), [(Capsule(0.1, 0.3), 0.005), (Cylinder(0.1, 0.3), 0.005)]
)
def test_what_lies_on_the_ground_rolls_about_its_axis(shape: Geometry, inertia: float) -> None:
    body = free_body(shape, (0.02, 0.02, inertia))
    mu, v0, end = 0.3, 1.0, 1.0
    motion = simulate(body, LYING, [0, v0, 0, 0, 0, 0], end, events=[Ground(mu)])
    # of I = k m r²: it rolls after v0/(μ g) · k/(1 + k) with v0/(1 + k)
    k = inertia / 0.1**2
    t = v0 / (mu * G) * k / (1 + k)
    y = v0 * t - mu * G * t**2 / 2 + v0 / (1 + k) * (end - t)
    # the rim of a cylinder is exact to the square of `UPRIGHT`
    assert motion.q[-1, :3] == pytest.approx([0, y, 0.1], abs=STATE)


@pytest.mark.parametrize("shape", [Box((0.4, 0.2, 0.1)), Cylinder(0.2, 0.1)])
def test_what_stands_slides_to_a_stop(shape: Geometry) -> None:
    motion = simulate(
        free_body(shape, (0.02, 0.02, 0.02)),
        [0, 0, 0.05, 1, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
        0.5,
        events=[Ground(0.3, rim_points=6)],
    )
    assert motion.q[-1, :3] == pytest.approx([1 / (2 * 0.3 * G), 0, 0.05], abs=STATE)
    assert np.abs(motion.qd[-1]).max() < STATE


@pytest.mark.parametrize("part", [0.9, 1.1])
def test_a_box_on_an_incline_holds_until_the_angle_of_friction(part: float) -> None:
    mu = 0.4
    a, end = part * math.atan(mu), 0.5
    normal = (math.sin(a), 0, math.cos(a))
    turn = [math.cos(a / 2), 0, math.sin(a / 2), 0]
    box = free_body(Box((0.4, 0.4, 0.1)), (0.02, 0.02, 0.02))
    start = [*(0.05 * np.array(normal)), *turn]
    pull, slow = G * (math.sin(a) - mu * math.cos(a)), 1e-3
    motion = simulate(box, start, [slow, 0, 0, 0, 0, 0], end, events=[Ground(mu, normal=normal)])
    # it slides on for ever, or comes to a stop
    way = slow * end + pull * end**2 / 2 if pull > 0 else slow**2 / (-2 * pull)
    assert motion.ok
    assert motion.q[-1, 0] - start[0] == pytest.approx(way * math.cos(a), abs=STATE)


def test_an_ellipsoid_rocks_without_loss_on_slippery_ground() -> None:
    egg = free_body(Ellipsoid((0.1, 0.2, 0.3)), (0.026, 0.02, 0.01))
    a = 0.4
    # of an ellipse that is turned by a about y its centre is √(Σ (rᵢ nᵢ)²) high
    height = math.hypot(0.1 * math.sin(a), 0.3 * math.cos(a))
    start = [0, 0, height, math.cos(a / 2), 0, math.sin(a / 2), 0]
    motion = simulate(egg, start, None, 1.0, events=[Ground(friction=0)])
    assert motion.ok
    # it falls on its side, and keeps its energy
    assert motion.q[:, 2].min() < 0.15
    assert motion.energy_error < 1e-9


def test_errors_say_what_to_do() -> None:
    body = ball()
    with pytest.raises(EvaluationError, match="the friction of Ground from 0"):
        Ground(-1)
    with pytest.raises(EvaluationError, match="restitution of Ground"):
        Ground(restitution=2)
    with pytest.raises(EvaluationError, match="three numbers"):
        Ground(normal=(0, 0, 0))
    with pytest.raises(EvaluationError, match="at least 3 rim_points"):
        Ground(rim_points=2)
    (x,) = da.coordinates("x")
    system = da.compile(da.System(kinetic=x.dot**2 / 2, potential=0, coordinates=[x]))
    with pytest.raises(InvalidMechanism):
        Ground().rows(system)
    with pytest.raises(UnknownName, match="expected a link"):
        Ground(links=["bdy"]).rows(body)
    with pytest.raises(InvalidMechanism, match="mesh"):
        Ground().rows(free_body(Mesh("a.stl")))
    arm = da.compile(da.Builder("arm").link("rod", mass=1).revolute("joint", "rod").build())
    with pytest.raises(EvaluationError, match="collision shapes for Ground, got none"):
        Ground().rows(arm)
    with pytest.raises(InvalidMechanism, match="expected collision shapes of link 'rod'"):
        Ground(links=["rod"]).rows(arm)
    with pytest.raises(EvaluationError, match="without penetration"):
        simulate(body, [0, 0, 0.05, 1, 0, 0, 0], None, 1.0, events=[Ground()])


def test_names_of_contacts_differ() -> None:
    b = da.Builder("pair").link("body", mass=1, inertia=(1, 1, 1)).floating("free", "body")
    b.shape("body", Sphere(1), name="foot").shape("body", Sphere(1)).shape("body", Sphere(1))
    b.shape("body", Capsule(1, 2))
    names = [x.name for x in Ground().contacts(da.compile(b.build()))]
    expected = "foot, sphere 1, sphere 2, capsule 1, capsule 2"
    assert names == [f"body {name}" for name in expected.split(", ")]


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to stand on the ground")
@pytest.mark.parametrize(
    "file", ["go2/go2_nomesh.xml", "gym_humanoid/humanoid.xml", "cassie/cassie_nomesh.xml"]
)
def test_gaps_of_robots_as_mujoco(file: str, rng: np.random.Generator) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = Path(str(ZOO)) / file
    robot = da.load(path)
    model = da.compile(robot)
    contacts = Ground(height=-5).contacts(model)
    gaps = model.compile([x.gap for x in contacts], {"q": model.symbols.q})
    spec = mujoco.MjSpec.from_file(str(path))
    floor = spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], pos=[0, 0, -5]
    )
    floor.name = "far below"
    engine = spec.compile()
    data = mujoco.MjData(engine)
    for _ in range(3):
        q = model.random_configuration(rng)
        data.qpos[:], data.qvel[:] = to_mujoco(robot, q, np.zeros(model.nv), model=engine)
        mujoco.mj_forward(engine, data)
        lowest: dict[str, float] = {}
        for g in range(engine.ngeom):
            touches = engine.geom_contype[g] or engine.geom_conaffinity[g]
            body = engine.body(engine.geom_bodyid[g]).name
            if touches and engine.geom_bodyid[g]:
                far = engine.geom("far below").id
                gap = mujoco.mj_geomDistance(engine, data, far, g, 100.0, np.zeros(6))
                lowest[body] = min(lowest.get(body, math.inf), gap)
        found: dict[str, float] = {}
        for x, gap in zip(contacts, gaps(q), strict=True):
            link = max((name for name in lowest if x.name.startswith(name)), key=len)
            found[link] = min(found.get(link, math.inf), gap)
        assert found == pytest.approx(lowest, abs=ENGINE)


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to stand on the ground")
def test_a_dropped_quadruped_touches_down_when_it_should() -> None:
    mujoco = pytest.importorskip("mujoco")
    path = Path(str(ZOO)) / "go2/go2_nomesh.xml"
    robot = da.load(path)
    model = da.compile(robot)
    feet = [f"{corner}_calf" for corner in ("FL", "FR", "RL", "RR")]
    q = model.neutral.copy()
    q[2], q[7:] = 0.45, [0, 0.9, -1.8] * 4
    motion = simulate(model, q, None, 0.19, events=[Ground(friction=0, links=feet)])
    assert motion.ok
    # nothing but gravity acts: all falls as one
    engine = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(engine)
    data.qpos[:], _ = to_mujoco(robot, q, np.zeros(model.nv), model=engine)
    mujoco.mj_forward(engine, data)
    balls = [g for g in range(engine.ngeom) if engine.geom(g).name in ("FL", "FR", "RL", "RR")]
    gaps = [data.geom_xpos[g][2] - engine.geom_size[g][0] for g in balls]
    assert len(gaps) == 4
    assert motion.events[0][0] == pytest.approx(math.sqrt(2 * min(gaps) / G), abs=1e-9)
