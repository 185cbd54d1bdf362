"""The control of the whole body: its physics by other functions of the model, its limits kept."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import ik
from dalembert.control import BodyTick, SurfaceContact, WholeBody, minimum_jerk
from tests.controlled_robots import ROBOTS, Driven
from tests.unit.control.whole_body.biped import FRICTION, SOLE, biped, crouched, feet

pytest.importorskip("daqp", reason="the solver daqp is not installed")

EXACT = 1e-8
"""Of accelerations, forces and torques of size one to a hundred: the solver's tolerance."""

HOME = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3])


def panda() -> da.Model:
    return da.compile(da.textbook.robots.panda())


def standing(**options: object) -> WholeBody:
    """Return the law of a biped that holds where it is."""
    model, q = biped(), crouched()
    trunk = model.forward_kinematics(q, "trunk")[:3, :3]
    tasks = [
        ik.CenterOfMassTask(model.center_of_mass(q), 10.0),
        ik.OrientationTask("trunk", trunk, 3.0),
        ik.MomentumTask([0.0, 0.0, 0.0], 0.2, rows=[3, 4, 5]),
        ik.PostureTask(q, 0.3),
    ]
    given = {"dt": 0.002, "contacts": feet(), **options}
    return WholeBody(model, tasks, **given)  # type: ignore[arg-type]


def wrenches(model: da.Model, q: np.ndarray, tick: BodyTick) -> dict[str, np.ndarray]:
    """Return what the forces of a tick are at the frames of the feet, in the world."""
    found = {}
    for k, side in enumerate(("left", "right")):
        X = model.forward_kinematics(q, f"{side}_foot")
        forces, arms = tick.forces[4 * k : 4 * k + 4], np.array(SOLE) @ X[:3, :3].T
        found[f"{side}_foot"] = np.r_[forces.sum(0), np.cross(arms, forces).sum(0)]
    return found


def test_accelerations_of_free_tasks_are_those_wanted() -> None:
    model = panda()
    v = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.3, 0.2])
    target = model.forward_kinematics(HOME + 0.05, "flange")
    law = WholeBody(model, [ik.PoseTask("flange", target)], dt=0.001, acceleration_cost=1e-10)
    rate, boost = np.arange(6) * 0.1, np.arange(6) - 2.0
    tick = law.tick(HOME, v, None, rate, boost)
    J = model.jacobian(HOME, "flange")
    a = J @ tick.acceleration + model.jacobian_rate(HOME, v, "flange") @ v
    wanted = boost + 20 * (rate - J @ v) + 100 * tick.error
    assert np.abs(a - wanted).max() < 1e-5
    # the error is 2 sin(θ/2) about the axis of the turn that is left
    X = model.forward_kinematics(HOME, "flange")
    assert np.abs(tick.error[:3] - (target - X)[:3, 3]).max() < 1e-14
    turn = target[:3, :3] @ X[:3, :3].T
    angle = np.arccos((np.trace(turn) - 1) / 2)
    assert np.linalg.norm(tick.error[3:]) == pytest.approx(2 * np.sin(angle / 2), abs=1e-9)
    torque = model.inverse_dynamics(HOME, v, tick.acceleration)
    assert np.abs(torque - tick.torque).max() < EXACT
    assert not tick.active


@pytest.mark.parametrize("name", ["four_bar", "delta", "floating_arm", "quadruped", "geared_arm"])
def test_torques_give_the_accelerations(name: str, rng: np.random.Generator) -> None:
    robot: Driven = ROBOTS[name]()
    model = robot.model
    posture = [ik.PostureTask(robot.home, 1.0), ik.PositionTask(robot.frame, [0.1, 0.2, 0.3], 0.5)]
    law = WholeBody(model, posture, dt=0.01, velocity=1e3, braking=1e4, effort=np.inf)
    for _ in range(3):
        q, v = robot.near(rng, 0.1)
        tick = law.tick(q, v)
        found = model.forward_dynamics(q, v, tick.torque)
        size = 1 + np.abs(tick.acceleration).max()
        if model.description.has_constraints:
            # the law also lets the errors of the loops decay
            A = model.constraint_jacobian(q)
            b = model.constraint_bias(q, v) + 40 * A @ v + 400 * model.constraint_error(q)
            assert np.abs(A @ tick.acceleration + b).max() < 1e-6 * size
        assert np.abs(found - tick.acceleration).max() < 1e-5 * size


def test_a_biped_is_held_by_forces_in_their_cones(rng: np.random.Generator) -> None:
    law, model = standing(), biped()
    for _ in range(10):
        q = model.configuration.integrate(crouched(), 0.02 * rng.normal(size=model.nv))
        v = 0.1 * rng.normal(size=model.nv)
        tick = law.tick(q, v)
        # Newton and Euler, by the articulated bodies
        found = model.forward_dynamics(q, v, tick.torque, external=wrenches(model, q, tick))
        assert np.abs(found - tick.acceleration).max() < 1e-6
        assert np.abs(tick.torque[:6]).max() == 0
        across, load = np.hypot(*tick.forces.T[:2]), tick.forces[:, 2]
        assert (across <= FRICTION * load + EXACT).all()
        # each point of the soles slows down as it is told to
        for side in ("left", "right"):
            J = model.jacobian(q, f"{side}_foot", reference="body")
            drift = model.frame_acceleration(q, v, 0 * v, f"{side}_foot", reference="body")
            a = J @ tick.acceleration + drift
            assert np.abs(a + 20 * J @ v).max() < EXACT
        assert tick.violation < EXACT


def test_pyramids_lie_inside_their_cones(rng: np.random.Generator) -> None:
    for sides in (3, 4, 8):
        normal = rng.normal(size=3)
        contact = SurfaceContact("foot", 0.5, normal=normal.tolist(), sides=sides)
        axes = contact.axes
        assert np.abs(axes.T @ axes - np.eye(3)).max() < 1e-15
        assert np.abs(axes[:, 2] - normal / np.linalg.norm(normal)).max() < 1e-15
        forces = rng.normal(size=(2000, 3))
        inside = (forces @ contact.faces.T >= 0).all(axis=1)
        across = np.hypot(forces[:, 0], forces[:, 1])
        assert inside.any()
        assert (across[inside] <= 0.5 * forces[inside, 2]).all()
        # the edges of the pyramid are on the cone
        k = 2 * np.pi * np.arange(sides) / sides
        edges = np.stack([0.5 * np.cos(k), 0.5 * np.sin(k), np.ones(sides)], axis=1)
        assert np.abs((edges @ contact.faces.T).min(axis=1)).max() < 1e-15


@pytest.mark.parametrize(
    ("points", "rank"),
    [([[0, 0, 0.1]], 3), ([[0, 0, 0], [0.1, 0, 0]], 5), (SOLE, 6), ([[0, 0, 0]] * 2, 3)],
)
def test_points_hold_the_motions_that_would_move_them(
    points: list[list[float]], rank: int, rng: np.random.Generator
) -> None:
    held = SurfaceContact("foot", 1.0, points).held
    assert len(held) == rank
    for _ in range(5):
        twist = rng.normal(size=6)
        left = twist - np.linalg.pinv(held) @ (held @ twist)
        speeds = left[:3] + np.cross(left[3:], points)
        assert np.abs(speeds).max() < 1e-14


def test_an_open_contact_gives_no_force_and_moves() -> None:
    model, q = biped(), crouched()
    law = standing()
    c = model.center_of_mass(q)
    c[1] = 0.1
    X = model.forward_kinematics(q, "right_foot")
    X[2, 3] += 0.05
    tasks = [*law.tasks[1:], ik.CenterOfMassTask(c, 3.0), ik.PoseTask("right_foot", X, 3.0)]
    law = WholeBody(model, tasks, dt=0.002, contacts=feet())
    q[7:] += 0.0
    tick = law.tick(q, np.zeros(model.nv), closed=["left_foot"])
    assert np.abs(tick.forces[4:]).max() < 1e-15
    assert tick.forces[:4, 2].min() >= -EXACT
    a = model.frame_acceleration(q, 0 * tick.acceleration, tick.acceleration, "right_foot")
    assert a[2] > 1.0
    found = model.forward_dynamics(
        q, 0 * tick.acceleration, tick.torque, external=wrenches(model, q, tick)
    )
    assert np.abs(found - tick.acceleration).max() < 1e-6
    with pytest.raises(da.UnknownName, match="expected a contact, got 'hand'"):
        law.tick(q, np.zeros(model.nv), closed=["hand"])
    # without any contact it falls, as its centre of mass must
    tick = law.tick(q, np.zeros(model.nv), closed=[])
    J = model.center_of_mass_jacobian(q)
    assert np.abs(J @ tick.acceleration - [0, 0, -9.81]).max() < 1e-6


def test_limits_hold_from_tick_to_tick() -> None:
    model = panda()
    space, dt = model.configuration, 0.002
    far = np.where(np.arange(7) % 2, space.upper + 0.5, space.lower - 0.5)
    rate, boost = 1.5, 8.0
    # a weak motor about the vertical, which needs more room to brake
    effort = np.array([3.0, 87, 87, 87, 12, 12, 12])
    law = WholeBody(
        model,
        [ik.PostureTask(far)],
        dt=dt,
        velocity=rate,
        acceleration=boost,
        effort=effort,
        braking=[0.5, *[8.0] * 6],
        stiffness=400.0,
    )
    q, v, seen = HOME.copy(), np.zeros(7), set()
    for _ in range(2500):
        tick = law.tick(q, v)
        seen |= {name.split()[0] for name in tick.active}
        # what the torques do, held for the tick
        a = model.forward_dynamics(q, v, tick.torque)
        assert (np.abs(tick.torque) <= effort + EXACT).all()
        assert np.abs(a).max() <= boost + 1e-6
        q, v = q + v * dt + a * dt**2 / 2, v + a * dt
        assert np.abs(v).max() <= rate + 1e-6
        assert (q >= space.lower - 1e-9).all()
        assert (q <= space.upper + 1e-9).all()
    assert seen == {"limits", "effort"}
    at = np.minimum(np.abs(q - space.lower), np.abs(q - space.upper))
    assert at.max() < 1e-3


def test_what_excludes_each_other_is_named() -> None:
    # a biped that weighs 30 kg on feet that carry 8 times 20 N
    law = standing(contacts=feet(max_force=20.0), acceleration=1.0, velocity=1.0)
    with pytest.raises(da.EvaluationError, match="exclude each other") as caught:
        law.tick(crouched(), np.zeros(biped().nv))
    message = str(caught.value)
    assert message.startswith("cannot move biped within its limits")
    assert "load of left_foot" in message
    assert "friction of left_foot" in message


def test_links_keep_their_distance() -> None:
    model, q = biped(), crouched()
    names = model.configuration.q_names
    pair = [("left_arm", "right_arm")]
    place = names.index("left_shoulder")
    # arms swing past each other in parallel planes, nearest where both hang
    q[place], q[names.index("right_shoulder")] = 1.4, -1.4
    least = float(model.distances(crouched(), pair).distance[0])
    goal = crouched()
    tasks = [ik.PostureTask(goal), ik.OrientationTask("trunk", np.eye(3), 3.0)]
    margin = least + 0.005
    limits = [ik.JointLimits(), ik.Clearance(margin, pair)]
    law = WholeBody(model, tasks, dt=0.005, contacts=feet(), limits=limits, stiffness=40.0)
    v = np.zeros(model.nv)
    seen = set()
    for _ in range(300):
        tick = law.tick(q, v)
        seen |= set(tick.active)
        v = v + 0.005 * tick.acceleration
        q = model.configuration.integrate(q, v, 0.005)
        assert model.distances(q, pair).distance[0] > margin - 1e-5
    assert "distance of left_arm and right_arm" in seen
    assert model.distances(q, pair).distance[0] < margin + 1e-3


def test_later_priorities_leave_the_first_alone() -> None:
    model = panda()
    target = model.forward_kinematics(HOME + 0.1, "flange")
    first = ik.PoseTask("flange", target)
    second = ik.PostureTask(HOME - 0.5, priority=1)
    alone = WholeBody(model, [first], dt=0.001).tick(HOME, np.zeros(7))
    both = WholeBody(model, [first, second], dt=0.001).tick(HOME, np.zeros(7))
    heavy = WholeBody(model, [first, ik.PostureTask(HOME - 0.5)], dt=0.001)
    mixed = heavy.tick(HOME, np.zeros(7))
    J = model.jacobian(HOME, "flange")
    wanted = J @ alone.acceleration
    assert np.abs(J @ both.acceleration - wanted).max() < 1e-6
    assert np.abs(J @ mixed.acceleration - wanted).max() > 1e-2
    # and the posture has what freedom is left: the self-motion of the elbow
    _, _, basis = np.linalg.svd(J)
    left = basis[-1] @ (both.acceleration - 100 * (-0.5 * np.ones(7)))
    assert abs(left) < 1e-3


def test_as_a_controller_it_follows_references() -> None:
    model = panda()
    X = model.forward_kinematics(HOME, "flange")
    end = X[:3, 3] + [0.0, 0.1, 0.05]
    way = minimum_jerk([X[:3, 3], end], 1.0)
    tasks = [
        ik.PositionTask("flange", X[:3, 3], 10.0),
        ik.OrientationTask("flange", X[:3, :3], 10.0),
        ik.PostureTask(HOME, 0.01),
    ]
    law = WholeBody(model, tasks, dt=0.002, references=[way, None, None])
    sampled = da.simulation.Sampled(law, period=0.002)
    motion = da.simulate(model, HOME, np.zeros(7), np.linspace(0, 1.2, 25), sampled)
    assert motion.ok
    aims = way(motion.t).position
    away = model.forward_kinematics(motion.q, "flange")[:, :3, 3] - aims
    # the posture pulls at a thousandth of the task's weight
    assert np.abs(away).max() < 1e-4
    batch = law(np.zeros(2), np.stack([HOME, HOME]), np.zeros((2, 7)))
    assert np.abs(batch - law(0.0, HOME, np.zeros(7))).max() < 1e-9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dt": 0.0}, "dt above 0"),
        ({"stiffness": [1.0, 2.0]}, "stiffness of at least 0, one or 4"),
        ({"damping": -1.0}, "damping of at least 0, one or 4"),
        ({"effort": -1.0}, "effort of at least 0, one or 14"),
        ({"braking": 0.0}, "braking limits above 0"),
        ({"references": [None]}, "expected 4 references"),
        ({"contacts": ["foot"]}, "a SurfaceContact for contacts="),
        ({"solver": "daqp"}, "a solver of da.ik for solver="),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(da.EvaluationError, match=words):
        standing(**options)


def test_wrong_contacts_are_refused() -> None:
    for arguments, words in (
        (("foot", 0.0), "friction above 0"),
        (("foot", 1.0, [0, 0, 0]), r"points \(k, 3\)"),
        (("foot", 1.0, SOLE, (0, 0, 0)), "a direction for the normal"),
        (("foot", 1.0, SOLE, (0, 0, 1), -1.0), "max_force above 0"),
        (("foot", 1.0, SOLE, (0, 0, 1), 10.0, 2), "at least 3 sides"),
    ):
        with pytest.raises(da.EvaluationError, match=words):
            SurfaceContact(*arguments)  # type: ignore[arg-type]
    with pytest.raises(da.UnknownName, match="expected a frame or link of biped, got 'foot'"):
        standing(contacts=[SurfaceContact("foot", 1.0)])
