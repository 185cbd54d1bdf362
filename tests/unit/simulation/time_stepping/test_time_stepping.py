"""Time steps with contacts: beside motions known by hand, MuJoCo, and themselves on other code."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, EvaluationError, InvalidMechanism
from dalembert.mechanism.io.state_layouts import to_mujoco
from dalembert.mechanism.parts.shape import Box, Geometry, Sphere
from dalembert.simulation import (
    RK4,
    Contact,
    DryFriction,
    Ground,
    JointStops,
    Residuals,
    Rollouts,
    TimeStepping,
    rollout,
)

G = 9.81

ROUNDING = 1e-12
"""Of sums over some thousand steps, in m and m/s."""

SWEPT = 1e-9
"""Residual of four feet on a plane after the sweeps of these tests, in m/s."""

IMPACT = 1e-2
"""After an impact of 1 m/s: residuals of few sweeps at feet, in rad/s at joints of 0.2 m."""

ZOO = os.environ.get("DALEMBERT_ZOO")


def free_body(shape: Geometry, inertia=(1, 1, 1), **options):
    """Return the model of a free body of 1 kg with one shape."""
    b = da.Builder("body", gravity=(0, 0, -G)).link("body", mass=1, inertia=inertia)
    return da.compile(b.shape("body", shape).floating("free", "body").build(), **options)


def ball(radius: float = 0.1):
    i = 2 * radius**2 / 5
    return free_body(Sphere(radius), (i, i, i))


def pendulum(**options):
    """Return the model of 1 kg on a rod of 1 m, horizontal at q = 0."""
    b = da.Builder("pendulum", gravity=(0, 0, -G)).link("bob", mass=1, com=(1, 0, 0))
    return da.compile(b.revolute("joint", "bob", axis="y", **options).build())


def said(runs: Rollouts) -> Residuals:
    """Return what time steps say of their contacts."""
    assert runs.residuals is not None
    return runs.residuals


BOX = Box((0.4, 0.2, 0.1))


def test_a_ball_rolls_with_five_sevenths_of_its_speed() -> None:
    h, mu, v0, steps = 1e-3, 0.3, 1.0, 1000
    start, v = [0, 0, 0.1, 1, 0, 0, 0], [v0, 0, 0, 0, 0, 0]
    runs = rollout(ball(), start, v, steps, method=TimeStepping(h), events=[Ground(mu)])
    # n steps slide by μ g h each, one ends the slide; v of each step moves it
    n = math.floor(2 * v0 / (7 * mu * G) / h)
    x = sum(h * (v0 - mu * G * h * k) for k in range(1, n + 1)) + (steps - n) * h * 5 / 7 * v0
    assert runs.q[-1, :3] == pytest.approx([x, 0, 0.1], abs=ROUNDING)
    assert runs.qd[-1, 4] == pytest.approx(50 / 7, abs=10 * ROUNDING)
    assert said(runs).worst < ROUNDING
    assert runs.warnings == ()


def test_a_box_slides_to_a_stop() -> None:
    h, mu, v0 = 1e-3, 0.3, 1.0
    runs = rollout(
        free_body(BOX, (0.02, 0.02, 0.02)),
        [0, 0, 0.05, 1, 0, 0, 0],
        [v0, 0, 0, 0, 0, 0],
        500,
        method=TimeStepping(h, 200, SWEPT),
        events=[Ground(mu)],
    )
    # steps of v0 - μ g h k until it is none
    n = math.floor(v0 / (mu * G * h))
    x = sum(h * (v0 - mu * G * h * k) for k in range(1, n + 1))
    assert runs.q[-1, :3] == pytest.approx([x, 0, 0.05], abs=SWEPT)
    assert said(runs).depth < SWEPT


@pytest.mark.parametrize("part", [0.9, 1.2])
def test_a_box_on_an_incline_holds_until_the_angle_of_friction(part: float) -> None:
    mu, h, steps = 0.4, 1e-3, 500
    a = part * math.atan(mu)
    normal = (math.sin(a), 0, math.cos(a))
    start = [*(0.05 * np.array(normal)), math.cos(a / 2), 0, math.sin(a / 2), 0]
    runs = rollout(
        free_body(Box((0.4, 0.4, 0.1)), (0.02, 0.02, 0.02)),
        start,
        None,
        steps,
        method=TimeStepping(h, 200, SWEPT),
        events=[Ground(mu, normal=normal)],
    )
    pull = max(G * (math.sin(a) - mu * math.cos(a)), 0)
    way = pull * h**2 * steps * (steps + 1) / 2
    assert runs.q[-1, 0] - start[0] == pytest.approx(way * math.cos(a), abs=1e-6)


def test_a_spinning_body_keeps_its_velocity_in_flight() -> None:
    body = free_body(BOX, (0.3, 0.2, 0.1))
    v, h, steps = [1, 2, 3, 0.5, 1, 1.5], 1e-3, 400
    start = [0, 0, 100, 1, 0, 0, 0]
    runs = rollout(body, start, v, steps, method=TimeStepping(h), events=[Ground()])
    fall = G * h**2 * steps * (steps + 1) / 2
    t = h * steps
    assert runs.q[-1, :3] == pytest.approx([t, 2 * t, 100 + 3 * t - fall], abs=1e-10)


def test_what_lies_deep_comes_out_by_a_part_in_a_step() -> None:
    h, beta, d = 1e-3, 0.2, 1e-3
    method, start = TimeStepping(h, beta=beta), [0, 0, 0.1 - d, 1, 0, 0, 0]
    runs = rollout(ball(), start, None, 3, method=method, events=[Ground()])
    # the part β comes with a speed of β d/h, which stays when the ball has left
    u = beta * d / h
    assert runs.q[1, 2] == pytest.approx(0.1 - d * (1 - beta), abs=ROUNDING)
    assert runs.qd[1, 2] == pytest.approx(u, abs=ROUNDING)
    assert said(runs).depth == pytest.approx(d, abs=ROUNDING)


@pytest.mark.parametrize("friction", [10.0, 9.0])
def test_dry_friction_of_a_joint_holds_up_to_its_bound(friction: float) -> None:
    # at the horizontal the weight turns by m g l = 9.81 N m
    runs = rollout(pendulum(friction=friction), [0], None, 1, method=TimeStepping(1e-3))
    assert runs.qd[-1] == pytest.approx([max(G - friction, 0) * 1e-3], abs=ROUNDING)


def test_viscous_friction_is_implicit() -> None:
    b = da.Builder("fan", gravity=(0, 0, 0)).link("fan", mass=1, inertia=(1, 1, 1))
    model = da.compile(b.revolute("axle", "fan", axis="z", damping=50).build())
    runs = rollout(model, [0], [1], 10, method=TimeStepping(0.1))
    # explicit steps of h d = 5 would be unstable: v⁺ = v / (1 + h d)
    assert runs.qd[-1] == pytest.approx([6.0**-10], rel=ROUNDING)


def test_held_limits_are_stops() -> None:
    model = pendulum(limits=(-1, 0.5), friction=1.0)
    method = TimeStepping(1e-3)
    runs = rollout(model, [0], None, 2000, method=method, limits="hold")
    assert runs.q[-1] == pytest.approx([0.5], abs=ROUNDING)
    assert runs.qd[-1] == pytest.approx([0], abs=ROUNDING)
    assert runs.warnings == ()
    (free,) = rollout(model, [0], None, 2000, method=method).warnings
    assert "joint is beyond its upper limit 0.5" in free


def test_contacts_and_frictions_of_expressions() -> None:
    b = da.Builder("carriage", gravity=(0, 0, -G)).link("a").link("b", mass=2)
    b.prismatic("along", "a", axis="x").prismatic("up", "b", parent="a", axis="z")
    model = da.compile(b.build())
    (_, z), (vx, _) = model.symbols.q, model.symbols.qd
    floor = Contact(z, name="floor")
    skid = DryFriction(vx, 0.25, name="skid", normal="floor")
    runs = rollout(
        model, [0, 0], [1, 0], 100, method=TimeStepping(1e-3), events=[floor, skid], record=None
    )
    # in the plane there is one tangent: μ m g slows it
    assert runs.qd[-1] == pytest.approx([1 - 0.25 * G * 0.1, 0], abs=ROUNDING)
    # a push of 1 N beyond what a plain friction holds
    drag = DryFriction(vx, 3.0)
    runs = rollout(
        model, [0, 0], None, 100, [4, 0], method=TimeStepping(1e-3), events=[drag, floor]
    )
    assert runs.qd[-1] == pytest.approx([(4 - 3) / 2 * 0.1, 0], abs=ROUNDING)


def test_unsolved_steps_are_counted() -> None:
    body = free_body(BOX, (0.02, 0.02, 0.02))
    start, v = [0, 0, 0.05, 1, 0, 0, 0], [[0, 0, 0, 0, 0, 0], [1, 0.5, 0, 0, 0, 3]]
    options = {"events": [Ground(0.5)], "steps": 50}
    rough = rollout(body, start, v, method=TimeStepping(1e-3, 1, tolerance=1e-6), **options)
    assert said(rough).unsolved[1] > 0
    assert "take more sweeps=" in rough.warnings[0]
    fine = rollout(body, start, v, method=TimeStepping(1e-3, 200), **options)
    assert said(fine).worst.max() < 1e-6
    assert not said(fine).unsolved.any()
    assert 1 < said(fine).sweeps.max() < 50


def test_chunks_single_runs_and_other_backends_agree() -> None:
    start = [[0, 0, 0.2, 1, 0, 0, 0], [0, 0, 0.05, 1, 0, 0, 0]]
    v = [1, 0, -1, 0, 3, 1]
    options = {"method": TimeStepping(2e-3, 5), "events": [Ground(0.4)], "record": 10}
    model = free_body(BOX, (0.02, 0.02, 0.03))
    both = rollout(model, start, v, 40, **options)
    for k in range(2):
        one = rollout(model, start[k], v, 40, progress=True, **options)
        assert one.q == pytest.approx(both.q[k], abs=SWEPT)
        assert said(one).worst == pytest.approx(said(both).worst[k], abs=SWEPT)
    plain = free_body(BOX, (0.02, 0.02, 0.03), backend="numpy")
    assert rollout(plain, start, v, 40, **options).q == pytest.approx(both.q, abs=SWEPT)


def test_what_steps_cannot_do_is_refused() -> None:
    step, body = TimeStepping(1e-3), ball()
    start = [0, 0, 1, 1, 0, 0, 0]
    with pytest.raises(EvaluationError, match="whole number of sweeps"):
        TimeStepping(1e-3, sweeps=0)
    with pytest.raises(EvaluationError, match="beta from 0 to 1"):
        TimeStepping(1e-3, beta=2)
    with pytest.raises(EvaluationError, match="the tolerance above 0"):
        TimeStepping(1e-3, tolerance=0)
    with pytest.raises(EvaluationError, match="without a restitution"):
        rollout(body, start, None, 1, method=step, events=[Ground(restitution=0.5)])
    with pytest.raises(EvaluationError, match=r"TimeStepping\(step\) for rollouts with events"):
        rollout(body, start, None, 1, method=RK4(1e-3), events=[Ground()])
    stuck = DryFriction(body.symbols.qd[0], 1.0, static=2.0)
    with pytest.raises(EvaluationError, match="static friction above kinetic"):
        rollout(body, start, None, 1, method=step, events=[stuck])
    (x,) = da.coordinates("x")
    system = da.compile(da.System(kinetic=x.dot**2 / 2, potential=0, coordinates=[x]))
    with pytest.raises(InvalidMechanism):
        rollout(system, [0], None, 1, method=step)
    soft = JointStops(compliance=da.simulation.KelvinVoigt(1, 1))
    with pytest.raises(EvaluationError, match="without a compliance"):
        rollout(pendulum(limits=(-1, 1)), [0], None, 1, method=step, events=[soft])
    with pytest.raises(DalembertError, match="method="):
        da.simulate(body, start, None, 1.0, method=step)  # type: ignore[arg-type]


FEET = [f"{corner}_calf" for corner in ("FL", "FR", "RL", "RR")]
CROUCHED = [0, 0.9, -1.8] * 4


def standing(model, ground: Ground) -> np.ndarray:
    """Return the configuration of a quadruped whose feet just touch the ground."""
    q = model.neutral.copy()
    q[7:] = CROUCHED
    gaps = model.compile([x.gap for x in ground.contacts(model)], {"q": model.symbols.q})
    q[2] -= gaps(q).min()
    return q


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to drop on the ground")
def test_feet_that_hit_the_ground_and_stick_stop_there() -> None:
    # rigid bodies alone: no joint takes an impulse
    model = da.compile(da.load(Path(str(ZOO)) / "go2/go2_nomesh.xml"), passive=False)
    ground = Ground(4.0, links=FEET)
    q, v = standing(model, ground), np.zeros(model.nv)
    v[2] = -1
    h = 1e-6
    runs = rollout(model, q, v, 1, method=TimeStepping(h), events=[ground])
    # four feet that stick: Δv = -M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J v
    closed = [x for x in ground.contacts(model) if " F" in x.name or " R" in x.name]
    u = [x for contact in closed for x in contact.velocity]
    J = model.compile([[x.diff(s) for s in model.symbols.qd] for x in u], {"q": model.symbols.q})(q)
    back = np.linalg.solve(model.mass_matrix(q), J.T)
    assert len(closed) == 4
    after = v - back @ np.linalg.solve(J @ back, J @ v)
    assert runs.qd[-1] == pytest.approx(after, abs=IMPACT)


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to drop on the ground")
def test_a_quadruped_crouches_as_in_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    path, h, steps = Path(str(ZOO)) / "go2/go2_nomesh.xml", 1e-4, 500
    robot = da.load(path)
    model = da.compile(robot)
    ground = Ground(0.8, links=FEET)
    q = standing(model, ground)
    law = [0] * 6 + [100 * (a - x) for a, x in zip(CROUCHED, model.symbols.q[7:], strict=True)]
    method = TimeStepping(h, 400)
    runs = rollout(model, q, None, steps, law, method=method, events=[ground], record=None)
    assert runs.warnings == ()
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in spec.geoms:
        geom.conaffinity = 0
    # as hard as MuJoCo's contacts are: at rest within two steps, without rebound
    hard = {"solref": [2 * h, 30], "solimp": [0.9999, 0.9999, 1e-3, 0.5, 2]}
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], **hard)
    floor.friction, floor.condim, floor.priority = [0.8, 0, 0], 3, 5
    spec.option.timestep, spec.option.cone = h, mujoco.mjtCone.mjCONE_ELLIPTIC
    engine = spec.compile()
    data = mujoco.MjData(engine)
    data.qpos[:], data.qvel[:] = to_mujoco(robot, q, np.zeros(model.nv), model=engine)
    goal = data.qpos[7:].copy()
    for _ in range(steps):
        data.qfrc_applied[6:] = 100 * (goal - data.qpos[7:])
        mujoco.mj_step(engine, data)
    assert data.ncon == 4
    found, _ = to_mujoco(robot, runs.q[-1], np.zeros(model.nv), model=engine)
    # it has sunk by 6 mm
    assert found[:3] == pytest.approx(data.qpos[:3], abs=1e-4)
