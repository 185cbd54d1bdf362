"""Differential inverse kinematics: targets are followed and limits kept at every tick."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import ik
from dalembert.mechanism import Capsule
from dalembert.model.formulas.moved import moved
from dalembert.tasks.stack import symbol_list

pytest.importorskip("daqp", reason="the solver daqp is not installed")

HOME = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3])
# of limits in rad and rad/s: the solver's own tolerance
KEPT = 1e-9
DT = 0.002


def panda() -> da.Model:
    return da.compile(da.textbook.robots.panda())


def test_a_moving_target_is_followed_within_all_limits() -> None:
    model = panda()
    X = model.forward_kinematics(HOME, "flange")
    follow = ik.DifferentialIK(
        model, [ik.PoseTask("flange", X)], dt=DT, gain=0.2, velocity=0.8, acceleration=6.0
    )
    space = model.configuration
    q, v, free = HOME, np.zeros(7), []
    for k in range(1500):
        aim = X.copy()
        aim[:3, 3] += 0.05 * np.array([np.sin(2 * k * DT), np.cos(2 * k * DT) - 1, 0])
        tick = follow.tick(q, v, [aim])
        assert (tick.q >= space.lower - KEPT).all()
        assert (tick.q <= space.upper + KEPT).all()
        assert np.abs(tick.velocity).max() <= 0.8 + KEPT
        assert np.abs(tick.velocity - v).max() <= 6.0 * DT + KEPT
        q, v = tick.q, tick.velocity
        error = np.linalg.norm(model.forward_kinematics(q, "flange")[:3, 3] - aim[:3, 3])
        free += [] if tick.active else [error]
    # a proportional law lags by speed · dt / gain, 0.1 m/s · 2 ms / 0.2, where no limit holds it
    assert len(free) > 1000
    assert max(free[100:]) < 0.0012


def test_joints_brake_before_their_bounds() -> None:
    model = panda()
    space = model.configuration
    far = model.forward_kinematics(np.where(np.arange(7) % 2, space.upper, space.lower), "flange")
    task = [ik.PoseTask("flange", far)]
    follow = ik.DifferentialIK(model, task, dt=DT, acceleration=10.0)
    q, v, seen = HOME, np.zeros(7), set()
    for _ in range(1500):
        tick = follow.tick(q, v)
        # never an emergency: the program had a solution with the deceleration that is allowed
        assert np.abs(tick.velocity - v).max() <= 10.0 * DT + KEPT
        assert (tick.q >= space.lower - KEPT).all()
        assert (tick.q <= space.upper + KEPT).all()
        q, v = tick.q, tick.velocity
        seen |= set(tick.active)
    assert any(name.startswith("limits of joint") for name in seen)


def two_links() -> da.Model:
    arm = da.Builder("arm")
    parent = "world"
    for k, name in enumerate("abc"):
        arm = arm.link(name, mass=1, inertia=(1, 1, 1)).revolute(
            f"j{name}", name, parent=parent, axis="z", origin=(0.5 * (k > 0), 0, 0)
        )
        arm = arm.shape(name, Capsule(0.05, 0.3), origin=(0.25, 0, 0), rpy=(0, np.pi / 2, 0))
        parent = name
    return da.compile(arm.frame("tip", "c", origin=(0.5, 0, 0)).build())


def test_links_keep_their_distance() -> None:
    model = two_links()
    q = np.array([0.0, 1.2, 1.2])
    # at this pose the last link lies across the first
    crossed = np.array([0.0, 2.5, 2.5])
    assert model.distances(crossed, [("a", "c")]).distance[0] < 0
    task = [ik.PoseTask("tip", model.forward_kinematics(crossed, "tip"))]
    free = ik.DifferentialIK(model, task, dt=0.01, gain=0.1, velocity=2.0)
    held = ik.DifferentialIK(
        model,
        task,
        dt=0.01,
        gain=0.1,
        velocity=2.0,
        limits=[ik.JointLimits(), ik.Clearance(0.02, [("a", "c")])],
    )
    least, names = [np.inf, np.inf], set()
    for i, law in enumerate((free, held)):
        at = q
        for _ in range(400):
            tick = law.tick(at)
            at = tick.q
            least[i] = min(least[i], float(model.distances(at, [("a", "c")]).distance[0]))
            names |= set(tick.active)
    assert least[0] < 0
    # to first order: a step of 2 rad/s in 10 ms bends by less than a millimetre
    assert least[1] > 0.019
    assert "distance of a and c" in names


def test_limits_that_exclude_each_other_are_named() -> None:
    model = two_links()
    q = np.array([0.0, 2.9, 2.9])
    assert model.distances(q, [("a", "c")]).distance[0] < 0.2
    law = ik.DifferentialIK(
        model,
        [ik.PositionTask("tip", [0.5, 0.5, 0])],
        dt=0.01,
        velocity=1e-3,
        limits=[ik.JointLimits(), ik.Clearance(0.5, [("a", "c")])],
    )
    with pytest.raises(
        da.EvaluationError, match=r"distance of a and c, limits of jb, .*exclude each other"
    ) as caught:
        law.tick(q)
    assert "limits of j" in str(caught.value)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-6, 0.3, 3.0])
def test_steps_of_free_bodies_and_balls(size: float, rng: np.random.Generator) -> None:
    body = {"mass": 1, "inertia": (1, 1, 1)}
    robot = da.Builder("body").link("trunk", **body).floating("base", "trunk")
    robot = robot.link("arm", **body).spherical("socket", "arm", parent="trunk", origin=(0, 0, 1))
    robot = robot.link("hand", **body).revolute("wrist", "hand", parent="arm", axis="x")
    model = da.compile(robot.build())
    space = model.configuration
    for q in space.random(rng, 5):
        way = size * rng.normal(size=model.nv)
        symbols = list(model.symbols.q), symbol_list("s{}", model.nv)
        step = model.compile(moved(model, *symbols), {"q": symbols[0], "s": symbols[1]})
        # the series and closed forms of the numeric exponential; entries of size one to five
        assert np.abs(step(q, way) - space.integrate(q, way)).max() < 1e-14 * (1 + size)


def test_a_free_base_moves_by_its_velocity() -> None:
    body = {"mass": 1, "inertia": (1, 1, 1)}
    robot = da.Builder("body").link("trunk", **body).floating("base", "trunk")
    model = da.compile(robot.frame("eye", "trunk", origin=(0.1, 0, 0)).build())
    aim = np.eye(4)
    aim[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    aim[:3, 3] = 1, 2, 3
    follow = ik.DifferentialIK(model, [ik.PoseTask("eye", aim)], dt=0.01)
    q = model.configuration.neutral
    for _ in range(100):
        q = follow.tick(q).q
    assert np.abs(model.forward_kinematics(q, "eye") - aim).max() < 1e-9
    assert abs(np.linalg.norm(q[3:]) - 1) < 1e-12


def test_targets_that_are_not_finite_are_named() -> None:
    model = panda()
    X = model.forward_kinematics(HOME, "flange")
    follow = ik.DifferentialIK(model, [ik.PoseTask("flange", X)], dt=DT)
    X[0, 3] = np.nan
    with pytest.raises(da.EvaluationError, match="finite numbers for the target of flange"):
        follow.tick(HOME, targets=[X])
    with pytest.raises(da.EvaluationError, match=r"shape \(4, 4\) for the target of flange"):
        follow.tick(HOME, targets=[np.eye(3)])


def test_without_limits_in_the_way_the_solution_is_that_of_the_solver() -> None:
    model = panda()
    X = model.forward_kinematics(HOME, "flange")
    X[:3, 3] += [0.001, 0.002, -0.001]
    tick = ik.DifferentialIK(model, [ik.PoseTask("flange", X)], dt=DT).tick(HOME)
    assert not tick.active
    found = ik.Daqp().solve(tick.program)
    assert found is not None
    assert np.abs(found - tick.velocity).max() < 1e-6
    # and the gradient vanishes
    H, f = tick.program.H, tick.program.f
    assert np.abs(H @ tick.velocity + f).max() < 1e-12 * np.abs(f).max()


def test_loops_stay_closed() -> None:
    bar = da.Builder("four-bar")
    for name, parent, x in (
        ("a", "world", 0.0),
        ("b", "a", 0.4),
        ("c", "b", 0.6),
    ):
        bar = bar.link(name, mass=1, inertia=(1, 1, 1))
        bar = bar.revolute(f"j{name}", name, parent=parent, axis="z", origin=(x, 0, 0))
    bar = bar.loop("pin", ("c", (0.5, 0, 0)), ("world", (0.7, 0, 0)))
    model = da.compile(bar.frame("rod", "b", origin=(0.3, 0, 0)).build())
    start = ik.solve_ik(model, ik.PositionTask("rod", [0.4, 0.35], axes="xy"), [1.0, -0.5, -1.5])
    q = start.q
    assert np.abs(model.constraint_error(q)).max() < 1e-2
    goal = model.forward_kinematics(q, "rod")[:3, 3] + [0.02, 0, 0]
    law = ik.DifferentialIK(
        model, [ik.PositionTask("rod", goal[:2], axes="xy")], dt=0.01, gain=0.2, velocity=1.0
    )
    for _ in range(300):
        q = law.tick(q).q
    assert np.abs(model.constraint_error(q)).max() < 1e-10


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dt": 0}, "dt above 0"),
        ({"gain": 1.5}, "gain above 0 and at most 1"),
        ({"damping": -1}, "damping above 0"),
        ({"velocity": 0}, "velocity limits above 0, one or 7"),
        ({"solver": "daqp"}, "a solver of da.ik for solver="),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], words: str) -> None:
    model = panda()
    task = [ik.PoseTask("flange", np.eye(4))]
    with pytest.raises(da.EvaluationError, match=words):
        ik.DifferentialIK(model, task, **{"dt": 0.01, **options})  # type: ignore[arg-type]
    law = ik.DifferentialIK(model, task, dt=0.01)
    with pytest.raises(da.EvaluationError, match="expected 1 targets, got 2"):
        law.tick(HOME, targets=[np.eye(4)] * 2)
