"""Dry friction with sticking: blocks, belts and arms with closed forms and smooth references."""

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.simulation import (
    Contact,
    DryFriction,
    JointFriction,
    JointStops,
    Radau,
    Taylor,
    simulate,
)
from tests.cases import num_cases
from tests.effort import at_once

TIME = 1e-12
ACCOUNT = 1e-12
GRAVITY = 9.81
MASS, MU = 2.0, 0.5


def incline(angle, **options):
    """A block that slides down a plane with the friction μ m g cos(angle)."""
    plane = (
        da.Builder("incline", gravity=(GRAVITY * np.sin(angle), 0, -GRAVITY * np.cos(angle)))
        .link("block", mass=MASS, inertia=(0.1, 0.1, 0.1))
        .prismatic("slide", "block", axis=(1, 0, 0), friction=MU * MASS * GRAVITY * np.cos(angle))
        .build()
    )
    return da.compile(plane, **options)


VARIANTS = [{}, {"passive": False}, {"smoothing": 1e-3}]


@pytest.mark.parametrize("options", VARIANTS)
def test_block_sticks_below_the_angle_of_friction(options):
    motion = simulate(incline(0.3, **options), [0.0], [0.0], 5.0, events=[JointFriction()])
    assert motion.q[-1, 0] == 0
    assert motion.qd[-1, 0] == 0
    assert not motion.events
    # the force holds the block against its weight
    assert motion.lam[:, 0] == pytest.approx(-MASS * GRAVITY * np.sin(0.3), rel=1e-14)


@pytest.mark.parametrize("options", VARIANTS)
def test_block_stops_after_its_distance(options):
    motion = simulate(incline(0.3, **options), [0.0], [3.0], 4.0, events=[JointFriction()])
    a = GRAVITY * (MU * np.cos(0.3) - np.sin(0.3))
    assert motion.events == ((pytest.approx(3 / a, abs=TIME), "slide sticks"),)
    assert motion.q[-1, 0] == pytest.approx(9 / (2 * a), abs=1e-13)
    heat = MU * MASS * GRAVITY * np.cos(0.3) * motion.q[-1, 0]
    assert motion.energy.dissipated[-1] == pytest.approx(heat, rel=1e-13)
    assert motion.energy_error < ACCOUNT


def test_block_slides_above_the_angle_of_friction():
    motion = simulate(incline(0.6), [0.0], [0.0], 2.0, events=[JointFriction()])
    a = GRAVITY * (np.sin(0.6) - MU * np.cos(0.6))
    assert motion.q[-1, 0] == pytest.approx(2 * a, rel=1e-13)
    assert motion.qdd[:, 0] == pytest.approx(a, rel=1e-13)
    assert motion.energy_error < ACCOUNT


def test_block_thrown_up_turns_round():
    motion = simulate(incline(0.6), [0.0], [-3.0], 2.0, events=[JointFriction()])
    up = GRAVITY * (np.sin(0.6) + MU * np.cos(0.6))
    down = GRAVITY * (np.sin(0.6) - MU * np.cos(0.6))
    assert motion.events == ((pytest.approx(3 / up, abs=TIME), "slide turns"),)
    expected = -9 / (2 * up) + down * (2 - 3 / up) ** 2 / 2
    assert motion.q[-1, 0] == pytest.approx(expected, rel=1e-12)


def test_force_breaks_the_block_away():
    # 10 t N along the level plane against μ m g
    model = incline(0.0)
    motion = simulate(model, [0.0], [0.0], 2.0, forces=[10 * da.time], events=[JointFriction()])
    start = MU * MASS * GRAVITY / 10
    assert motion.events == ((pytest.approx(start, abs=TIME), "slide slides"),)
    # m ẍ = 10 (t - start)
    assert motion.q[-1, 0] == pytest.approx(10 * (2 - start) ** 3 / (6 * MASS), rel=1e-11)
    assert motion.energy_error < ACCOUNT


def test_stribeck_breaks_away_later_than_it_slides():
    cart = (
        da.Builder("cart", gravity=(0, 0, 0))
        .link("cart", mass=1, inertia=(1, 1, 1))
        .prismatic(
            "slide", "cart", axis=(1, 0, 0), friction=1.0, stribeck=0.5, stribeck_velocity=0.01
        )
        .build()
    )
    model = da.compile(cart)
    motion = simulate(model, [0.0], [0.0], 2.5, forces=[da.time], events=[JointFriction()])
    assert motion.events == ((pytest.approx(1.5, abs=TIME), "slide slides"),)
    sliding = motion.t > 1.6
    v, t = motion.qd[sliding, 0], motion.t[sliding]
    assert v.min() > 0
    law = t - 1 - 0.5 * np.exp(-((v / 0.01) ** 2))
    assert motion.qdd[sliding, 0] == pytest.approx(law, abs=1e-12)


# ---- a mass on a spring on a belt

SPRING, BELT = 4.0, 0.2


def oscillator(forces=None):
    (x,) = da.coordinates("x")
    applied = () if forces is None else [forces(x.dot)]
    return da.compile(
        da.System(
            kinetic=x.dot**2 / 2, potential=SPRING * x**2 / 2, coordinates=[x], forces=applied
        )
    )


def test_stick_slip_on_a_belt_has_its_period():
    model = oscillator()
    kinetic, static = 1.0, 1.5
    belt = DryFriction(model.symbols.qd[0] - BELT, kinetic, static, name="belt")
    motion = simulate(model, [static / SPRING], [BELT], 20.0, events=[belt])
    slides = [t for t, name in motion.events if name == "belt slides"]
    sticks = [t for t, name in motion.events if name == "belt sticks"]
    w, D = np.sqrt(SPRING), (static - kinetic) / SPRING
    # sliding: v = R cos(ωt + φ) with tan φ = D ω / v_belt, back to v_belt after (2π - 2φ) / ω
    slip = (2 * np.pi - 2 * np.arctan(D * w / BELT)) / w
    stick = 2 * D / BELT
    assert (len(sticks), len(slides)) == (6, 5)
    # it starts where it gives way
    assert np.subtract(sticks, [0, *slides]) == pytest.approx(slip, abs=1e-11)
    assert np.subtract(slides, sticks[:-1]) == pytest.approx(stick, abs=1e-11)
    # the belt works, friction heats
    assert motion.energy_error < ACCOUNT
    assert motion.energy.work[-1] > 0
    assert (np.diff(motion.energy.dissipated) > -ACCOUNT).all()


def test_belt_against_smooth_friction():
    model = oscillator()
    times = np.linspace(0, 6, 61)
    belt = DryFriction(model.symbols.qd[0] - BELT, 1.0, name="belt")
    motion = simulate(model, [1.0], [0.0], times, events=[belt])
    stored = np.isin(motion.t, times)
    names = {name for _, name in motion.events}
    assert names == {"belt turns", "belt sticks", "belt slides"}
    errors = []
    for width in (1e-3, 1e-4):
        smooth = oscillator(lambda v, width=width: -da.tanh((v - BELT) / width))
        reference = simulate(smooth, [1.0], [0.0], times, method=Radau())
        q = np.interp(times, motion.t[stored], motion.q[stored, 0])
        errors.append(abs(q - reference.q[:, 0]).max())
    # smooth friction creeps by its width
    assert errors[1] < 2e-4
    assert errors[1] < 0.2 * errors[0]


# ---- several joints


@pytest.fixture(scope="module")
def arm():
    rod = (0.002, 0.09, 0.09)
    builder = da.Builder("arm", gravity=(0, -GRAVITY, 0))
    builder = builder.link("upper", mass=1, com=(0.5, 0, 0), inertia=rod)
    builder = builder.revolute("shoulder", "upper", axis=(0, 0, 1), friction=2.0, damping=0.1)
    builder = builder.link("lower", mass=0.7, com=(0.4, 0, 0), inertia=rod)
    builder = builder.revolute(
        "elbow", "lower", axis=(0, 0, 1), origin=(1, 0, 0), friction=0.8, limits=(-1.0, 2.0)
    )
    return builder.build()


def test_arm_against_smooth_friction(arm):
    times = np.linspace(0, 7, 71)
    model = da.compile(arm)
    motion = simulate(model, [0.2, 0.4], [0.0, 0.0], times, events=[JointFriction()])
    names = [name for _, name in motion.events]
    assert names[-1].endswith("sticks")
    assert len(names) >= 3
    reference = simulate(
        da.compile(arm, smoothing=1e-5),
        [0.2, 0.4],
        [0.0, 0.0],
        times,
        method=Radau(rtol=1e-8, atol=1e-10),
    )
    last = [np.flatnonzero(motion.t == t)[-1] for t in times]
    assert abs(motion.q[last] - reference.q).max() < 2e-4
    # both stand still: friction carries the weight
    assert abs(motion.qd[-1]).max() < 1e-14
    assert motion.lam[-1] == pytest.approx(model.gravity(motion.q[-1]), abs=1e-11)
    assert motion.energy_error < 1e-11


def test_force_on_one_joint_moves_only_what_gives_way(arm):
    # torques against gravity, and a little more at the elbow than its friction
    model = da.compile(arm)
    q = np.array([0.2, 0.4])
    gravity = np.asarray(model.gravity(q))
    motion = simulate(
        model, q, [0, 0], 0.05, forces=gravity + np.array([0.0, 0.9]), events=[JointFriction()]
    )
    # M₂₂ q̈₂ = 0.9 - 0.8 while the shoulder sticks
    M = np.asarray(model.mass_matrix(q))
    assert motion.qdd[0] == pytest.approx([0, 0.1 / M[1, 1]], abs=1e-12)
    assert motion.q[-1, 0] == q[0]
    assert motion.qd[-1, 1] > 0


def test_friction_and_limit_share_one_joint(arm):
    # pressed into the elbow's stop: friction takes its bound, the stop the rest; then let go: both
    # share the load as equal springs do, so friction holds again at twice its bound
    model = da.compile(arm)
    motion = simulate(
        model,
        [-np.pi / 2, 1.5],
        [0, 0],
        1.5,
        forces=[0, 10 - 6 * da.time],
        events=[JointFriction(), JointStops()],
    )
    assert [name for _, name in motion.events] == [
        "impact at upper limit of elbow, upper limit of elbow rests",
        "shoulder sticks",
        "elbow sticks",
        "upper limit of elbow opens",
        "elbow slides",
    ]
    _, stuck, sticks, opens, slides = (t for t, _ in motion.events)
    # from the moment on when the arm stands, torques and weight decide
    q = motion.q[-1].copy()
    q[0], q[1] = motion.q[motion.t == stuck][0, 0], 2.0
    weight = np.asarray(model.gravity(q))[1]
    assert sticks == pytest.approx((10 - weight - 2 * 0.8) / 6, abs=1e-11)
    assert opens == pytest.approx((10 - weight) / 6, abs=1e-11)
    assert slides == pytest.approx((10 - weight + 0.8) / 6, abs=1e-11)
    pressed = (motion.t > stuck) & (motion.t < sticks)
    assert motion.lam[pressed, 1] == pytest.approx(-0.8, abs=1e-12)
    assert motion.lam[pressed, 3] == pytest.approx(
        10 - 6 * motion.t[pressed] - weight - 0.8, abs=1e-11
    )
    assert motion.energy_error < 1e-11


def test_friction_of_a_contact_that_rests():
    # a ball on a floor with friction along it: it slides, and stops after v²/2a
    x, y = da.coordinates("x y")
    system = da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=GRAVITY * y, coordinates=[x, y])
    laws = [Contact(y, name="floor"), DryFriction(x.dot, 0.3 * GRAVITY, name="rubbing")]
    motion = simulate(da.compile(system), [0, 0], [1, 0], 2.0, events=laws)
    assert motion.q[-1] == pytest.approx([1 / (0.6 * GRAVITY), 0], abs=1e-13)
    assert motion.events == ((pytest.approx(1 / (0.3 * GRAVITY), abs=TIME), "rubbing sticks"),)


def test_bad_friction_is_refused():
    model = oscillator()
    with pytest.raises(da.EvaluationError, match=r"velocity of model\.symbols\.qd"):
        simulate(model, [0.0], [0.0], 1.0, events=[DryFriction(model.symbols.q[0], 1.0)])
    with pytest.raises(da.EvaluationError, match="DryFriction takes"):
        simulate(model, [0.0], [0.0], 1.0, events=[JointFriction()])
    smooth = da.compile(da.textbook.robots.ur5e())
    with pytest.raises(da.EvaluationError, match="joint with friction="):
        simulate(smooth, np.zeros(6), None, 1.0, events=[JointFriction()])


def test_random_arms_keep_every_law(rng, scale):
    frictions, lower, upper = np.array([0.3, 0.5, 0.7]), -1.2, 1.0
    builder, origin = da.Builder("chain", gravity=(0, -GRAVITY, 0)), (0.0, 0.0, 0.0)
    for k, friction in enumerate(frictions):
        builder = builder.link(f"link{k}", mass=1, com=(0.2, 0, 0), inertia=(0.002, 0.03, 0.03))
        builder = builder.revolute(
            f"joint{k}",
            f"link{k}",
            axis=(0, 0, 1),
            origin=origin,
            friction=friction,
            damping=0.05,
            limits=(lower, upper),
        )
        origin = (0.5, 0.0, 0.0)
    model = da.compile(builder.build())
    drive = [3 * da.sin(3 * da.time), da.cos(2 * da.time), 0]
    for _ in range(num_cases(4, scale)):
        q, v = rng.uniform(-1, 0.8, 3), 3 * rng.normal(size=3)
        motion = simulate(model, q, v, 1.5, drive, events=[JointFriction(), JointStops(0.4)])
        assert motion.ok, motion.status
        assert not motion.warnings
        assert len(motion.events) > 3
        # friction within its bound and against the velocity, stops push, limits hold
        force, push = motion.lam[:, :3], motion.lam[:, 3:]
        assert (np.abs(force) - frictions).max() < 1e-11
        assert (force * motion.qd).max() < 1e-11
        assert push.min() > -1e-10
        assert lower - 1e-12 < motion.q.min() <= motion.q.max() < upper + 1e-12
        # forces of stops only at the stops
        gaps = np.stack([motion.q - lower, upper - motion.q], axis=2).reshape(len(motion), 6)
        assert np.abs(push * gaps).max() < 1e-9
        assert motion.energy_error < 1e-11
        # a gap below 1e-12 rad that comes to rest is closed: 1e-12 of the weight's work
        assert np.diff(motion.energy.dissipated).min() > -1e-10


# ---- friction of files, at default settings

SLIDER = """
<robot name="slider">
  <link name="rail"/>
  <link name="block"><inertial><mass value="{mass}"/>
    <inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="block"/>
    <axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/>
    <dynamics damping="0" friction="{friction}"/></joint>
</robot>
"""


def slider(mass: float, friction: float) -> da.Model:
    return da.compile(load_urdf(SLIDER.format(mass=mass, friction=friction)))


def test_friction_of_a_file_stops_a_block_and_holds_it():
    """Thrown upwards with 3 m/s against weight and friction, it stops, and stays: 12 N > m g."""
    motion = simulate(slider(1.0, 12.0), [0.0], [3.0], 2.0)
    a = GRAVITY + 12.0
    assert motion.ok, motion.status
    assert motion.events == ((pytest.approx(3 / a, abs=TIME), "slide sticks"),)
    assert motion.q[-1, 0] == pytest.approx(9 / (2 * a), abs=1e-13)
    assert motion.lam[-1, 0] == pytest.approx(GRAVITY, abs=1e-12)


def test_friction_of_a_file_lets_a_heavy_block_fall():
    motion = simulate(slider(1.0, 4.0), [0.0], [0.0], 1.0)
    assert motion.q[-1, 0] == pytest.approx(-(GRAVITY - 4) / 2, abs=1e-12)


@pytest.mark.parametrize("mass", [1e-6, 1e-3, 1e3])
def test_strong_friction_of_light_links_costs_nothing(mass):
    """Friction 1e7 times the weight: the block stands, whatever rounding makes of its force."""
    motion = at_once(lambda: simulate(slider(mass, 1e8 * mass), [0.0], None, 10.0))
    assert motion.ok, motion.status
    assert len(motion) < 1000
    assert np.abs(motion.q).max() < 1e-12


def test_smooth_friction_and_methods_of_their_own_are_left_alone():
    robot = load_urdf(SLIDER.format(mass=1.0, friction=12.0))
    smooth = simulate(da.compile(robot, smoothing=0.1), [0.0], [3.0], 0.5)
    assert smooth.events == ()
    with pytest.raises(da.EvaluationError, match="smoothing="):
        simulate(da.compile(robot), [0.0], [3.0], 0.5, method=Taylor())


@pytest.mark.parametrize("case", range(2))
def test_dry_friction_of_a_joint_that_constraints_hold(case: int) -> None:
    """A loop holds the first joints, whose friction then does nothing: as if they were locked."""
    draw = np.random.default_rng(case)
    builder = da.Builder("held")
    for k in range(4):
        com, origin, rpy = np.round(draw.uniform(-0.5, 0.5, (3, 3)), 3).tolist()
        builder.link(f"b{k}", mass=1 + 0.3 * k, com=com, inertia=(0.3, 0.31, 0.32))
        builder.revolute(f"j{k}", f"b{k}", axis="xyz"[k % 3], origin=origin, rpy=rpy, friction=0.05)
    free = builder.build()
    q = np.round(draw.uniform(-1, 1, 4), 3)
    # a point of the third link is tied to where it is
    point = np.array([0.3, 0.1, 0.2])
    X = da.compile(free).forward_kinematics(q)[3]
    tied = free.add_loop(
        "pin", ("b2", point.tolist()), ("world", (X[:3, :3] @ point + X[:3, 3]).tolist())
    )
    found = da.simulate(da.compile(tied), q, None, 0.5)
    assert found.ok, found.status
    alone = da.simulate(da.compile(free.lock(["j0", "j1", "j2"], at=q)), q[3:], None, 0.5)
    np.testing.assert_allclose(found.q[-1], [*q[:3], alone.q[-1, 0]], atol=1e-9)


def test_friction_passes_the_dead_centres_of_an_engine() -> None:
    """There the slider turns round by the linkage, and no friction could hold it.

    What is lost is friction times the way of the slider, to x = l₂ ± l₁ and back.
    """
    l1, l2, friction = 0.3, 0.8, 2.0
    engine = da.Builder("engine", gravity=(0, 0, 0))
    for name, joint, length, at in (("crank", "turn", l1, 0.0), ("rod", "pin", l2, l1)):
        across = length**2 / 12
        engine.link(name, mass=1.0, com=(length / 2, 0, 0), inertia=(0, across, across))
        engine.revolute(joint, name, origin=(at, 0, 0))
    engine.link("piston", mass=0.5)
    engine.prismatic("slide", "piston", parent="world", axis="x", friction=friction)
    engine.loop("wrist", ("rod", (l2, 0, 0)), ("piston", (0, 0, 0)))
    model = da.compile(engine.build())
    angle = 0.7
    lean = np.arcsin(l1 * np.sin(angle) / l2)
    q0 = np.array([angle, -lean - angle, l1 * np.cos(angle) + l2 * np.cos(lean)])
    along = np.linalg.svd(model.constraint_jacobian(q0))[2][-1]
    motion = simulate(model, q0, 12 * along / along[0], 0.75)
    assert motion.ok, motion.status
    assert [name for _, name in motion.events] == ["slide turns"] * 2
    assert 2 * np.pi < motion.q[-1, 0] < 3 * np.pi
    way = (q0[2] - (l2 - l1)) + 2 * l1 + (l2 + l1 - motion.q[-1, 2])
    assert motion.energy.dissipated[-1] == pytest.approx(friction * way, rel=1e-9)


def test_computed_torque_does_not_fight_dry_friction() -> None:
    """It holds still where friction sticks, and the law of the docstring leaves it its error."""
    from dalembert.control import ComputedTorque

    inertia, friction = 2.0, 0.6
    arm = da.Builder("arm", gravity=(0, 0, 0)).link("rod", mass=1.0, inertia=(inertia,) * 3)
    model = da.compile(arm.revolute("hinge", "rod", friction=friction).build())
    hold = ComputedTorque(model, [0.0], stiffness=25.0)
    assert hold.law is not None
    # I K q̃ is the torque that it asks for: below the friction it moves nothing
    inside = simulate(model, [0.9 * friction / (25 * inertia)], None, 1.0, hold)
    assert inside.ok, inside.status
    assert np.ptp(inside.q) == 0
    outside = simulate(model, [0.3], None, 4.0, hold)
    assert outside.ok, outside.status
    # I (q'' + 10 q' + 25 q) = F from rest at 0.3, critically damped
    end, t = friction / (25 * inertia), outside.t
    assert np.abs(outside.q[:, 0] - end - (0.3 - end) * (1 + 5 * t) * np.exp(-5 * t)).max() < 1e-10
    moving = ComputedTorque(model, [da.sin(2 * da.time)], stiffness=25.0)
    followed = simulate(model, [0.0], [2.0], 4.0, moving)
    assert followed.ok, followed.status
    # I (e'' + 10 e' + 25 e) = ±F: |e| ≤ F / (I K), once critically damped
    assert np.abs(followed.q[:, 0] - np.sin(2 * followed.t)).max() <= friction / (25 * inertia)


@pytest.mark.parametrize("power", [2, 6])
def test_a_force_that_grows_from_zero_breaks_free(power):
    """It sticks while tⁿ ≤ F: errors have no size at the start, and none beside rounding."""
    (x,), (f,) = da.coordinates("x"), da.inputs("f")
    block = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f]))
    events = [DryFriction(x.dot, 0.2)]
    motion = da.simulate(block, [0], [0], 1.0, [da.time**power], events=events)
    assert motion.ok
    assert motion.events[0] == (pytest.approx(0.2 ** (1 / power), rel=1e-10), "friction slides")
