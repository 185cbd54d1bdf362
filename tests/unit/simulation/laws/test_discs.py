"""Friction on a plane in space: its force is as strong in every direction, and opposes the slip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import Contact, DryFriction, simulate

GRAVITY = 9.81
# of events whose time follows from a velocity that goes to zero
TIME = 1e-10


def particle(slope: float = 0.0):
    """A particle of unit mass above a plane, x downhill."""
    x, y, z = da.coordinates("x y z")
    weight = GRAVITY * (np.cos(slope) * z - np.sin(slope) * x)
    kinetic = (x.dot**2 + y.dot**2 + z.dot**2) / 2
    model = da.compile(da.System(kinetic=kinetic, potential=weight, coordinates=[x, y, z]))
    return model, Contact(z, name="floor"), (x.dot, y.dot)


def ball(radius: float = 0.1):
    """A homogeneous ball of unit mass; its turns a, b, c about the axes of space have no sum that
    its motion depends on.
    """
    x, y, z, a, b, c = da.coordinates("x y z a b c")
    turn = 2 / 5 * radius**2 * (a.dot**2 + b.dot**2 + c.dot**2)
    kinetic = (x.dot**2 + y.dot**2 + z.dot**2 + turn) / 2
    system = da.System(kinetic=kinetic, potential=GRAVITY * z, coordinates=[x, y, z, a, b, c])
    slip = (x.dot - radius * b.dot, y.dot + radius * a.dot)
    return da.compile(system), z - radius, slip


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (20.0, 5.0, 3.0)])
def test_a_ball_slides_and_then_rolls(spin):
    """v = (5 v₀ + 2 r ω₀ × e)/7 after t = 2 |u₀|/(7 μ g): 5/7 v₀ without spin."""
    model, gap, slip = ball()
    laws = [Contact(gap, name="floor"), DryFriction(slip, 0.3, name="skid", normal="floor")]
    v = np.array([1.2, 1.6])
    motion = simulate(model, [0, 0, 0.1, 0, 0, 0], [*v, 0, *spin], 1.0, events=laws)
    u = v + 0.1 * np.array([-spin[1], spin[0]])
    assert motion.events == (
        (pytest.approx(2 * np.hypot(*u) / (7 * 0.3 * GRAVITY), abs=TIME), "skid sticks"),
    )
    rolling = (5 * v + 0.2 * np.array([spin[1], -spin[0]])) / 7
    assert motion.qd[-1, :2] == pytest.approx(rolling, abs=1e-11)
    assert motion.qd[-1, 5] == spin[2]
    # μ N against the slip
    assert motion.constraint_names == ("floor", "skid 1", "skid 2")
    assert motion.lam[0] == pytest.approx(
        [GRAVITY, *(-0.3 * GRAVITY * u / np.hypot(*u))], rel=1e-13
    )
    assert motion.energy_error < 1e-12


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.6])
def test_a_particle_curves_down_an_incline(ratio):
    """With κ = μ/tan α and φ the angle to the steepest way: |u| sin φ = u₀ tan(φ/2)^κ."""
    slope = 0.3
    model, floor, slip = particle(slope)
    mu = ratio * np.tan(slope)
    laws = [floor, DryFriction(slip, mu, name="skid", normal="floor")]
    motion = simulate(model, [0, 0, 0], [0, 2.0, 0], 2.5, events=laws)
    assert motion.ok
    u = motion.qd[:, :2]
    size, angle = np.hypot(*u.T), np.arctan2(u[:, 1], u[:, 0])
    size, angle = size[size > 1e-6], angle[size > 1e-6]
    assert size.size > 20
    assert size * np.sin(angle) == pytest.approx(2.0 * np.tan(angle / 2) ** ratio, abs=1e-9)
    assert angle[-1] < 0.2
    # with more friction than slope it stops
    assert [name for _, name in motion.events] == (["skid sticks"] if ratio > 1 else [])
    assert motion.energy_error < 1e-11


@pytest.mark.parametrize("way", [0.0, 0.7, np.pi / 4, 3.0])
def test_it_breaks_away_in_every_direction_at_the_same_force(way):
    """Pulled by F = t: it sticks until F = μₛ N, then ẍ = F - μ N."""
    x, y, z = da.coordinates("x y z")
    pull = da.time * (np.cos(way) * x + np.sin(way) * y)
    kinetic = (x.dot**2 + y.dot**2 + z.dot**2) / 2
    system = da.System(kinetic=kinetic, potential=GRAVITY * z - pull, coordinates=[x, y, z])
    skid = DryFriction((x.dot, y.dot), 0.3, 0.5, name="skid", normal="floor")
    laws = [Contact(z, name="floor"), skid]
    motion = simulate(da.compile(system), [0, 0, 0], [0, 0, 0], 7.0, events=laws)
    begin = 0.5 * GRAVITY
    assert motion.events == ((pytest.approx(begin, abs=TIME), "skid slides"),)
    speed = (7.0**2 - begin**2) / 2 - 0.3 * GRAVITY * (7.0 - begin)
    assert motion.qd[-1] == pytest.approx([speed * np.cos(way), speed * np.sin(way), 0], abs=1e-9)


def test_friction_on_a_plane_without_a_normal_force():
    """A puck with a friction of 2 N: it stops after v²/4 m, along its way."""
    x, y = da.coordinates("x y")
    puck = da.compile(da.System(kinetic=(x.dot**2 + y.dot**2) / 2, coordinates=[x, y]))
    events = [DryFriction((x.dot, y.dot), 2.0, name="ice")]
    motion = simulate(puck, [0, 0], [0.6, -0.8], 1.0, events=events)
    assert motion.events == ((pytest.approx(0.5, abs=TIME), "ice sticks"),)
    assert motion.q[-1] == pytest.approx([0.15, -0.2], abs=1e-12)
    assert motion.energy.dissipated[-1] == pytest.approx(0.5, rel=1e-12)


def test_two_planes_without_names():
    x, y, a, b = da.coordinates("x y a b")
    kinetic = (x.dot**2 + y.dot**2 + a.dot**2 + b.dot**2) / 2
    pucks = da.compile(da.System(kinetic=kinetic, coordinates=[x, y, a, b]))
    events = [DryFriction((x.dot, y.dot), 2.0), DryFriction((a.dot, b.dot), 1.0)]
    motion = simulate(pucks, [0] * 4, [0.6, -0.8, 0.8, 0.6], 2.0, events=events)
    assert [t for t, _ in motion.events] == pytest.approx([0.5, 1.0], abs=TIME)
    assert motion.q[-1] == pytest.approx([0.15, -0.2, 0.4, 0.3], abs=1e-12)


@pytest.mark.parametrize("mu", [0.05, 0.5])
def test_a_rough_bounce_is_the_same_in_every_direction(mu):
    """Against friction along one velocity, which is a sign, in the plane of the bounce."""
    model, gap, slip = ball()
    start = [0, 0, 0.3, 0, 0, 0]
    floor = Contact(gap, restitution=0.6, name="floor")
    planar = [floor, DryFriction(slip[0], mu, name="skid", normal="floor")]
    right = simulate(model, start, [1.0, 0, 0, 0, 15.0, 0], 0.8, events=planar)
    way = 0.7
    turn = np.array([[np.cos(way), -np.sin(way)], [np.sin(way), np.cos(way)]])
    v, w = turn @ [1.0, 0.0], turn @ [0.0, 15.0]
    spatial = [floor, DryFriction(slip, mu, name="skid", normal="floor")]
    motion = simulate(model, start, [*v, 0, *w, 0], 0.8, events=spatial)
    assert len(motion.events) == len(right.events) > 2
    assert motion.q[-1, :2] == pytest.approx(turn @ right.q[-1, :2], abs=1e-9)
    assert motion.qd[-1, 3:5] == pytest.approx(turn @ right.qd[-1, 3:5], abs=1e-8)


ANGLES = (0.3, 2.5, 4.4)
SLOPE, MU, SPIN, SPEED = 0.25, 0.4, 6.0, 1.5


def feet_of(height: float) -> list[tuple[float, float, float]]:
    return [(0.3 * np.cos(angle), 0.3 * np.sin(angle), -height) for angle in ANGLES]


def tripod(height: float):
    """A body on three feet on an incline, with its friction; quaternions turn it."""
    robot = (
        da.Builder("tripod", gravity=(GRAVITY * np.sin(SLOPE), 0, -GRAVITY * np.cos(SLOPE)))
        .link("body", mass=1, inertia=(0.05, 0.05, 0.04))
        .floating("free", "body")
    )
    for k, foot in enumerate(feet_of(height)):
        robot = robot.frame(f"foot{k}", "body", origin=foot)
    model = da.compile(robot.build())
    laws = []
    for k in range(3):
        place = model.expressions("forward_kinematics", model.symbols.q, frame=f"foot{k}")
        J = model.expressions("jacobian", model.symbols.q, frame=f"foot{k}")
        slip: Any = tuple(
            sum(a * b for a, b in zip(J[i], model.symbols.qd, strict=True)) for i in (0, 1)
        )
        laws += [
            Contact(place[2][3], name=f"floor{k}"),
            DryFriction(slip, MU, name=f"skid{k}", normal=f"floor{k}"),
        ]
    start = [0, 0, height, 1, 0, 0, 0], [0, SPEED, 0, 0, 0, SPIN]
    return simulate(model, *start, 0.5, events=laws)


def sliding_tripod(t, state, height):
    """Rates of (x, y, angle, ẋ, ẏ, ω), by the balance of forces and moments on three feet."""
    _, _, angle, vx, vy, spin = state
    c, s = np.cos(angle), np.sin(angle)
    feet = [(c * x - s * y, s * x + c * y, z) for x, y, z in feet_of(height)]
    balance, ways = np.zeros((3, 3)), []
    for k, (x, y, z) in enumerate(feet):
        u = np.array([vx - spin * y, vy + spin * x])
        fx, fy = -MU * u / np.hypot(*u)
        ways.append((fx, fy))
        # weight, and moments about x and y, of a unit normal force
        balance[:, k] = 1, y - z * fy, z * fx - x
    N = np.linalg.solve(balance, [GRAVITY * np.cos(SLOPE), 0, 0])
    F = N @ np.array(ways)
    moment = sum(
        n * (x * fy - y * fx) for n, (x, y, _), (fx, fy) in zip(N, feet, ways, strict=True)
    )
    return [vx, vy, spin, F[0] + GRAVITY * np.sin(SLOPE), F[1], moment / 0.04]


def test_a_tripod_slides_and_spins_down_an_incline():
    from scipy.integrate import solve_ivp

    motion = tripod(0.2)
    assert motion.ok, motion.status
    assert motion.events == ()
    start = [0, 0, 0, 0, SPEED, SPIN]
    found = solve_ivp(sliding_tripod, (0, 0.5), start, args=(0.2,), rtol=1e-11, atol=1e-12)
    x, y, z, w, *_, turn = motion.q[-1]
    assert [x, y, 2 * np.arctan2(turn, w)] == pytest.approx(found.y[:3, -1], abs=1e-8)
    assert z == pytest.approx(0.2, abs=1e-13)
    assert motion.energy_error < 1e-11


def test_a_tripod_slides_as_that_of_mujoco():
    """With elliptic cones. Its contacts are soft and lift what slides: two digits."""
    mujoco = pytest.importorskip("mujoco")
    feet = "".join(
        f'<geom type="sphere" size="0.001" pos="{x} {y} {z + 0.001}"/>' for x, y, z in feet_of(0.02)
    )
    gravity = f"{GRAVITY * np.sin(SLOPE)} 0 {-GRAVITY * np.cos(SLOPE)}"
    contact = f'condim="3" friction="{MU} 0 0" solref="0.002 1" solimp="0.99 0.999 1e-5"'
    there = mujoco.MjModel.from_xml_string(f"""
    <mujoco><option gravity="{gravity}" timestep="1e-4" cone="elliptic" impratio="100"/>
    <default><geom {contact}/></default>
    <worldbody><geom type="plane" size="9 9 1"/>
    <body pos="0 0 0.02"><freejoint/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.05 0.05 0.04"/>{feet}</body></worldbody></mujoco>
    """)
    data = mujoco.MjData(there)
    data.qvel[:] = [0, SPEED, 0, 0, 0, SPIN]
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(there, data)
    motion = tripod(0.02)
    assert motion.ok, motion.status
    assert motion.q[-1, :2] == pytest.approx(data.qpos[:2], abs=6e-3)
    turn = (2 * np.arctan2(q[6], q[3]) for q in (motion.q[-1], data.qpos))
    assert abs(np.subtract(*turn)) < 2e-2


def test_wrong_velocities_are_refused():
    model, _, slip = particle()
    three: Any = (*slip, slip[0])
    beside: Any = (slip[0], 1.0)
    with pytest.raises(da.EvaluationError, match=r"two on a plane"):
        simulate(model, [0] * 3, [0] * 3, 1.0, events=[DryFriction(three, 1.0)])
    with pytest.raises(da.EvaluationError, match="expected a velocity"):
        simulate(model, [0] * 3, [0] * 3, 1.0, events=[DryFriction(beside, 1.0)])
